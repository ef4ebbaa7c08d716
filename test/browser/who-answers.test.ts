/** Screen 7: who answers, in words and with the line it comes from; the same that `reins policy explain` tells of a folder without its own. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openBrowser } from './support/chromium.js';
import { TestHub } from './support/hub.js';
import { DESK, PHONE, pairPage, sideways } from './support/pages.js';

let hub: TestHub;
let browser: Browser;

beforeAll(async () => {
  [hub, browser] = await Promise.all([TestHub.start(), openBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await hub?.close();
});

const DENIES = 'denies it, and tells the agent why';
const ALL = 'what an agent wants to do, what it asks you, what a call brought';

async function said(page: Page): Promise<string[]> {
  await page.goto(`${hub.url}/settings`);
  await page.waitForSelector('[data-when=detached] li');
  return page.$$eval('[data-when] li', (lines) =>
    lines.map((line) => `${line.closest('[data-when]')?.getAttribute('data-when')}: ${line.textContent}`),
  );
}

it('screen 7: the ladders in words, with file and line, as `policy explain` has them; read anew when the file changes', async () => {
  const file = join(hub.world.root, 'config/reins/config.yml');
  mkdirSync(dirname(file), { recursive: true });
  for (const size of [PHONE, DESK]) {
    writeFileSync(file, 'presence: {web_idle_secs: 60}\n');
    const { page, context, wrongs } = await pairPage(browser, hub, size);
    expect(await said(page)).toEqual([
      'attached: what an agent wants to do, what it asks you: asks you (built in)',
      'attached: what a call brought: lets it through (built in)',
      `reachable: ${ALL}: asks you for 15 min, then ${DENIES} (built in)`,
      `detached: ${ALL}: ${DENIES} (built in)`,
    ]);
    writeFileSync(
      file,
      'rules: {allow: [Bash(ls)]}\ntools:\n  defaults:\n    detached:\n      question: [{ask: 5m}, auto]\n      run: defer\n',
    );
    const lines = await said(page);
    const run = await hub.json<{ detached: { file: string; line: number; verdict: string } }>(
      ...['policy', 'explain', 'Bash', 'make'],
    );
    expect(run.detached).toMatchObject({ verdict: 'defer', line: 6 });
    expect(lines).toContain(
      `detached: what an agent wants to do: keeps it open until you come (tools.defaults.detached.run, ${run.detached.file}:6:12)`,
    );
    const asked = lines.find((line) => line.startsWith('detached: what it asks you'));
    expect(asked).toContain(`asks you for 5 min, then asks another agent, and without an answer ${DENIES}`);
    expect(asked).toMatch(/config\.yml:5:17\)$/);
    expect(await page.innerText('[aria-labelledby=who-answers] p')).toContain('1 rule of yours');
    expect(await sideways(page)).toEqual([]);
    // A file that nobody can read as settings is said, in the words of the command line.
    writeFileSync(file, 'tools: {defaults: {detached: perhaps}}\n');
    await page.reload();
    await page.waitForSelector('[aria-labelledby=who-answers] [role=alert]');
    expect(await page.innerText('[aria-labelledby=who-answers]')).toContain('tools.defaults.detached');
    writeFileSync(file, 'trust: full\n');
    await said(page);
    expect(await page.innerText('[data-trust=full]')).toContain('config.yml:1:8');
    writeFileSync(file, '');
    expect(wrongs).toEqual([]);
    await context.close();
  }
});

it('screen 7: a guest of one session is told nothing of the machine', async () => {
  const session = await hub.practice('hello', '-i', '--name', 'one');
  const { page, context } = await pairPage(browser, hub, PHONE, { pair: ['--scope', 'admin', '--session', session] });
  const asked: string[] = [];
  page.on('request', (request) => void asked.push(new URL(request.url()).pathname));
  await page.goto(`${hub.url}/settings`);
  await page.waitForSelector('[data-device]');
  await page.waitForSelector('body[data-state=live]');
  expect(await page.$('[aria-labelledby=who-answers]')).toBeNull();
  expect(asked).not.toContain('/api/policy');
  await context.close();
});
