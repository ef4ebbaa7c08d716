import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { HandClock, type SessionRow, silentLog } from '../../contract/index.js';
import type { Card } from '../../contract/page.js';
import { createPush, type Push, type PushOptions } from './index.js';
import { FakePushService } from './push-service.cases.js';
import type { PushDevice } from './pusher.js';

const service = new FakePushService();
beforeAll(() => service.listen());
afterAll(() => service.close());

/** Ids of devices are as long as this. */
const idOf = (name: string) => name.padEnd(10, '0');

function device(name: string, more: Partial<PushDevice> = {}): PushDevice {
  mkdirSync(hubFile('devices', idOf(name)), { recursive: true });
  return { id: idOf(name), name, right: 'answer', namespaces: ['*'], ...more };
}

const hubFile = (...names: string[]) => join(dir, 'reins', 'hub', ...names);

const row = (id: string, more: Partial<SessionRow> = {}): SessionRow =>
  ({ id, name: 'api-fix', agent: 'claude', state: 'asking', cwd: '/x', ...more }) as SessionRow;

function shell(id: string, command: string, more: Partial<Card> = {}): Card {
  const [session] = id.split('.');
  return {
    inquiry: {
      id,
      session,
      kind: 'run',
      tool: 'Bash',
      input: { command },
      exclusive: false,
      opened_at: new Date(clock.now()).toISOString(),
      stage: 'asking',
    },
    digest: `digest of ${id}`,
    view: { title: 'wants to run a command', shape: 'shell', spans: [{ text: command, is: 'command' }], lines: 1 },
    ...more,
  } as Card;
}

let dir: string;
let clock: HandClock;
let devices: PushDevice[];
let here: Set<string>;
let rows: Map<string, SessionRow>;
let cards: Map<string, Card>;
let push: Push;

const open = (more: Pick<PushOptions, 'contact' | 'url'> = {}) =>
  createPush({
    ...more,
    clock,
    log: silentLog,
    env: { XDG_STATE_HOME: dir },
    hosts: [`inside:127.0.0.1:${service.port}`],
    ca: service.cert,
    picture: { rows, cards },
    devices: () => devices,
    sees: ({ namespaces }, { id }) => namespaces.includes('*') || namespaces.includes(id),
    isHere: (id) => here.has(id.replace(/0+$/, '')),
    callableChanged: () => undefined,
  });

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'push-'));
  clock = new HandClock(Date.UTC(2026, 5, 1, 12));
  devices = [device('phone')];
  here = new Set();
  rows = new Map([['k7f2m9qd', row('k7f2m9qd')]]);
  cards = new Map();
  service.got.length = 0;
  service.answers.length = 0;
  push = open();
  push.pusher.ready();
});
afterEach(async () => {
  await push.pusher.close();
  rmSync(dir, { recursive: true });
});

const subscribe = (name: string, more: object = {}) =>
  push.routes.subscribe(devices.find((one) => one.name === name)!, { ...service.subscription(name), ...more });

function opens(card: Card): void {
  cards.set(card.inquiry.id, card);
  push.pusher.told({ t: 'card', card });
}

function settles(inquiry: string, how = 'allowed', by?: string): void {
  cards.delete(inquiry);
  push.pusher.told({ t: 'settled', inquiry, session: 'k7f2m9qd', how, at: '', ...(by ? { by } : {}) });
}

/** What is sent now is sent before this, because it goes the same way. */
async function told(count: number): Promise<string[]> {
  const before = service.got.length;
  await service.messages(count);
  expect(service.got.length).toBeGreaterThanOrEqual(before);
  return service.got.map(({ message, path }) => `${path.split('/').at(-1)}: ${message.kind} ${message.tag}`);
}

it.each([
  [{}, 'mailto:hub@reins.example'],
  [{ url: 'http://10.0.0.2:7433' }, 'mailto:hub@reins.example'],
  [{ url: 'https://reins.example.org' }, 'https://reins.example.org'],
  [{ url: 'https://reins.example.org', contact: 'mailto:me@example.org' }, 'mailto:me@example.org'],
])('a push service is told whom to complain to: %j', async (more, subject) => {
  await push.pusher.close();
  push = open(more);
  push.pusher.ready();
  subscribe('phone');
  opens(shell('k7f2m9qd.1', 'ls'));
  await service.messages(1);
  const [, claims = ''] = String(service.got[0]!.headers.authorization).split('.');
  expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({ sub: subject });
});

it('W29 an inquiry is pushed once, whole and with its digest, to who may answer it', async () => {
  devices = [device('phone'), device('viewer', { right: 'view' }), device('other', { namespaces: ['zzzz'] })];
  for (const { name } of devices) subscribe(name);
  opens(shell('k7f2m9qd.1', 'git push origin fix'));
  const [message] = await service.messages(1);
  expect(message).toEqual({
    v: 1,
    kind: 'inquiry',
    title: 'api-fix wants to run a command',
    body: 'git push origin fix',
    tag: 'k7f2m9qd.1',
    path: '/s/k7f2m9qd/i/k7f2m9qd.1',
    digest: 'digest of k7f2m9qd.1',
    whole: true,
    badge: 1,
    at: '2026-06-01T12:00:00.000Z',
  });
  expect(push.pusher.callable().map(({ name }) => name)).toEqual(['phone', 'viewer', 'other']);
  opens(shell('k7f2m9qd.1', 'git push origin fix'));
  opens(shell('k7f2m9qd.2', 'ls'));
  expect(await told(2)).toEqual(['phone: inquiry k7f2m9qd.1', 'phone: inquiry k7f2m9qd.2']);
  expect(service.got.at(-1)!.message.badge).toBe(2);
});

it('W29 buttons are promised only where the whole of it is shown as it is', async () => {
  subscribe('phone');
  const secret = 'curl -H "Authorization: Bearer abcdefghijklmnop"';
  const question = shell('k7f2m9qd.9', '');
  const cases: Card[] = [
    shell('k7f2m9qd.1', 'x'.repeat(121)),
    shell('k7f2m9qd.2', secret),
    shell('k7f2m9qd.3', 'rm -rf build', { risky: true }),
    shell('k7f2m9qd.4', 'echo a\nrm -rf /'),
    shell('k7f2m9qd.5', 'echo \u202Eabc'),
    {
      ...question,
      inquiry: {
        ...question.inquiry,
        kind: 'question',
        questions: [
          { id: 'q', text: 'Which password?', secret: true, options: [{ id: 'a', label: 'hunter2hunter2' }] },
        ],
      },
      view: { title: 'asks you', shape: 'question', lines: 1 },
    } as unknown as Card,
  ];
  for (const card of cases) opens(card);
  const messages = await service.messages(cases.length);
  expect(messages.filter(({ whole }) => whole)).toEqual([]);
  const bodies = Object.fromEntries(messages.map(({ tag, body }) => [tag.split('.')[1], body]));
  expect(bodies[1]).toHaveLength(120);
  expect(bodies[2]).not.toContain('abcdefghijklmnop');
  expect(bodies[4]).toBe('echo a⟨U+000A⟩rm -rf /');
  expect(bodies[5]).toBe('echo ⟨U+202E⟩abc');
  expect(JSON.stringify(messages)).not.toMatch(/hunter2|Which password/);
  for (const { bytes } of service.got) expect(bytes).toBeLessThan(3 * 1024);
});

it('W32 settled anywhere: whoever was told hears of it, but not who answered it', async () => {
  devices = [device('phone'), device('laptop')];
  for (const { name } of devices) subscribe(name);
  opens(shell('k7f2m9qd.1', 'ls'));
  await service.messages(2);
  await settled(() => pushedFile().told['k7f2m9qd.1']?.length === 2);
  settles('k7f2m9qd.1', 'allowed', 'laptop');
  const message = (await service.messages(3))[2]!;
  expect(message).toMatchObject({ kind: 'settled', tag: 'k7f2m9qd.1', body: 'Already allowed on laptop', badge: 0 });
  expect(service.got[2]!.path).toBe('/push/phone');
  expect(pushedFile().told).toEqual({});
  // What nobody was told of is settled without a word.
  here.add('phone').add('laptop');
  opens(shell('k7f2m9qd.2', 'ls'));
  settles('k7f2m9qd.2');
  here.clear();
  opens(shell('k7f2m9qd.3', 'ls'));
  expect((await told(5)).slice(3).sort()).toEqual(['laptop: inquiry k7f2m9qd.3', 'phone: inquiry k7f2m9qd.3']);
});

it('W32 a device with a person at it is not called; it is when the person has gone and it still waits', async () => {
  subscribe('phone');
  here.add('phone');
  opens(shell('k7f2m9qd.1', 'ls'));
  clock.advance(60_000);
  expect(service.got).toEqual([]);
  here.clear();
  clock.advance(5_000);
  expect(await told(1)).toEqual(['phone: inquiry k7f2m9qd.1']);
});

it('W32 somebody at another page is given a moment first', async () => {
  devices = [device('phone'), device('laptop')];
  subscribe('phone');
  here.add('laptop');
  opens(shell('k7f2m9qd.1', 'ls'));
  clock.advance(10_000);
  expect(clock.waiting).toBe(1);
  clock.advance(10_000);
  expect(await told(1)).toEqual(['phone: inquiry k7f2m9qd.1']);
});

it('W33 in quiet hours of the device nobody is called, or counts as reachable; afterwards what still waits is', async () => {
  subscribe('phone', { quiet: { from: '21:00', to: '22:00', zone: 'Asia/Tokyo' } });
  opens(shell('k7f2m9qd.1', 'ls'));
  expect(push.pusher.callable()).toEqual([]);
  clock.advance(59 * 60_000);
  expect(service.got).toEqual([]);
  clock.advance(60_000);
  expect(push.pusher.callable()).toHaveLength(1);
  expect(await told(1)).toEqual(['phone: inquiry k7f2m9qd.1']);
});

it('W33 ended, limit and died are told by choice', async () => {
  devices = [device('phone', { right: 'view' }), device('laptop')];
  subscribe('phone', { kinds: ['ended', 'limit', 'died'] });
  subscribe('laptop', { kinds: ['inquiry'] });
  for (const [id, end] of Object.entries({
    aaaaaaaa: { limited: true, state: 'working', until: '2026-06-01T18:00:00Z' },
    bbbbbbbb: { state: 'ended', outcome: 'completed', detail: 'LOOP_COMPLETE' },
    cccccccc: { state: 'ended', detail: 'its host died', left: 3 },
    dddddddd: { state: 'ended', outcome: 'stopped' },
  } as Record<string, Partial<SessionRow>>)) {
    push.pusher.told({ t: 'row', row: row(id, { state: 'working' }) });
    push.pusher.told({ t: 'row', row: row(id, end) });
    push.pusher.told({ t: 'row', row: row(id, end) });
  }
  expect((await told(3)).sort()).toEqual([
    'phone: died died:cccccccc',
    'phone: ended ended:bbbbbbbb',
    'phone: limit limit:aaaaaaaa',
  ]);
  expect(service.got.map(({ message }) => message.title).sort()).toEqual([
    'api-fix completed',
    'api-fix is at its usage limit',
    'api-fix: its host died',
  ]);
});

it('W33 a subscription that is gone disappears; the test says what the service said', async () => {
  subscribe('phone');
  expect(await push.routes.test(devices[0]!)).toMatchObject({ status: 201 });
  service.answers.push({ status: 410 });
  expect(await push.routes.test(devices[0]!)).toMatchObject({ status: 410 });
  expect(push.routes.state(devices[0]!)).toMatchObject({ subscribed: false });
  expect(await push.routes.test(devices[0]!)).toMatchObject({ status: 0 });
  subscribe('phone');
  service.answers.push({ status: 404 });
  opens(shell('k7f2m9qd.1', 'ls'));
  await settled(() => !push.has(idOf('phone')));
  expect(push.pusher.callable()).toEqual([]);
});

it('W33 nothing is tried for ever', async () => {
  subscribe('phone');
  service.answers.push(...Array.from({ length: 20 }, () => ({ status: 503 })));
  opens(shell('k7f2m9qd.1', 'ls'));
  for (let tries = 1; tries <= 6; tries += 1) {
    await service.messages(tries);
    await settled(() => clock.waiting > 0 || pushedFile().told['k7f2m9qd.1'] !== undefined);
    clock.advance(240_000);
  }
  await settled(() => pushedFile().told['k7f2m9qd.1'] !== undefined);
  clock.advance(24 * 3600_000);
  expect(service.got).toHaveLength(6);
  expect(clock.waiting).toBe(0);
});

it('W33 a restart tells nobody twice, misses nothing that opened meanwhile, and takes back what was settled', async () => {
  subscribe('phone');
  opens(shell('k7f2m9qd.1', 'ls'));
  opens(shell('k7f2m9qd.2', 'ls'));
  await service.messages(2);
  await settled(() => Object.keys(pushedFile().told).length === 2);
  await push.pusher.close();
  cards.delete('k7f2m9qd.2');
  cards.set('k7f2m9qd.3', shell('k7f2m9qd.3', 'pwd'));
  push = open();
  push.pusher.ready();
  expect((await told(4)).slice(2).sort()).toEqual(['phone: inquiry k7f2m9qd.3', 'phone: settled k7f2m9qd.2']);
});

it('what ended or died while no hub ran is told once, by the device’s switches; not what is old, nor what was over before it listened', async () => {
  const at = (ms: number) => new Date(clock.now() - ms).toISOString();
  const over = (id: string, more: Partial<SessionRow>) =>
    rows.set(id, row(id, { state: 'ended', outcome: 'completed', ended_at: at(60_000), ...more }));
  devices = [device('phone', { right: 'view' }), device('laptop'), device('tablet', { namespaces: ['zzzz'] })];
  over('overtold', {});
  subscribe('phone', { kinds: ['ended', 'died'] });
  subscribe('laptop', { kinds: ['died'] });
  subscribe('tablet', { kinds: ['ended', 'died'] });
  push.pusher.told({ t: 'row', row: row('livetold', { state: 'working' }) });
  over('livetold', {});
  push.pusher.told({ t: 'row', row: rows.get('livetold')! });
  expect(await told(1)).toEqual(['phone: ended ended:livetold']);
  await push.pusher.close();
  over('finished', {});
  over('hostdied', { outcome: 'failed', detail: 'its host died', ended_at: at(20 * 3600_000) });
  over('bystop00', { outcome: 'stopped' });
  over('ancient0', { ended_at: at(25 * 3600_000) });
  const back = ['laptop: died died:hostdied', 'phone: died died:hostdied', 'phone: ended ended:finished'];
  for (const starts of [1, 2]) {
    push = open();
    push.pusher.ready();
    expect((await told(4)).slice(1).sort(), `start ${starts}`).toEqual(back);
    await push.pusher.close();
  }
  // One that goes on and ends once more is news.
  over('finished', { ended_at: at(0) });
  push = open();
  push.pusher.ready();
  expect((await told(5)).slice(4)).toEqual(['phone: ended ended:finished']);
});

it('W3 a device that is let out has no subscription any more; an address belongs to one device', async () => {
  devices = [device('phone'), device('laptop')];
  const same = service.subscription('both');
  for (const one of devices) push.routes.subscribe(one, same);
  expect(devices.map(({ id }) => push.has(id))).toEqual([false, true]);
  expect(existsSync(hubFile('devices', idOf('laptop'), 'push.json'))).toBe(true);
  rmSync(hubFile('devices', idOf('laptop')), { recursive: true });
  devices = devices.slice(0, 1);
  push.pusher.devicesChanged();
  expect(push.has(idOf('laptop'))).toBe(false);
  // Whoever was let out while it asked gets no place again.
  expect(() => push.routes.subscribe({ ...devices[0]!, id: idOf('laptop') }, same)).toThrow(/not let in/);
});

it('W33 a browser cannot subscribe with an address that is none of a push service', () => {
  const keys = service.subscription('x').keys;
  for (const endpoint of ['https://127.0.0.1/x', 'http://fcm.googleapis.com/x', 'https://evil.example/'])
    expect(() => push.routes.subscribe(devices[0]!, { endpoint, keys })).toThrow(/no message may be sent there/);
  const endpoint = 'https://fcm.googleapis.com/fcm/send/x';
  expect(() => push.routes.subscribe(devices[0]!, { endpoint, keys: { p256dh: 'x', auth: 'y' } })).toThrow();
  expect(() => push.routes.subscribe(devices[0]!, { kinds: ['ended'] })).toThrow(/no subscription/);
});

const pushedFile = (): { told: Record<string, string[]> } => {
  try {
    return JSON.parse(readFileSync(hubFile('pushed.json'), 'utf8')) as { told: Record<string, string[]> };
  } catch {
    return { told: {} };
  }
};

async function settled(fact: () => boolean): Promise<void> {
  const until = Date.now() + 10_000;
  while (!fact()) {
    if (Date.now() > until) throw new Error('it did not come about');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
