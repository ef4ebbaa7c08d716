/** W51, W52, W55, W57: attacks on a real hub over real HTTP. It refuses, tells nothing, and stays up. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestHub } from '../browser/support/hub.js';
import { HubClient, HubSocket, raw, rawGet } from './support/hub-client.js';
import { until } from './support/wait.js';

let hub: TestHub;
let owner: HubClient;
/** Every secret there was, so that none is found anywhere. */
const secrets: string[] = [];

beforeAll(async () => {
  hub = await TestHub.start();
  secrets.push(hub.link.split('#')[1]!);
  owner = await HubClient.pair(hub.link);
  secrets.push(owner.key);
});
afterAll(() => hub.close());

const rss = (): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${hub.pid}/status`, 'utf8'))![1]) / 1024;
const status = (said: string): number => Number(said.split(' ')[1]);

describe('W51: from another site', () => {
  it('a name bent to this address reaches no handler, in any form of the request', async () => {
    const { host } = new URL(hub.url);
    const get = (target: string, head: string, version = '1.1') =>
      raw(hub.url, `GET ${target} HTTP/${version}\r\n${head}Cookie: ${owner.cookie}\r\nConnection: close\r\n\r\n`);
    for (const said of [
      await get('/api/me', 'Host: evil.example\r\n'),
      await get('/api/me', `Host: evil.example:${new URL(hub.url).port}\r\n`),
      await get('/api/me', 'Host: evil.example\r\nX-Forwarded-Host: 127.0.0.1\r\n'),
      await get(`http://${host}/api/me`, 'Host: evil.example\r\n'),
      await get('http://evil.example/api/me', `Host: ${host}\r\n`),
      await get('/', 'Host: evil.example\r\n'),
      await get('/api/me', '', '1.0'),
      await get('/api/me', 'Host: \r\n'),
      await get('/api/me', `Host: evil.example\r\nHost: ${host}\r\n`),
    ]) {
      expect(status(said)).toBeGreaterThanOrEqual(400);
      expect(status(said)).toBeLessThan(500);
      expect(said).not.toContain('"device"');
    }
    expect(status(await get('/api/me', `Host: ${host}\r\n`))).toBe(200);
    expect(status(await get(`http://${host}/api/me`, `Host: ${host}\r\n`))).toBe(200);
  });

  it('a form, a script and a socket of another page change nothing, cookie or not', async () => {
    const post = (origin: string, type: string) =>
      owner.ask('/api/ticket', { method: 'POST', body: '{}', headers: { origin, 'content-type': type } });
    expect((await post('http://evil.example', 'application/json')).status).toBe(403);
    expect((await post('null', 'application/json')).status).toBe(403);
    expect((await post('http://evil.example', 'application/x-www-form-urlencoded')).status).toBe(403);
    expect((await post('http://evil.example', 'text/plain')).status).toBe(403);
    const preflight = await owner.ask('/api/ticket', {
      method: 'OPTIONS',
      headers: { origin: 'http://evil.example', 'access-control-request-method': 'POST' },
    });
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([403, null]);
    for (const origin of ['http://evil.example', 'null', 'http://127.0.0.1:1']) {
      const socket = new HubSocket(hub.url, await owner.ticket(), origin);
      await until('a refusal', () => socket.refused);
      expect(socket.refused).toContain('403');
    }
  });

  it('says on every answer that it is not framed, sniffed, or another site’s resource', async () => {
    for (const path of ['/', '/api/me', '/api/nothing', '/anything', '/assets/nothing.js', '/worker.js']) {
      const { headers } = await owner.ask(path);
      expect(headers.get('content-security-policy'), path).toMatch(
        /default-src 'none'.*frame-ancestors 'none'.*require-trusted-types-for 'script'/,
      );
      expect(headers.get('content-security-policy'), path).not.toMatch(/script-src[^;]*unsafe/);
      expect(
        [
          headers.get('x-content-type-options'),
          headers.get('referrer-policy'),
          headers.get('cross-origin-resource-policy'),
        ],
        path,
      ).toEqual(['nosniff', 'no-referrer', 'same-origin']);
    }
  });
});

describe('W52: too much of something', () => {
  it('bad tickets, idle sockets and a frame of 33 MB: it answers its owner all the while, and its memory stays', async () => {
    const before = rss();
    const bad = async (count: number) => {
      for (let done = 0; done < count; done += 1)
        expect(
          status(
            await rawGet(
              hub.url,
              '/ws',
              `Origin: ${hub.url}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: reins.1, bad-${done}\r\n`,
            ),
          ),
        ).toBe(401);
    };
    const { hostname, port } = new URL(hub.url);
    const idle: Socket[] = Array.from({ length: 200 }, () =>
      connect(Number(port), hostname).on('error', () => undefined),
    );
    await Promise.all([bad(150), bad(150)]);
    expect((await owner.ask('/api/me')).status).toBe(200);
    const socket = await owner.socket();
    socket.socket.send(Buffer.alloc(33 * 1024 * 1024));
    await until('the end of that socket', () => socket.closed);
    expect([1006, 1009]).toContain(socket.closed);
    // So many wrong guesses: each is refused, the owner's own request is not.
    const stranger = new HubClient(hub.url);
    const guesses = Array.from({ length: 100 }, (_, count) => stranger.post('/api/pair', { secret: `guess-${count}` }));
    const started = Date.now();
    expect((await owner.ask('/api/me')).status).toBe(200);
    const own = await hub.invite('--scope', 'view');
    secrets.push(own.split('#')[1]!);
    await HubClient.pair(own);
    expect(Date.now() - started).toBeLessThan(20_000);
    expect(new Set((await Promise.all(guesses)).map((reply) => reply.status))).toEqual(new Set([410, 429]));
    for (const one of idle) one.destroy();
    expect(rss() - before).toBeLessThan(120);
    expect(hub.output).not.toContain('Error');
  });

  it('a header that is too long, a request that is none, a body that lies about its length', async () => {
    expect(status(await rawGet(hub.url, '/', `X-Long: ${'x'.repeat(20_000)}\r\n`)) || 431).toBe(431);
    await raw(hub.url, '\u0016\u0003\u0001 nonsense\r\n\r\n');
    const lied = await raw(
      hub.url,
      `POST /api/pair HTTP/1.1\r\nHost: ${new URL(hub.url).host}\r\nOrigin: ${hub.url}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\nConnection: close\r\n\r\n0\r\n\r\n`,
    );
    expect(lied === '' || status(lied) >= 400).toBe(true);
    expect((await owner.ask('/api/me')).status).toBe(200);
  });
});

describe('W57: files', () => {
  const targets = [
    '/../../package.json',
    '/%2e%2e/%2e%2e/package.json',
    '/..%2f..%2fpackage.json',
    '/%252e%252e/%252e%252e/package.json',
    '/..%5c..%5cpackage.json',
    '/..\\..\\package.json',
    '/%c0%ae%c0%ae/%c0%ae%c0%ae/package.json',
    '/....//....//package.json',
    '/index.html%00.js',
    '/assets/',
    '/assets/../../cli/main.js',
    '/.git/config',
    '//etc/passwd',
    '/etc/passwd',
  ];

  it.each(targets)('%s leads to the page or to nothing', async (target) => {
    const page = await rawGet(hub.url, '/');
    for (const method of ['GET', 'HEAD']) {
      const said = await rawGet(hub.url, target, 'Range: bytes=0-100\r\n', method);
      const [head = '', body = ''] = said.split('\r\n\r\n', 2);
      expect([200, 400, 404]).toContain(status(head));
      if (status(head) === 200) expect(body).toBe(method === 'HEAD' ? '' : page.split('\r\n\r\n', 2)[1]);
      expect(said).not.toMatch(/"dependencies"|root:x:|Index of/);
    }
  });

  it('assets are kept for ever and packed, the page is asked for anew', async () => {
    const page = await owner.ask('/');
    const script = /src="(\/assets\/[^"]+\.js)"/.exec(page.text)![1]!;
    const asset = await owner.ask(script, { headers: { 'accept-encoding': 'br' } });
    expect([asset.headers.get('cache-control'), asset.headers.get('content-encoding')]).toEqual([
      'public, max-age=31536000, immutable',
      'br',
    ]);
    expect(page.headers.get('cache-control')).toBe('no-cache');
    const again = await owner.ask('/', { headers: { 'if-none-match': page.headers.get('etag')! } });
    expect([again.status, again.text]).toEqual([304, '']);
    expect((await owner.ask('/s/aaaa2222/i/1')).text).toBe(page.text);
  });
});

describe('W55: secrets', () => {
  it('no secret is in a log, a file, an argument, an environment or what the hub printed beyond its link', async () => {
    const link = await hub.invite();
    secrets.push(link.split('#')[1]!, await owner.ticket());
    await new HubClient(hub.url).ask(`/api/me?key=${owner.key}`);
    const found = new RegExp(secrets.join('|'));
    const state = join(hub.world.state, 'reins');
    for (const name of readdirSync(state, { recursive: true, encoding: 'utf8' })) {
      expect(name).not.toMatch(found);
      if (statSync(join(state, name)).isFile())
        expect(readFileSync(join(state, name), 'utf8'), name).not.toMatch(found);
    }
    for (const file of ['cmdline', 'environ'])
      expect(readFileSync(`/proc/${hub.pid}/${file}`, 'latin1')).not.toMatch(found);
    expect(hub.output.replace(hub.link, '')).not.toMatch(found);
    expect(secrets.length).toBeGreaterThanOrEqual(4);
  });
});
