/** W3, W52, W54: pages that lie: let out and still typing, opening without end and reading nothing; and an agent that asks the hub. */
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { packBytes } from '../../src/contract/page.js';
import { TestHub } from '../browser/support/hub.js';
import { HubClient, type HubSocket } from './support/hub-client.js';
import { until } from './support/wait.js';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let hub: TestHub;
let owner: HubClient;
let session: string;

beforeAll(async () => {
  hub = await TestHub.start();
  owner = await HubClient.pair(hub.link);
  session = (await hub.reins('exec', '-d', '--', 'cat')).stdout.trim();
});
afterAll(() => hub.close());

const say = ({ socket }: HubSocket, message: object) => socket.send(JSON.stringify(message));
const rss = (): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${hub.pid}/status`, 'utf8'))![1]) / 1024;

async function page(...flags: string[]): Promise<{ client: HubClient; socket: HubSocket }> {
  const client = await HubClient.pair(await hub.invite(...flags));
  const socket = await client.socket();
  say(socket, { t: 'hello', visible: true });
  await until('the picture', () => socket.said.some(({ t }) => t === 'hello'));
  return { client, socket };
}

it('W54: a program inside a session has nothing from the hub, whatever key it shows', async () => {
  const script = `const r = await fetch(process.argv[1] + '/api/me', { headers: { cookie: process.argv[2] } });
    const { error } = await r.json(); console.log('told ' + r.status + ' ' + error?.code);`;
  const args = ['--', process.execPath, '--input-type=module', '-e', script, hub.url, owner.cookie];
  const asked = await hub.reins('exec', ...args);
  expect(asked.stdout).toContain('told 403 FROM_INSIDE');
  // Away from everything it was started by, with an empty environment.
  const away = join(hub.world.root, 'away');
  const forked = `(setsid env -i ${process.execPath} --input-type=module -e "$0" "$1" "$2" >"$3" 2>&1 &) ; exit`;
  await hub.reins('exec', '--', '/bin/sh', '-c', forked, script, hub.url, owner.cookie, away);
  const told = await until('an answer', () => {
    try {
      return readFileSync(away, 'utf8').includes('told') && readFileSync(away, 'utf8');
    } catch {
      return undefined;
    }
  });
  expect(told).toContain('told 403 FROM_INSIDE');
  expect((await owner.ask('/api/me')).status).toBe(200);
});

it('W3: who was let out and does not listen types nothing any more', async () => {
  const { client, socket } = await page('--scope', 'type');
  say(socket, { t: 'open', ch: 1, session });
  await until('a channel', () => socket.said.some(({ t }) => t === 'live'));
  say(socket, { t: 'take', ch: 1 });
  await until('the keys', () => socket.said.some(({ t, driver }) => t === 'driver' && driver !== null));
  const type = (text: string) => socket.socket.send(packBytes('keys', 1, Buffer.from(text)));
  const screen = async () => (await owner.ask(`/api/sessions/${session}/screen`)).text;
  type('before\r');
  await until('what was typed', async () => (await screen()).includes('before'));
  // It never reads the goodbye.
  socket.socket.pause();
  const { id } = JSON.parse((await client.ask('/api/me')).text).device;
  await owner.ask(`/api/devices/${id}`, { method: 'DELETE' });
  for (let n = 0; n < 20; n += 1) type('after\r');
  await new Promise((resolve) => socket.socket.once('close', resolve).resume());
  expect(await screen()).not.toContain('after');
});

/** A session that has ended, with two hundred entries as long as pages are shown them. */
async function longStory(): Promise<string> {
  const id = (await hub.reins('exec', '-d', '--', '/bin/sh', '-c', 'exit 0')).stdout.trim();
  const isOver = async () => (await owner.ask(`/api/sessions/${id}`)).text.includes('"state":"ended"');
  await until('its end', isOver, () => `${id} ${JSON.stringify(hub.journal(id))}`, 8_000);
  const last = hub.journal(id).at(-1)!;
  const more = Array.from({ length: 200 }, (_, n) => ({
    ...last,
    seq: last.seq + 1 + n,
    type: 'notice',
    data: { level: 'info', code: 'long', text: 'x'.repeat(100_000) },
  }));
  const file = join(hub.world.state, 'reins/sessions', id, 'journal.jsonl');
  appendFileSync(file, more.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
  return id;
}

it('W52: a page that opens without end and reads nothing costs no memory, and others are answered', async () => {
  const long = await longStory();
  const { socket } = await page('--scope', 'view');
  const before = rss();
  socket.socket.pause();
  let most = 0;
  let slowest = 0;
  for (let round = 0; round < 20 && socket.socket.readyState === 1; round += 1) {
    for (let n = 0; n < 40; n += 1) say(socket, { t: 'open', ch: n % 40, session: long });
    const from = Date.now();
    expect((await owner.ask('/api/me')).status).toBe(200);
    slowest = Math.max(slowest, Date.now() - from);
    most = Math.max(most, rss());
  }
  // Measured: 400 MB more before there was a bound, 40 since.
  expect(most - before, `slowest ${slowest} ms`).toBeLessThan(150);
});
