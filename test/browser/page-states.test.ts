/// <reference lib="dom" />
/**
 * How true the page is (web.md, section 3): each state of the connection reached for real, on a phone and on a desk, with its words and
 * times, what can be done in it, and nothing that moves.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { until } from '../journeys/support/wait.js';
import { openBrowser } from './support/chromium.js';
import { TestHub } from './support/hub.js';
import { DESK, isLive, type Opened, PHONE, pairPage } from './support/pages.js';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let hub: TestHub;
let browser: Browser;
let both: Opened[];
let idle = '';

beforeAll(async () => {
  [hub, browser] = await Promise.all([TestHub.start(), openBrowser()]);
  idle = await hub.practice('hello', '-i', '--name', 'rests');
  await hub.entry(idle, 'state.changed', ({ data }) => data.state === 'idle');
  both = [await pairPage(browser, hub, PHONE), await pairPage(browser, hub, DESK)];
});
afterAll(async () => {
  await browser?.close();
  await hub?.close();
  expect(both?.flatMap(({ wrongs }) => wrongs)).toEqual([]);
});

const says = (page: Page, words: RegExp): Promise<unknown> =>
  page.waitForFunction((source) => new RegExp(source).test(document.body.innerText), words.source);
const topOf = (page: Page, one: string): Promise<number> =>
  page.$eval(one, (found) => Math.round(found.getBoundingClientRect().top));

/** Whether the browser has written down what it knows of a session. */
const keeps = (page: Page, session: string): Promise<boolean> =>
  page.evaluate(
    (id) =>
      new Promise<boolean>((resolve) => {
        const open = indexedDB.open('reins');
        open.onsuccess = () => {
          const found = open.result.transaction('kept').objectStore('kept').get('picture');
          found.onsuccess = () => resolve(JSON.stringify(found.result ?? '').includes(id));
        };
      }),
    session,
  );

it('empty: nothing needs you, what was settled last and when; a new session is one tap away', async () => {
  const asks = await hub.practice('[[ask-permission]]', '-i', '--set', 'tools.defaults.detached=defer');
  const { data } = await hub.entry(asks, 'inquiry.opened');
  const seen = `[data-card="${data.inquiry.id}"]`;
  for (const { page } of both) await page.waitForSelector(seen);
  expect((await hub.reins('answer', data.inquiry.id, 'allow')).code).toBe(0);
  for (const { page } of both) {
    await page.waitForSelector('[data-state=empty]');
    expect(await page.innerText('[data-state=empty]')).toMatch(
      /Nothing needs you\.\s+Last: \d\d:\d\d, allowed by .+: .+\.\s+New session/,
    );
    await page.waitForSelector('[data-state=empty] [data-do=new]');
  }
});

it('loading: what was known, greyed and with its time, while nobody has answered; then it is live in the same place', async () => {
  for (const { page } of both) {
    await page.evaluate(async () => void (await navigator.serviceWorker.ready));
    await until('the picture in the browser', () => keeps(page, idle));
    let answer: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/api/ticket', async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`${hub.url}/sessions`);
    await page.waitForSelector(`body[data-state=loading] .main [data-session="${idle}"]`);
    await page.waitForSelector('.shell[data-stale=true]');
    await says(page, /loading · as of \d\d:\d\d/);
    const before = await topOf(page, '.main .session-rows');
    answer();
    await isLive(page);
    await page.waitForSelector('.shell[data-stale=false]');
    expect(await topOf(page, '.main .session-rows')).toBe(before);
    await page.unroute('**/api/ticket');
  }
});

it('live: a green dot and no more', async () => {
  for (const { page } of both) {
    await isLive(page);
    await page.waitForSelector('.status .dot[data-is=live]');
    expect(await page.innerText('.status')).toMatch(/^\s*live\s*$/);
    expect(await page.$('.status-line')).toBeNull();
  }
});

it('reconnecting: which try, when the next, a button for now; one reads and writes, and it is sent when connected', async () => {
  const tops: number[] = [];
  for (const { page } of both) {
    await page.goto(`${hub.url}/s/${idle}`);
    await isLive(page);
    await page.waitForSelector('.composer textarea');
    await page.waitForSelector('[data-seq]');
    tops.push(await topOf(page, '.composer'));
  }
  await hub.kill('SIGKILL');
  for (const [at, { page }] of both.entries()) {
    await page.waitForSelector('body[data-state=reconnecting] .status-line [data-do=reconnect]');
    await says(page, /reconnecting, \d+(st|nd|rd|th) try, (next in \d+ s|trying now) · as of \d\d:\d\d/);
    await page.fill('.composer textarea', `word ${at}`);
    await page.waitForSelector('[data-do=send][aria-label="When connected"]');
    expect(await topOf(page, '.composer')).toBe(tops[at]);
    await page.click('[data-do=send]');
    await page.waitForSelector('.pending >> text=when connected');
  }
  // So often that it is called what it is.
  for (const { page } of both) {
    await page.waitForSelector('body[data-state=offline]');
    await says(page, /the hub has not answered since \d\d:\d\d/);
    await page.waitForSelector('[data-seq]');
  }
  await hub.begin();
  for (const { page } of both) {
    await page.click('[data-do=reconnect]').catch(() => undefined); // it may have come back by itself
    await isLive(page);
  }
  for (const at of both.keys())
    await until('it was sent once', () => {
      const given = hub.journal(idle).filter(({ type, data }) => {
        return type === 'prompt.given' && (data as { text: string }).text === `word ${at}`;
      });
      return given.length === 1;
    });
});

it('offline and behind: what was known, then how much is caught up', async () => {
  const long = await hub.practice('hello', '-i', '--name', 'long');
  await hub.entry(long, 'state.changed', ({ data }) => data.state === 'idle');
  await hub.reins('stop', long);
  await hub.entry(long, 'session.ended');
  const file = join(hub.world.state, 'reins/sessions', long, 'journal.jsonl');
  for (const { page, context } of both) {
    await page.goto(`${hub.url}/s/${long}`);
    await isLive(page);
    await page.waitForSelector('.session[data-live=true] [data-seq]');
    await page.evaluate(() => {
      const said: string[] = [];
      Object.assign(window, { said });
      new MutationObserver(() => {
        const line = document.querySelector<HTMLElement>('.status-line')?.textContent ?? '';
        said.push(`${document.body.dataset.state} ${line}`);
      }).observe(document.documentElement, { attributes: true, childList: true, subtree: true, characterData: true });
    });
    await context.setOffline(true);
    await page.waitForSelector('body[data-state=offline]');
    await says(page, /the hub has not answered since \d\d:\d\d/);
    grow(file, long, 2500);
    await context.setOffline(false);
    await isLive(page);
    await page.waitForSelector('.session[data-live=true]');
    const said = await page.evaluate(() => (window as unknown as { said: string[] }).said);
    expect(said.filter((one) => /\b0th\b/.test(one))).toEqual([]);
    expect(said.filter((one) => /^behind .*catching up: \d+ entries/.test(one)).length).toBeGreaterThan(0);
  }
});

function grow(file: string, session: string, count: number): void {
  const from = readFileSync(file, 'utf8').trimEnd().split('\n').length;
  const lines = Array.from({ length: count }, (_, at) =>
    JSON.stringify({
      v: 1,
      seq: from + at + 1,
      ts: new Date().toISOString(),
      session,
      type: 'agent.text',
      data: { text: `words number ${at}\n` },
    }),
  );
  appendFileSync(file, `${lines.join('\n')}\n`);
}

it('not entitled: what a device may not do is not there, and Settings says what it may', async () => {
  for (const size of [PHONE, DESK]) {
    const { page, context } = await pairPage(browser, hub, size, { pair: ['--scope', 'view', '--name', 'a guest'] });
    await page.goto(`${hub.url}/s/${idle}`);
    await page.waitForSelector('[data-seq]');
    for (const one of ['.composer', '[data-do=menu]', '[data-do=send]', 'a[href="/new"]'])
      expect([one, await page.$(one)]).toEqual([one, null]);
    await page.goto(`${hub.url}/settings`);
    await says(page, /a guest/);
    await says(page, /look/i);
    await context.close();
  }
});

it('revoked: since when, and how to come back', async () => {
  for (const size of [PHONE, DESK]) {
    const { page, context } = await pairPage(browser, hub, size, { pair: ['--scope', 'admin', '--name', 'gone'] });
    const known = await hub.json<{ id: string; name: string }[]>('devices');
    expect((await hub.reins('devices', 'revoke', known.find(({ name }) => name === 'gone')!.id)).code).toBe(0);
    await page.waitForSelector('body[data-state=revoked]');
    await says(page, /This device was let out at \d\d:\d\d/);
    await says(page, /reins pair/);
    expect(await page.$('[data-session]')).toBeNull();
    // A new link lets it in again.
    await page.goto(await hub.invite('--scope', 'view', '--name', 'back'));
    await page.click('[data-do=pair]');
    await page.click('[data-do=enter]');
    await isLive(page);
    await context.close();
  }
});
