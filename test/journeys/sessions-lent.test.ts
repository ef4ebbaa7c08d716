/** A viewer's terminal in the host's own hands (docs/decisions/017): nobody notices, whoever dies, whatever changes. */
import { readdirSync, readlinkSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CLI, reins } from './support/cli.js';
import { detached, row, shows } from './support/session.js';
import { reinsInTerminal, shellInTerminal, type Terminal } from './support/terminal.js';
import { until } from './support/wait.js';
import { newWorld, type World } from './support/world.js';

/** The terminals a process has open for reading and writing. */
function terminalsOf(pid: number): string[] {
  const names = readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${fd}`)];
    } catch {
      return []; // closed while we looked
    }
  });
  return [...new Set(names.filter((name) => name.startsWith('/dev/pts/')))];
}

const isLent = (host: number, viewer: number): boolean => {
  const [own] = terminalsOf(viewer);
  return own !== undefined && terminalsOf(host).includes(own);
};

async function lent(world: World, id: string, terminal: Terminal): Promise<number> {
  const { pid } = await row(world, id);
  await until('the terminal in the host’s hands', () => isLent(pid!, terminal.pid) || undefined);
  return pid!;
}

test('the host has the terminal while nothing of ours is on it, and gives it back at the detach key', async () => {
  const world = newWorld();
  const id = await detached(world, ['exec', '--', 'bash', '--norc', '-i']);
  const terminal = reinsInTerminal(world, ['attach', id]);
  await terminal.waitFor('bash-');
  const host = await lent(world, id, terminal);
  terminal.type("printf '\\033[?1049hover there'\r");
  await terminal.waitFor('over there');
  expect(terminal.alternate).toBe(true);
  terminal.type('\x1d');
  await terminal.waitFor('detached from');
  expect(terminal.alternate).toBe(false);
  expect(await terminal.exit()).toBe(0);
  await until('the terminal to be let go', () => terminalsOf(host).length === 1 || undefined);
  await reins(world, ['kill', id]);
});

test('a second viewer takes the keys and gives them back: each is told, on the right terminal', async () => {
  const world = newWorld();
  const id = await detached(world, ['exec', '--', 'bash', '--norc', '-i']);
  const first = reinsInTerminal(world, ['attach', id], { cols: 100, rows: 30 });
  await first.waitFor('bash-');
  await lent(world, id, first);
  const second = reinsInTerminal(world, ['attach', '--take', id], { cols: 80, rows: 20 });
  await second.waitFor('bash-');
  await first.waitFor('Take over: reins attach --take');
  await lent(world, id, second);
  second.type('echo from-the-second $COLUMNS\r');
  await second.waitFor('from-the-second 80');
  await first.waitFor('from-the-second 80');
  second.type('\x1d');
  await second.waitFor('detached from');
  first.type('echo from-the-first $COLUMNS\r');
  await first.waitFor(/from-the-first \d+/);
  await shows(world, id, 'from-the-first');
  await reins(world, ['kill', id]);
  expect(await first.exit()).toBe(137);
});

test('a viewer that is killed takes the host’s hands off the terminal: the next key is the shell’s', async () => {
  const world = newWorld();
  const id = await detached(world, ['exec', '--', 'cat']);
  const shell = await shellInTerminal(world);
  shell.type(`reins attach ${id}\r`);
  const { pid: host } = await row(world, id);
  await until('the terminal in the host’s hands', () => terminalsOf(host!).length === 2 || undefined);
  const viewer = (await childrenOf(shell.pid))[0]!;
  process.kill(viewer, 'SIGKILL');
  await shell.waitFor('Killed');
  await until('the terminal to be let go', () => terminalsOf(host!).length === 1 || undefined);
  // Its raw mode went with nobody: `reset` is the documented way, and reaches the shell.
  shell.type('stty sane; echo back $((40+2))\n');
  await shell.waitFor('back 42');
  expect((await row(world, id)).state).toBe('working');
  await reins(world, ['kill', id]);
});

test('a host that is killed leaves the terminal as it was', async () => {
  const world = newWorld();
  const id = await detached(world, ['exec', '--', 'bash', '--norc', '-i']);
  const shell = await shellInTerminal(world);
  shell.type(`reins attach ${id}\r`);
  await shell.waitFor('bash-');
  const { pid: host } = await row(world, id);
  await until('the terminal in the host’s hands', () => terminalsOf(host!).length === 2 || undefined);
  shell.type("printf '\\033[?1049hover there'\r");
  await shell.waitFor('over there');
  process.kill(host!, 'SIGKILL');
  await shell.waitFor(/session .* (ended|lost|died)|host/i);
  expect(shell.alternate).toBe(false);
  shell.type('echo back $((40+2))\r');
  await shell.waitFor('back 42');
  await reins(world, ['stop', id]);
});

test('a session is not attached to from inside itself', async () => {
  const world = newWorld();
  const terminal = reinsInTerminal(world, ['exec', '--', 'bash', '--norc', '--noprofile', '-i']);
  await terminal.waitFor('bash-');
  terminal.type(`'${process.execPath}' '${CLI}' attach $REINS_SESSION; echo "code $?"\r`);
  await terminal.waitFor('attach from another terminal');
  await terminal.waitFor('code 2');
  terminal.type('exit\r');
  expect(await terminal.exit()).toBe(0);
});

async function childrenOf(pid: number): Promise<number[]> {
  const { readFileSync } = await import('node:fs');
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
}
