/** Seed 000, "Mode Selection", from the outside. The agent is a fake codex of the seed's time; trust full means the seed's flags. */
import { describe, expect, test } from 'vitest';
import { call, fakeAgent } from './support/agents.js';
import { dryRun, reins } from './support/cli.js';
import { all, entry } from './support/journal.js';
import { reinsInTerminal } from './support/terminal.js';
import { newWorld, type World } from './support/world.js';

const FALLBACK = '⚠ Interactive mode requested but stdout is not a TTY, falling back to autonomous mode';

/** Kiro's flags name the mode: `--no-interactive` is there, or it is not. */
function withKiro(world: World): void {
  fakeAgent(world, 'kiro-cli', {
    body: `say('at work in ' + (process.stdout.isTTY ? 'a terminal' : 'a pipe')); done();`,
  });
}

const RUN = ['run', '-b', 'kiro', '--trust', 'full', '--once', '-p', 'x'];

describe('mode selection', () => {
  test('Given no flags specified and default config, When Ralph starts, Then autonomous mode is used (headless, non-interactive agent flags)', async () => {
    const world = newWorld();
    withKiro(world);
    const ended = await reins(world, RUN);
    expect(ended).toMatchObject({ code: 0, stdout: 'at work in a pipe\n' });
    expect((await call(world, 'kiro-cli')).argv).toContain('--no-interactive');
    expect((await entry(world, 'session.started')).data.mode).toBe('autonomous');
  });

  test('the same in a terminal: no flags still means autonomous', async () => {
    const world = newWorld();
    withKiro(world);
    const terminal = reinsInTerminal(world, RUN);
    expect(await terminal.exit()).toBe(0);
    expect(terminal.screen()).toContain('at work in a pipe');
    expect((await call(world, 'kiro-cli')).argv).toContain('--no-interactive');
  });

  test.each(['-i', '--interactive'])(
    'Given %s, When Ralph starts with TTY stdout, Then interactive mode is used (PTY, interactive agent flags)',
    async (flag) => {
      const world = newWorld();
      withKiro(world);
      const terminal = reinsInTerminal(world, [...RUN, flag]);
      expect(await terminal.exit()).toBe(0);
      expect(terminal.screen()).toContain('at work in a terminal');
      const started = await call(world, 'kiro-cli');
      expect(started.tty).toEqual({ stdin: true, stdout: true, stderr: true });
      expect(started.argv).not.toContain('--no-interactive');
      expect((await entry(world, 'session.started')).data.mode).toBe('interactive');
    },
  );

  test('Given --interactive flag, When Ralph starts without TTY stdout (piped), Then warning logged, falls back to autonomous mode', async () => {
    const world = newWorld();
    withKiro(world);
    const ended = await reins(world, [...RUN, '--interactive']);
    expect(ended).toMatchObject({ code: 0, stdout: 'at work in a pipe\n' });
    expect(ended.stderr.split('\n')).toContain(FALLBACK);
    expect((await call(world, 'kiro-cli')).argv).toContain('--no-interactive');
  });

  test('the fallback still needs a prompt: an autonomous run without one has nothing to do', async () => {
    const world = newWorld();
    withKiro(world);
    const ended = await reins(world, ['run', '-b', 'kiro', '--trust', 'full', '-i']);
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain(FALLBACK);
    expect(ended.stderr).toContain('no prompt was given');
  });

  test('Given default_mode: "interactive" in config, When Ralph starts without flags, Then interactive mode is used (if TTY available)', async () => {
    const world = newWorld();
    withKiro(world);
    world.write('ralph.yml', 'cli:\n  backend: kiro\n  default_mode: interactive\n');
    const terminal = reinsInTerminal(world, ['run', '-p', 'x']);
    expect(await terminal.exit()).toBe(0);
    expect((await call(world, 'kiro-cli')).argv).toEqual(['chat', '--trust-all-tools', 'x']);
    expect((await entry(world, 'session.started')).data.mode).toBe('interactive');
  });

  test('the same without a terminal: the warning, and autonomous', async () => {
    const world = newWorld();
    withKiro(world);
    world.write('ralph.yml', 'cli:\n  backend: kiro\n  default_mode: interactive\n');
    const ended = await reins(world, ['run', '--once', '-p', 'x']);
    expect(ended.code).toBe(0);
    expect(ended.stderr).toContain(FALLBACK);
    expect((await all(world, 'session.started'))[0]?.data.mode).toBe('autonomous');
  });

  test.each(['-a', '--autonomous'])(
    'Given default_mode: "interactive" in config, When Ralph starts with %s flag, Then autonomous mode is used (flag overrides config)',
    async (flag) => {
      const world = newWorld();
      withKiro(world);
      world.write('ralph.yml', 'cli:\n  backend: kiro\n  default_mode: interactive\n');
      const terminal = reinsInTerminal(world, ['run', '--once', '-p', 'x', flag]);
      expect(await terminal.exit()).toBe(0);
      expect((await call(world, 'kiro-cli')).argv).toContain('--no-interactive');
      expect(terminal.screen()).not.toContain('falling back');
    },
  );

  test.each([['-i', '-a'], ['--autonomous', '--interactive'], ['-ia']])(
    'Given both -i and -a flags specified (%s %s), When Ralph parses arguments, Then error is returned (mutually exclusive flags)',
    async (...flags) => {
      const world = newWorld();
      withKiro(world);
      const ended = await reins(world, [...RUN, ...flags.filter(Boolean)]);
      expect(ended).toMatchObject({ code: 2, stdout: '' });
      expect(ended.stderr).toMatch(/cannot be used with/);
    },
  );

  test.each(['--pty', '--no-pty', '--observe'])('there is no %s flag', async (flag) => {
    const world = newWorld();
    const ended = await reins(world, [...RUN, flag]);
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain(flag);
  });

  test.each([
    ['pty_mode: false', 'autonomous'],
    ['pty_mode: true\n  pty_interactive: true', 'interactive'],
    ['pty_mode: true\n  pty_interactive: false', 'autonomous'],
  ])('Config Migration: %j becomes default_mode %s', async (old, mode) => {
    const world = newWorld();
    withKiro(world);
    world.write('ralph.yml', `cli:\n  backend: kiro\n  ${old}\n`);
    expect((await dryRun(world, ['-p', 'x'])).mode).toBe(mode);
  });

  test('a run says once, at its start, which keys of the config have no effect, and goes on', async () => {
    const world = newWorld();
    withKiro(world);
    world.write('reins.yml', 'cli: {backend: kiro}\nhub: {port: 8000}\n');
    const ended = await reins(world, RUN);
    expect(ended.stderr.split('\n').filter((line) => line.includes('no effect'))).toEqual([
      '! no effect in a project’s file, only in your own: hub.port (reins.yml:2:13)',
    ]);
    expect(await call(world, 'kiro-cli')).toBeDefined();
    expect(ended.stdout).not.toContain('no effect');
  });
});
