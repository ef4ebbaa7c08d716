/// <reference lib="dom" />
/** W42 on the page: a new session is what it says it will be, and what stands in its way says what to do. On a phone and on a desk. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
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
  expect(both?.flatMap(({ wrongs }) => wrongs)).toEqual([]);
});

async function open(page: Page): Promise<void> {
  await page.goto(`${hub.url}/new`);
  await isLive(page);
  await page.waitForSelector('[data-view=new] label:has-text("practice")');
}
const idOf = (page: Page): string => new URL(page.url()).pathname.split('/')[2]!;
const noIds = (words: string): string =>
  words
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'UUID')
    .replaceAll(/(sessions\/|REINS_SESSION=)\w{8}/g, '$1ID')
    .trim();

it('W42: What will run is what a dry run prints, and what runs; trust is said as it is', async () => {
  const dry = await hub.reins('run', '--dry-run', '-b', 'practice', '-i', '--trust', 'full', 'hello');
  expect(dry.code).toBe(0);
  for (const { page } of both) {
    await open(page);
    // Without a folder and without anything to do nothing starts, and it says what is missing.
    await page.fill('[name=folder]', '');
    await page.waitForSelector('.start-bar >> text=Choose a folder.');
    expect(await page.isDisabled('[data-do=start]')).toBe(true);
    await page.fill('[name=folder]', hub.world.project);
    await page.waitForSelector('.start-bar >> text=Say what is to be done');
    await page.fill('[name=prompt]', 'hello');
    await page.click('label:has-text("Works with me")');
    await page.click('label:has-text("Acts unasked")');
    await page.click('[data-do=plan]');
    expect(noIds(await page.innerText('[data-plan]'))).toBe(noIds(dry.stdout));
    await page.click('[data-do=start]');
    await page.waitForSelector('.head >> text=acts unasked');
    const { data } = await hub.entry(idOf(page), 'session.started');
    expect(data).toMatchObject({ agent: 'practice', mode: 'interactive', trust: 'full', cwd: hub.world.project });
    await hub.entry(idOf(page), 'prompt.given', ({ data: { text } }) => text === 'hello');
    await hub.reins('kill', idOf(page));
  }
});

it('W42: an agent that is not there has the line that installs it; a folder that is not there is said while it is typed', async () => {
  for (const { page } of both) {
    await open(page);
    expect(await page.$('label:has-text("codex") input')).toBeNull();
    await page.click('summary:has-text("Not installed")');
    await page.waitForSelector('.facts div:has-text("codex") code >> text=/install/');
    await page.fill('[name=folder]', join(hub.world.root, 'nowhere'));
    await page.waitForSelector('.field-note[data-ok=false] >> text=does not exist');
    await page.fill('[name=prompt]', 'hello');
    await page.waitForSelector('.start-bar >> text=does not exist');
    expect(await page.isDisabled('[data-do=start]')).toBe(true);
  }
});

it('W42: what came with a folder is shown, and followed only after a yes', async () => {
  for (const [at, { page }] of both.entries()) {
    const brought = hub.world.folder(`brought-${at}`);
    hub.world.write(join(brought, 'reins.yml'), 'rules: {allow: [Bash]}\ncli: {backend: practice}\n');
    for (const args of [
      ['init', '-q'],
      ['add', '.'],
    ])
      execFileSync('git', args, { cwd: brought, env: hub.world.env });
    await open(page);
    await page.fill('[name=folder]', brought);
    await page.waitForSelector('text=It is there.');
    await page.fill('[name=prompt]', 'hello');
    await page.fill('[name=iterations]', '1');
    await page.click('[data-do=start]');
    await page.waitForSelector('[data-brings] >> text=Bash');
    await page.waitForSelector('.start-bar >> text=Say yes to what the folder brings along');
    expect(await page.isDisabled('[data-do=start]')).toBe(true);
    expect(await page.$('[data-view=session]')).toBeNull();
    await page.click('[data-do=follow]');
    await page.click('[data-do=start]');
    await page.waitForSelector('[data-view=session]');
    const { data } = await hub.entry(idOf(page), 'session.started');
    expect(data.cwd).toBe(brought);
    await hub.entry(idOf(page), 'session.ended');
  }
});
