/** What strangers cost: connections of theirs make room for others, and nobody is looked up before showing something that fits. */
import { connect, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createApp } from './app.js';
import { Callers } from './callers.js';
import { cookieName } from './cookies.js';
import { MARK, testHub } from './hub.cases.js';
import { HubOrigins } from './origins.js';
import { noPages } from './pages.js';
import { begin, listen, portOf } from './server.js';
import { StaticFiles } from './static.js';

async function served() {
  const hub = testHub();
  const server = await listen({ host: '127.0.0.1', port: 0 });
  const log = { log: () => undefined, room: () => log };
  const host = `127.0.0.1:${portOf(server)}`;
  const origins = new HubOrigins({ host: '127.0.0.1', port: portOf(server), tls: false });
  const looked: unknown[] = [];
  const look = (socket: unknown) => {
    looked.push(socket);
    return undefined;
  };
  const callers = new Callers({ say: () => undefined, look });
  const handlers = { me: () => ({}) as never };
  const where = { env: hub.env, cwd: '/', version: '0' };
  const files = new StaticFiles('/nonexistent');
  const app = createApp({ ...hub, where, log, origins, callers, handlers, files, mark: MARK, name: 'test' });
  const serving = begin({
    ...hub,
    server,
    fetch: (request, of) => app.fetch(request, of),
    callers,
    origins,
    pages: noPages,
    log,
  });
  onTestFinished(() => serving.close());
  const open = (said: string): Promise<Socket> =>
    new Promise((resolve) => {
      const socket = connect(portOf(server), '127.0.0.1', () => socket.write(said, () => resolve(socket)));
      socket.on('error', () => undefined);
      socket.resume();
      onTestFinished(() => void socket.destroy());
    });
  const me = (cookie: string, head = '') => `GET /api/me HTTP/1.1\r\nHost: ${host}\r\nCookie: ${cookie}\r\n${head}\r\n`;
  return { ...hub, host, looked, open, me };
}

it('W52: more strangers than there is room for take it from each other, and from nobody who was let in', async () => {
  const hub = await served();
  const { cookie } = hub.paired();
  const own = await hub.open(hub.me(cookie));
  await expect.poll(() => hub.looked.length).toBe(1);
  const slow: Socket[] = [];
  for (let count = 0; count < 1100; count += 1)
    slow.push(
      await hub.open(
        count % 2 ? 'GET / HT' : `POST /api/pair HTTP/1.1\r\nHost: ${hub.host}\r\nContent-Length: 9\r\n\r\n{`,
      ),
    );
  const reply = await fetch(`http://${hub.host}/api/me`, { headers: { cookie } });
  expect(reply.status).toBe(200);
  await expect.poll(() => slow.filter(({ closed }) => !closed).length).toBeLessThanOrEqual(400);
  expect([slow[0]!.closed, slow.at(-1)!.closed, own.closed]).toEqual([true, false, false]);
});

it('a device that opens too many closes its own, and nobody else’s', async () => {
  const hub = await served();
  const [one, other] = [hub.paired(), hub.paired()];
  const kept = await hub.open(hub.me(other.cookie));
  await expect.poll(() => hub.looked.length).toBe(1);
  const many: Socket[] = [];
  for (let count = 1; count <= 70; count += 1) {
    many.push(await hub.open(hub.me(one.cookie)));
    await expect.poll(() => hub.looked.length).toBe(count + 1);
  }
  await expect.poll(() => many.filter(({ closed }) => closed).length).toBe(6);
  expect([many[5]!.closed, many[6]!.closed, kept.closed]).toEqual([true, false, false]);
});

it('whoever shows nothing that fits is refused without a look at who it is; who does is looked at once', async () => {
  const hub = await served();
  const origin = `http://${hub.host}`;
  const pair = (secret: string) =>
    fetch(`${origin}/api/pair`, {
      method: 'POST',
      headers: { origin, 'content-type': 'application/json' },
      body: JSON.stringify({ secret }),
    });
  let told = 0;
  void pair('wrong').then(({ status }) => {
    told = status;
  });
  await fetch(`${origin}/`);
  await fetch(`${origin}/api/me`, { headers: { cookie: `${cookieName(MARK, false)}=aaaaaaaaaa.x` } });
  await hub.open(
    `GET /ws HTTP/1.1\r\nHost: ${hub.host}\r\nOrigin: ${origin}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: reins.1, x\r\n\r\n`,
  );
  // It waits, by a clock that goes when it is told to.
  const late = () => {
    hub.clock.advance(5000);
    return told;
  };
  await expect.poll(late).toBe(410);
  expect(hub.looked).toEqual([]);
  const { secret } = hub.offer();
  expect((await pair(secret)).status).toBe(200);
  expect(hub.looked.length).toBe(1);
});
