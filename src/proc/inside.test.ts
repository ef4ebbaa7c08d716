/** Whether a process is inside a session, in a namespace of processes whose first one is the only witness. */
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { LIMIT_MARK } from '../contract/ids.js';

const SCRIPT = `const { insideOf } = await import(${JSON.stringify(new URL('./inside.ts', import.meta.url).href)});
console.log(JSON.stringify({ pid: process.pid, inside: insideOf(process.pid) ?? null }));`;

/** A process with this limit of file locks, as the first of a namespace of its own or where we are. */
function look(locks: string, { apart, env = {} }: { apart: boolean; env?: Record<string, string> }) {
  const namespace = apart ? ['unshare', '--pid', '--fork', '--mount-proc'] : [];
  const node = [process.execPath, '--import', import.meta.resolve('tsx'), '--input-type=module', '-e', SCRIPT];
  const [command, ...args] = [...namespace, 'prlimit', `--locks=${locks}`, ...node];
  const { stdout, stderr, status } = spawnSync(command!, args, {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, ...env },
  });
  return { told: status === 0 ? (JSON.parse(stdout) as { pid: number; inside: object | null }) : undefined, stderr };
}

/** Where a namespace may not be made, the system says so in these words; anything else is a failure of the test. */
const REFUSED = /Operation not permitted|Permission denied|No space left|Invalid argument/;

const CASES = [
  { what: 'made inside a session, with the variable taken off', locks: LIMIT_MARK, env: {}, expected: /by its limits/ },
  { what: 'made outside', locks: 'unlimited', env: {}, expected: /^null$/ },
  { what: 'of a system that limits everyone', locks: '5', env: {}, expected: /^null$/ },
  {
    what: 'of a system that limits everyone, with the mark',
    locks: '5',
    env: { REINS_SESSION: 'k7f2m9qd' },
    expected: /carries a session’s mark.*k7f2m9qd/,
  },
];

test.each(CASES)('a namespace of processes $what', ({ locks, env, expected }) => {
  const { told, stderr } = look(locks, { apart: true, env });
  if (told) {
    expect(told.pid).toBe(1);
    expect(JSON.stringify(told.inside)).toMatch(expected);
    return;
  }
  expect(stderr).toMatch(REFUSED);
  // No namespace to be had here: then nobody can hide in one either, and the limit tells where we are.
  const inside = JSON.stringify(look(locks, { apart: false, env }).told?.inside);
  expect(inside).toMatch(locks === 'unlimited' ? /^null$/ : /by its limits|mark/);
});
