/** A full-screen terminal in the background calls its person; one in front does not, and no agent hears of a focus it did not ask about. */
import { expect, test } from 'vitest';
import { reins } from './support/cli.js';
import { entry, onlySession } from './support/journal.js';
import { reinsInTerminal, shellInTerminal } from './support/terminal.js';
import { until } from './support/wait.js';
import { newWorld } from './support/world.js';

const AWAY = '\x1b[O';
const HERE = '\x1b[I';
const KITTY = { env: { KITTY_WINDOW_ID: '1' } };
const CALL = '\x1b]99;o=unfocused;Reins: practice asks';

test('an agent’s terminal that is not in front calls, once it is asked; in front it is quiet, and given back without reports', async () => {
  const world = newWorld();
  const terminal = reinsInTerminal(world, ['run', '-i', '-b', 'practice'], KITTY);
  await terminal.waitFor('practice agent');
  const id = await onlySession(world);
  await until('reports to be asked for', () => terminal.bytes.includes('\x1b[?1004h') || undefined);
  const calls = () => terminal.bytes.split(CALL).length - 1;
  const asks = async (count: number) => {
    await reins(world, ['send', id, 'ask-permission']);
    await entry(world, 'inquiry.moved', { session: id, is: ({ data }) => data.inquiry === `${id}.${count}` });
  };
  await asks(1);
  await terminal.waitFor('Do you want to proceed');
  terminal.type('3');
  await entry(world, 'inquiry.closed', { session: id });
  expect(calls()).toBe(0);
  terminal.type(AWAY);
  await asks(2);
  await until(
    'its person to be called',
    () => calls() === 1 || undefined,
    () => JSON.stringify(terminal.bytes.slice(-2000)),
  );
  // What it said by itself was no key of the dialog.
  expect(terminal.screen()).not.toMatch(/\[[IO]/);
  terminal.type(`${HERE}\x1d`);
  await terminal.exit();
  expect(terminal.bytes.lastIndexOf('\x1b[?1004l')).toBeGreaterThan(terminal.bytes.lastIndexOf('\x1b[?1004h'));
  await reins(world, ['kill', id]);
});

test('a program hears of the focus if it asked, until it asks no longer; another one never', async () => {
  const world = newWorld();
  const shell = await shellInTerminal(world);
  const reads = (first: string, then: string) =>
    `reins exec -- bash -c 'stty -icanon -echo; printf "${first}"; echo begun; head -c 4 | cat -v; printf "${then}"; echo; echo again; head -c 1 | cat -v; echo; echo over'; echo "left $?"\r`;
  shell.type(reads('\\033[?1004h', '\\033[?1004l'));
  await shell.waitFor(/^begun/m);
  shell.type(`${HERE}x`);
  await shell.waitFor(/^\^\[\[Ix\s*again/m);
  shell.type(`${AWAY}${HERE}y`);
  await shell.waitFor(/^y\s*over\s*left 0/m);
  shell.type('exit\r');
  await shell.exit();
});
