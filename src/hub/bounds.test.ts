/** How much a request may bring, route by route, and a guest whose time is over. */
import { describe, expect, it } from 'vitest';
import { HUB_ROUTES, type RouteName } from '../contract/page.js';
import { testHub } from './hub.cases.js';

const SESSION = 'aaaa2222';
const posts = (Object.keys(HUB_ROUTES) as RouteName[]).filter((name) => HUB_ROUTES[name].method === 'POST');
const idFor = (route: RouteName) => (HUB_ROUTES[route].path.startsWith('/api/inquiries/') ? `${SESSION}.1` : SESSION);
/** Of who is not let in, of a device about itself, of what is said to a session. */
const MOST: Record<string, number> = { none: 8 * 1024, device: 64 * 1024 };

describe('bodies', () => {
  it.each(posts)('%s: as long as it may be it is read, one byte more and it is given up', async (route) => {
    const hub = testHub();
    hub.session(SESSION);
    const { device, cookie } = hub.paired();
    const { right, path } = HUB_ROUTES[route];
    const most = MOST[right] ?? 8 * 1024 * 1024;
    const id = path.startsWith('/api/devices/') ? device.id : idFor(route);
    const post = (length: number) =>
      hub.ask(path.replace(':id', id), {
        method: 'POST',
        cookie,
        headers: { 'content-type': 'application/json' },
        body: `{"odd":"${'x'.repeat(length - 10)}"}`,
      });
    expect((await post(most)).status).toBe(400);
    const over = await post(most + 1);
    expect([over.status, ((await over.json()) as { error: { code: string } }).error.code]).toEqual([
      413,
      'BODY_TOO_LARGE',
    ]);
    expect(hub.reached).toEqual([]);
  });
});

it('a guest whose time is over is nobody, on every route, to the moment', async () => {
  const hub = testHub();
  hub.session(SESSION);
  const { cookie } = hub.paired({
    right: 'admin',
    session: SESSION,
    expires_at: new Date(hub.clock.now() + 60_000).toISOString(),
  });
  hub.clock.advance(59_999);
  expect((await hub.call('session', { cookie, id: SESSION })).status).toBe(200);
  hub.clock.advance(1);
  for (const route of Object.keys(HUB_ROUTES) as RouteName[])
    if (HUB_ROUTES[route].right !== 'none')
      expect((await hub.call(route, { cookie, id: idFor(route) })).status, route).toBe(401);
  expect(hub.reached).toEqual(['session']);
});
