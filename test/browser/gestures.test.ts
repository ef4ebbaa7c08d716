/// <reference lib="dom" />
/** Keys on a desk and fingers on a phone (web.md, section 4), with a real hub and real sessions: what they do, and what they never do. */
import type { Browser, CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { until } from '../journeys/support/wait.js';
import { openBrowser } from './support/chromium.js';
import { TestHub } from './support/hub.js';
import { answerBy, DESK, isLive, type Opened, PHONE, pairPage } from './support/pages.js';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let hub: TestHub;
let browser: Browser;
let desk: Opened;
let phone: Opened;

beforeAll(async () => {
  [hub, browser] = await Promise.all([TestHub.start(), openBrowser()]);
  desk = await pairPage(browser, hub, DESK);
  phone = await pairPage(browser, hub, PHONE);
});
afterAll(async () => {
  await browser?.close();
  await hub?.close();
  expect([...(desk?.wrongs ?? []), ...(phone?.wrongs ?? [])]).toEqual([]);
});

async function asks(name: string): Promise<{ session: string; inquiry: string }> {
  const hold = ['--set', 'tools.defaults.detached=defer'];
  const session = await hub.practice('[[ask-permission]]', '-i', '--name', name, ...hold);
  return { session, inquiry: (await hub.entry(session, 'inquiry.opened')).data.inquiry.id };
}
const answers = (session: string) => hub.journal(session).filter((entry) => entry.type === 'inquiry.answered');
const ready = (inquiry: string): string => `[data-card="${inquiry}"][data-over=false]:not([data-shield])`;
const focusIn = (page: Page, selector: string): Promise<unknown> =>
  page.waitForFunction((one) => document.activeElement?.closest(one) != null, selector);

describe('keys', () => {
  it('a card is chosen, opened, left, and allowed for the session', async () => {
    const { session, inquiry } = await asks('keys');
    const { page } = desk;
    await page.goto(hub.url);
    await page.waitForSelector(ready(inquiry));
    await page.keyboard.press('j');
    await focusIn(page, '[data-card]');
    await page.keyboard.press('Enter');
    await page.waitForFunction((path) => location.pathname === path, `/s/${session}/i/${inquiry}`);
    await page.waitForSelector(`${ready(inquiry)}[data-grown=true]`);
    for (const key of ['g', 'n']) await page.keyboard.press(key);
    await page.waitForSelector('[data-view=now]');
    await page.focus(ready(inquiry));
    await page.keyboard.press('o');
    await page.waitForFunction((path) => location.pathname === path, `/s/${session}/i/${inquiry}`);
    for (const key of ['g', 's']) await page.keyboard.press(key);
    await page.waitForSelector('[data-view=sessions]');
    await page.focus(ready(inquiry));
    expect(answers(session)).toEqual([]);
    await page.keyboard.press('s');
    const { data } = await hub.entry(session, 'inquiry.answered');
    expect(data.answer).toMatchObject({ verdict: { kind: 'allow' }, scope: 'session' });
  });

  it('e edits where the agent permits it; nothing is answered by that', async () => {
    const { session, inquiry } = await asks('edits');
    const { page } = desk;
    await page.goto(hub.url);
    await page.waitForSelector(ready(inquiry));
    await page.keyboard.press('j');
    await focusIn(page, '[data-card]');
    const { editable } = (await hub.entry(session, 'inquiry.opened')).data.inquiry as { editable?: boolean };
    await page.keyboard.press('e');
    if (editable) await page.waitForSelector('dialog[open] textarea');
    else expect(await page.$('dialog[open]')).toBeNull();
    await page.keyboard.press('Escape');
    expect(answers(session)).toEqual([]);
    await page.click(`${ready(inquiry)} [data-do=allow]`);
    await hub.entry(session, 'inquiry.answered');
  });

  it('in a terminal they are the agent’s: nothing is answered, opened or left, until Ctrl-] leaves it', async () => {
    const { session, inquiry } = await asks('at-the-side');
    const { page } = desk;
    const shell = (await hub.reins('exec', '-d', '--', 'cat')).stdout.trim();
    await page.goto(`${hub.url}/s/${shell}/terminal`);
    await page.waitForSelector(ready(inquiry));
    await page.click('[data-do=take]');
    await page.waitForSelector('[data-driver=you]');
    await page.focus('.xterm-helper-textarea');
    await page.keyboard.type('a?jgnd.1c/');
    await until('they are in the terminal', async () => (await page.innerText('.xterm-rows')).includes('a?jgnd.1c/'));
    expect(new URL(page.url()).pathname).toBe(`/s/${shell}/terminal`);
    expect(await page.$('dialog[open]')).toBeNull();
    expect(answers(session)).toEqual([]);
    await page.keyboard.press('Control+]');
    await focusIn(page, '[role=tab]');
    await page.keyboard.press('?');
    await page.waitForSelector('dialog[open] >> text=allow for this session');
    await page.keyboard.press('Escape');
    await page.click(`${ready(inquiry)} [data-do=allow]`);
    await hub.entry(session, 'inquiry.answered');
  });
});

describe('fingers', () => {
  const touch = (cdp: CDPSession, type: 'touchStart' | 'touchMove' | 'touchEnd', x = 0, y = 0): Promise<unknown> =>
    cdp.send('Input.dispatchTouchEvent', { type, touchPoints: type === 'touchEnd' ? [] : [{ x, y }] });
  /** From a place, by so many px, in steps as a finger makes them. */
  async function drag(cdp: CDPSession, from: { x: number; y: number }, by: { x: number; y: number }): Promise<void> {
    await touch(cdp, 'touchStart', from.x, from.y);
    for (let step = 1; step <= 10; step++)
      await touch(cdp, 'touchMove', from.x + (by.x * step) / 10, from.y + (by.y * step) / 10);
    await touch(cdp, 'touchEnd');
  }
  const middleOf = async (page: Page, one: string): Promise<{ x: number; y: number }> => {
    const box = (await (await page.waitForSelector(one)).boundingBox())!;
    return { x: box.x + box.width / 2, y: box.y + 20 };
  };

  it('a card pushed left asks for the reason of a deny; to the right, or not far enough, nothing', async () => {
    const { session, inquiry } = await asks('swiped');
    const { page, context } = phone;
    const cdp = await context.newCDPSession(page);
    await page.goto(hub.url);
    const from = await middleOf(page, ready(inquiry));
    await drag(cdp, from, { x: 150, y: 0 });
    await drag(cdp, from, { x: -40, y: 0 });
    expect(await page.$('dialog[open]')).toBeNull();
    await drag(cdp, from, { x: -150, y: 0 });
    await page.waitForSelector('dialog[open]:not([data-shield])');
    expect(answers(session)).toEqual([]);
    await page.fill('dialog[open] textarea', 'not like this');
    await page.tap('dialog[open]:not([data-shield]) [data-do=deny-now]');
    const { data } = await hub.entry(session, 'inquiry.answered');
    expect(data.answer).toMatchObject({ verdict: { kind: 'deny' }, reason: 'not like this' });
  });

  it('pulled down, Now looks afresh and says when', async () => {
    const { page, context } = phone;
    const cdp = await context.newCDPSession(page);
    await page.goto(hub.url);
    await isLive(page);
    const asked = page.waitForResponse((reply) => reply.url().endsWith('/api/inbox'));
    await drag(cdp, { x: 195, y: 200 }, { x: 0, y: 220 });
    expect((await asked).status()).toBe(200);
    await page.waitForSelector('.pull >> text=/^fresh at \\d\\d:\\d\\d:\\d\\d$/');
  });

  it('a double tap in the terminal changes between the whole width and 100 %, and nobody’s size', async () => {
    const { page, context } = phone;
    const shell = (await hub.reins('exec', '-d', '--', 'cat')).stdout.trim();
    const cdp = await context.newCDPSession(page);
    await page.goto(`${hub.url}/s/${shell}/terminal`);
    await page.waitForSelector('.xterm-rows');
    const at = async (): Promise<string> => (await page.waitForSelector('.driving .faint')).innerText();
    const fitted = await until('its size', async () => /\d+x\d+ at \d+ %/.test(await at()) && (await at()));
    const pane = await middleOf(page, '.terminal-pane');
    const tapTwice = async (): Promise<void> => {
      for (let tap = 0; tap < 2; tap++) {
        await touch(cdp, 'touchStart', pane.x, pane.y + 60);
        await touch(cdp, 'touchEnd');
      }
    };
    await tapTwice();
    const [size] = fitted.split(' ');
    await until('100 %', async () => (await at()) === `${size} at 100 %`);
    await tapTwice();
    await until('the whole width', async () => (await at()) === fitted);
  });
});

it('from 1600 px on, Chat and Terminal of one session stand side by side', async () => {
  const session = await hub.practice('hello', '-i', '--name', 'both');
  await hub.entry(session, 'state.changed', ({ data }) => data.state === 'idle');
  const { page } = desk;
  await page.setViewportSize({ width: 1680, height: 1000 });
  await page.goto(`${hub.url}/s/${session}`);
  await page.waitForSelector('.body[data-beside=true] .xterm-rows');
  const [chat, terminal] = await Promise.all(
    ['.body .scroller', '.body .terminal'].map(async (one) => (await page.waitForSelector(one)).boundingBox()),
  );
  expect(chat!.x + chat!.width).toBeLessThanOrEqual(terminal!.x + 1);
  expect(Math.min(chat!.width, terminal!.width)).toBeGreaterThan(380);
  expect(await page.$('[role=tablist]')).toBeNull();
  await page.setViewportSize({ ...DESK });
  await page.waitForSelector('[role=tablist]');
  await page.waitForSelector('.terminal', { state: 'detached' });
  await page.waitForSelector('.scroller');
});

it('a press right after a card moved does nothing, and the card says so for a moment; the next one is taken', async () => {
  for (const { page } of [desk, phone]) {
    const { session, inquiry } = await asks(`moves ${page === desk.page}`);
    await page.goto(hub.url);
    await page.waitForSelector(ready(inquiry));
    const tops = await page.evaluate(async (id) => {
      const card = document.querySelector<HTMLElement>(`[data-card="${id}"]`)!;
      const button = card.querySelector<HTMLElement>('[data-do=allow]')!;
      card.style.marginTop = '40px';
      await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
      const before = button.getBoundingClientRect().top;
      button.click();
      await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
      return [before, button.getBoundingClientRect().top];
    }, inquiry);
    const sign = `[data-card="${inquiry}"] .swallowed[role=status]`;
    await page.waitForSelector(`${sign} >> text="It moved: press again"`);
    // The sign itself moves nothing, or the next press would be too early again.
    expect(tops[1]).toBe(tops[0]);
    expect(answers(session)).toEqual([]);
    await page.waitForSelector(`${sign}:empty`, { state: 'attached' });
    await answerBy(page, inquiry, '[data-do=allow]');
    await hub.entry(session, 'inquiry.answered');
    // What its call brought is delivered by policy, which is an answer of its own.
    expect(answers(session).filter(({ data }) => data.answer.inquiry === inquiry)).toHaveLength(1);
  }
});

it('a key that came too early is told of too', async () => {
  const { session, inquiry } = await asks('moves under keys');
  const { page } = desk;
  await page.goto(hub.url);
  await page.waitForSelector(ready(inquiry));
  await page.evaluate(async (id) => {
    const card = document.querySelector<HTMLElement>(`[data-card="${id}"]`)!;
    card.focus();
    card.style.marginTop = '40px';
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
    card.dispatchEvent(new KeyboardEvent('keydown', { key: 'a', bubbles: true, cancelable: true }));
  }, inquiry);
  await page.waitForSelector(`[data-card="${inquiry}"] .swallowed >> text="It moved: press again"`);
  expect(answers(session)).toEqual([]);
  await hub.reins('kill', session);
});
