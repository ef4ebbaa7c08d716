/** W46 on the screens before, after and without a connection: pairing, let out, no hub; at both sizes and in both themes. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { barriers } from './support/access.js';
import { openBrowser } from './support/chromium.js';
import { TestHub } from './support/hub.js';
import { DESK, isLive, openPage, PHONE, pairPage, sideways } from './support/pages.js';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let hub: TestHub;
let browser: Browser;
let asks = '';

beforeAll(async () => {
  [hub, browser] = await Promise.all([TestHub.start(), openBrowser()]);
  asks = await hub.practice('[[ask-permission]]', '-i', '--name', 'asks', '--set', 'tools.defaults.detached=defer');
  await hub.entry(asks, 'inquiry.opened');
});
afterAll(async () => {
  await browser?.close();
  await hub?.close();
});

const sizes = [
  ['phone', PHONE],
  ['desk', DESK],
] as const;

it.each(sizes)('pairing on a %s: no link, a link, one that is over, let in', async (_, size) => {
  const link = await hub.invite('--scope', 'answer', '--name', 'new');
  const { page, context } = await openPage(browser, hub, size);
  const found: Record<string, object> = {};
  const look = async (name: string) => {
    found[name] = { ...(await barriers(page)), sideways: await sideways(page) };
  };
  await page.goto(hub.url);
  await page.waitForSelector('body[data-state=unpaired] [data-view=pair] h1');
  await look('not paired');
  await page.goto(`${hub.url}/pair#nonsense`);
  await page.waitForSelector('[data-view=pair] [data-offer=over] [role=alert]');
  await look('a link that is over');
  await page.goto(link);
  await page.waitForSelector('[data-do=pair]');
  await look('a link');
  await page.click('[data-do=pair]');
  await page.waitForSelector('[data-do=enter]');
  await look('let in');
  expect(found).toEqual(nothing(found));
  await context.close();
});

it.each(sizes)('let out on a %s', async (name, size) => {
  const { page, context } = await pairPage(browser, hub, size, {
    pair: ['--scope', 'admin', '--name', `gone ${name}`],
  });
  const known = await hub.json<{ id: string; name: string }[]>('devices');
  await hub.reins('devices', 'revoke', known.find((one) => one.name === `gone ${name}`)!.id);
  await page.waitForSelector('body[data-state=revoked] [data-view=pair] h1');
  expect(await barriers(page)).toEqual({});
  await context.close();
});

it.each(sizes)('without a hub on a %s: what was known is greyed and still read', async (_, size) => {
  const { page, context } = await pairPage(browser, hub, size);
  const found: Record<string, object> = {};
  for (const [name, path, ready] of [
    ['Now', '/', '[data-card]'],
    ['Sessions', '/sessions', '.main [data-session]'],
    ['Session', `/s/${asks}`, '[data-view=session] [data-seq]'],
  ] as const) {
    await page.goto(`${hub.url}${path}`);
    await isLive(page);
    await page.waitForSelector(ready);
    await context.setOffline(true);
    await page.waitForSelector('body[data-state=offline]');
    found[name] = { ...(await barriers(page)), sideways: await sideways(page) };
    await context.setOffline(false);
    await isLive(page);
  }
  expect(found).toEqual(nothing(found));
  await context.close();
});

const nothing = (found: object): object =>
  Object.fromEntries(Object.keys(found).map((name) => [name, { sideways: [] }]));
