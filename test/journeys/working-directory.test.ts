/** Seeds 000 and 001 "Working Directory": where the agent works is where reins was called, or nowhere. */
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { call, calls, fakeAgent } from './support/agents.js';
import { CLI, reins } from './support/cli.js';
import { entry } from './support/journal.js';
import { reinsInTerminal, shellInTerminal } from './support/terminal.js';
import { newWorld, type World } from './support/world.js';

const RUN = ['run', '-b', 'kiro', '--trust', 'full', '--once', '-p', 'x'];

/** An agent whose detection takes its own working directory away: the race between the look and the start. */
function vanishing(world: World, dir: string): void {
  fakeAgent(world, 'kiro-cli', { onVersion: `fs.rmSync(${JSON.stringify(dir)}, { recursive: true })` });
}

describe('working directory', () => {
  test('Given user runs ralph run from /home/user/project/src, When Ralph spawns the agent, Then the agent’s working directory is /home/user/project/src', async () => {
    const world = newWorld();
    fakeAgent(world, 'kiro-cli');
    const cwd = world.folder('src');
    await reins(world, RUN, { cwd });
    expect((await call(world, 'kiro-cli')).cwd).toBe(cwd);
  });

  test('Given user runs ralph run from /home/user/project/src with config at /home/user/project/ralph.yml, When Ralph spawns the agent, Then the agent’s working directory is /home/user/project/src (not /home/user/project)', async () => {
    const world = newWorld();
    fakeAgent(world, 'kiro-cli');
    mkdirSync(join(world.project, '.git'));
    world.write('ralph.yml', 'cli:\n  backend: kiro\nevent_loop:\n  prompt: from the parent\n');
    const cwd = world.folder('src');
    await reins(world, ['run', '--once'], { cwd });
    const started = await call(world, 'kiro-cli');
    expect(started.cwd).toBe(cwd);
    expect(started.argv.at(-1)).toBe('from the parent');
  });

  test('Given user runs ralph run from a directory that doesn’t exist (race condition, deleted during startup), When Ralph attempts to spawn the agent, Then an error is returned indicating the working directory is inaccessible', async () => {
    const world = newWorld();
    const cwd = world.folder('soon-gone');
    vanishing(world, cwd);
    const ended = await reins(world, RUN, { cwd });
    expect(ended).toMatchObject({ code: 21, stdout: '' });
    expect(ended.stderr).toContain(`the working directory ${cwd} is inaccessible`);
    expect(calls(world, 'kiro-cli')).toEqual([]);
  });

  test('the same when the directory is gone before reins starts', async () => {
    const world = newWorld();
    fakeAgent(world, 'kiro-cli');
    const cwd = world.folder('gone');
    const shell = await shellInTerminal(world, { cwd });
    rmSync(cwd, { recursive: true });
    shell.type(`reins ${RUN.join(' ')}; echo "code $?"\r`);
    await shell.waitFor('code 21');
    expect(shell.screen()).toContain('inaccessible');
    shell.type('exit\r');
    await shell.exit();
  });

  test.each([
    ['does not exist', 'nowhere'],
    ['is a file', 'a-file'],
  ])('-C with a directory that %s is exit 21', async (_why, name) => {
    const world = newWorld();
    fakeAgent(world, 'kiro-cli');
    world.write('a-file', '');
    const ended = await reins(world, [...RUN, '-C', name]);
    expect(ended).toMatchObject({ code: 21, stdout: '' });
    expect(ended.stderr).toContain(join(world.project, name));
  });

  test('-C goes where it says, and the config is looked for there', async () => {
    const world = newWorld();
    fakeAgent(world, 'kiro-cli');
    world.folder('elsewhere');
    world.write('elsewhere/ralph.yml', 'cli:\n  backend: kiro\n');
    const ended = await reins(world, ['run', '--once', '-p', 'x', '-C', 'elsewhere']);
    expect(ended.code).toBe(0);
    expect((await call(world, 'kiro-cli')).cwd).toBe(join(world.project, 'elsewhere'));
  });

  test('a directory that may not be entered is exit 21, also for a user who is not root', async () => {
    const world = newWorld();
    fakeAgent(world, 'kiro-cli');
    const barred = world.folder('barred');
    chmodSync(barred, 0);
    const ended = await asNobody(world, [...RUN, '-C', barred]);
    chmodSync(barred, 0o700);
    expect(ended.code).toBe(21);
    expect(ended.stderr).toContain('permission denied');
  });
});

describe('working directory in a PTY', () => {
  test('Given interactive mode (-i), When Ralph spawns the agent in a PTY, Then CommandBuilder.cwd() is called with Ralph’s current working directory; Given interactive mode and user runs ralph run -i from /home/user/project/src, When the agent executes pwd or checks its working directory, Then the result is /home/user/project/src', async () => {
    const world = newWorld();
    fakeAgent(world, 'kiro-cli', {
      body: `say(require('node:child_process').execFileSync('sh', ['-c', 'pwd -P']).toString()); done()`,
    });
    const cwd = world.folder('src');
    const terminal = reinsInTerminal(world, [...RUN, '-i'], { cwd, cols: 200 });
    expect(await terminal.exit()).toBe(0);
    expect(terminal.screen()).toContain(cwd);
    expect((await call(world, 'kiro-cli')).cwd).toBe(cwd);
    expect((await entry(world, 'agent.started')).data).toMatchObject({ io: 'pty', cwd });
  });

  test('Given TUI mode with PTY spawning, When Ralph builds the command, Then the working directory is explicitly set on the PTY CommandBuilder (not relying on inheritance): the host itself works elsewhere', async () => {
    const world = newWorld();
    fakeAgent(world, 'kiro-cli', { body: `say(fs.readlinkSync('/proc/' + process.ppid + '/cwd')); done()` });
    const terminal = reinsInTerminal(world, [...RUN, '-i'], { cwd: world.folder('src') });
    expect(await terminal.exit()).toBe(0);
    expect(terminal.screen().split('\n')[0]).toBe('/');
    expect((await call(world, 'kiro-cli')).cwd).toBe(join(world.project, 'src'));
  });

  test('Given interactive mode and the working directory becomes inaccessible after Ralph starts, When Ralph attempts to spawn the PTY, Then an error is returned (PTY spawn fails with OS error)', async () => {
    const world = newWorld();
    const cwd = world.folder('soon-gone');
    vanishing(world, cwd);
    const terminal = reinsInTerminal(world, [...RUN, '-i'], { cwd, cols: 200 });
    expect(await terminal.exit()).toBe(21);
    expect(terminal.screen()).toMatch(/working directory .*soon-gone is inaccessible/);
    expect(calls(world, 'kiro-cli')).toEqual([]);
  });
});

/** Root may enter everything, so root asks for it as somebody else. */
async function asNobody(world: World, args: string[]): Promise<{ code: number | null; stderr: string }> {
  if (process.getuid?.() !== 0) return reins(world, args);
  const { spawnSync } = await import('node:child_process');
  for (const dir of [world.root, world.project, world.bin, join(world.root, 'tools')]) chmodSync(dir, 0o755);
  const env = { ...world.env, HOME: '/nonexistent', XDG_STATE_HOME: join(world.root, 'none') };
  const argv = ['--reuid=65534', '--regid=65534', '--clear-groups', process.execPath, CLI, ...args];
  const { status, stderr } = spawnSync('setpriv', argv, { cwd: world.project, env, encoding: 'utf8' });
  return { code: status, stderr };
}
