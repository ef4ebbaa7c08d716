/** The worker's half of push: what it shows, what it sends and where it leads, with a scope in place of the browser's. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { PushMessage } from '../contract/page.js';
import { watchPush } from './worker-push.js';

interface Drawn {
  title: string;
  body: string;
  tag: string;
  silent?: boolean;
  actions?: { action: string }[];
  data: unknown;
}

let shown: Drawn[];
let went: string[];
let windows: { focused: boolean; visibilityState: string; postMessage(said: unknown): void; focus(): Promise<void> }[];
let asked: { path: string; body: unknown }[];
let reply: { status: number; body: object };
const heard = new Map<string, (event: object) => void>();
let badges: number[];
const realFetch = globalThis.fetch;

beforeAll(() => {
  globalThis.fetch = async (path, { method = 'GET', body } = {}) => {
    asked.push({ path: `${method} ${String(path)}`, body: body === undefined ? undefined : JSON.parse(String(body)) });
    const said = path === '/api/inbox' ? { status: 200, body: [] } : reply;
    return new Response(JSON.stringify(said.body), { status: said.status });
  };
  const navigator = {
    setAppBadge: async (count: number) => void badges.push(count),
    clearAppBadge: async () => void badges.push(0),
  };
  Object.defineProperty(globalThis, 'navigator', { value: navigator, configurable: true });
  watchPush({
    addEventListener: (name: string, call: (event: object) => void) => heard.set(name, call),
    registration: {
      showNotification: async (title: string, options: Omit<Drawn, 'title'>) => void shown.push({ title, ...options }),
    },
    clients: {
      matchAll: async () => windows,
      openWindow: async (path: string) => void went.push(`opened ${path}`),
    },
  } as never);
});
afterAll(() => {
  globalThis.fetch = realFetch;
});
beforeEach(() => {
  [shown, went, windows, asked, badges] = [[], [], [], [], []];
  reply = { status: 200, body: { inquiry: 'k7f2m9qd.1', verdict: 'allow' } };
});

async function happens(name: string, event: object): Promise<void> {
  let work: Promise<unknown> = Promise.resolve();
  const waitUntil = (promise: Promise<unknown>) => {
    work = promise;
  };
  heard.get(name)!({ ...event, waitUntil });
  await work;
}

const message: PushMessage = {
  v: 1,
  kind: 'inquiry',
  title: 'api-fix wants to run a command',
  body: 'git push origin fix',
  tag: 'k7f2m9qd.1',
  path: '/s/k7f2m9qd/i/k7f2m9qd.1',
  badge: 1,
  at: '2026-06-01T12:00:00.000Z',
  digest: 'abc',
  whole: true,
};
const pushes = (said: unknown) => happens('push', { data: { json: () => said } });
const taps = (action: string, data: object = message) =>
  happens('notificationclick', { action, notification: { data, close: () => went.push('closed') } });

it('W32 what is pushed is shown, with buttons only where the whole of it is', async () => {
  await pushes(message);
  const { whole: _, ...cut } = message;
  await pushes(cut);
  await pushes({ ...cut, kind: 'settled', body: 'Already allowed on laptop' });
  expect(shown.map(({ tag, actions }) => [tag, actions?.map(({ action }) => action)])).toEqual([
    ['k7f2m9qd.1', ['deny', 'allow']],
    ['k7f2m9qd.1', ['open']],
    ['k7f2m9qd.1', undefined],
  ]);
  expect(shown.map(({ silent }) => silent)).toEqual([false, false, true]);
  expect(badges).toEqual([1, 1, 1]);
});

it('W32 something is shown also for what cannot be read', async () => {
  for (const said of [null, 'x', 5, {}, { ...message, v: 2 }, { ...message, title: 7 }]) await pushes(said);
  await happens('push', { data: null });
  expect(shown).toHaveLength(7);
  expect(new Set(shown.map(({ tag }) => tag))).toEqual(new Set(['unreadable']));
});

it('W32 Allow and Deny answer with the digest of what was shown, and say what came of it in its place', async () => {
  await taps('allow');
  await taps('deny');
  expect(badges).toEqual([0, 0]);
  expect(asked.filter(({ path }) => path.startsWith('POST'))).toEqual([
    { path: 'POST /api/inquiries/k7f2m9qd.1/answer', body: { digest: 'abc', words: ['allow'] } },
    { path: 'POST /api/inquiries/k7f2m9qd.1/answer', body: { digest: 'abc', words: ['deny'] } },
  ]);
  expect(shown.map(({ body }) => body.replace(/\d\d:\d\d( [AP]M)?/, 'TIME'))).toEqual([
    'Allowed TIME · told to the agent',
    'Denied TIME · told to the agent',
  ]);
  expect(shown.every(({ tag, silent, actions }) => tag === message.tag && silent === true && !actions)).toBe(true);
});

it('W32 what was settled elsewhere, changed, or could not be sent is said as such', async () => {
  const refusals: [number, object, RegExp][] = [
    [
      409,
      { code: 'ANSWERED_ALREADY', message: 'inquiry x is no longer open: denied by laptop' },
      /^Already answered: denied by laptop$/,
    ],
    [
      409,
      { code: 'INQUIRY_CHANGED', message: 'inquiry x is not what was shown any more' },
      /^Not sent: .*not what was shown.*Open Reins/,
    ],
    [401, { code: 'DEVICE_UNKNOWN', message: 'no' }, /let out/],
  ];
  for (const [status, error, words] of refusals) {
    reply = { status, body: { error } };
    await taps('allow');
    expect(shown.at(-1)!.body).toMatch(words);
  }
  const { fetch } = globalThis;
  globalThis.fetch = () => Promise.reject(new TypeError('no network'));
  await taps('allow');
  globalThis.fetch = fetch;
  expect(shown.at(-1)!.body).toBe('Not sent. Open Reins.');
});

it('W32 a tap beside the buttons leads to the window that is there, else to a new one, never elsewhere', async () => {
  await taps('');
  expect(went.splice(0)).toEqual(['closed', 'opened /s/k7f2m9qd/i/k7f2m9qd.1']);
  const one = (name: string, focused: boolean) => ({
    focused,
    visibilityState: 'hidden',
    postMessage: (said: unknown) => void went.push(`${name} ${JSON.stringify(said)}`),
    focus: async () => void went.push(`${name} in front`),
  });
  windows = [one('old', false), one('used', true)];
  await taps('open', { ...message, path: '//evil.example/x' });
  expect(went.splice(0)).toEqual(['closed', 'used {"t":"go","path":"/"}', 'used in front']);
  // Buttons that a platform keeps for what was cut: no answer without the whole of it.
  const { whole: _, ...cut } = message;
  await taps('allow', cut);
  expect(asked).toEqual([]);
});
