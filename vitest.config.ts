import { defineConfig } from 'vitest/config';

// Real processes and terminals: forks, not threads, and few at a time: one more than the two cores of a small machine, for
// a test mostly waits for its processes.
export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['test/lab/**', 'node_modules/**'],
    pool: 'forks',
    maxWorkers: 3,
    // Real processes on a busy machine can starve: in CI what fails twice in a row is a bug. By hand nothing is repeated.
    retry: process.env.CI ? 1 : 0,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    passWithNoTests: false,
  },
});
