/** What all viewers share: a viewer may be suspended, resized, cut off its reader; the session and the terminal do not mind. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fakeAgent } from './support/agents.js';
import { reins } from './support/cli.js';
import { entry } from './support/journal.js';
import { detached, row } from './support/session.js';
import { reinsInTerminal, shellInTerminal } from './support/terminal.js';
import { until } from './support/wait.js';
import { newWorld, type World } from './support/world.js';

const LOOP = ['run', '-b', 'practice', '--trust', 'full', '--tui'];

function viewerPid(world: World): number {
  const line = world.running().find((one) => one.includes('cli/main.js'))!;
  return Number(/^\s*(\d+)/.exec(line)![1]);
}

describe('a viewer that is suspended', () => {
  test.each([
    ['run -i', 'run -b practice -i', 'practice agent'],
    ['exec', 'exec -- bash -c "printf \\"\\\\033[?1049hdrawn here\\"; exec cat"', 'drawn here'],
    ['--tui', 'run -b practice --trust full --tui "slow 60"', 'reins · iteration 1'],
  ])('%s: gives the terminal back, and has it again afterwards', async (_, command, shown) => {
    const world = newWorld();
    const shell = await shellInTerminal(world, { cols: 100 });
    shell.type(`stty -a >before; reins ${command}; echo "left: $?"\r`);
    await shell.waitFor(shown);
    await entry(world, 'driver.changed');
    process.kill(viewerPid(world), 'SIGTSTP');
    await shell.waitFor(/Stopped/);
    expect(shell.alternate).toBe(false);
    shell.type('stty -a >meanwhile\r');
    await until('the shell has its terminal', () => {
      const [before, meanwhile] = ['before', 'meanwhile'].map((name) => read(world, name));
      return meanwhile !== '' && meanwhile === before;
    });
    shell.type('clear; fg\r');
    await shell.waitFor((screen) => screen.includes(shown) && !screen.includes('Stopped'));
    shell.type('\x1d');
    await shell.waitFor('it goes on');
    shell.type('stty -a >after; echo at-the-shell\r');
    await shell.waitFor(/^at-the-shell/m);
    expect(read(world, 'after')).toBe(read(world, 'before'));
    await reins(world, ['kill', (await entry(world, 'session.started')).session]);
    shell.type('exit\r');
    await shell.exit();
  });
});

const read = (world: World, name: string): string => {
  try {
    return readFileSync(join(world.project, name), 'utf8');
  } catch {
    return ''; // not yet
  }
};

describe('a reader that goes away', () => {
  test('ends the viewer of a session that is not tied to it, and leaves the session alone', async () => {
    const world = newWorld();
    fakeAgent(world, 'kiro-cli', { body: `setInterval(() => say('again'), 20); forever();` });
    const id = await detached(world, ['run', '-b', 'kiro', '--trust', 'full', '--once', '-p', 'x']);
    await entry(world, 'agent.text', { session: id });
    const shell = await shellInTerminal(world);
    shell.type(`reins attach ${id} | head -n 1; echo "codes: \${PIPESTATUS[*]}"\r`);
    await shell.waitFor(/codes: 141 0/);
    expect((await row(world, id)).state).toBe('working');
    shell.type('exit\r');
    await shell.exit();
  });
});

describe('--tui', () => {
  test('another size: the agent has the rows above the status line, which stays the last', async () => {
    const world = newWorld();
    const terminal = reinsInTerminal(world, [...LOOP, 'slow 60'], { cols: 100, rows: 24 });
    await terminal.waitFor('practice agent');
    terminal.resize(70, 16);
    await terminal.waitFor((screen) => {
      const rows = screen.split('\n');
      return rows.length === 16 && rows[15]!.startsWith(' reins · iteration 1') && screen.includes('Practising');
    });
    terminal.type('\x1d');
    expect(await terminal.exit()).toBe(0);
    await terminal.waitFor('it goes on');
    const { session } = await entry(world, 'session.started');
    expect((await row(world, session)).state).toBe('working');
    await reins(world, ['kill', session]);
  });

  test('its host is killed: exit 70, the terminal given back, nothing left', async () => {
    const world = newWorld();
    const terminal = reinsInTerminal(world, [...LOOP, 'slow 60']);
    await terminal.waitFor('practice agent');
    process.kill((await entry(world, 'session.started')).data.host_pid, 'SIGKILL');
    expect(await terminal.exit()).toBe(70);
    await terminal.waitFor(() => !terminal.alternate);
    await terminal.waitFor('the host of session');
    await world.empty();
  });
});
