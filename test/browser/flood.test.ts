/// <reference lib="dom" />
/** A terminal on the page that is flooded again and again: it skips what nobody could read, and never stops for good. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../journeys/support/wait.js';
import { openBrowser } from './support/chromium.js';
import { TestHub } from './support/hub.js';
import { DESK, type Opened, pairPage } from './support/pages.js';

const BURSTS = 4;
/** At each key more than a page is sent ahead of what it drew, then the number of the burst. */
const BURSTING = `let n = 0; process.stdin.setRawMode(true); process.stdin.on('data', () => {
  const line = 'a line of a flood that nobody can read as fast as it comes, with its number\\r\\n';
  process.stdout.write(line.repeat(50000)); process.stdout.write('burst ' + ++n + ' is over\\r\\n'); });
process.stdout.write('waits\\r\\n');`;

let hub: TestHub;
let browser: Browser;
let desk: Opened;

beforeAll(async () => {
  [hub, browser] = await Promise.all([TestHub.start(), openBrowser()]);
  desk = await pairPage(browser, hub, DESK);
}, 120_000);

afterAll(async () => {
  await browser?.close();
  await hub?.close();
});

test('W26 after each of many floods the page shows where the terminal is', async () => {
  const { page } = desk;
  const session = (await hub.reins('exec', '-d', '--', 'node', '-e', BURSTING)).stdout.trim();
  let redraws = 0;
  page.on('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => {
      if (typeof payload !== 'string' && payload[0] === 4) redraws += 1;
    }),
  );
  await page.goto(`${hub.url}/s/${session}/terminal`);
  const text = () => page.evaluate(() => document.querySelector('.xterm-rows')?.textContent ?? '');
  const shows = (words: string) =>
    until(
      `“${words}” on the page`,
      async () => (await text()).includes(words),
      () => `after ${redraws} redraws`,
    );
  await shows('waits');
  await page.click('[data-do=take]');
  await page.waitForSelector('[data-driver=you]');
  await page.focus('.xterm-helper-textarea');
  await page.evaluate(() => {
    const seen = { sizes: 0 };
    Object.assign(window, { seen });
    const watch = new MutationObserver((changes) => {
      seen.sizes += changes.length;
    });
    watch.observe(document.querySelector('.xterm-screen')!, { attributes: true, attributeFilter: ['style'] });
  });
  for (let burst = 1; burst <= BURSTS; burst++) {
    await page.keyboard.press('x');
    await shows(`burst ${burst} is over`);
  }
  expect(redraws).toBeGreaterThan(BURSTS / 2);
  // Each other size of the letters lays out the whole page.
  expect(await page.evaluate(() => (window as unknown as { seen: { sizes: number } }).seen.sizes)).toBe(0);
}, 150_000);
