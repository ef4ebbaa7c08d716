/// <reference lib="dom" />
/** Rows of sessions: what was said last, how much of it this device has not seen, and which of them are shown. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { reins } from '../journeys/support/cli.js';
import { until } from '../journeys/support/wait.js';
import { openBrowser } from './support/chromium.js';
import { TestHub } from './support/hub.js';
import { DESK, isLive, type Opened, PHONE, pairPage, sideways } from './support/pages.js';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let hub: TestHub;
let browser: Browser;
let phone: Opened;
let desk: Opened;
let talks = '';

beforeAll(async () => {
  [hub, browser] = await Promise.all([TestHub.start(), openBrowser()]);
  talks = await hub.practice('hello', '-i', '--name', 'talks');
  await hub.entry(talks, 'agent.text');
  phone = await pairPage(browser, hub, PHONE);
  desk = await pairPage(browser, hub, DESK);
});
afterAll(async () => {
  await browser?.close();
  await hub?.close();
  expect([...(phone?.wrongs ?? []), ...(desk?.wrongs ?? [])]).toEqual([]);
});

const row = (more = ''): string => `.main [data-session="${talks}"] ${more}`;
const fresh = (page: Page): Promise<string | undefined> =>
  page.$eval(row('.unread'), (one) => one.textContent ?? '').catch(() => undefined);

it('a row has the last words in one line, its age, and what this device has not seen; looking at it is this device’s alone', async () => {
  for (const { page } of [phone, desk]) {
    await page.goto(`${hub.url}/sessions`);
    await page.waitForSelector(row('.said >> text=/practice agent/'));
    expect(await fresh(page)).toBeUndefined();
    expect(await page.innerText(row('.state'))).toMatch(/waits for you since \d+ (s|min)/);
    const { height } = (await (await page.waitForSelector(row())).boundingBox())!;
    expect(height).toBe(72);
    expect(await sideways(page)).toEqual([]);
  }
  await hub.reins('send', talks, '[[thinking]]');
  await hub.entry(talks, 'agent.text', ({ data }) => data.text.includes('42'));
  for (const { page } of [phone, desk]) {
    await page.waitForSelector(row('.said >> text=42'));
    await until('one is not seen', async () => (await fresh(page)) === '1');
  }
  await phone.page.goto(`${hub.url}/s/${talks}`);
  await isLive(phone.page);
  await phone.page.waitForSelector('[data-seq] >> text=42');
  await phone.page.goto(hub.url);
  await phone.page.waitForSelector(row('.said'));
  await until('it is seen on the phone', async () => (await fresh(phone.page)) === undefined);
  expect(await fresh(desk.page)).toBe('1');
  // The marks are the browser's own: a reload keeps them.
  await desk.page.reload();
  await isLive(desk.page);
  await until('still not seen on the desk', async () => (await fresh(desk.page)) === '1');
});

it('chips narrow the list by what they do and by folder', async () => {
  const cwd = hub.world.folder('other');
  const args = ['run', '-d', '-b', 'practice', '-i', '--name', 'elsewhere', '-p', 'hello'];
  const other = (await reins(hub.world, args, { cwd })).stdout.trim();
  const { page } = phone;
  await page.goto(`${hub.url}/sessions`);
  await page.waitForSelector(`.main [data-session="${other}"]`);
  await page.tap(`[data-folder="${cwd}"]`);
  await page.waitForSelector(row(), { state: 'detached' });
  await page.waitForSelector(`.main [data-session="${other}"]`);
  await page.tap(`[data-folder="${cwd}"]`);
  await page.waitForSelector(row());
  await hub.reins('stop', other);
  await page.tap('[data-kind=ended]');
  await page.waitForSelector(row(), { state: 'detached' });
  await page.waitForSelector(`.main [data-session="${other}"][data-is=ended]`);
  expect(await sideways(page)).toEqual([]);
});
