import { defineConfig } from 'vitest/config';
import { versions } from './src/testing/lab/versions.js';
import { longestFirst } from './vitest.longest-first.js';

/** Minutes each. The first is a small file with a hundred launches in it: vitest would begin it last. */
const LONGEST = ['claude-gate', 'gates-gemini', 'transcripts', 'hub-page'].map((file) => `test/lab/${file}.test.ts`);

// The real agents on a scripted model: installs them once into the user's cache, so not part of the plain `npm test`.
const shared = {
  pool: 'forks' as const,
  // Programs of others, on a machine that may be busy: what fails twice in a row is ours.
  retry: 1,
  testTimeout: 120_000,
  hookTimeout: 600_000,
};

/** What rests on the agent's own screen, its dialogs and its flags: the rest differs less from version to version. */
const ON_OLDER = ['terminal', 'reins-terminal', 'reins-dialogs', 'first-run', 'reins-headless', 'conversations'];

const older = (versions.claude.also ?? []).map((version) => ({
  test: {
    ...shared,
    name: `claude ${version}`,
    include: ON_OLDER.map((file) => `test/lab/${file}.test.ts`),
    env: { REINS_LAB_VERSIONS: `claude=${version}`, REINS_LAB_AGENTS: 'claude' },
  },
}));

export default defineConfig({
  test: {
    // One more than the two cores of a small machine: a test mostly waits for its agent.
    maxWorkers: 3,
    passWithNoTests: false,
    sequence: { sequencer: longestFirst(LONGEST) },
    projects: [{ test: { ...shared, name: 'pinned', include: ['test/lab/**/*.test.ts'] } }, ...older],
  },
});
