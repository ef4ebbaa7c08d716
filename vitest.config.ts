import { existsSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { longestFirst } from './vitest.longest-first.js';

/** What takes longest, begun first. */
const LONGEST = [
  'test/browser/page-states.test.ts',
  'test/browser/states.test.ts',
  'test/browser/cards.test.ts',
  'test/browser/session.test.ts',
  'test/journeys/loop-kill.test.ts',
  'test/journeys/self-approval.test.ts',
  'test/journeys/loop-continue.test.ts',
  'test/journeys/advice.test.ts',
  'test/journeys/loop-limits.test.ts',
  'test/journeys/signals-interactive.test.ts',
  'test/journeys/upgrade.test.ts',
  'test/journeys/sessions-silent.test.ts',
  'test/journeys/agent-invocation.test.ts',
  'test/journeys/bad-input.test.ts',
  'test/journeys/newcomer.test.ts',
  'test/journeys/thousands.test.ts',
  'src/adapters/tuis/recordings.test.ts',
  'test/package.test.ts',
];
/** Run by `npm run test:long`, which CI runs too: each of these takes most of a minute of processor time (docs/decisions/064). */
const APART = [
  'test/journeys/advice.test.ts',
  'test/journeys/agent-invocation.test.ts',
  'test/journeys/bad-input.test.ts',
  'test/journeys/loop-continue.test.ts',
  'test/journeys/loop-kill.test.ts',
  'test/journeys/loop-limits.test.ts',
  'test/journeys/long-journal.test.ts',
  'test/journeys/newcomer.test.ts',
  'test/journeys/self-approval.test.ts',
  'test/journeys/thousands.test.ts',
  'test/journeys/two-versions.test.ts',
  'test/journeys/upgrade.test.ts',
];
const isApart = process.env.REINS_LONG !== undefined;
const unknown = APART.filter((name) => !existsSync(new URL(name, import.meta.url)));
if (unknown.length > 0) throw new Error(`vitest.config.ts names what is not there: ${unknown.join(', ')}`);

// Real processes and terminals: forks, not threads, and few at a time: one more than the two cores of a small machine, for
// a test mostly waits for its processes.
export default defineConfig({
  test: {
    include: isApart ? APART : ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['test/lab/**', 'node_modules/**', ...(isApart ? [] : APART)],
    pool: 'forks',
    maxWorkers: 3,
    sequence: { sequencer: longestFirst(LONGEST) },
    // Real processes on a busy machine can starve: in CI what fails twice in a row is a bug. By hand nothing is repeated.
    retry: process.env.CI ? 1 : 0,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    passWithNoTests: false,
  },
});
