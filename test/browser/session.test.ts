/// <reference lib="dom" />
/** One session on the page: its conversation, and messages to it. One hub, one browser, a phone and a desk that share them. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../journeys/support/wait.js';
import { openBrowser } from './support/chromium.js';
import { TestHub } from './support/hub.js';
import { DESK, isLive, type Opened, PHONE, pairPage, sideways, surely } from './support/pages.js';

/** Chromium, a hub and its sessions on two busy cores. */
const SLOW_MS = 150_000;

let browser: Browser;
let hub: TestHub;
let phone: Opened;
let desk: Opened;

beforeAll(async () => {
  [browser, hub] = await Promise.all([openBrowser(), TestHub.start()]);
  [phone, desk] = await Promise.all([
    pairPage(browser, hub, PHONE, { pair: ['--scope', 'admin', '--name', 'phone'] }),
    pairPage(browser, hub, DESK, { pair: ['--scope', 'admin', '--name', 'desk'] }),
  ]);
}, SLOW_MS);
afterAll(async () => {
  expect([...phone.wrongs, ...desk.wrongs]).toEqual([]);
  await browser.close();
  await hub.close();
});

async function open(page: Page, session: string, tab = ''): Promise<void> {
  await page.goto(`${hub.url}/s/${session}${tab}`);
  await isLive(page);
  await page.waitForSelector(`[data-view=session][data-live=true]`);
}

async function say(page: Page, text: string): Promise<void> {
  await page.fill('.composer textarea', text);
  await page.click('[data-do=send]');
}

const prompts = (page: Page): Promise<string[]> =>
  page.$$eval('.content > ol .prompt .said', (all) => all.map((one) => one.textContent ?? ''));
const given = (session: string): string[] =>
  hub.journal(session).flatMap((entry) => (entry.type === 'prompt.given' ? [entry.data.text] : []));
const isIdle = (session: string) => hub.entry(session, 'state.changed', ({ data }) => data.state === 'idle');

describe('a session on the page', () => {
  it('W24, N9, W35: sent from the phone, typed at the terminal: each text once in both chats, ticked to the agent’s record', async () => {
    const session = await hub.practice('[[thinking]] first words', '-i', '--name', 'one-process');
    await isIdle(session);
    const started = hub.journal(session).filter(({ type }) => type === 'agent.started');
    await Promise.all([open(phone.page, session), open(desk.page, session)]);
    await say(phone.page, 'hello from the phone');
    await phone.page.waitForSelector('.prompt[data-tick=recorded] >> text=hello from the phone');
    await until('its end', () => hub.journal(session).filter(({ type }) => type === 'agent.text').length >= 2);
    await hub.reins('send', session, '--keys', 'h i Space t h e r e Enter');
    for (const { page } of [phone, desk]) {
      await page.waitForSelector('.prompt >> text=hi there');
      const all = await prompts(page);
      expect(all.filter((text) => text === 'hello from the phone')).toHaveLength(1);
      expect(all.filter((text) => text === 'hi there')).toHaveLength(1);
      expect(await page.$$eval('.pending', (left) => left.length)).toBe(0);
    }
    expect(hub.journal(session).filter(({ type }) => type === 'agent.started')).toEqual(started);
    expect(await sideways(phone.page)).toEqual([]);
  });

  it('W34: while the agent works messages wait: one is changed, one taken back, two change places; a reload keeps them', async () => {
    const session = await hub.practice('[[slow 600]]', '-i', '--name', 'queue');
    await open(desk.page, session);
    for (const text of ['aaa', 'bbb', 'ccc']) {
      await say(desk.page, text);
      await desk.page.waitForSelector(`.queue li >> text=${text}`);
    }
    await desk.page.reload();
    await desk.page.waitForSelector('.queue li >> text=ccc');
    await desk.page.click('.queue li:has-text("aaa") [data-do=queue-edit]');
    await desk.page.fill('.queue textarea', 'aaa changed');
    await desk.page.click('[data-do=queue-save]');
    await desk.page.click('.queue li:has-text("bbb") [data-do=queue-cancel]');
    await desk.page.waitForSelector('.queue li:has-text("bbb")', { state: 'detached' });
    await desk.page.focus('.queue li:has-text("ccc") [data-do=queue-up]');
    await desk.page.keyboard.press('Alt+ArrowUp');
    await desk.page.waitForFunction(() => document.querySelector('.queue li')?.textContent?.includes('ccc'));
    await hub.reins('interrupt', session);
    await until(
      'both',
      () => given(session).length >= 3 && given(session),
      () => JSON.stringify(given(session)),
    );
    expect(given(session)).toEqual(['[[slow 600]]', 'ccc', 'aaa changed']);
    await desk.page.waitForSelector('.queue', { state: 'detached' });
  });

  it('W35: cut in mid-request and reloaded, a message arrives once', async () => {
    const session = await hub.practice('hello', '-i', '--name', 'cut');
    await isIdle(session);
    const { page, context } = phone;
    await open(page, session);
    let cut = 0;
    // The request reaches the hub, its answer never reaches the page.
    await page.route('**/messages', async (route) => {
      cut += 1;
      await route.fetch();
      await route.abort('connectionreset');
    });
    await say(page, 'only once');
    await until('the hub has it', () => cut > 0 && given(session).includes('only once'));
    await page.unroute('**/messages');
    await page.reload();
    await page.waitForSelector('.prompt >> text=only once');
    await page.waitForFunction(() => document.querySelectorAll('.pending').length === 0);
    expect(given(session).filter((text) => text === 'only once')).toHaveLength(1);
    await context.setOffline(true);
    await page.waitForSelector('body:not([data-state=live])');
    await say(page, 'written in a tunnel');
    await page.waitForSelector('.pending >> text=when connected');
    await context.setOffline(false);
    await page.waitForSelector('.prompt[data-tick=recorded] >> text=written in a tunnel');
    expect(given(session).filter((text) => text === 'written in a tunnel')).toHaveLength(1);
  });

  it('W38, L6: interrupt, pause, resume, stop with its list; W39: continued it is the same session', async () => {
    const session = await hub.practice('[[slow 60]]', '-i', '--name', 'stopped');
    await open(desk.page, session);
    await desk.page.waitForSelector('[data-do=interrupt-now]');
    await desk.page.focus('.scroller');
    await desk.page.keyboard.press('.');
    await desk.page.waitForSelector('[data-do=interrupt-now][data-asks]');
    await desk.page.keyboard.press('.');
    await hub.entry(session, 'state.changed', ({ data }) => data.state === 'idle');
    await desk.page.waitForSelector('.head[data-is=idle]');
    await desk.page.click('[data-do=menu]');
    await desk.page.click('[data-do=pause]');
    await desk.page.waitForSelector('.head[data-is=paused]');
    expect(await desk.page.getAttribute('.composer textarea', 'placeholder')).toContain('resume');
    await desk.page.click('[data-do=resume]');
    await desk.page.waitForSelector('.head:not([data-is=paused])');
    await surely(desk.page, '[data-do=stop]');
    // The agent, and what it ran at that moment: a hook of its own end may be there or not.
    const { pid } = (await hub.entry(session, 'agent.started')).data;
    await desk.page.waitForSelector('.result >> text=/\\d+ process(es)? ended/');
    expect(await desk.page.$$eval('.result code', (all) => all.map((one) => one.textContent))).toContain(String(pid));
    await desk.page.waitForSelector('.end >> text=stopped');
    await desk.page.keyboard.press('Escape');
    await desk.page.click('.result button');
    await desk.page.fill('.composer textarea', 'hello again');
    await desk.page.click('[data-do=send]');
    await desk.page.waitForSelector('.content > ol .prompt >> text=hello again');
    const starts = hub.journal(session).filter(({ type }) => type === 'session.started');
    expect(starts).toHaveLength(2);
    expect(new URL(desk.page.url()).pathname).toBe(`/s/${session}`);
  });

  it('W38: a loop is guided from the page: said once, and shown as what it is', async () => {
    const session = await hub.practice('[[slow 600]]', '--name', 'guided', '--once', '--share-folder');
    for (const [at, { page }] of [phone, desk].entries()) {
      await open(page, session);
      await page.waitForSelector('[data-do=send][aria-label=Guide]');
      await say(page, `mind the ${at}`);
      await page.waitForSelector(
        `.content > ol .prompt:has-text("guidance for the next iteration") >> text=mind the ${at}`,
      );
      await page.waitForFunction(() => document.querySelectorAll('.pending').length === 0);
      const told = hub.journal(session).filter((entry) => JSON.stringify(entry.data).includes(`mind the ${at}`));
      expect(told.map(({ type }) => type)).toEqual(['guidance.given']);
    }
    await hub.reins('kill', session);
  });

  it('W50: hostile text is text: nothing runs, nothing is fetched', async () => {
    const session = await hub.practice('[[hostile]]', '-i', '--name', '<img src=x onerror=alert(1)>');
    await hub.entry(session, 'agent.text');
    await open(phone.page, session);
    await phone.page.waitForSelector('.markdown');
    expect(
      await phone.page.$$eval(
        '.chat img, .chat script, .chat iframe, .chat a[href^="javascript"]',
        (all) => all.length,
      ),
    ).toBe(0);
    expect(await sideways(phone.page)).toEqual([]);
  });
});

describe('a long session', () => {
  it('W47: 50 000 entries and a result of 10 MB: opens at the end, older by paging, few nodes, the place is kept', async () => {
    const session = await hub.practice('hello', '-i', '--name', 'long');
    await isIdle(session);
    await hub.reins('stop', session);
    const file = join(hub.world.state, 'reins/sessions', session, 'journal.jsonl');
    await until('its end', () => existsSync(file) && readFileSync(file, 'utf8').includes('session.ended'));
    grow(file, session, 50_000);
    const { page } = phone;
    await open(page, session);
    await page.waitForSelector('text=the last words');
    const nodes = () => page.evaluate(() => document.querySelectorAll('*').length);
    expect(await nodes()).toBeLessThan(3000);
    const first = () => page.$eval('.content > ol > li', (row) => Number((row as HTMLElement).dataset.seq));
    const begin = await first();
    await page.$eval('.scroller', (box) => box.scrollTo(0, 0));
    await until('older ones', async () => {
      await page.$eval('.scroller', (box) => box.scrollTo(0, 0));
      return (await first()) < begin - 1000;
    });
    expect(await nodes()).toBeLessThan(3000);
    await page.click('[data-do=to-end]');
    await page.waitForSelector('text=the last words');
  });
});

/** A journal as a long life would have left it. */
function grow(file: string, session: string, count: number): void {
  let seq = readFileSync(file, 'utf8').trimEnd().split('\n').length;
  const lines: string[] = [];
  const add = (type: string, data: object): void => {
    seq += 1;
    lines.push(JSON.stringify({ v: 1, seq, ts: new Date().toISOString(), session, type, data }));
  };
  for (let at = 0; seq < count - 4; at += 1) {
    add('agent.text', { text: `words number ${at}\n` });
    add('tool.called', { call: `c${at}`, tool: 'Read', input: { file_path: `src/${at}.ts` } });
    add('tool.returned', { call: `c${at}`, ok: true, text: at === 3 ? 'x'.repeat(10 * 1024 * 1024) : 'fine' });
  }
  add('tool.called', { call: 'last', tool: 'Bash', input: { command: 'cat huge' } });
  add('tool.returned', { call: 'last', ok: true, text: 'y'.repeat(200_000) });
  add('agent.text', { text: 'the last words\n' });
  appendFileSync(file, `${lines.join('\n')}\n`);
}
