/** What a program asks its terminal is answered while nobody watches, and by the driver's terminal alone when one does. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { detached, linkTo, shows } from './support/session.js';
import { reinsInTerminal } from './support/terminal.js';
import { until } from './support/wait.js';
import { newWorld } from './support/world.js';

/** Asks everything each time it gets a `?`, and writes down what comes until the last answer, a plain "ok" (DSR 5). */
const ASKS = `
const fs = require('node:fs');
process.stdin.setRawMode(true);
let heard = '';
let round = 0;
process.stdin.on('data', (chunk) => {
  const text = chunk.toString('latin1');
  if (text.startsWith('?')) {
    heard = '';
    process.stdout.write('\\x1b[c\\x1b[6n\\x1b]11;?\\x1b\\\\\\x1b[?u\\x1b[>q\\x1b[5n');
    return;
  }
  heard += text;
  if (!heard.includes('\\x1b[0n')) return;
  round += 1;
  fs.writeFileSync('answers-' + round, heard, 'latin1');
});
process.stdout.write('listening\\r\\n');
`;

test('DA1, DSR, OSC 11, kitty keyboard and XTVERSION: answered once, by us or by the terminal that drives', async () => {
  const world = newWorld();
  const program = world.write('asks.cjs', ASKS);
  const answers = (round: number) =>
    until(`answers of round ${round}`, () => {
      try {
        return readFileSync(`${world.project}/answers-${round}`, 'latin1') || undefined;
      } catch {
        return undefined; // not written yet
      }
    });
  const id = await detached(world, ['exec', '--', 'node', program]);
  await shows(world, id, 'listening');
  const client = await linkTo(world, id);
  await client.command('keys', { keys: '?' });
  expect((await answers(1)).split('\x1b').slice(1)).toEqual([
    expect.stringMatching(/^\[\?[\d;]+c$/),
    expect.stringMatching(/^\[2;1R$/),
    expect.stringMatching(/^\]11;rgb:/),
    '\\',
    '[?0u',
    'P>|Reins',
    '\\',
    '[0n',
  ]);

  const viewer = reinsInTerminal(world, ['attach', id], { cols: 80, rows: 24 });
  await viewer.waitFor('listening');
  viewer.type('?');
  // The person's terminal speaks for itself.
  await until('the questions', () => viewer.bytes.includes('\x1b[5n'));
  viewer.type('\x1b[?99c\x1b[0n');
  expect(await answers(2)).toBe('\x1b[?99c\x1b[0n');

  viewer.type('\x1d');
  expect(await viewer.exit()).toBe(0);
  await client.command('keys', { keys: '?' });
  expect(await answers(3)).toBe(await answers(1));
});
