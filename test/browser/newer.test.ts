/// <reference lib="dom" />
/** A hub that is replaced while pages are open: they say that there is a newer page, and nothing of the old one is a dead end. */
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { Prefix } from '../journeys/support/builds.js';
import { until } from '../journeys/support/wait.js';
import { openBrowser } from './support/chromium.js';
import { TestHub } from './support/hub.js';
import { DESK, isLive, type Opened, PHONE, pairPage } from './support/pages.js';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let hub: TestHub;
let browser: Browser;
let both: Opened[];

beforeAll(async () => {
  [hub, browser] = await Promise.all([TestHub.start(), openBrowser()]);
  both = [await pairPage(browser, hub, PHONE), await pairPage(browser, hub, DESK)];
});
afterAll(async () => {
  await browser?.close();
  await hub?.close();
});

/** The build of this tree with other names for the parts of its page, as if their content had changed. */
function nextBuild(): string {
  const { cli } = new Prefix(hub.world, 'next').current();
  const web = join(dirname(cli), '../web');
  const assets = join(web, 'assets');
  const scripts = readdirSync(assets).filter((name) => name.endsWith('.js'));
  const renamed = scripts.map((name) => [name, name.replace('-', '-NEXT')] as const);
  for (const file of [join(web, 'index.html'), join(web, 'worker.js'), ...scripts.map((name) => join(assets, name))]) {
    for (const end of ['br', 'gz']) rmSync(`${file}.${end}`, { force: true });
    const text = renamed.reduce((all, [from, to]) => all.replaceAll(from, to), readFileSync(file, 'utf8'));
    writeFileSync(file, text);
  }
  for (const [from, to] of renamed) renameSync(join(assets, from), join(assets, to));
  return cli;
}

const mainOf = (page: Page): Promise<string> =>
  page.evaluate(() => [...document.scripts].map(({ src }) => src.split('/').pop()!).join());

const oldCaches = (page: Page): Promise<string[]> =>
  page.evaluate(async () => (await caches.keys()).filter((name) => !name.includes('NEXT')));

it('W48: a page that is open while the hub is replaced says so and is loaded anew with its draft; the second visit is of the new build', async () => {
  for (const { page } of both) await page.evaluate(async () => void (await navigator.serviceWorker.ready));
  const session = await hub.practice('hello', '-i', '--name', 'rests');
  await hub.entry(session, 'state.changed', ({ data }) => data.state === 'idle');
  for (const { page } of both) {
    await page.click(`[data-session="${session}"]`);
    await page.fill('.composer textarea', 'half a thou');
    expect(await page.$('[data-do=load-anew]')).toBeNull();
  }
  // One that is closed now, and comes back under the worker of the old build.
  const { page: closed, context } = await pairPage(browser, hub, PHONE);
  await closed.evaluate(async () => void (await navigator.serviceWorker.ready));
  await closed.close();
  await hub.kill('SIGTERM');
  await hub.begin([], nextBuild());
  for (const { page } of both) {
    expect(await mainOf(page)).not.toContain('NEXT');
    await page.click('.status-line[data-is=old] [data-do=load-anew]');
    await page.waitForFunction(() => [...document.scripts].some(({ src }) => src.includes('main-NEXT')));
    await isLive(page);
    expect(await page.$('[data-do=load-anew]')).toBeNull();
    await page.waitForFunction(
      () => document.querySelector<HTMLTextAreaElement>('.composer textarea')?.value === 'half a thou',
    );
    expect(await oldCaches(page)).toEqual([]);
  }
  const back = await context.newPage();
  await back.goto(hub.url);
  await isLive(back);
  await until('the worker of the new build', async () => (await oldCaches(back)).length === 0);
  await back.waitForFunction(() => navigator.serviceWorker.controller?.state === 'activated');
  // It is of that build itself.
  expect(await mainOf(back)).toContain('main-NEXT');
  await back.evaluate(async () => void (await fetch('/')));
  expect(await back.$('[data-do=load-anew]')).toBeNull();
  await context.close();
});

it('a part of the page that the hub does not have any more is no dead end', async () => {
  const session = await hub.practice('hello', '-i', '--name', 'rests too');
  await hub.entry(session, 'state.changed', ({ data }) => data.state === 'idle');
  for (const size of [PHONE, DESK]) {
    // As on a plain address, where no worker keeps anything.
    const { page, context } = await pairPage(browser, hub, size, { worker: 'block' });
    await page.route('**/assets/{settings,screen}-*.js', (route) => route.fulfill({ status: 404 }));
    for (const [path, ready] of [
      ['/settings', '[data-view=settings] .facts'],
      [`/s/${session}/terminal`, '.xterm'],
    ] as const) {
      await page.goto(`${hub.url}${path}`);
      await page.waitForSelector('.main [data-do=load-anew]');
      await page.unroute('**/assets/{settings,screen}-*.js');
      await page.click('.main [data-do=load-anew]');
      await page.waitForSelector(ready);
      await page.route('**/assets/{settings,screen}-*.js', (route) => route.fulfill({ status: 404 }));
    }
    await context.close();
  }
});
