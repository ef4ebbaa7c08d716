/// <reference lib="dom" />
/** Ways out: wherever one comes to on the page, it says what is so and there is something to do about it. On a phone and on a desk. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { until } from '../journeys/support/wait.js';
import { barriers } from './support/access.js';
import { openBrowser } from './support/chromium.js';
import { TestHub } from './support/hub.js';
import { answerBy, DESK, isLive, type Opened, PHONE, pairPage } from './support/pages.js';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let hub: TestHub;
let browser: Browser;
let both: Opened[];
let asks = '';
let works = '';

const HOLD = ['--set', 'tools.defaults.detached=defer'];

beforeAll(async () => {
  [hub, browser] = await Promise.all([TestHub.start(), openBrowser()]);
  [asks, works] = await Promise.all([
    hub.practice('[[ask-permission]]', '--name', 'asks', '--once', '--share-folder', ...HOLD),
    hub.practice('[[slow 6000]]', '--name', 'works', '--once', '--share-folder'),
  ]);
  both = [await pairPage(browser, hub, PHONE), await pairPage(browser, hub, DESK)];
});
afterAll(async () => {
  await browser?.close();
  await hub?.close();
  expect(both?.flatMap(({ wrongs }) => wrongs)).toEqual([]);
});

async function open(page: Page, path: string): Promise<void> {
  await page.goto(`${hub.url}${path}`);
  await isLive(page);
}
const asked = async (): Promise<string> => (await hub.entry(asks, 'inquiry.opened')).data.inquiry.id;
const starts = (session: string): number =>
  hub.journal(session).filter(({ type }) => type === 'session.started').length;

describe('addresses', () => {
  it('an inquiry is shown under the session that asks it, whatever the address says', async () => {
    const id = await asked();
    for (const { page } of both) {
      await open(page, `/s/${works}/i/${id}`);
      await page.waitForSelector(`[data-card="${id}"]`);
      await page.waitForFunction((path) => location.pathname === path, `/s/${asks}/i/${id}`);
      expect(await page.innerText(`[data-card="${id}"] .card-session`)).toBe('asks');
      expect(await page.innerText(':is(.inquiry-top a, .head h1)')).toBe('asks');
    }
  });

  it('what is not there any more leads to its session and to Now', async () => {
    for (const { page } of both) {
      await open(page, `/s/${asks}/i/${asks}.99`);
      await page.click('[data-view=inquiry] .calm a[href="/"]');
      await page.waitForSelector('[data-view=now]');
      await open(page, '/s/nosuchon');
      await page.click('.calm a[href="/"]');
      await page.waitForSelector('[data-view=now]');
    }
  });

  it('a device that is in is not told that it is not, and comes from the pairing page to Now', async () => {
    for (const { page } of both) {
      for (const path of ['/pair', '/pair#of-no-link']) {
        await open(page, path);
        const words = await page.innerText('[data-view=pair]');
        expect(words).toContain('This device is let in already');
        expect(words).not.toContain('is not paired');
        expect(await barriers(page)).toEqual({});
        await page.click('[data-view=pair] a[data-do=enter]');
        await page.waitForSelector('[data-view=now]');
      }
    }
  });
});

describe('answered on its sheet', () => {
  it('W15: what waits next is one tap away, then its session and Now; none of them under the finger that answered', async () => {
    const [{ page }] = both as [Opened];
    const two = await hub.practice('[[parallel]]', '--name', 'two', '--once', '--share-folder', ...HOLD);
    await until('three', () => hub.journal(two).filter(({ type }) => type === 'inquiry.opened').length === 3);
    await open(page, `/s/${two}/i/${two}.1`);
    const allow = await page.waitForSelector(`[data-card="${two}.1"]:not([data-shield]) [data-do=allow]`);
    const where = (await allow.boundingBox())!;
    await answerBy(page, `${two}.1`, '[data-do=allow]');
    await page.waitForSelector('.onward [data-do=next-inquiry]');
    for (const one of await page.$$('.onward .button')) {
      const { y, height } = (await one.boundingBox())!;
      expect(y + height).toBeLessThan(where.y);
    }
    expect(await barriers(page)).toEqual({});
    await page.tap('.onward [data-do=next-inquiry]');
    await page.waitForSelector('[data-card][data-over=false][data-place=sheet]');
    expect(page.url()).not.toContain(`${two}.1`);
    await open(page, `/s/${two}/i/${two}.2`);
    await answerBy(page, `${two}.2`, '[data-do=allow]');
    await page.tap('.onward a:has-text("Its session")');
    await page.waitForSelector(`[data-view=session][data-session="${two}"]`);
    await hub.reins('kill', two);
  });
});

describe('what is so', () => {
  it('Now counts who works apart from who asks', async () => {
    const [{ page: phone }, { page: desk }] = both as [Opened, Opened];
    for (const { page } of both) {
      await open(page, '/');
      await page.waitForSelector(`[data-card="${await asked()}"]`);
      await page.waitForSelector(`.main [data-session="${works}"]`);
      expect(await page.$$eval('.main .section-title', (all) => all.map((one) => one.textContent))).toContain(
        'Working · 1',
      );
    }
    // A card says it already where there is one.
    expect(await phone.$(`.main [data-session="${asks}"]`)).toBeNull();
    await desk.waitForSelector(`.main section:has-text("Asking · 1") [data-session="${asks}"]`);
  });

  it('Settings says under which version the sessions run', async () => {
    for (const { page } of both) {
      await open(page, '/settings');
      await page.waitForSelector('.facts >> text=/2 under Reins \\d/');
    }
  });

  it('an agent without a terminal has no keys to take: it says so', async () => {
    for (const { page } of both) {
      await open(page, `/s/${works}/terminal`);
      await page.waitForSelector('[data-no-terminal=none] >> text=It has no terminal');
      for (const one of ['[data-do=take]', '.quick-keys', '.command-line', '.xterm'])
        expect([one, await page.$(one)]).toEqual([one, null]);
      expect(await barriers(page)).toEqual({});
    }
  });

  it('trust is read in the head of a session on a phone too', async () => {
    const [{ page }] = both as [Opened];
    await open(page, `/s/${works}`);
    await page.waitForSelector('.session[data-live=true]');
    const [shown, whole] = await page.$eval('.head p', (line) => {
      const words = line.textContent ?? '';
      const range = document.createRange();
      const texts = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
      for (let at = texts.nextNode(); at; at = texts.nextNode()) {
        const from = at.textContent?.indexOf('asks first') ?? -1;
        if (from === -1) continue;
        range.setStart(at, from);
        range.setEnd(at, from + 'asks first'.length);
        return [range.getBoundingClientRect().right, line.getBoundingClientRect().right, words];
      }
      return [Number.POSITIVE_INFINITY, 0, words];
    });
    expect(shown).toBeLessThan(whole as number);
  });
});

describe('without a connection', () => {
  it('what is said of it covers no control and no first line', async () => {
    const covered = (page: Page, what: string): Promise<boolean> =>
      page.evaluate((one) => {
        const line = document.querySelector('.status-line')!.getBoundingClientRect();
        const { left, right, top, bottom } = document.querySelector(one)!.getBoundingClientRect();
        return left < line.right && right > line.left && top < line.bottom && bottom > line.top;
      }, what);
    const id = await asked();
    for (const { page, context } of both) {
      for (const [path, ...seen] of [
        [`/s/${works}`, '.head .title', '[data-do=terminal]', '.composer'],
        ['/', `[data-card="${id}"] .card-head`, 'a[href="/settings"]'],
        ['/sessions', '[data-find]'],
        ['/new', '.view-title', '[data-do=start]'],
      ] as [string, ...string[]][]) {
        await open(page, path);
        for (const one of seen) await page.waitForSelector(one);
        await context.setOffline(true);
        await page.waitForSelector('.status-line');
        for (const one of seen) expect([path, one, await covered(page, one)]).toEqual([path, one, false]);
        await context.setOffline(false);
        await isLive(page);
      }
    }
  });

  it('a new session that was begun without the hub can be started when it is back', async () => {
    for (const { page, context } of both) {
      await open(page, '/');
      await page.evaluate(async () => void (await navigator.serviceWorker.ready));
      await context.setOffline(true);
      await page.waitForSelector('body:not([data-state=live])');
      await page.goto(`${hub.url}/new`);
      await page.waitForSelector('[data-view=new] [role=alert]');
      await context.setOffline(false);
      await isLive(page);
      await page.waitForSelector('[data-view=new] label:has-text("practice")');
      await page.waitForSelector('[data-view=new] [role=alert]', { state: 'detached' });
      expect(await page.inputValue('[name=folder]')).not.toBe('');
    }
  });
});

describe('refused', () => {
  it('W39: a continue that is refused says why and keeps what was written; beside another loop it takes a yes', async () => {
    const session = await hub.practice('hello', '--name', 'ended', '--once', '--share-folder');
    await hub.entry(session, 'session.ended');
    for (const [at, { page }] of both.entries()) {
      await until('its end', () => hub.journal(session).filter(({ type }) => type === 'session.ended').length > at);
      await open(page, `/s/${session}`);
      await page.waitForSelector('[data-do=send][aria-label=Continue]');
      await page.fill('.composer textarea', 'hello again');
      await page.click('[data-do=send]');
      await page.waitForSelector('.pending[data-pending=refused] >> text=a loop works in this folder already');
      expect(await page.innerText('.pending')).toContain('hello again');
      expect(await barriers(page)).toEqual({});
      await page.click('.pending [data-do=unsend]');
      expect(await page.inputValue('.composer textarea')).toBe('hello again');
      expect(starts(session)).toBe(at + 1);
      await page.click('[data-do=send]');
      await page.click('.pending [data-do=beside]');
      await until('its second start', () => starts(session) === at + 2);
      await page.waitForSelector('.pending', { state: 'detached' });
    }
  });

  it('W39: one that goes on and is over at once says so in its chat; a limit says what to do, with the line to copy', async () => {
    const flags = ['--name', 'limited', '--max-iterations', '1', '--share-folder'];
    const session = await hub.practice('[[loop 3]]', ...flags);
    await hub.entry(session, 'session.ended');
    for (const [at, { page }] of both.entries()) {
      await open(page, `/s/${session}`);
      await page.waitForSelector('.end >> text=the limit of 1 iteration was reached');
      await page.waitForSelector('.end >> text=Next: raise it and continue');
      expect(await page.innerText('.end [data-line=continue]')).toBe(
        `reins run --continue ${session} --max-iterations 2`,
      );
      await page.click('[data-do=send]');
      await page.click('.pending [data-do=beside]');
      await until('its end', () => hub.journal(session).filter(({ type }) => type === 'session.ended').length > at + 1);
      await page.waitForFunction((count) => document.querySelectorAll('.chat .end').length === count, at + 2);
    }
  });

  it('W42: a start beside another loop takes a yes', async () => {
    for (const [at, { page }] of both.entries()) {
      await open(page, '/new');
      await page.waitForSelector('[data-view=new] label:has-text("practice")');
      await page.fill('[name=folder]', hub.world.project);
      await page.waitForSelector('text=It is there.');
      await page.fill('[name=prompt]', `[[slow 6${at}0]]`);
      await page.click('[data-do=start]');
      await page.waitForSelector('[data-view=new] [role=alert] >> text=a loop works in this folder already');
      await page.click('[data-do=beside]');
      await page.waitForSelector('[data-view=session]');
      const id = new URL(page.url()).pathname.split('/')[2]!;
      await hub.entry(id, 'session.started');
      await hub.reins('kill', id);
    }
  });
});
