/** W1, W4: what a link gives is said before the yes, to who has the link and to nobody else, and a look uses nothing up. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { RouteResult } from '../contract/page.js';
import { seen, testHub } from './hub.cases.js';
import { makeOffer } from './offers.js';

type Hub = ReturnType<typeof testHub>;
type Looked = RouteResult<'pair-look'>;

const LINUX = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/147.0 Safari/537.36';

const look = async (hub: Hub, secret: string, headers = {}): Promise<Looked> => {
  const reply = await hub.call('pair-look', { args: { secret }, headers });
  expect(reply.status).toBe(200);
  expect(reply.headers.get('set-cookie')).toBeNull();
  return (await reply.json()) as Looked;
};

/** All that somebody could tell two answers apart by, and how long it waited. */
async function refused(hub: Hub, route: 'pair' | 'pair-look', secret: string): Promise<[string, number]> {
  const reply = hub.call(route, { args: { secret } });
  for (let waits = 0; waits < 50 && hub.clock.waiting === 0; waits += 1)
    await new Promise((resolve) => setImmediate(resolve));
  let waited = 0;
  for (; hub.clock.waiting > 0; waited += 100) hub.clock.advance(100);
  return [await seen(reply, secret), waited];
}

it('W4: says name, right, what it sees, until when, and whose hub it is', async () => {
  const hub = testHub();
  const guest = hub.offer({ right: 'answer', session: 'aaaa2222', name: 'a\u001b[2J\nb\u202e', lasts_ms: 3600_000 });
  expect(await look(hub, guest.secret)).toEqual({
    name: 'a [2J b',
    named: true,
    right: 'answer',
    namespaces: ['*'],
    session: 'aaaa2222',
    expires_at: new Date(hub.clock.now() + 3600_000).toISOString(),
    until: new Date(guest.until).toISOString(),
    hub: 'test',
    folder: `${hub.root}/reins`,
  });
  hub.paired({ name: 'Chrome on Linux' });
  const plain = hub.offer({ right: 'admin', namespaces: ['work'] });
  expect(await look(hub, plain.secret, { 'user-agent': LINUX })).toEqual({
    name: 'Chrome on Linux (2)',
    right: 'admin',
    namespaces: ['work'],
    until: new Date(plain.until).toISOString(),
    hub: 'test',
    folder: `${hub.root}/reins`,
  });
});

it('W4: what was said is what comes of the yes', async () => {
  const hub = testHub();
  const host = hub.paired({ expires_at: new Date(hub.clock.now() + 60_000).toISOString() });
  for (const offer of [
    { right: 'view', namespaces: ['a', 'b'], name: 'phone' },
    { right: 'type', namespaces: ['*'], session: 'aaaa2222', lasts_ms: 3600_000 },
    // Nobody it lets in stays longer than itself.
    { right: 'admin', namespaces: ['*'], by: host.device.id, lasts_ms: 3600_000 },
  ] as const) {
    const { secret } = makeOffer(hub.env, { ...offer, namespaces: [...offer.namespaces] }, hub.clock.now());
    const { named, until, folder, hub: from, ...said } = await look(hub, secret);
    const { device, hub: entered } = (await (
      await hub.call('pair', { args: { secret } })
    ).json()) as RouteResult<'pair'>;
    const { id, created_at, this: own, ...became } = device;
    expect([became, entered]).toEqual([said, from]);
  }
});

it('W1: a look neither uses up nor prolongs, and writes nothing', async () => {
  const hub = testHub();
  const { secret, until } = hub.offer();
  const files = () =>
    readdirSync(hub.root, { recursive: true, encoding: 'utf8' }).map((name) => {
      try {
        return [name, readFileSync(`${hub.root}/${name}`, 'utf8')];
      } catch {
        return [name];
      }
    });
  const before = files();
  for (let count = 0; count < 5; count += 1) {
    expect((await look(hub, secret)).until).toBe(new Date(until).toISOString());
    hub.clock.advance(59_000);
  }
  expect(files()).toEqual(before);
  expect(hub.devices.all()).toEqual([]);
  hub.clock.advance(until - hub.clock.now() - 1);
  await look(hub, secret);
  hub.clock.advance(1);
  expect((await refused(hub, 'pair-look', secret))[0]).toMatch(/410.*this link is over/);
  expect((await refused(hub, 'pair', secret))[0]).toMatch(/410.*this link is over/);
});

it('W1: used, over, of a host that is out, never made: one answer, that of the pairing itself', async () => {
  const hub = testHub();
  const [used, late, host] = [hub.offer(), hub.offer(), hub.paired()];
  const byHost = makeOffer(hub.env, { right: 'view', namespaces: ['*'], by: host.device.id }, hub.clock.now());
  expect((await look(hub, byHost.secret)).right).toBe('view');
  hub.devices.revoke(host.device.id);
  expect((await hub.call('pair', { args: { secret: used.secret } })).status).toBe(200);
  const answers: string[] = [];
  const ask = async (secret: string) => {
    for (const route of ['pair-look', 'pair'] as const) answers.push((await refused(hub, route, secret))[0]);
  };
  for (const secret of [used.secret, byHost.secret, 'never-made', '../offers']) await ask(secret);
  hub.clock.advance(300_000);
  await ask(late.secret);
  expect(new Set(answers).size).toBe(1);
  expect(answers[0]).toMatch(/410.*this link is over/);
  expect(answers[0]).not.toContain(hub.root);
});

it('W52: wrong looks wait with wrong pairings, ever longer, and beyond sixteen are refused; a right one goes through', async () => {
  const hub = testHub();
  const waits: number[] = [];
  for (const route of ['pair', 'pair-look', 'pair-look', 'pair', 'pair-look', 'pair-look'] as const)
    waits.push((await refused(hub, route, 'guess'))[1]);
  expect(waits).toEqual([100, 200, 400, 800, 1600, 2000]);
  const wrong = Array.from({ length: 40 }, (_, count) =>
    hub.call(count % 2 ? 'pair' : 'pair-look', { args: { secret: `guess-${count}` } }),
  );
  await look(hub, hub.offer().secret);
  hub.clock.advance(2_000);
  const statuses = (await Promise.all(wrong)).map(({ status }) => status);
  expect([statuses.filter((one) => one === 410).length, statuses.filter((one) => one === 429).length]).toEqual([
    16, 24,
  ]);
});

it('W51: another site, another name of the host, a body that is too long or no JSON: nothing is said of the link', async () => {
  const hub = testHub();
  const { secret } = hub.offer();
  const status = async (headers: Record<string, string>) =>
    (await hub.call('pair-look', { args: { secret }, headers })).status;
  expect(await status({ origin: 'http://evil.example' })).toBe(403);
  expect(await status({ origin: 'null' })).toBe(403);
  expect(await status({ host: 'evil.example' })).toBe(421);
  expect(await status({ 'sec-fetch-site': 'cross-site' })).toBe(403);
  expect(await status({ 'content-type': 'text/plain' })).toBe(415);
  const long = await hub.call('pair-look', { args: { secret: secret + ' '.repeat(9_000) } });
  expect(long.status).toBe(413);
  // The secret in an address is in logs and histories.
  expect((await hub.ask(`/api/pair/look?secret=${secret}`)).status).toBe(404);
});

it('a file that is no offer of ours is none', async () => {
  const hub = testHub();
  const { secret } = hub.offer();
  const [name] = readdirSync(`${hub.root}/reins/hub/offers`);
  for (const text of ['', '{}', '[]', '{"until":9e15,"right":"root","namespaces":["*"]}', 'null']) {
    writeFileSync(`${hub.root}/reins/hub/offers/${name}`, text);
    expect((await refused(hub, 'pair-look', secret))[0], text).toMatch(/410/);
  }
});
