/** W5, W51: whose page asks: Host, Origin and what browsers say about a request; sockets by tickets. */
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { removeDevice } from './device-files.js';
import { HOST, ORIGIN, testHub } from './hub.cases.js';
import { HubOrigins, isLoopback } from './origins.js';
import { judgeUpgrade } from './upgrade.js';

const cookieOf = (reply: Response): string => (reply.headers.get('set-cookie') ?? '').split(';')[0]!;

describe('W5, W51: whose page asks', () => {
  it.each([
    undefined,
    'evil.example',
    'evil.example:7433',
    '127.0.0.1',
    '127.0.0.1:80',
    'localhost:7434',
    '127.0.0.1:7433.evil.example',
    '127.0.0.1.nip.io:7433',
    '[::2]:7433',
    'a@127.0.0.1:7433',
    '',
  ])('Host %s is refused before any handler, with a cookie too', async (host) => {
    const hub = testHub();
    const { cookie } = hub.paired();
    for (const path of ['/api/me', '/', '/assets/x.js', '/api/nothing']) {
      const reply = await hub.app.request(path, { headers: { cookie, ...(host === undefined ? {} : { host }) } });
      expect([reply.status, await reply.text()], path).toEqual([421, expect.stringContaining('FOREIGN_HOST')]);
    }
  });

  it.each([HOST, 'localhost:7433', 'LOCALHOST:7433', '[::1]:7433'])('Host %s is ours', async (host) => {
    const hub = testHub();
    expect(
      (await hub.call('me', { cookie: hub.paired().cookie, headers: { host, origin: `http://${host.toLowerCase()}` } }))
        .status,
    ).toBe(200);
  });

  it.each([
    'http://evil.example',
    'null',
    'http://127.0.0.1',
    'http://127.0.0.1:8000',
    `https://${HOST}`,
    'http://localhost:7433',
    `${ORIGIN}.evil.example`,
    '',
  ])('Origin %s changes and reads nothing', async (origin) => {
    const hub = testHub();
    const { cookie } = hub.paired();
    for (const route of ['ticket', 'pair', 'pair-look', 'me', 'revoke', 'stop'] as const)
      expect((await hub.call(route, { cookie, id: 'x', headers: { origin } })).status, route).toBe(403);
    expect(hub.reached).toEqual([]);
  });

  it('without an Origin nothing is changed', async () => {
    const hub = testHub();
    const { cookie } = hub.paired();
    const headers = { host: HOST, cookie, 'content-type': 'application/json' };
    expect((await hub.app.request('/api/ticket', { method: 'POST', body: '{}', headers })).status).toBe(403);
    expect((await hub.app.request('/api/devices/me', { method: 'DELETE', headers })).status).toBe(403);
  });

  it.each([
    ['cross-site', 'no-cors', 'image', '/api/me', 403],
    ['same-site', 'cors', 'empty', '/api/me', 403],
    ['cross-site', 'navigate', 'document', '/api/me', 403],
    ['cross-site', 'no-cors', 'script', '/assets/main.js', 403],
    ['cross-site', 'navigate', 'iframe', '/', 403],
    ['cross-site', 'navigate', 'document', '/', 503],
    ['same-origin', 'cors', 'empty', '/api/me', 200],
    ['none', 'navigate', 'document', '/', 503],
  ])('a %s %s of a %s: %s is %d', async (site, mode, dest, path, status) => {
    const hub = testHub();
    const headers = { 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': dest };
    expect((await hub.ask(path, { cookie: hub.paired().cookie, headers })).status).toBe(status);
  });

  it('with --url https://x: that Host and Origin pass, with a cookie that is bound to it, and no other', async () => {
    const hub = testHub({ url: 'https://reins.example' });
    const { secret } = hub.offer();
    const outside = { host: 'reins.example', origin: 'https://reins.example' };
    const reply = await hub.call('pair', { args: { secret }, headers: outside });
    expect(reply.headers.get('set-cookie')).toMatch(
      /^__Host-reins-abcdef01=[^;]+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict; Secure$/,
    );
    expect(reply.headers.get('strict-transport-security')).not.toBeNull();
    const cookie = cookieOf(reply);
    expect((await hub.call('ticket', { cookie, headers: outside })).status).toBe(200);
    expect((await hub.call('ticket', { cookie, headers: { ...outside, origin: 'http://reins.example' } })).status).toBe(
      403,
    );
    expect((await hub.call('ticket', { cookie, headers: { ...outside, host: 'reins.example:7433' } })).status).toBe(
      421,
    );
    // What a tunnel says is not believed, and gives no privilege.
    const forwarded = {
      host: HOST,
      origin: ORIGIN,
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'reins.example',
      'x-forwarded-for': '127.0.0.1',
    };
    expect((await hub.call('ticket', { cookie, headers: forwarded })).status).toBe(401);
    expect(
      (await hub.call('ticket', { headers: { ...forwarded, forwarded: 'for=127.0.0.1;host=reins.example' } })).status,
    ).toBe(401);
  });

  it.each(['127.0.0.1', 'localhost', '::1', '127.8.8.8', '[::1]'])('%s is this machine', (host) =>
    expect(isLoopback(host)).toBe(true),
  );
  it.each(['0.0.0.0', '::', '192.168.1.2', 'localhost.example', '127.0.0.1.example', 'fe80::1'])('%s is not', (host) =>
    expect(isLoopback(host)).toBe(false),
  );

  it('bound to every address, each of this machine’s own is a name of ours, and no word is', () => {
    const origins = new HubOrigins({ host: '0.0.0.0', port: 7433, tls: true });
    expect(origins.of('127.0.0.1:7433')?.origin).toBe('https://127.0.0.1:7433');
    expect(origins.of('anything:7433')).toBeUndefined();
    expect(origins.local.host).toBe('127.0.0.1:7433');
  });
});

describe('sockets', () => {
  const asked = (
    hub: ReturnType<typeof testHub>,
    of: { ticket?: string; headers?: object; url?: string; open?: string[] } = {},
  ) => {
    const headers = {
      host: HOST,
      origin: ORIGIN,
      'sec-websocket-protocol': `reins.1, ${of.ticket ?? hub.tickets.issue(hub.paired().device.id)}`,
      ...of.headers,
    };
    const judged = judgeUpgrade(
      { headers, url: of.url ?? '/ws', socket: undefined as unknown as Socket },
      { ...hub, open: of.open ?? [] },
    );
    return 'refused' in judged ? judged.refused.slice(0, 3) : judged.device.name;
  };

  it('are let in by a ticket and our own page, and by nothing else', () => {
    const hub = testHub();
    expect(asked(hub)).toBe('one');
    const ticket = hub.tickets.issue(hub.paired({ name: 'two' }).device.id);
    expect([asked(hub, { ticket }), asked(hub, { ticket })]).toEqual(['two', '401']);
    for (const origin of ['null', 'http://evil.example', undefined])
      expect(asked(hub, { headers: { origin } })).toBe('403');
    expect(asked(hub, { headers: { host: 'evil.example' } })).toBe('421');
    expect(asked(hub, { headers: { 'sec-fetch-site': 'cross-site' } })).toBe('403');
    expect(asked(hub, { url: '/ws?ticket=x' })).toBe('404');
    expect(asked(hub, { headers: { 'sec-websocket-protocol': undefined } })).toBe('401');
    expect(asked(hub, { headers: { 'sec-websocket-protocol': hub.tickets.issue(hub.paired().device.id) } })).toBe(
      '401',
    );
  });

  it('a ticket of who was let out meanwhile opens nothing; too many are refused', () => {
    const hub = testHub();
    const { device } = hub.paired();
    const ticket = hub.tickets.issue(device.id);
    removeDevice(hub.env, device.id);
    expect(asked(hub, { ticket })).toBe('401');
    expect(asked(hub, { open: Array.from({ length: 300 }, (_, count) => `d${count}`) })).toBe('429');
  });
});
