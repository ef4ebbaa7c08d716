/** W52: heads and bodies that dribble in are cut, and nobody else waits for them. */
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { Callers } from './callers.js';
import { testHub } from './hub.cases.js';
import { HubOrigins } from './origins.js';
import { noPages } from './pages.js';
import { begin, listen, portOf } from './server.js';
import { startHub } from './start.js';
import { runningHub } from './state.js';

it('W52: slow heads and slow bodies are cut; another request goes through meanwhile', async () => {
  const hub = testHub({ port: 0 });
  const patience = { headersTimeout: 300, requestTimeout: 400, connectionsCheckingInterval: 50 };
  const server = await listen({ host: '127.0.0.1', port: 0, patience });
  const log = { log: () => undefined, room: () => log };
  const origins = new HubOrigins({ host: '127.0.0.1', port: portOf(server), tls: false });
  const serving = begin({
    ...hub,
    server,
    fetch: hub.app.fetch,
    callers: new Callers({ say: () => undefined }),
    origins,
    pages: noPages,
    log,
  });
  const cut = (bytes: string): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = connect(portOf(server), '127.0.0.1', () => socket.write(bytes));
      socket.on('error', () => undefined);
      socket.on('data', () => undefined);
      socket.on('close', () => resolve(true));
    });
  const host = `127.0.0.1:${portOf(server)}`;
  const slow = [
    cut(''),
    cut('GET / HTTP/1.1\r\nHost: '),
    cut(`POST /api/pair HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 100\r\n\r\n{`),
  ];
  expect((await fetch(`http://${host}/`)).status).toBe(421);
  expect(await Promise.all(slow)).toEqual([true, true, true]);
  await serving.close();
});

const log = { log: () => undefined, room: () => log };

it.each([
  { host: '0.0.0.0' },
  { host: '192.168.1.1' },
  { host: '::' },
  { host: '127.0.0.1', url: 'http://reins.example' },
])('W5: %j is reached from elsewhere without encryption: not unless somebody says so', async (options) => {
  const { env } = testHub();
  const start = startHub({ env, cwd: '/', version: '0' }, { port: 0, log, ...options });
  await expect(start).rejects.toMatchObject({ code: 'HUB_EXPOSED', exit: 50 });
  expect(runningHub(env)).toBeUndefined();
});

it('W5: one hub; where it cannot listen nothing of it is left', async () => {
  const { env } = testHub();
  const where = { env, cwd: '/', version: '0' };
  const start = (options: object) =>
    startHub(where, { port: 0, host: '127.0.0.1', log, webDir: '/nonexistent', ...options });
  await expect(start({ host: '203.0.113.9', insecure: true })).rejects.toMatchObject({ code: 'HUB_UNBOUND', exit: 50 });
  expect(runningHub(env)).toBeUndefined();
  const hub = await start({ url: 'https://reins.example' });
  expect(runningHub(env)).toMatchObject({ pid: process.pid, url: 'https://reins.example', address: hub.address });
  await expect(start({})).rejects.toMatchObject({ code: 'HUB_RUNNING', exit: 50 });
  expect(hub.invite({ right: 'view', namespaces: ['*'] }).link).toMatch(/^https:\/\/reins\.example\/pair#/);
  await hub.close();
  await hub.close();
  expect(runningHub(env)).toBeUndefined();
});
