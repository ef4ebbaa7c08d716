import { defineConfig } from 'vitest/config';

// The real agents on a scripted model: installs them once into the user's cache, so not part of the plain `npm test`.
export default defineConfig({
  test: {
    include: ['test/lab/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 600_000,
    passWithNoTests: false,
  },
});
