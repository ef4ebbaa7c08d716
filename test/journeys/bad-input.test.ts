/** What people and agents do wrong: a clear message with the fix, the documented exit code, bounded memory, nothing hangs, nothing starts. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { calls, fakeAgent } from './support/agents.js';
import { reins, startReins } from './support/cli.js';
import { entry, sessions } from './support/journal.js';
import { until } from './support/wait.js';
import { newWorld, type World } from './support/world.js';

const RUN = ['run', '-b', 'kiro', '--trust', 'full', '--once'];

/** [what, config, arguments, exit code, what the message must say] */
const WRONG: [string, string | undefined, string[], number, (string | RegExp)[]][] = [
  [
    'an unknown key',
    'cli:\n  backend: kiro\n  idle_timeout: 3\n',
    ['-p', 'x'],
    10,
    ['reins.yml:3:3', 'idle_timeout', 'idle_timeout_secs'],
  ],
  ['an unknown key at the top', 'trsut: full\n', ['-p', 'x'], 10, ['reins.yml:1:1', 'trust']],
  ['a wrong type', 'cli:\n  idle_timeout_secs: soon\n', ['-p', 'x'], 10, ['reins.yml:2:', 'idle_timeout_secs']],
  ['a value that is not one of the list', 'trust: some\n', ['-p', 'x'], 10, ['reins.yml:1:', 'guarded', 'full']],
  ['no YAML at all', 'cli: [unclosed\n', ['-p', 'x'], 10, ['reins.yml:']],
  ['a rule nobody can read', 'rules:\n  deny: ["Bash(rm"]\n', ['-p', 'x'], 10, ['reins.yml', 'Bash(rm']],
  ['a config file that is not there', undefined, ['-c', 'missing.yml', '-p', 'x'], 10, ['missing.yml']],
  [
    'an unknown key by --set',
    undefined,
    ['--set', 'cli.bakend=x', '-p', 'x'],
    10,
    ['--set cli.bakend: unknown key', 'backend'],
  ],
  ['a --set without a value', undefined, ['--set', 'cli.backend', '-p', 'x'], 10, ['cli.backend']],
  ['an unknown backend', undefined, ['-b', 'gpt', '-p', 'x'], 2, ['gpt', 'claude']],
  ['an unknown flag', undefined, ['--frobnicate', '-p', 'x'], 2, ['--frobnicate']],
  ['both -i and -a', undefined, ['-i', '-a', '-p', 'x'], 2, ['-i', '-a']],
  ['no prompt', undefined, [], 2, ['no prompt was given', '-p']],
  ['an empty prompt', undefined, ['-p', ''], 2, ['no prompt was given']],
  ['a prompt of blanks', undefined, ['-p', ' \n\t '], 2, ['no prompt was given']],
  ['two prompts', undefined, ['-p', 'one', 'two'], 2, ['-p', 'two', 'keep one']],
  ['two prompts, one a file', undefined, ['-p', 'one', '-P', 'file.md'], 2, ['-p', '-P file.md']],
  [
    'a prompt file that is not there',
    undefined,
    ['-P', 'missing.md'],
    2,
    ['missing.md cannot be read: there is no such file'],
  ],
  ['a prompt file that is a directory', undefined, ['-P', '.'], 2, ['cannot be read: it is a directory']],
  [
    'a number that is none',
    undefined,
    ['--idle-timeout', 'soon', '-p', 'x'],
    2,
    ['--idle-timeout soon is no amount', 'number'],
  ],
  ['a negative number', undefined, ['--timeout', '-3', '-p', 'x'], 2, ['--timeout -3 is no amount']],
  ['a count of zero', undefined, ['--max-iterations', '0', '-p', 'x'], 2, ['--max-iterations 0 is no count']],
  ['an unknown trust', undefined, ['--trust', 'blind', '-p', 'x'], 2, ['guarded', 'full']],
  ['an unknown format', undefined, ['--format', 'xml', '-p', 'x'], 2, ['xml', 'json']],
  [
    'a log file that cannot be opened',
    undefined,
    ['--log-file', '/dev/null/log', '-p', 'x'],
    2,
    ['/dev/null/log', '--log-file'],
  ],
  ['a session to continue that is not there', undefined, ['--continue', 'nosuch', '-p', 'x'], 30, ['nosuch']],
];

describe('what people do wrong', () => {
  test.each(WRONG)('%s', async (_what, config, args, code, says) => {
    const world = newWorld();
    fakeAgent(world, 'kiro-cli');
    if (config !== undefined) world.write('reins.yml', config);
    const base = args.includes('-b') ? RUN.filter((_, index) => index !== 1 && index !== 2) : RUN;
    const ended = await reins(world, [...base, ...args]);
    expect(ended).toMatchObject({ code, stdout: '' });
    for (const words of says)
      expect(ended.stderr).toMatch(
        words instanceof RegExp ? words : new RegExp(words.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')),
      );
    expect(ended.stderr).not.toMatch(/\n\s+at .*\.js:\d+/);
    expect(calls(world, 'kiro-cli')).toEqual([]);
    expect(sessions(world)).toEqual([]);
  });

  test('an unknown command says so and points to the help', async () => {
    const ended = await reins(newWorld(), ['frobnicate']);
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain('frobnicate');
    expect(ended.stderr).toContain('reins --help');
  });

  test('a state directory that cannot be made is an error with the way out', async () => {
    const world = newWorld();
    fakeAgent(world, 'kiro-cli');
    const file = world.write('a-file', '');
    const ended = await reins(world, [...RUN, '-p', 'x'], { env: { XDG_STATE_HOME: file } });
    expect(ended.code).not.toBe(0);
    expect(ended.stderr).toContain('XDG_STATE_HOME');
    expect(ended.stderr).not.toMatch(/\n\s+at .*\.js:\d+/);
  });

  test('a stdin that nobody writes to and nobody closes does not keep a run with a prompt from starting', async () => {
    const world = newWorld();
    fakeAgent(world, 'kiro-cli');
    const run = startReins(world, [...RUN, '-p', 'x'], { stdin: 'open' });
    expect(await run.done).toMatchObject({ code: 0, stdout: 'done by kiro-cli\n' });
  });
});

describe('what agents do wrong', () => {
  /** More than a quiet host needs, far less than the output it must not keep. */
  const MOST_MB = 260;

  async function mostMemoryOfHost(world: World): Promise<number> {
    const pid = (await entry(world, 'session.started')).data.host_pid;
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;
  }

  test('binary garbage: the run goes on, stdout has no control character, the journal is whole', async () => {
    const world = newWorld();
    fakeAgent(world, 'kiro-cli', {
      body: `const noise = Buffer.alloc(1 << 20); for (let i = 0; i < noise.length; i++) noise[i] = (i * 2654435761) >>> 13;
let rest = noise; while (rest.length > 0) { try { rest = rest.subarray(fs.writeSync(1, rest)); } catch (error) { if (error.code !== 'EAGAIN') throw error; } }
print('\\n'); say('and words again'); done();`,
    });
    const ended = await reins(world, [...RUN, '-p', 'x']);
    expect(ended.code).toBe(0);
    expect(ended.stdout.endsWith('and words again\n')).toBe(true);
    expect(ended.stdout).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f]/);
    expect((await entry(world, 'session.ended')).data.outcome).toBe('completed');
  });

  test.each([
    ['kiro-cli', 'kiro', `print('x'.repeat(1 << 20))`],
    ['claude', 'claude', `print('x'.repeat(1 << 20))`],
    ['codex', 'codex', `print('x'.repeat(1 << 20))`],
  ])('50 MB on one line from %s: bounded memory in the host, and an end', async (command, backend, print) => {
    const world = newWorld();
    fakeAgent(world, command, {
      body: `for (let mb = 0; mb < 50; mb++) ${print}; print('\\n'); fs.writeFileSync('printed', ''); whenThere('go', done);`,
    });
    const run = startReins(world, ['run', '-b', backend, '--trust', 'full', '--once', '-p', 'x']);
    await until('the end of the line', () => existsSync(`${world.project}/printed`));
    const mb = await mostMemoryOfHost(world);
    world.write('go', '');
    expect((await run.done).code).toBe(0);
    expect(mb).toBeLessThan(MOST_MB);
  });

  test('50 MB on one line in a terminal: the same', async () => {
    const world = newWorld();
    const flood = "head -c 52428800 /dev/zero | tr '\\\\000' x; echo; >printed; until [ -e go ]; do sleep 0.1; done";
    const run = startReins(world, ['exec', '--pty', '--', 'sh', '-c', flood]);
    await until('the end of the line', () => existsSync(`${world.project}/printed`));
    const mb = await mostMemoryOfHost(world);
    world.write('go', '');
    const { code, stdout } = await run.done;
    expect(code).toBe(0);
    expect(stdout.length).toBe(52_428_800 + 2);
    expect(mb).toBeLessThan(MOST_MB);
  });

  test('an agent that dies before it says anything is a failure with its last words', async () => {
    const world = newWorld();
    fakeAgent(world, 'codex', { body: `fs.writeSync(2, 'no login found\\n'); process.exit(1)` });
    const ended = await reins(world, ['run', '-b', 'codex', '--trust', 'full', '--once', '-p', 'x']);
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toContain('no login found');
  });

  test('an agent that exits 0 without a record of its turn has not succeeded', async () => {
    const world = newWorld();
    fakeAgent(world, 'gemini', { body: `say('half a sent'); process.exit(0)` });
    const ended = await reins(world, ['run', '-b', 'gemini', '--trust', 'full', '--once', '-p', 'x']);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain('without saying how its turn went');
  });
});
