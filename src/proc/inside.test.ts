/** Whether a process is inside a session, in a namespace of processes whose first one is the only witness. */
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { LIMIT_MARK } from '../contract/ids.js';

const SCRIPT = `const { insideOf } = await import(${JSON.stringify(new URL('./inside.ts', import.meta.url).href)});
console.log(JSON.stringify({ pid: process.pid, inside: insideOf(process.pid) ?? null }));`;

interface LookAsk {
  apart: boolean;
  env?: Record<string, string>;
  /** As another user than the first process of the namespace. */
  below?: boolean;
}

/** A process with this limit of file locks, as the first of a namespace of its own, below the first, or where we are. */
function look(locks: string, { apart, env = {}, below = false }: LookAsk) {
  const namespace = apart ? ['unshare', '--pid', '--fork', '--mount-proc'] : [];
  const node = [process.execPath, '--import', import.meta.resolve('tsx'), '--input-type=module', '-e', SCRIPT];
  const other = ['sh', '-c', 'setpriv --reuid 12345 --regid 12345 --clear-groups "$@"; exit $?', 'sh'];
  const [command, ...args] = [...namespace, 'prlimit', `--locks=${locks}`, ...(apart && below ? other : []), ...node];
  const { stdout, stderr, status } = spawnSync(command!, args, {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, ...env },
  });
  return { told: status === 0 ? (JSON.parse(stdout) as { pid: number; inside: object | null }) : undefined, stderr };
}

/** Where a namespace may not be made, the system says so in these words; anything else is a failure of the test. */
const REFUSED = /Operation not permitted|Permission denied|No space left|Invalid argument/;

interface Case {
  what: string;
  locks: string;
  env: Record<string, string>;
  expected: RegExp;
  below?: boolean;
}

const CASES: Case[] = [
  { what: 'made inside a session, with the variable taken off', locks: LIMIT_MARK, env: {}, expected: /by its limits/ },
  { what: 'made outside', locks: 'unlimited', env: {}, expected: /^null$/ },
  {
    what: 'whose first process is our own and was lowered: anyone inside could have done that',
    locks: '5',
    env: {},
    expected: /by its limits/,
  },
  {
    what: 'whose first process is our own and was lowered, with the mark',
    locks: '5',
    env: { REINS_SESSION: 'k7f2m9qd' },
    expected: /by its limits.*k7f2m9qd/,
  },
  {
    what: 'of a system that limits everyone, whose first process is another user’s',
    locks: '5',
    env: {},
    expected: /^null$/,
    below: true,
  },
];

test.each(CASES)('a namespace of processes $what', ({ locks, env, expected, below = false }) => {
  const { told, stderr } = look(locks, { apart: true, env, below });
  if (told) {
    if (!below) expect(told.pid).toBe(1);
    expect(JSON.stringify(told.inside)).toMatch(expected);
    return;
  }
  expect(stderr).toMatch(REFUSED);
  // No namespace to be had here: then nobody can hide in one either, and the limit tells where we are.
  const inside = JSON.stringify(look(locks, { apart: false, env }).told?.inside);
  expect(inside).toMatch(locks === 'unlimited' ? /^null$/ : /by its limits|mark/);
});
