/// <reference lib="dom" />
/** W2 on the page: what each right has, and that what it has not is not there, nor a control that leads to nothing. On a phone and on a desk. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { openBrowser } from './support/chromium.js';
import { TestHub } from './support/hub.js';
import { DESK, isLive, PHONE, pairPage } from './support/pages.js';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let hub: TestHub;
let browser: Browser;
let asks = '';
let works = '';
let ended = '';

beforeAll(async () => {
  [hub, browser] = await Promise.all([TestHub.start(), openBrowser()]);
  const hold = ['--set', 'tools.defaults.detached=defer'];
  [asks, works, ended] = await Promise.all([
    hub.practice('[[ask-permission]]', '--name', 'asks', '--once', '--share-folder', ...hold),
    hub.practice('[[slow 6000]]', '-i', '--name', 'works'),
    hub.practice('hello', '--name', 'ended', '--once', '--share-folder'),
  ]);
  await Promise.all([hub.entry(asks, 'inquiry.opened'), hub.entry(ended, 'session.ended')]);
});
afterAll(async () => {
  await browser?.close();
  await hub?.close();
});

const RIGHTS = ['view', 'answer', 'type', 'admin'] as const;
type Right = (typeof RIGHTS)[number];

/** By screen: what is there when it is drawn, and from which right on each control is. */
const SCREENS = (): [path: string, ready: string, controls: Record<string, Right>][] => [
  [
    `/s/${asks}/i/${asks}.1`,
    '[data-card] .thing',
    { '[data-card] [data-do=allow]': 'answer', '[data-card] [data-do=deny]': 'answer' },
  ],
  [
    `/s/${works}`,
    '.session[data-live=true][data-state=working]',
    { '.composer': 'type', '[data-do=interrupt-now]': 'type', '[data-do=menu]': 'type' },
  ],
  [`/s/${works}/terminal`, '.xterm', { '[data-do=take]': 'type' }],
  [`/s/${ended}`, '.session[data-live=true] .end', { '.composer': 'admin', '[data-do=menu]': 'admin' }],
  ['/', '[data-card]', { 'a[href="/new"]': 'admin' }],
  ['/settings', '[data-device]', { '[data-do=invite]': 'admin' }],
];

for (const right of RIGHTS)
  it(`W2: a device that may ${right} has its controls and no other; every menu has something in it`, async () => {
    for (const size of [PHONE, DESK]) {
      const { page, context, wrongs } = await pairPage(browser, hub, size, { pair: ['--scope', right] });
      const has = (need: Right): boolean => RIGHTS.indexOf(right) >= RIGHTS.indexOf(need);
      for (const [path, ready, controls] of SCREENS()) {
        await page.goto(`${hub.url}${path}`);
        await isLive(page);
        await page.waitForSelector(ready);
        for (const [one, need] of Object.entries(controls)) {
          if (has(need)) await page.waitForSelector(one);
          expect([path, one, (await page.$(one)) !== null]).toEqual([path, one, has(need)]);
        }
        if (await page.$('[data-do=menu]')) {
          await page.click('[data-do=menu]');
          await page.waitForSelector('[role=menu]');
          expect(await page.$$eval('[role=menu] button', (all) => all.length)).toBeGreaterThan(0);
        }
      }
      expect(wrongs).toEqual([]);
      await context.close();
    }
  });
