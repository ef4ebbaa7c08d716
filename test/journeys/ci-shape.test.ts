/** `reins run` as CI calls it: </dev/null >file 2>file and no controlling terminal. stdout holds the assistant's text and nothing else. */
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type CliOptions, reins } from './support/cli.js';
import { entry } from './support/journal.js';
import { newWorld, type World } from './support/world.js';

async function inCi(world: World, args: string[], options: CliOptions = {}) {
  const [out, err] = [join(world.root, 'out'), join(world.root, 'err')];
  const [stdout, stderr] = [openSync(out, 'w'), openSync(err, 'w')];
  try {
    const { code } = await reins(world, ['run', '-b', 'practice', ...args], { stdout, stderr, ...options });
    return { code, stdout: readFileSync(out, 'utf8'), stderr: readFileSync(err, 'utf8') };
  } finally {
    closeSync(stdout);
    closeSync(stderr);
  }
}

const STEPS = JSON.stringify([
  { think: 'nobody should read this on stdout' },
  { say: 'Let me look.' },
  { tool: 'Bash', input: { command: 'echo from the tool; echo made > made.txt' } },
  { say: 'It printed something.\n\tTabs stay, \u001b[31mcolours\u001b[0m go.' },
]);

describe('in CI shape', () => {
  test.each(['full', 'guarded'])('stdout holds the assistant’s text and nothing else (trust %s)', async (trust) => {
    const world = newWorld();
    const ended = await inCi(world, ['--trust', trust, '--once', '-p', 'hello']);
    expect(ended.code).toBe(0);
    expect(ended.stdout).toBe(
      'Hello! I am the practice agent: a script, not a model. Try "tour", "ask a question" or "/help".\n',
    );
    expect(ended.stderr).not.toContain('Hello!');
    expect((await entry(world, 'session.started')).data.presence).toEqual({
      present: false,
      reason: 'no-controlling-tty',
    });
  });

  test('thoughts, tool calls, tool results and progress stay off stdout; nothing has an escape in it', async () => {
    const world = newWorld();
    const ended = await inCi(world, ['--trust', 'full', '--once', '-p', 'x'], { env: { PRACTICE_SCENARIO: STEPS } });
    expect(ended).toMatchObject({
      code: 0,
      stdout: 'Let me look.\nIt printed something.\n\tTabs stay, colours go.\n',
    });
    expect(ended.stderr).toContain('● Bash');
    expect(ended.stdout + ended.stderr).not.toContain('\x1b');
    expect(readFileSync(join(world.project, 'made.txt'), 'utf8')).toBe('made\n');
  });

  test('-q leaves stderr empty, and stdout as it is', async () => {
    const world = newWorld();
    const ended = await inCi(world, ['-q', '--trust', 'full', '--once', '-p', 'x'], {
      env: { PRACTICE_SCENARIO: STEPS },
    });
    expect(ended.stdout).toContain('Let me look.');
    expect(ended).toMatchObject({ code: 0, stderr: '' });
  });

  test('an inquiry nobody can answer is denied: exit 4, the number and the way to allow it on stderr', async () => {
    const world = newWorld();
    const ended = await inCi(world, ['--once', '-p', 'x'], { env: { PRACTICE_SCENARIO: 'ask-permission' } });
    expect(ended.code).toBe(4);
    expect(ended.stdout).toContain('I will run a command.');
    expect(ended.stderr).toContain('1 denied because nobody was there to answer');
    expect(ended.stderr).toContain('Bash');
    // Once with the way to allow it, once in the summary: the same denial is not told five times.
    expect(ended.stderr.match(/denied|not permitted|was not run/g)).toHaveLength(3);
    expect(ended.stderr).toMatch(/^■ denied: 1 denied because nobody was there to answer \(iteration 1\); the agent/m);
    expect(existsSync(join(world.project, 'practice.txt'))).toBe(false);
  });

  test('an allow rule of the user lets the same command run', async () => {
    const world = newWorld();
    const ended = await inCi(world, ['--once', '-p', 'x', '--set', 'rules.allow=["Bash(echo:*)"]'], {
      env: { PRACTICE_SCENARIO: 'ask-permission' },
    });
    expect(ended.code).toBe(0);
    expect(readFileSync(join(world.project, 'practice.txt'), 'utf8')).toBe('practised\n');
  });

  test('the loop: three iterations, then the promise, all text on stdout in order', async () => {
    const world = newWorld();
    const ended = await inCi(world, ['--trust', 'full', '-p', 'x'], { env: { PRACTICE_SCENARIO: 'loop' } });
    expect(ended.code).toBe(0);
    expect(ended.stdout.match(/Iteration \d of 3\./g)).toEqual([
      'Iteration 1 of 3.',
      'Iteration 2 of 3.',
      'Iteration 3 of 3.',
    ]);
    expect(ended.stdout.trimEnd().endsWith('LOOP_COMPLETE')).toBe(true);
  });

  test('a failed agent: exit 1, the reason on stderr, its text on stdout', async () => {
    const world = newWorld();
    const ended = await inCi(world, ['--trust', 'full', '--once', '-p', 'x'], { env: { PRACTICE_SCENARIO: 'fail' } });
    expect(ended).toMatchObject({ code: 1, stdout: 'This is going wrong.\n' });
    expect(ended.stderr).toContain('exited with code 1');
  });

  test('a limit: exit 3', async () => {
    const world = newWorld();
    const ended = await inCi(world, ['--trust', 'full', '--max-iterations', '1', '-p', 'hello']);
    expect(ended.code).toBe(3);
    expect(ended.stderr).toContain('--max-iterations');
  });

  test('a closed stdin, stdout and stderr are no reason to fail', async () => {
    const world = newWorld();
    const { spawnSync } = await import('node:child_process');
    const { CLI } = await import('./support/cli.js');
    const { status } = spawnSync(
      'sh',
      ['-c', `exec '${process.execPath}' '${CLI}' run -b practice --trust full --once -p hello <&- >&- 2>&-`],
      { cwd: world.project, env: world.env },
    );
    expect(status).toBe(0);
    expect((await entry(world, 'session.ended')).data.outcome).toBe('completed');
  });
});
