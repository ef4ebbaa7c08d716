/** W1, W3, W4: who is let in and how: pairing, keys and their replacement, cookies, limits. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cookieName, readCookie } from './cookies.js';
import { removeDevice, renameDevice } from './device-files.js';
import { MARK, testHub } from './hub.cases.js';
import { browserName } from './pairing.js';

const DAY = 24 * 3600_000;

const cookieOf = (reply: Response): string => (reply.headers.get('set-cookie') ?? '').split(';')[0]!;

describe('W1: pairing', () => {
  it('lets in once; the second use, a late one and a wrong secret are told the same', async () => {
    const hub = testHub();
    const { secret } = hub.offer({ right: 'answer', name: 'phone' });
    const late = hub.offer();
    const first = await hub.call('pair', { args: { secret } });
    expect(first.status).toBe(200);
    expect(await first.json()).toMatchObject({ device: { name: 'phone', right: 'answer', this: true }, hub: 'test' });
    expect((await hub.call('me', { cookie: cookieOf(first) })).status).toBe(200);
    const over = async (given: string) => {
      const reply = hub.call('pair', { args: { secret: given } });
      for (let waits = 0; waits < 20 && hub.clock.waiting === 0; waits += 1)
        await new Promise((resolve) => setImmediate(resolve));
      hub.clock.advance(2_000);
      return `${(await reply).status} ${await (await reply).text()}`;
    };
    const second = await over(secret);
    expect(second).toMatch(/^410 .*this link is over/);
    hub.clock.advance(5 * 60_000);
    expect(await over(late.secret)).toBe(second);
    expect(await over('never-made')).toBe(second);
    expect(hub.devices.all()).toHaveLength(1);
  });

  it('a link that could not be used because nothing can be written is good once there is room again', async () => {
    const hub = testHub();
    const { secret } = hub.offer();
    const pair = async () => (await hub.call('pair', { args: { secret } })).status;
    const dir = `${hub.root}/reins/hub/devices`;
    rmSync(dir, { recursive: true, force: true });
    writeFileSync(dir, 'no directory');
    expect(await pair()).toBe(500);
    rmSync(dir);
    expect(await pair()).toBe(200);
    expect(readdirSync(`${hub.root}/reins/hub/offers`)).toEqual([]);
  });

  it('who invites leaves alone what another is about to write, and what one is about to be let in by', () => {
    const hub = testHub();
    const { secret } = hub.offer();
    const dir = `${hub.root}/reins/hub/offers`;
    const [made] = readdirSync(dir);
    // Begun, and nothing written yet: an offer of another process.
    const begun = [`${'a'.repeat(64)}.new`, `${'b'.repeat(64)}.taken`];
    const soon = new Date(hub.clock.now() + 1_000);
    for (const name of begun) {
      writeFileSync(`${dir}/${name}`, '');
      utimesSync(`${dir}/${name}`, soon, soon);
    }
    hub.offer();
    expect(readdirSync(dir)).toEqual(expect.arrayContaining([made, ...begun]));
    expect(secret).not.toBe('');
    // What nobody came back to goes like the rest.
    hub.clock.advance(6 * 60_000);
    hub.offer();
    expect(readdirSync(dir)).toHaveLength(1);
  });

  it('of two at once, one is let in', async () => {
    const hub = testHub();
    const { secret } = hub.offer();
    const replies = [hub.call('pair', { args: { secret } }), hub.call('pair', { args: { secret } })];
    const first = await Promise.race(replies);
    hub.clock.advance(2_000);
    const all = await Promise.all(replies);
    expect([first.status, all.map(({ status }) => status).sort()]).toEqual([200, [200, 410]]);
  });

  it('wrong guesses wait and are refused when too many do; a right one goes through at once meanwhile', async () => {
    const hub = testHub();
    const wrong = Array.from({ length: 40 }, (_, count) => hub.call('pair', { args: { secret: `guess-${count}` } }));
    const { secret } = hub.offer();
    expect((await hub.call('pair', { args: { secret } })).status).toBe(200);
    const known = hub.paired();
    expect((await hub.call('me', { cookie: known.cookie })).status).toBe(200);
    hub.clock.advance(2_000);
    const statuses = (await Promise.all(wrong)).map(({ status }) => status);
    expect([statuses.filter((one) => one === 410).length, statuses.filter((one) => one === 429).length]).toEqual([
      16, 24,
    ]);
    // A flood is a line or two in the log.
    expect(hub.logged.filter(({ msg }) => msg === 'refused').length).toBeLessThanOrEqual(2);
  });

  it('nothing at rest opens a door: hashes alone, for the user alone', async () => {
    const hub = testHub();
    const { secret } = hub.offer();
    const reply = await hub.call('pair', { args: { secret } });
    const key = cookieOf(reply).split('.')[1]!;
    hub.offer();
    const dir = join(hub.root, 'reins', 'hub');
    const files = readdirSync(dir, { recursive: true, encoding: 'utf8' }).map((name) => join(dir, name));
    for (const file of files) {
      const stat = statSync(file);
      expect(stat.mode & 0o077, file).toBe(0);
      if (stat.isFile()) expect(readFileSync(file, 'utf8') + file).not.toMatch(new RegExp(`${key}|${secret}`));
    }
    expect(files.length).toBeGreaterThan(4);
    expect(JSON.stringify(hub.logged)).not.toMatch(new RegExp(`${key}|${secret}`));
  });

  it.each([
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605 Version/18 Mobile Safari/604.1',
      'Safari on iPhone',
    ],
    ['Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/147.0 Safari/537.36', 'Chrome on Linux'],
    ['Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/147.0 Mobile Safari/537.36', 'Chrome on Android'],
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 15) Gecko/20100101 Firefox/140.0', 'Firefox on Mac'],
    ['curl/8', 'a device'],
    [undefined, 'a device'],
  ])('a device is called by its browser: %s', (agent, name) => expect(browserName(agent)).toBe(name));

  it('a name is one harmless line', async () => {
    const hub = testHub();
    const { secret } = hub.offer({ name: 'a\u001b[2J\nb\u202e' });
    expect(await (await hub.call('pair', { args: { secret } })).json()).toMatchObject({ device: { name: 'a [2J b' } });
  });
});

describe('keys', () => {
  const rotate = async (hub: ReturnType<typeof testHub>, cookie: string) => cookieOf(await hub.call('me', { cookie }));

  it('are replaced after a week of use; the old one is good until the new one was used, and a minute longer', async () => {
    const hub = testHub();
    const { cookie: old } = hub.paired();
    expect(await rotate(hub, old)).toBe('');
    hub.clock.advance(8 * DAY);
    const fresh = await rotate(hub, old);
    expect(fresh).not.toBe('');
    // Another tab's request was under way, and the answer with the new one may be lost.
    expect((await hub.call('sessions', { cookie: old })).status).toBe(200);
    hub.clock.advance(DAY);
    expect((await hub.call('sessions', { cookie: old })).status).toBe(200);
    expect((await hub.call('me', { cookie: fresh })).status).toBe(200);
    hub.clock.advance(59_000);
    expect((await hub.call('me', { cookie: old })).status).toBe(200);
    hub.clock.advance(2_000);
    expect((await hub.call('me', { cookie: old })).status).toBe(401);
    expect((await hub.call('me', { cookie: fresh })).status).toBe(200);
    expect(hub.logged.some(({ msg }) => msg.includes('replaced long ago'))).toBe(true);
  });

  it('a lost new one is given again, and the lost one opens nothing', async () => {
    const hub = testHub();
    const { cookie: old } = hub.paired();
    hub.clock.advance(8 * DAY);
    const lost = await rotate(hub, old);
    expect(await rotate(hub, old)).toBe('');
    hub.clock.advance(61_000);
    const fresh = await rotate(hub, old);
    expect(fresh).not.toBe('');
    expect((await hub.call('me', { cookie: lost })).status).toBe(401);
    expect((await hub.call('me', { cookie: fresh })).status).toBe(200);
  });

  it('what lies where its files should be, a pipe that nobody writes to, stops nobody', async () => {
    const hub = testHub();
    const { device, cookie } = hub.paired();
    const dir = `${hub.root}/reins/hub/devices`;
    mkdirSync(`${dir}/abcdefabcd`);
    const pipes = [`${dir}/abcdefabcd/device.json`, `${dir}/${device.id}/name`, `${dir}/${device.id}/push.json`];
    for (const pipe of pipes) execFileSync('sh', ['-c', 'mkfifo "$0"', pipe]);
    expect((await hub.call('devices', { cookie })).status).toBe(200);
  });

  it('a use is written down once a minute', async () => {
    const hub = testHub();
    const { device, cookie } = hub.paired();
    const used = () => readFileSync(join(hub.root, 'reins/hub/devices', device.id, 'used'), 'utf8');
    await hub.call('me', { cookie });
    const first = used();
    expect(Date.parse(first)).toBe(hub.clock.now());
    hub.clock.advance(59_000);
    await hub.call('me', { cookie });
    expect(used()).toBe(first);
    hub.clock.advance(1_000);
    await hub.call('me', { cookie });
    expect(Date.parse(used())).toBe(hub.clock.now());
  });

  it('a cookie that is there twice, cut, or for another hub opens nothing', async () => {
    const hub = testHub();
    const { cookie } = hub.paired();
    for (const bad of [
      `${cookie}; ${cookie}`,
      cookie.slice(0, -1),
      `${cookie}x`,
      cookie.replace(MARK, '00000000'),
      `__Host-${cookie}`,
    ])
      expect((await hub.call('me', { cookie: bad })).status, bad).toBe(401);
    expect(readCookie(`a=1; ${cookie}`, cookieName(MARK, false))).toBe(cookie.split('=')[1]);
    for (const id of ['../../x', '', '.', 'x'.repeat(10_000)])
      expect((await hub.call('me', { cookie: `${cookieName(MARK, false)}=${id}.key` })).status).toBe(401);
  });
});

describe('W3: letting out', () => {
  it('by the command line: noticed, told, and its directory with all that was in it is gone', async () => {
    const hub = testHub();
    const [one, two] = [hub.paired({ name: 'phone' }), hub.paired({ name: 'desk' })];
    const news: string[] = [];
    hub.devices.onChange(({ what, device }) => void news.push(`${device.name} ${what}`));
    removeDevice(hub.env, one.device.id);
    expect((await hub.call('me', { cookie: one.cookie })).status).toBe(401);
    hub.devices.look();
    renameDevice(hub.env, two.device.id, 'desk 2');
    hub.devices.look();
    hub.paired({ name: 'third' });
    expect(news).toEqual(['phone out', 'desk 2 renamed', 'third in']);
    expect(existsSync(join(hub.root, 'reins/hub/devices', one.device.id))).toBe(false);
    expect((await hub.call('me', { cookie: two.cookie })).status).toBe(200);
  });

  it('nothing that the hub writes later brings it back', async () => {
    const hub = testHub();
    const { device, cookie } = hub.paired();
    hub.clock.advance(8 * DAY);
    removeDevice(hub.env, device.id);
    expect((await hub.call('me', { cookie })).status).toBe(401);
    expect(() => renameDevice(hub.env, device.id, 'x')).toThrow();
    expect(hub.devices.all()).toEqual([]);
  });

  it('a guest is out when its time is over, and nothing of it is kept', async () => {
    const hub = testHub();
    const { secret } = hub.offer({ lasts_ms: 3600_000 });
    const reply = await hub.call('pair', { args: { secret } });
    expect(reply.headers.get('set-cookie')).toContain('Max-Age=3600;');
    hub.clock.advance(3600_000);
    expect((await hub.call('me', { cookie: cookieOf(reply) })).status).toBe(401);
    hub.devices.look();
    expect(readdirSync(join(hub.root, 'reins/hub/devices')).filter((name) => !name.startsWith('.'))).toEqual([]);
  });
});

describe('W3: who invites and is out', () => {
  it('invites nobody any more, and nobody it let in stays longer than itself', async () => {
    const hub = testHub();
    const invite = async (cookie: string, args: object = {}) => {
      const { link } = (await (await hub.call('invite', { cookie, args: { right: 'admin', ...args } })).json()) as {
        link: string;
      };
      return link.split('#')[1]!;
    };
    const expires_at = new Date(hub.clock.now() + 60_000).toISOString();
    const hour = hub.paired({ expires_at });
    const [first, second, third] = [
      await invite(hour.cookie),
      await invite(hour.cookie, { minutes: 1000 }),
      await invite(hour.cookie),
    ];
    for (const secret of [first, second]) {
      const reply = await hub.call('pair', { args: { secret } });
      expect(await reply.json()).toMatchObject({ device: { expires_at } });
    }
    hub.devices.revoke(hour.device.id);
    const late = hub.call('pair', { args: { secret: third } });
    for (let waits = 0; waits < 20 && hub.clock.waiting === 0; waits += 1)
      await new Promise((resolve) => setImmediate(resolve));
    hub.clock.advance(2_000);
    expect((await late).status).toBe(410);
  });

  it('for no longer than a year: a time that is none would fail only when somebody comes', async () => {
    const hub = testHub();
    const { cookie } = hub.paired();
    for (const minutes of [9e15, 1e300, 366 * 24 * 60 + 1])
      expect((await hub.call('invite', { cookie, args: { right: 'view', minutes } })).status).toBe(400);
  });
});

describe('what is sent', () => {
  it.each([
    ['{', 'application/json', 400],
    ['{"surprise":1}', 'application/json', 400],
    ['[]', 'application/json', 400],
    ['{}', 'text/plain', 415],
    ['a=b', 'application/x-www-form-urlencoded', 415],
    ['{}', 'application/json; charset=utf-8', 200],
  ])('%s as %s is %d, and is not said again', async (body, type, status) => {
    const hub = testHub();
    const reply = await hub.ask('/api/ticket', {
      method: 'POST',
      body,
      headers: { 'content-type': type },
      cookie: hub.paired().cookie,
    });
    expect(reply.status).toBe(status);
    expect(await reply.text()).not.toContain('"surprise":1');
  });

  it('a stranger’s long body is given up early, a device’s later', async () => {
    const hub = testHub();
    const post = (path: string, length: number, cookie?: string) =>
      hub.ask(path, {
        method: 'POST',
        body: 'x'.repeat(length),
        headers: { 'content-type': 'application/json' },
        ...(cookie ? { cookie } : {}),
      });
    expect((await post('/api/pair', 9_000)).status).toBe(413);
    expect((await post('/api/ticket', 9_000)).status).toBe(401);
    expect((await post('/api/ticket', 9 * 1024 * 1024, hub.paired().cookie)).status).toBe(413);
  });

  it('a query is read by the schema', async () => {
    const hub = testHub();
    hub.session('aaaa2222');
    const { cookie } = hub.paired();
    const get = async (query: string) => (await hub.ask(`/api/sessions/aaaa2222/entries${query}`, { cookie })).status;
    expect([
      await get('?since=5&limit=10'),
      await get('?since=x'),
      await get('?limit=0'),
      await get('?since=1&since=2'),
      await get('?x=1'),
    ]).toEqual([200, 400, 400, 400, 400]);
  });

  it('the document of the API knows every route, and its errors tell nothing of ours', async () => {
    const hub = testHub();
    const { cookie } = hub.paired();
    const { paths } = (await (await hub.ask('/api/openapi.json', { cookie })).json()) as {
      paths: Record<string, object>;
    };
    expect(Object.keys(paths)).toContain('/api/inquiries/{id}/answer');
    expect(paths['/api/pair/look']).toMatchObject({ post: { 'x-right': 'none', security: [] } });
    expect((await hub.ask('/api/nothing', { cookie })).status).toBe(404);
    expect((await hub.ask('/somewhere', { method: 'POST', cookie })).status).toBe(404);
  });
});
