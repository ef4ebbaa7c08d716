/** W26: whoever looks on never slows the agent: a page that reads nothing, and one that drives and draws nothing. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { BYTES } from '../../src/contract/page.js';
import { TestHub } from '../browser/support/hub.js';
import { HubClient, type HubSocket } from './support/hub-client.js';
import { until } from './support/wait.js';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

/** Ten times what all pages, the hub and the host together would hold for them. */
const MEGABYTES = 60;
/** At its first key, so that all are there; each write waits until the terminal has taken it. */
const FLOOD = `process.stdin.setRawMode(true); process.stdin.once('data', () => {
  const part = 'a line of a flood that nobody has the time to read\\r\\n'.repeat(20000);
  for (let left = ${MEGABYTES} * 1e6; left > 0; left -= part.length) process.stdout.write(part);
  process.exit(7); }); process.stdout.write('waits');`;

let hub: TestHub;

beforeAll(async () => {
  hub = await TestHub.start();
});
afterAll(() => hub.close());

const say = ({ socket }: HubSocket, message: object) => socket.send(JSON.stringify(message));

/** A page that shows the terminal and never says that it drew anything. */
async function watching(session: string): Promise<{ socket: HubSocket; bytes(): number }> {
  const socket = await (await HubClient.pair(await hub.invite())).socket();
  let bytes = 0;
  socket.socket.on('message', (data: Buffer, isBinary: boolean) => {
    if (isBinary && (data[0] === BYTES.output || data[0] === BYTES.snapshot)) bytes += data.length;
    // Otherwise it is given up after a while, and in anybody's way no longer.
    else if (!isBinary && String(data).includes('"ping"')) say(socket, { t: 'pong' });
  });
  say(socket, { t: 'hello', visible: true });
  await until('the picture', () => socket.said.some(({ t }) => t === 'hello'));
  say(socket, { t: 'open', ch: 1, session });
  say(socket, { t: 'terminal', ch: 1, shown: true });
  await until('its terminal', () => socket.said.some(({ t }) => t === 'live') && bytes > 0);
  return { socket, bytes: () => bytes };
}

it('an agent writes all it has while every page is stuck', async () => {
  const session = (await hub.reins('exec', '-d', '--', process.execPath, '-e', FLOOD)).stdout.trim();
  const readsNothing = await watching(session);
  readsNothing.socket.socket.pause();
  // Who only watches is passed by in a flood; who drives is sent what it takes, and this one takes nothing.
  const drawsNothing = await watching(session);
  say(drawsNothing.socket, { t: 'take', ch: 1 });
  await until('the keys', () => drawsNothing.socket.said.some(({ t, driver }) => t === 'driver' && driver !== null));
  expect((await hub.reins('send', session, '--keys', 'g')).code).toBe(0);
  const ended = await until(
    'the agent has written all of it',
    () => hub.journal(session).find(({ type }) => type === 'session.ended'),
    () => `${drawsNothing.bytes()} bytes were sent to a page that draws nothing`,
    100_000,
  );
  expect(ended.data).toMatchObject({ exit_code: 7 });
  expect(drawsNothing.socket.closed).toBeUndefined();
  // And nothing was heaped up for them.
  expect(drawsNothing.bytes()).toBeLessThan(2_000_000);
});
