/// <reference lib="dom" />
/**
 * Push from the agent's question to the answer: a real hub, real sessions and a push service of our own. Chromium without a desktop
 * shows no notifications and has no way to a push service, so what its worker does with a message is tested in
 * `src/web/worker-push.test.ts`, and the browser is given a subscription of our service.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { PushMessage } from '../../src/contract/page.js';
import { FakePushService } from '../../src/hub/push/push-service.cases.js';
import { until } from '../journeys/support/wait.js';
import { openBrowser } from './support/chromium.js';
import { TestHub } from './support/hub.js';
import { isLive, openPage, PHONE } from './support/pages.js';

// Several processes are started one after the other, on a machine that may be busy.
vi.setConfig({ testTimeout: 150_000, hookTimeout: 120_000 });

const service = new FakePushService();
const hub = new TestHub();
let browser: Browser;

beforeAll(async () => {
  await service.listen();
  const cert = hub.world.write(join(hub.world.root, 'push-cert.pem'), service.cert);
  hub.world.env.NODE_EXTRA_CA_CERTS = cert;
  // A page that nobody touched for a second is nobody's.
  const config = `hub: {push_hosts: ['inside:127.0.0.1:${service.port}']}\npresence: {web_idle_secs: 1}\n`;
  hub.world.write(join(hub.world.root, 'config', 'reins', 'config.yml'), config);
  [browser] = await Promise.all([openBrowser(), hub.begin()]);
});
afterAll(async () => {
  await browser?.close();
  await hub.close();
  await service.close();
});

/** A device that is no browser: let in by a link, with its cookie. */
async function device(
  name: string,
  ...flags: string[]
): Promise<(method: string, path: string, body?: object) => Promise<Response>> {
  const secret = new URL(await hub.invite('--name', name, ...flags)).hash.slice(1);
  const asks = (method: string, path: string, body: object | undefined, cookie: string) =>
    fetch(`${hub.url}/api${path}`, {
      method,
      headers: { 'content-type': 'application/json', cookie, origin: hub.url },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
  const paired = await asks('POST', '/pair', { secret }, '');
  const cookie = paired.headers.get('set-cookie')!.split(';')[0]!;
  return (method, path, body) => asks(method, path, body, cookie);
}

const arrived = (name: string, fits: (message: PushMessage) => boolean) =>
  until(
    `a message for ${name}`,
    () => service.got.find(({ path, message }) => path === `/push/${name}` && fits(message))?.message,
  );

it('W29 nobody at a page, one device with push: the inquiry waits, one message arrives, then the detached policy answers', async () => {
  const phone = await device('phone');
  expect((await phone('POST', '/push', service.subscription('phone'))).status).toBe(200);
  const id = await hub.practice('[[ask-permission]]', '--share-folder', '--name', 'api-fix');
  const { data } = await hub.entry(id, 'inquiry.opened');
  const message = await arrived('phone', ({ tag }) => tag === data.inquiry.id);
  expect(message).toMatchObject({ kind: 'inquiry', badge: 1, path: `/s/${id}/i/${data.inquiry.id}` });
  expect(message.title).toMatch(/^api-fix wants to /);
  expect(message.body).toContain('echo practised > practice.txt');
  const moved = await hub.entry(id, 'inquiry.moved');
  expect(moved.data).toMatchObject({ stage: 'asking', next: 'deny' });
  expect(hub.journal(id).filter(({ type }) => type === 'inquiry.answered')).toEqual([]);
  // What the worker sends for a tap on Allow: with the digest of what was pushed, and with no other.
  const { digest } = message;
  const answer = (shown: string | undefined) =>
    phone('POST', `/inquiries/${message.tag}/answer`, { digest: shown, words: ['allow'] });
  expect((await answer(`${digest}x`)).status).toBe(409);
  expect((await answer(digest)).status).toBe(200);
  const { data: told } = await hub.entry(id, 'inquiry.answered');
  expect(told.answer).toMatchObject({ verdict: { kind: 'allow' }, by: { who: { kind: 'device', name: 'phone' } } });
  expect((await answer(digest)).status).toBe(409);
  // The same with a shorter time.
  const short = await hub.practice(
    '[[ask-permission]]',
    '--share-folder',
    '--set',
    'tools.defaults.reachable=[{"ask":"1s"},"deny"]',
  );
  const answered = await hub.entry(short, 'inquiry.answered');
  expect(answered.data.answer).toMatchObject({ verdict: { kind: 'deny' }, by: { kind: 'policy' } });
  const settled = await arrived('phone', ({ kind, tag }) => kind === 'settled' && tag.startsWith(short));
  expect(settled.body).toMatch(/^Already denied by /);
  expect((await (await phone('POST', '/push/test', {})).json()) as object).toMatchObject({ status: 201 });
  // W3: whoever is let out takes the subscription along.
  const kept = () => readdirSync(join(hub.world.state, 'reins/hub/devices'), { recursive: true, encoding: 'utf8' });
  expect(kept().filter((name) => name.endsWith('push.json'))).toHaveLength(1);
  expect((await phone('DELETE', '/devices/me')).status).toBe(200);
  expect((await phone('GET', '/push')).status).toBe(401);
  expect(kept().filter((name) => name.endsWith('push.json'))).toEqual([]);
});

it('W33 notifications are turned on, tested and turned off in Settings', async () => {
  const { page, wrongs } = await openPage(browser, hub, PHONE);
  // A browser with a desktop around it: it may notify, and its push service is ours.
  await page.addInitScript((subscription) => {
    Object.defineProperty(Notification, 'permission', { get: () => 'granted' });
    Notification.requestPermission = async () => 'granted';
    let made: PushSubscription | null = null;
    const unsubscribe = async () => true;
    PushManager.prototype.getSubscription = async () => made;
    PushManager.prototype.subscribe = async () => {
      made = { toJSON: () => subscription, unsubscribe } as unknown as PushSubscription;
      return made;
    };
  }, service.subscription('pocket'));
  await page.goto(await hub.invite('--name', 'pocket', '--scope', 'answer'));
  await page.click('[data-do=pair]');
  await page.click('[data-do=enter]');
  await isLive(page);
  await page.click('a[href="/settings"]');
  await page.click('[data-push=off] [data-do=push-on]');
  await page.click('[data-push=on] [data-do=push-test]');
  await page.waitForSelector('[data-receipt="201"]');
  expect(await arrived('pocket', ({ kind }) => kind === 'test')).toMatchObject({ title: 'Reins can reach you here' });
  await page.click('[data-push=on] [data-value=ended] input');
  await page.click('[data-quiet=off] input[type=checkbox]');
  await page.waitForSelector('[data-quiet=on] input[type=time]');
  await page.click('[data-do=push-off]');
  await page.waitForSelector('[data-push=off]');
  expect(wrongs).toEqual([]);
});
