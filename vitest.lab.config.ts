import { defineConfig } from 'vitest/config';

// The real agents on a scripted model: installs them once into the user's cache, so not part of the plain `npm test`.
export default defineConfig({
  test: {
    include: ['test/lab/**/*.test.ts'],
    pool: 'forks',
    // One more than the two cores of a small machine: a test mostly waits for its agent.
    maxWorkers: 3,
    // Programs of others, on a machine that may be busy: what fails twice in a row is ours.
    retry: 1,
    testTimeout: 120_000,
    hookTimeout: 600_000,
    passWithNoTests: false,
  },
});
