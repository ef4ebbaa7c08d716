/**
 * Seed 000 "Agent Invocation" and the flag tables of both seeds: what is really put on an agent's command line, told by
 * --dry-run and seen by fake executables. The tables are those of trust full; guarded takes the approving flags away.
 */
import { describe, expect, test } from 'vitest';
import { call, fakeAgent } from './support/agents.js';
import { dryRun, reins } from './support/cli.js';
import { reinsInTerminal } from './support/terminal.js';
import { newWorld, type World } from './support/world.js';

const COMMANDS = { claude: 'claude', kiro: 'kiro-cli', gemini: 'gemini', codex: 'codex', amp: 'amp' } as const;
type Backend = keyof typeof COMMANDS;

/** The last codex that knew the seeds' flags, and one of today. */
const CODEX_OF_THE_SEEDS = 'codex-cli 0.125.0';
const CODEX_OF_TODAY = 'codex-cli 0.166.0';

const inMode = (mode: 'autonomous' | 'interactive') => (mode === 'interactive' ? ['-i'] : ['-a', '--once']);

async function argvOf(
  world: World,
  backend: Backend,
  options: { mode: 'autonomous' | 'interactive'; trust?: 'full' | 'guarded'; version?: string },
): Promise<string[]> {
  fakeAgent(world, COMMANDS[backend], { version: options.version ?? CODEX_OF_THE_SEEDS });
  const trust = options.trust === undefined ? [] : ['--trust', options.trust];
  return (await dryRun(world, ['-b', backend, ...trust, ...inMode(options.mode), '-p', 'fix it'])).argv;
}

describe('agent invocation', () => {
  test('Given backend: "kiro" in autonomous mode, When Ralph builds command, Then args include --no-interactive --trust-all-tools', async () => {
    const argv = await argvOf(newWorld(), 'kiro', { mode: 'autonomous', trust: 'full' });
    expect(argv).toEqual(['kiro-cli', 'chat', '--no-interactive', '--trust-all-tools', 'fix it']);
  });

  test('Given backend: "kiro" in interactive mode, When Ralph builds command, Then args include --trust-all-tools but NOT --no-interactive', async () => {
    const argv = await argvOf(newWorld(), 'kiro', { mode: 'interactive', trust: 'full' });
    expect(argv).toEqual(['kiro-cli', 'chat', '--trust-all-tools', 'fix it']);
  });

  test('Given backend: "codex" in autonomous mode, When Ralph builds command, Then args include exec --full-auto', async () => {
    const argv = await argvOf(newWorld(), 'codex', { mode: 'autonomous', trust: 'full' });
    expect(argv.slice(0, 3)).toEqual(['codex', 'exec', '--full-auto']);
  });

  test('a codex that no longer knows --full-auto gets what it meant', async () => {
    const argv = await argvOf(newWorld(), 'codex', { mode: 'autonomous', trust: 'full', version: CODEX_OF_TODAY });
    expect(argv.slice(0, 4)).toEqual(['codex', 'exec', '-s', 'workspace-write']);
    expect(argv).not.toContain('--full-auto');
  });

  test('Given backend: "codex" in interactive mode, When Ralph builds command, Then args include exec but NOT --full-auto', async () => {
    const argv = await argvOf(newWorld(), 'codex', { mode: 'interactive', trust: 'full' });
    expect(argv.slice(0, 2)).toEqual(['codex', 'exec']);
    expect(argv).not.toContain('--full-auto');
  });

  test('a codex whose exec cannot be interactive gets its terminal program', async () => {
    const argv = await argvOf(newWorld(), 'codex', { mode: 'interactive', trust: 'full', version: CODEX_OF_TODAY });
    expect(argv).not.toContain('exec');
    expect(argv).not.toContain('--full-auto');
    expect(argv.at(-1)).toBe('fix it');
  });

  test.each(['autonomous', 'interactive'] as const)(
    'Given backend: "claude" in either mode (%s), When Ralph builds command, Then args include --dangerously-skip-permissions (same in both modes)',
    async (mode) => {
      expect(await argvOf(newWorld(), 'claude', { mode, trust: 'full' })).toContain('--dangerously-skip-permissions');
    },
  );

  test('amp: --dangerously-allow-all in autonomous mode, no flags in interactive mode', async () => {
    const world = newWorld();
    const autonomous = await argvOf(world, 'amp', { mode: 'autonomous', trust: 'full' });
    expect(autonomous).toEqual(['amp', '--dangerously-allow-all', '-x', 'fix it']);
    expect(await argvOf(world, 'amp', { mode: 'interactive', trust: 'full' })).toEqual(['amp']);
  });

  test('gemini: the approving flag in autonomous mode only, the prompt behind its flag', async () => {
    const world = newWorld();
    const autonomous = await argvOf(world, 'gemini', { mode: 'autonomous', trust: 'full' });
    expect(autonomous).toContain('--yolo');
    expect(autonomous.slice(-2)).toEqual(['-p', 'fix it']);
    expect(await argvOf(world, 'gemini', { mode: 'interactive', trust: 'full' })).not.toContain('--yolo');
  });

  test.each(Object.keys(COMMANDS) as Backend[])(
    'guarded is the default and gives %s no flag that approves by itself',
    async (backend) => {
      const world = newWorld();
      const argv = await argvOf(world, backend, { mode: 'autonomous', version: '9.9.9' });
      for (const flag of [
        '--dangerously-skip-permissions',
        '--dangerously-allow-all',
        '--trust-all-tools',
        '--yolo',
        '--full-auto',
      ])
        expect(argv).not.toContain(flag);
    },
  );

  test.each(Object.keys(COMMANDS) as Backend[])(
    '%s really gets the arguments the dry run told, autonomous',
    async (backend) => {
      const world = newWorld();
      const told = await argvOf(world, backend, { mode: 'autonomous', trust: 'full' });
      fakeAgent(world, COMMANDS[backend], { version: CODEX_OF_THE_SEEDS, reads: true });
      const ended = await reins(world, [
        'run',
        '-b',
        backend,
        '--trust',
        'full',
        '--once',
        '-p',
        'fix it',
        '--',
        '--model',
        'big',
      ]);
      expect(ended).toMatchObject({ code: 0, stdout: `done by ${COMMANDS[backend]}\n` });
      const { argv } = await call(world, COMMANDS[backend]);
      expect(argv.join(' ')).toContain('--model big');
      expect(argv.join(' ').replace('--model big ', '')).toBe(told.slice(1).join(' '));
    },
  );

  test.each(Object.keys(COMMANDS) as Backend[])(
    '%s really gets the arguments the dry run told, interactive',
    async (backend) => {
      const world = newWorld();
      const told = await argvOf(world, backend, { mode: 'interactive', trust: 'full' });
      const terminal = reinsInTerminal(world, ['run', '-i', '-b', backend, '--trust', 'full', '-p', 'fix it']);
      expect(await terminal.exit()).toBe(0);
      const { argv, tty } = await call(world, COMMANDS[backend]);
      const anonymous = (args: string[]) => args.map((arg) => (/^[0-9a-f-]{36}$/.test(arg) ? 'UUID' : arg));
      expect(anonymous(argv)).toEqual(anonymous(told.slice(1)));
      expect(tty).toEqual({ stdin: true, stdout: true, stderr: true });
    },
  );

  test('Given backend: "claude" in autonomous mode, When Ralph executes an iteration, Then Ralph spawns Claude in a PTY (required due to Claude’s TTY dependency)', async () => {
    const world = newWorld();
    fakeAgent(world, 'claude');
    const ended = await reins(world, ['run', '-b', 'claude', '--trust', 'full', '--once', '-p', 'fix it']);
    expect(ended).toMatchObject({ code: 0, stdout: 'done by claude\n' });
    expect((await call(world, 'claude')).tty).toEqual({ stdin: true, stdout: true, stderr: true });
  });

  test.each(['kiro', 'gemini', 'codex', 'amp'] as const)(
    '%s needs no terminal in autonomous mode and gets none',
    async (backend) => {
      const world = newWorld();
      fakeAgent(world, COMMANDS[backend]);
      await reins(world, ['run', '-b', backend, '--trust', 'full', '--once', '-p', 'fix it']);
      expect((await call(world, COMMANDS[backend])).tty).toEqual({ stdin: false, stdout: false, stderr: false });
    },
  );

  test('an agent that cannot be gated is refused under guarded, and the way out is named', async () => {
    const world = newWorld();
    fakeAgent(world, 'my-ai');
    const ended = await reins(world, ['run', '-b', 'custom', '--set', 'cli.command=my-ai', '-p', 'x', '--once']);
    expect(ended).toMatchObject({ code: 20, stdout: '' });
    expect(ended.stderr).toContain('--trust full');
  });
});
