/// <reference lib="dom" />
/** A terminal on the page that is flooded again and again: it skips what nobody could read, and never stops for good. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../journeys/support/wait.js';
import { openBrowser } from './support/chromium.js';
import { TestHub } from './support/hub.js';
import { DESK, type Opened, pairPage } from './support/pages.js';

interface Seen {
  timers: number;
  rowsOfFrame: Record<string, number>;
}

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

test('W26 many lines cost a timer for some of them, not for each, and a line that scrolls is drawn once', async () => {
  const { page } = desk;
  const LINES = 2000;
  const lines = `let n = 0; process.stdin.setRawMode(true); process.stdin.on('data', (key) => {
    const count = String(key) === 'm' ? ${LINES} : 1;
    for (let line = 0; line < count; line++) process.stdout.write('line ' + ++n + '\\r\\n');
    process.stdout.write('so far ' + n); });
  for (let row = 0; row < 60; row++) process.stdout.write('row ' + row + '\\r\\n'); process.stdout.write('waits');`;
  const session = (await hub.reins('exec', '-d', '--', 'node', '-e', lines)).stdout.trim();
  await page.goto(`${hub.url}/s/${session}/terminal`);
  const shows = (words: string) =>
    until(`“${words}” on the page`, async () => {
      const rows = page.locator('.xterm-rows');
      return (await rows.count()) > 0 && (await rows.textContent())?.includes(words);
    });
  await shows('waits');
  await page.click('[data-do=take]');
  await page.waitForSelector('[data-driver=you]');
  await page.focus('.xterm-helper-textarea');
  await page.evaluate(() => {
    const seen = { timers: 0, rowsOfFrame: {} as Record<string, number> };
    Object.assign(window, { seen });
    const plain = window.setTimeout;
    window.setTimeout = ((...args: Parameters<typeof plain>) => {
      seen.timers += 1;
      return plain(...args);
    }) as typeof plain;
    const rows = document.querySelector('.xterm-rows')!;
    const watch = new MutationObserver((changes) => {
      // The same for all that is done for one frame.
      const frame = String(document.timeline.currentTime);
      const drawn = changes.filter(({ target }) => target.parentNode === rows).length;
      seen.rowsOfFrame[frame] = (seen.rowsOfFrame[frame] ?? 0) + drawn;
    });
    watch.observe(rows, { childList: true, subtree: true });
  });
  const seen = () =>
    page.evaluate(() => {
      const { timers, rowsOfFrame } = (window as unknown as { seen: Seen }).seen;
      return { timers, mostRows: Math.max(...Object.values(rowsOfFrame)) };
    });
  await page.keyboard.press('o');
  await shows('so far 1');
  const one = await seen();
  const rows = await page.locator('.xterm-rows > div').count();
  // For one frame each of them is drawn at most once.
  expect(one.mostRows).toBeLessThanOrEqual(rows);
  await page.keyboard.press('m');
  await shows(`so far ${LINES + 1}`);
  const many = await seen();
  expect(many.timers - one.timers).toBeLessThan(LINES / 4);
}, 150_000);
