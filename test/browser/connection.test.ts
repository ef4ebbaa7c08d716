/**
 * The truth of the connection, with the real hub: who is let in, who is let out, what the page says while nobody answers, and that
 * nothing is lost or shown twice when somebody does again. One hub, one browser, one session for all of it; in this order.
 */
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Device } from '../../src/contract/page.js';
import { until } from '../journeys/support/wait.js';
import { openBrowser } from './support/chromium.js';
import { TestHub } from './support/hub.js';
import { DESK, isLive, type Opened, openPage, PHONE, pairPage, sideways } from './support/pages.js';

let hub: TestHub;
let browser: Browser;
let phone: Opened;
let desk: Opened;
let asks = '';

beforeAll(async () => {
  [hub, browser] = await Promise.all([TestHub.start(), openBrowser()]);
  asks = await hub.practice('[[ask-permission]]', '-i', '--name', 'asks', '--set', 'tools.defaults.detached=defer');
});
afterAll(async () => {
  await browser?.close();
  await hub?.close();
});

const state = (page: Page): Promise<string | null> => page.getAttribute('body', 'data-state');
const said = (page: Page, words: RegExp): Promise<unknown> =>
  page.waitForFunction((source) => new RegExp(source).test(document.body.innerText), words.source);
const seqs = (page: Page): Promise<number[]> =>
  page.$$eval('[data-seq]', (lines) => lines.map((line) => Number(line.getAttribute('data-seq'))));

it('W1: the link of `reins serve` lets one browser in, once, and its secret leaves the address', async () => {
  const secret = new URL(hub.link).hash.slice(1);
  expect(new URL(hub.link).search).toBe('');
  expect(secret.length).toBeGreaterThan(20);
  phone = await openPage(browser, hub, PHONE);
  await phone.page.goto(hub.link);
  await phone.page.waitForSelector('[data-view=pair] [data-do=pair]');
  expect(phone.page.url()).toBe(`${hub.url}/pair`);
  await phone.page.fill('input[name=name]', 'my phone');
  await phone.page.click('[data-do=pair]');
  await said(phone.page, /“my phone” is let in/);
  await said(phone.page, /do everything/);
  await phone.page.click('[data-do=enter]');
  await isLive(phone.page);
  const second = await openPage(browser, hub, DESK);
  await second.page.goto(hub.link);
  // Said at once: there is nothing to type and nothing to press.
  await second.page.waitForSelector('[data-view=pair] [data-offer=over] [role=alert]');
  expect(await second.page.innerText('[role=alert]')).toMatch(/over|no longer|used/i);
  expect(await second.page.$$('[data-view=pair] input, [data-do=pair]')).toEqual([]);
  await second.context.close();
  expect(hub.output.split(secret).length - 1).toBe(1);
  expect(phone.wrongs).toEqual([]);
});

it('W1, W4: before the yes the page says as whom, to what, for how long and on whose machine; a look uses nothing up', async () => {
  const ids = async () => (await hub.json<Device[]>('devices')).map(({ id }) => id);
  const before = await ids();
  const said = async (page: Page, what: string) => page.innerText(`[data-fact=${what}]`);
  for (const size of [PHONE, DESK]) {
    const guest = await hub.invite('--scope', 'answer', '--name', 'the tablet', '--session', asks, '--expires', '2h');
    const work = await hub.invite('--scope', 'view', '--namespace', 'work');
    const { page, context, wrongs } = await openPage(browser, hub, size);
    await page.goto(work);
    await page.waitForSelector('[data-offer=good]');
    expect(await said(page, 'right')).toBe('look, and nothing else');
    expect(await said(page, 'sessions')).toBe('only of work');
    expect(await said(page, 'until')).toBe('it is let out');
    expect(await page.getAttribute('input[name=name]', 'placeholder')).toBe('Chrome on Linux');
    // Another link in the same tab: the first one was not used up by being looked at.
    await page.goto(guest);
    await page.waitForSelector('h1:text("as “the tablet”")');
    expect(page.url()).toBe(`${hub.url}/pair`);
    expect(await said(page, 'hub')).toBe(`${hostname()} at ${new URL(hub.url).host}`);
    expect(await said(page, 'folder')).toBe(join(hub.world.state, 'reins'));
    expect(await said(page, 'right')).toBe('look and answer questions');
    expect(await said(page, 'sessions')).toBe(`${asks} alone`);
    expect(await said(page, 'until')).toMatch(/^\d\d\/\d\d\/\d{4}, \d\d:\d\d/);
    expect(await page.$('input[name=name]')).toBeNull();
    expect(await sideways(page)).toEqual([]);
    expect(await ids()).toEqual(before);
    await page.goto(work);
    await page.waitForSelector('input[name=name]');
    await page.goto(guest);
    await page.click('h1:text("as “the tablet”") ~ [data-do=pair]');
    await page.waitForSelector('h1:text("“the tablet” is let in")');
    const [device] = (await hub.json<Device[]>('devices')).filter(({ name }) => name === 'the tablet');
    expect(device).toMatchObject({ right: 'answer', session: asks });
    await hub.reins('devices', 'revoke', device!.id);
    // It was used, and is over for the next.
    await page.goto(guest);
    await page.waitForSelector('[data-offer=over] [role=alert]');
    expect(wrongs).toEqual([]);
    await context.close();
  }
  expect(await ids()).toEqual(before);
});

it('W4: a new device is told to the others and to `reins devices`, with name, right and last use', async () => {
  await phone.page.goto(`${hub.url}/settings`);
  await phone.page.waitForSelector('[data-device]');
  desk = await pairPage(browser, hub, DESK, { pair: ['--scope', 'admin', '--name', 'the desk'] });
  await said(phone.page, /the desk/);
  const first = await phone.page.innerText('[data-device]');
  expect(first).toMatch(/my phone\s+this one/);
  const known = await hub.json<{ name: string; right: string; last_used_at?: string }[]>('devices');
  expect(known.map(({ name }) => name).sort()).toEqual(['my phone', 'the desk']);
  expect(known.every(({ right, last_used_at }) => right === 'admin' && last_used_at !== undefined)).toBe(true);
});

it('W10: an open inquiry is there at the first paint after a reload, on a second browser and on a new device, with the same text', async () => {
  const { data } = await hub.entry(asks, 'inquiry.opened');
  const card = `[data-card="${data.inquiry.id}"]`;
  await phone.page.goto(hub.url);
  const text = async (page: Page): Promise<string> => {
    await page.waitForSelector(card);
    return page.innerText(`${card} pre, ${card} [data-thing]`);
  };
  const first = await text(phone.page);
  expect(first).toContain('practice.txt');
  expect(await text(desk.page)).toBe(first);
  await phone.page.reload();
  expect(await text(phone.page)).toBe(first);
  const guest = await pairPage(browser, hub, PHONE, { pair: ['--scope', 'view', '--name', 'a guest'] });
  expect(await text(guest.page)).toBe(first);
  expect(await guest.page.$(`${card} [data-do=allow]`)).toBeNull();
  await guest.context.close();
});

it('W6: a hub that is killed is said with a count, and comes back without a reload, a gap or a double', async () => {
  const { page } = desk;
  await page.goto(`${hub.url}/s/${asks}`);
  await isLive(page);
  await page.waitForSelector('[data-seq]');
  await page.evaluate(() => {
    (window as { marked?: boolean }).marked = true;
  });
  await hub.kill('SIGKILL');
  await page.waitForSelector('body[data-state=reconnecting]');
  await said(page, /reconnecting, \d+(st|nd|rd|th) try/);
  await page.waitForSelector('[data-do=reconnect]');
  await hub.begin();
  await page.click('[data-do=reconnect]').catch(() => undefined); // it may have come back by itself
  await isLive(page);
  const inquiry = (await hub.entry(asks, 'inquiry.opened')).data.inquiry.id;
  expect((await hub.reins('answer', inquiry, 'allow')).code).toBe(0);
  await hub.entry(asks, 'tool.returned');
  const fresh = await desk.context.newPage();
  await fresh.goto(`${hub.url}/s/${asks}`);
  let both: number[][] = [];
  const [kept, anew] = await until(
    'the same lines on a page that was there and on a fresh one',
    async () => {
      both = [await seqs(page), await seqs(fresh)];
      return both[0]!.length > 1 && both[0]!.join() === both[1]!.join() && (both as [number[], number[]]);
    },
    () => JSON.stringify(both),
  );
  await fresh.close();
  expect(kept).toEqual(anew);
  expect(new Set(kept).size).toBe(kept.length);
  expect(await page.evaluate(() => (window as { marked?: boolean }).marked)).toBe(true);
  expect(desk.wrongs).toEqual([]);
});

it('W9: offline shows what was known with its time, keeps drafts, opens from the cache and catches up', async () => {
  const { page, context } = phone;
  await page.goto(`${hub.url}/s/${asks}`);
  await isLive(page);
  await page.evaluate(async () => void (await navigator.serviceWorker.ready));
  await page.waitForSelector('[data-seq]');
  await page.fill('.composer textarea', 'half a thou');
  await context.setOffline(true);
  await page.waitForSelector('body[data-state=offline]');
  await said(page, /has not answered since \d\d:\d\d/);
  // The draft and the picture are written within a moment.
  await until('the draft and the picture in the browser', () =>
    page.evaluate(
      (session) =>
        new Promise<boolean>((resolve) => {
          const open = indexedDB.open('reins');
          open.onsuccess = () => {
            const store = open.result.transaction('kept').objectStore('kept');
            const [keys, picture] = [store.getAllKeys(), store.get('picture')];
            picture.onsuccess = () => {
              const rows = (picture.result?.rows ?? []) as { id: string; state: string }[];
              const isDraft = keys.result.some((key) => `${key}`.startsWith('draft:'));
              // As it is now, not as it was while it asked.
              resolve(isDraft && rows.some(({ id, state }) => id === session && state === 'idle'));
            };
          };
        }),
      asks,
    ),
  );
  await page.reload();
  await page.waitForFunction(
    () => document.querySelector<HTMLTextAreaElement>('.composer textarea')?.value === 'half a thou',
  );
  await page.goto(hub.url);
  await page.waitForSelector(`[data-session="${asks}"]`);
  expect(await state(page)).not.toBe('live');
  await said(page, /as of \d\d:\d\d|since \d\d:\d\d/);
  await hub.reins('send', asks, 'hello');
  await context.setOffline(false);
  await isLive(page);
  await page.goto(`${hub.url}/s/${asks}`);
  await page.waitForFunction(
    () => document.querySelector<HTMLTextAreaElement>('.composer textarea')?.value === 'half a thou',
  );
  await said(page, /hello/);
  const lines = await seqs(page);
  expect(new Set(lines).size).toBe(lines.length);
});

it('W3: a device that is let out is told so at once and may nothing more; the others do not blink', async () => {
  await desk.page.goto(hub.url);
  await isLive(desk.page);
  await desk.page.evaluate(() => {
    const states: string[] = [];
    Object.assign(window, { states });
    new MutationObserver(() => states.push(document.body.dataset.state ?? '')).observe(document.body, {
      attributeFilter: ['data-state'],
    });
  });
  const known = await hub.json<{ id: string; name: string }[]>('devices');
  const { id } = known.find(({ name }) => name === 'my phone')!;
  expect((await hub.reins('devices', 'revoke', id)).code).toBe(0);
  await phone.page.waitForSelector('body[data-state=revoked]');
  await said(phone.page, /This device was let out at \d\d:\d\d/);
  expect(await phone.page.evaluate(async () => (await fetch('/api/sessions')).status)).toBe(401);
  expect(await phone.page.$('[data-session]')).toBeNull();
  expect(await desk.page.evaluate(() => (window as { states?: string[] }).states)).toEqual([]);
  expect(phone.wrongs).toEqual([]);
});
