/** `reins replay`: a recording played on a person's terminal, and exported. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { placeOf } from '../../src/link/index.js';
import { reins } from './support/cli.js';
import { detached } from './support/session.js';
import { shellInTerminal } from './support/terminal.js';
import { until } from './support/wait.js';
import { newWorld, type World } from './support/world.js';

/** A session that has ended, and all of its recording is written. */
async function recorded(world: World, script: string): Promise<string> {
  const id = await detached(world, ['exec', '--', 'sh', '-c', script]);
  await until('the host’s end', () => !placeOf(world.env, id).alive);
  return id;
}

/** Asks its terminal who it is and where the cursor stands, switches the mouse on, and shows a full screen. */
const ASKS = String.raw`stty -echo; printf 'begin\n\033[c\033[6n\033]11;?\007\033[?1000h\033[?1049hFULL'; sleep 1; printf ' SCREEN\n'; sleep 1; printf '\033[?1049lend\n'`;

test('a replay asks the terminal nothing, and leaves neither keys nor modes behind', async () => {
  const world = newWorld();
  const id = await recorded(world, ASKS);
  const shell = await shellInTerminal(world);
  shell.type(`reins replay ${id} --speed 2; echo "code $?"\r`);
  await shell.waitFor('FULL');
  shell.type('lost keys');
  await shell.waitFor('code 0');
  expect(shell.screen()).toMatch(/begin\s+end\s+code 0/);
  expect(shell.alternate).toBe(false);
  expect(shell.bytes).toContain('\x1b[?1000l');
  for (const query of ['\x1b[c', '\x1b[6n', '\x1b]11;?']) expect(shell.bytes).not.toContain(query);
  shell.type('echo "then <$?>"\r');
  await shell.waitFor('then <0>');
  expect(shell.screen()).not.toContain('lost keys');
});

test.each([
  ['Ctrl-C', '\x03', 130],
  ['Ctrl-C as a program with kitty’s keyboard gets it', '\x1b[99;5u', 130],
  ['q', 'q', 0],
])('%s ends a replay, and the terminal is as before', async (_name, key, code) => {
  const world = newWorld();
  const id = await recorded(world, ASKS);
  const shell = await shellInTerminal(world);
  shell.type(`reins replay ${id}; echo "code $?"; stty -a\r`);
  await shell.waitFor('FULL');
  shell.type(key);
  await shell.waitFor(`code ${code}`);
  await shell.waitFor(/-?\bicanon/);
  expect(shell.screen()).toMatch(/(?<!-)\bicanon/);
  expect(shell.alternate).toBe(false);
});

test('an export to - is the file on stdout; one that cannot be written leaves nothing', async () => {
  const world = newWorld();
  const id = await recorded(world, 'echo exported');
  const piped = await reins(world, ['replay', id, '--export', '-']);
  expect(piped).toMatchObject({ code: 0, stderr: '' });
  const file = join(world.root, 'x.cast');
  expect((await reins(world, ['replay', id, '--export', file])).code).toBe(0);
  expect(readFileSync(file, 'utf8')).toBe(piped.stdout);
  expect(JSON.parse(piped.stdout.split('\n')[0]!)).toMatchObject({ version: 2 });
  const folder = join(world.root, 'folder');
  mkdirSync(folder);
  expect((await reins(world, ['replay', id, '--export', folder])).code).toBe(2);
  expect(existsSync(`${folder}.part`)).toBe(false);
});
