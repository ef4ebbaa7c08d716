/** W2, W49, F1: every route with every right and scope gives exactly what the table says, and what is foreign is missing. */
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { RIGHTS } from '../contract/index.js';
import { HUB_ROUTES, type RouteName } from '../contract/page.js';
import { seen, testHub } from './hub.cases.js';

const SESSION = 'aaaa2222';
const all = Object.keys(HUB_ROUTES) as RouteName[];
/** By the secret of a link alone. */
const ENTRIES: RouteName[] = ['pair', 'pair-look'];
const routes = all.filter((name) => !ENTRIES.includes(name));

/** Written down once more, so that a route that becomes weaker is noticed. */
const MAY: Record<string, RouteName[]> = {
  view: [
    'me',
    'ticket',
    'sessions',
    'session',
    'entries',
    'screen',
    'inbox',
    'card',
    'rename',
    'revoke',
    'push',
    'subscribe',
    'unsubscribe',
    'push-test',
    'policy',
  ],
  answer: ['answer'],
  type: ['message', 'queue', 'keys', 'model', 'interrupt', 'guide'],
  admin: ['start', 'plan', 'pause', 'resume', 'stop', 'kill', 'continue', 'agents', 'folders', 'devices', 'invite'],
};
const MACHINE: RouteName[] = ['start', 'plan', 'agents', 'folders', 'devices', 'invite', 'policy'];

const idFor = (route: RouteName, device: string): string => {
  const { path } = HUB_ROUTES[route];
  if (path.startsWith('/api/inquiries/')) return `${SESSION}.1`;
  return path.startsWith('/api/devices/') ? device : SESSION;
};

describe('W2: four devices, one per right', () => {
  it.each(RIGHTS)('a device that may %s reaches these routes and no other', async (right) => {
    const hub = testHub();
    hub.session(SESSION);
    const expected = RIGHTS.slice(0, RIGHTS.indexOf(right) + 1).flatMap((one) => MAY[one]!);
    const got: RouteName[] = [];
    for (const route of routes) {
      const { device, cookie } = hub.paired({ right });
      const { status } = await hub.call(route, { cookie, id: idFor(route, device.id) });
      expect([200, 403], route).toContain(status);
      if (status === 200) got.push(route);
    }
    expect(got.sort()).toEqual(expected.sort());
  });

  it('nobody reaches anything without a device, and is told the same everywhere', async () => {
    const hub = testHub();
    hub.session(SESSION);
    for (const route of routes) expect((await hub.call(route, { id: idFor(route, 'x') })).status, route).toBe(401);
    expect((await hub.ask('/api/openapi.json')).status).toBe(401);
    expect(hub.reached).toEqual([]);
  });

  it('a key, whatever its right, opens nothing where a link does', async () => {
    const hub = testHub();
    expect(all.filter((name) => HUB_ROUTES[name].right === 'none')).toEqual(ENTRIES);
    const { cookie } = hub.paired({ right: 'admin' });
    for (const route of ENTRIES) {
      const reply = hub.call(route, { cookie });
      await expect.poll(() => hub.clock.waiting).toBe(1);
      hub.clock.advance(2_000);
      expect((await reply).status, route).toBe(410);
    }
    expect(hub.reached).toEqual([]);
  });

  it('a guest of one session, whatever its right, reaches nothing of the machine', async () => {
    const hub = testHub();
    hub.session(SESSION);
    for (const route of routes) {
      const { device, cookie } = hub.paired({ right: 'admin', session: SESSION });
      const { status } = await hub.call(route, { cookie, id: idFor(route, device.id) });
      expect(status, route).toBe(MACHINE.includes(route) ? 403 : 200);
    }
  });

  it('a device renames and lets out itself; others only with admin, and only what sees no more', async () => {
    const hub = testHub();
    const viewer = hub.paired({ right: 'view' });
    const narrow = hub.paired({ right: 'admin', namespaces: ['b'] });
    const other = hub.paired({ right: 'view' });
    const missing = await seen(hub.call('revoke', { id: '0000000000', cookie: viewer.cookie }), '0000000000');
    expect(await seen(hub.call('revoke', { id: other.device.id, cookie: viewer.cookie }), other.device.id)).toBe(
      missing,
    );
    expect(await seen(hub.call('revoke', { id: other.device.id, cookie: narrow.cookie }), other.device.id)).toBe(
      missing,
    );
    expect(await seen(hub.call('rename', { id: other.device.id, cookie: narrow.cookie }), other.device.id)).toContain(
      'NO_SUCH_DEVICE',
    );
    const listed = (await (await hub.call('devices', { cookie: narrow.cookie })).json()) as { id: string }[];
    expect(listed.map(({ id }) => id)).toEqual([narrow.device.id]);
    expect((await hub.call('revoke', { id: 'me', cookie: viewer.cookie })).status).toBe(200);
    expect((await hub.call('me', { cookie: viewer.cookie })).status).toBe(401);
    expect((await hub.call('me', { cookie: other.cookie })).status).toBe(200);
  });

  it('an invitation gives no more than who invites has', async () => {
    const hub = testHub();
    hub.session(SESSION, 'b');
    hub.session('cccc4444', 'c');
    const { cookie } = hub.paired({ right: 'admin', namespaces: ['b'] });
    const invited = await (await hub.call('invite', { cookie, args: { right: 'view' } })).json();
    const secret = (invited as { link: string }).link.split('#')[1]!;
    const { device } = (await (await hub.call('pair', { args: { secret } })).json()) as {
      device: { namespaces: string[] };
    };
    expect(device.namespaces).toEqual(['b']);
    const foreign = hub.call('invite', { cookie, args: { right: 'view', session: 'cccc4444' } });
    const missing = hub.call('invite', { cookie, args: { right: 'view', session: 'dddd5555' } });
    expect(await seen(foreign, 'cccc4444')).toBe(await seen(missing, 'dddd5555'));
  });
});

describe('W49, F1: a foreign session is a missing one', () => {
  const placed = routes.filter((name) => /\/(sessions|inquiries)\/:id/.test(HUB_ROUTES[name].path));

  it.each(placed)('%s: status, headers and body are the same', async (route) => {
    const hub = testHub();
    hub.session(SESSION, 'a');
    hub.session('bbbb3333', 'b');
    const isInquiry = HUB_ROUTES[route].path.includes('inquiries');
    const idOf = (session: string) => (isInquiry ? `${session}.1` : session);
    for (const scope of [{ namespaces: ['b'] }, { namespaces: ['b', 'default'] }, { session: 'bbbb3333' }]) {
      const { cookie } = hub.paired(scope);
      const missing = await seen(hub.call(route, { cookie, id: idOf('zzzz9999') }), 'zzzz9999');
      expect(await seen(hub.call(route, { cookie, id: idOf(SESSION) }), SESSION)).toBe(missing);
      // By the beginning of an id, and by a name.
      expect(await seen(hub.call(route, { cookie, id: idOf('aaaa') }), 'aaaa')).toBe(missing);
      expect(await seen(hub.call(route, { cookie, id: idOf('bbbb') }), 'bbbb')).toBe(missing);
      expect((await hub.call(route, { cookie, id: idOf('bbbb3333') })).status).toBe(200);
    }
    expect(hub.reached).toEqual([route, route, route]);
  });

  it.runIf(process.platform === 'linux')('and costs no more: nothing of it is read', async () => {
    const hub = testHub();
    hub.session(SESSION, 'a');
    const file = `${hub.root}/reins/sessions/${SESSION}/session.json`;
    const spec = JSON.parse(readFileSync(file, 'utf8')) as object;
    writeFileSync(file, JSON.stringify({ ...spec, prompt: 'x'.repeat(1024 * 1024) }));
    // Of all that this process reads, in bytes.
    const bytesRead = () => Number(/rchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
    const cost = async (cookie: string, id: string) => {
      const before = bytesRead();
      for (let count = 0; count < 20; count += 1) expect((await hub.call('session', { cookie, id })).status).toBe(404);
      return bytesRead() - before;
    };
    for (const scope of [{ namespaces: ['b'] }, { session: 'bbbb3333' }]) {
      const { cookie } = hub.paired(scope);
      // The first look says whose it is.
      await hub.call('session', { cookie, id: SESSION });
      expect(await cost(cookie, SESSION)).toBeLessThan((await cost(cookie, 'zzzz9999')) + 100_000);
    }
  });

  it('a session that is written anew is looked at anew', async () => {
    const hub = testHub();
    const { cookie } = hub.paired({ namespaces: ['b'] });
    const status = async () => (await hub.call('session', { cookie, id: SESSION })).status;
    const said = [await status()];
    for (const namespace of ['a-long-one', 'b']) {
      hub.session(SESSION, namespace);
      said.push(await status());
    }
    expect(said).toEqual([404, 404, 200]);
  });

  it('a session whose file says nothing readable is seen by who sees the whole machine, and by nobody else', async () => {
    const hub = testHub();
    hub.session(SESSION);
    writeFileSync(`${hub.root}/reins/sessions/${SESSION}/session.json`, '{');
    const call = (namespaces: string[]) =>
      hub.call('session', { id: SESSION, cookie: hub.paired({ namespaces }).cookie });
    expect([(await call(['default'])).status, (await call(['*'])).status]).toEqual([404, 200]);
  });
});
