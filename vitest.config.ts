import { defineConfig } from 'vitest/config';

// Real processes and terminals: forks, not threads, and few at a time on small machines.
export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['test/lab/**', 'node_modules/**'],
    pool: 'forks',
    maxWorkers: 3,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    passWithNoTests: false,
  },
});
