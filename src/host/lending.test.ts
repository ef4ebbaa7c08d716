/** What is left on a lent terminal, whoever wrote it: with a real terminal, over a link in memory. */
import { fstatSync, openSync } from 'node:fs';
import pty from '@lydell/node-pty';
import { expect, onTestFinished, test } from 'vitest';
import { type Down, type Frame, type LeftModes, systemClock, type TerminalName } from '../contract/index.js';
import { memoryPair } from '../link/memory.js';
import { Lending } from './lending.js';

const NOTHING: LeftModes = { away: [], keyboards: [0, 0], titles: 0, held: '' };
const SHOWN: LeftModes = { away: ['?1', 'keypad'], keyboards: [0, 0], titles: 1, held: '' };

async function lending(): Promise<{ lending: Lending; name: TerminalName; down: Down[]; settled(): Promise<void> }> {
  const terminal = pty.spawn('/bin/cat', [], {});
  onTestFinished(() => terminal.kill());
  // The slave's own path, by what the child has as its input.
  const path = (terminal as unknown as { ptsName: string }).ptsName;
  const { dev, ino, rdev } = fstatSync(openSync(path, 'r'));
  const [ours, theirs] = memoryPair();
  const down: Down[] = [];
  theirs.onFrame((frame: Frame) => {
    if (frame.kind === 'json') down.push(frame.json as Down);
  });
  const made = new Lending(ours, {
    clock: systemClock,
    keys: () => undefined,
    rights: () => ({ mayAnswer: false, mayCopy: false }),
  });
  onTestFinished(() => made.close());
  const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
  return { lending: made, name: { path, dev, ino, rdev }, down, settled };
}

const returned = (down: Down[]) => down.find((one) => one.t === 'returned');

test('what the viewer showed while it offered its terminal is given back with the rest', async () => {
  const { lending: host, name, down, settled } = await lending();
  host.told({ t: 'lend', terminal: name, detach: 'C-]', left: NOTHING });
  host.told({ t: 'lent', left: SHOWN });
  host.send({ kind: 'output', offset: 0, bytes: Buffer.from('\x1b[?2004h\x1b[?5h') });
  await host.giveBack();
  await settled();
  expect(returned(down)).toMatchObject({ begun: true, left: { away: ['?1', 'keypad', '?5'], titles: 1 } });
});

test('a viewer from before tells it with its offer', async () => {
  const { lending: host, name, down, settled } = await lending();
  host.told({ t: 'lend', terminal: name, detach: 'C-]', left: SHOWN });
  host.told({ t: 'lent' });
  await host.giveBack();
  await settled();
  expect(returned(down)).toMatchObject({ begun: true, left: SHOWN });
});

test('given back before it began, the host says that it knows nothing of it', async () => {
  const { lending: host, name, down, settled } = await lending();
  host.told({ t: 'lend', terminal: name, detach: 'C-]', left: NOTHING });
  await host.giveBack();
  await settled();
  expect(returned(down)).toMatchObject({ begun: false });
});
