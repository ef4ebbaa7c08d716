/// <reference lib="dom" />
/**
 * W32 in the real worker of a real Chromium: what is pushed, tapped and answered from a notification. Without a desktop nothing is
 * shown, so the showing is written down instead, as a desktop would do it: what has the same tag is replaced.
 */
import type { Browser, Page, Worker } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Card, PushMessage } from '../../src/contract/page.js';
import { until } from '../journeys/support/wait.js';
import { openBrowser } from './support/chromium.js';
import { TestHub } from './support/hub.js';
import { isLive, type Opened, PHONE, pairPage } from './support/pages.js';

const SLOW_MS = 150_000;

interface Shown {
  title: string;
  body: string;
  tag: string;
  silent?: boolean;
  actions?: { action: string }[];
}
/** What stands for the desktop, in the worker. */
type Desk = { shown: Shown[]; badge: number };

let browser: Browser;
let hub: TestHub;
let phone: Opened;
let worker: Worker;

beforeAll(async () => {
  [browser, hub] = await Promise.all([openBrowser(), TestHub.start()]);
  phone = await pairPage(browser, hub, PHONE, { pair: ['--scope', 'answer', '--name', 'phone'] });
  const { context } = phone;
  worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'));
  await worker.evaluate(() => {
    const scope = globalThis as unknown as { desk: Desk; registration: ServiceWorkerRegistration };
    scope.desk = { shown: [], badge: 0 };
    scope.registration.showNotification = async (title, options) => {
      const { shown } = scope.desk;
      scope.desk.shown = [...shown.filter(({ tag }) => tag !== options?.tag), { title, ...options } as Shown];
    };
    const count = async (badge = 0) => {
      scope.desk.badge = badge;
    };
    Object.assign(navigator, { setAppBadge: count, clearAppBadge: () => count(0) });
  });
}, SLOW_MS);
afterAll(async () => {
  expect(phone.wrongs).toEqual([]);
  await browser?.close();
  await hub?.close();
});

const desk = (): Promise<Desk> => worker.evaluate(() => (globalThis as unknown as { desk: Desk }).desk);
const shows = (what: string, fits: (one: Shown) => boolean) =>
  until(what, async () => (await desk()).shown.find(fits), undefined, 10_000);

/** As the browser hands it to the worker, decrypted. */
const pushes = (message: PushMessage | string) =>
  worker.evaluate(
    (data) =>
      void dispatchEvent(
        new (globalThis as unknown as { PushEvent: new (type: string, of: object) => Event }).PushEvent('push', {
          data,
        }),
      ),
    typeof message === 'string' ? message : JSON.stringify(message),
  );

/** A tap on it, or on one of its buttons. */
const taps = (data: PushMessage, action = '') =>
  worker.evaluate(
    ([data, action]) => {
      const event = new (globalThis as unknown as { ExtendableEvent: new (type: string) => Event }).ExtendableEvent(
        'notificationclick',
      );
      const notification = { data, close: () => undefined };
      dispatchEvent(
        Object.defineProperties(event, { notification: { value: notification }, action: { value: action } }),
      );
    },
    [data, action] as const,
  );

async function asks(name: string): Promise<{ session: string; message: PushMessage }> {
  const session = await hub.practice(
    '[[ask-permission]]',
    '--share-folder',
    '--name',
    name,
    '--set',
    'tools.defaults.detached=defer',
  );
  const { data } = await hub.entry(session, 'inquiry.opened');
  const card = await until('its card', () =>
    worker.evaluate(async (id) => {
      const all = (await (await fetch('/api/inbox')).json()) as Card[];
      return all.find(({ inquiry }) => inquiry.id === id);
    }, data.inquiry.id),
  );
  const { id } = card.inquiry;
  const at = new Date().toISOString();
  const words = { title: `${name} wants to run a command`, body: 'echo practised > practice.txt' };
  return {
    session,
    message: {
      v: 1,
      kind: 'inquiry',
      ...words,
      tag: id,
      path: `/s/${session}/i/${id}`,
      badge: 1,
      at,
      digest: card.digest,
      whole: true,
    },
  };
}

it(
  'W32: allowed on the notification, the agent goes on; what is shown is replaced, an answer is given once; the badge is what waits',
  async () => {
    const { session, message } = await asks('api-fix');
    await pushes(message);
    const asked = await shows('the question', ({ tag }) => tag === message.tag);
    expect(asked.actions?.map(({ action }) => action)).toEqual(['deny', 'allow']);
    expect((await desk()).badge).toBe(1);
    // Another command than the one that was shown: not sent, and said so.
    await taps({ ...message, digest: 'of another' }, 'allow');
    await shows('a refusal', ({ body }) => body.startsWith('Not sent'));
    expect(hub.journal(session).some(({ type }) => type === 'inquiry.answered')).toBe(false);
    await taps(message, 'allow');
    const { data } = await hub.entry(session, 'inquiry.answered');
    expect(data.answer).toMatchObject({ verdict: { kind: 'allow' }, by: { who: { name: 'phone' } } });
    const told = await shows('what came of it', ({ body }) => /^Allowed .* told to the agent$/.test(body));
    expect([told.tag, told.actions, told.silent]).toEqual([message.tag, undefined, true]);
    await until('nothing waits', async () => (await desk()).badge === 0);
    await taps(message, 'deny');
    await shows('who was first', ({ body }) => body.startsWith('Already answered'));
    await pushes({ ...message, kind: 'settled', body: 'Already allowed by phone', badge: 0 });
    await shows('the end', ({ body, silent }) => body === 'Already allowed by phone' && silent === true);
    expect((await desk()).shown).toHaveLength(1);
  },
  SLOW_MS,
);

it(
  'W32: a tap leads the open window there, without loading it again; what cannot be read is shown as that',
  async () => {
    const { session, message } = await asks('led');
    await phone.page.goto(hub.url);
    await isLive(phone.page);
    await phone.page.evaluate(() => Object.assign(globalThis, { stays: true }));
    await taps(message);
    await until('the window is there', () => new URL(phone.page.url()).pathname === message.path);
    await phone.page.waitForSelector(`[data-card="${message.tag}"]`);
    expect(await phone.page.evaluate(() => 'stays' in globalThis)).toBe(true);
    await pushes('{"v":2,"odd":"<img src=x>"}');
    await shows('a message', ({ tag, body }) => tag === 'unreadable' && !body.includes('img'));
    await taps(message, 'deny');
    expect((await hub.entry(session, 'inquiry.answered')).data.answer.verdict.kind).toBe('deny');
  },
  SLOW_MS,
);

it(
  'W32: without a hub, what was tapped is drawn at first paint with its time and no buttons; the live card takes its place',
  async () => {
    const { page } = phone;
    const { message, drawn } = await tappedAlone('told');
    const text = await drawn.innerText();
    const at = `${message.at.slice(11, 16)}, from the notification`;
    for (const words of ['wants to run a command', message.body, at]) expect(text).toContain(words);
    expect(await drawn.locator('button').count()).toBe(0);
    const [before] = await tops(page, '.card-title h3');
    // Also after a reload, while nobody has said what became of it.
    await page.reload();
    await drawn.waitFor();
    await hub.begin();
    await page.waitForSelector(`[data-card="${message.tag}"] [data-do=allow]`);
    expect(await tops(page, '.card-title h3')).toEqual([before]);
    expect(await drawn.count()).toBe(0);
    await until('it is not kept', async () => !(await worker.evaluate(isHandedOver)));
  },
  SLOW_MS,
);

it(
  'W32: what was tapped and then settled while the hub was away is said to be over when it is back',
  async () => {
    const { message, drawn } = await tappedAlone('late');
    await hub.reins('answer', message.tag, 'deny');
    await hub.begin();
    await drawn.waitFor({ state: 'detached' });
    await phone.page.getByText('This is no longer open.').waitFor();
  },
  SLOW_MS,
);

/** A notification that is tapped while the hub is away, with no page that could know its card already. */
async function tappedAlone(name: string) {
  const { page } = phone;
  await page.goto('about:blank');
  const { message } = await asks(name);
  await hub.kill();
  await taps(message);
  await until('the worker handed it over', () => worker.evaluate(isHandedOver));
  await page.goto(new URL(message.path, hub.url).href);
  const drawn = page.locator(`[data-tapped="${message.tag}"]`);
  await drawn.waitFor();
  return { message, drawn };
}

const tops = (page: Page, what: string): Promise<number[]> =>
  page.$$eval(what, (all) => all.map((one) => Math.round(one.getBoundingClientRect().top)));

/** Runs in the worker: what it kept for the page. */
const isHandedOver = (): Promise<boolean> =>
  new Promise((resolve) => {
    const opening = indexedDB.open('reins', 1);
    opening.onsuccess = () => {
      const read = opening.result.transaction('kept').objectStore('kept').get('tapped');
      read.onsuccess = () => {
        opening.result.close();
        resolve(read.result !== undefined);
      };
    };
  });
