/// <reference lib="dom" />
/** The terminal of a session on the page: who drives, what is sent, how much comes, and what it must not do. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLI } from '../journeys/support/cli.js';
import { Tmux } from '../journeys/support/tmux.js';
import { until } from '../journeys/support/wait.js';
import { openBrowser } from './support/chromium.js';
import { TestHub } from './support/hub.js';
import { DESK, isLive, type Opened, PHONE, pairPage } from './support/pages.js';

/** Chromium, a hub and its sessions on two busy cores. */
const SLOW_MS = 150_000;

let browser: Browser;
let hub: TestHub;
let phone: Opened;
let desk: Opened;
let session: string;

beforeAll(async () => {
  [browser, hub] = await Promise.all([openBrowser(), TestHub.start()]);
  [phone, desk, session] = await Promise.all([
    pairPage(browser, hub, PHONE, { pair: ['--scope', 'admin', '--name', 'phone'] }),
    pairPage(browser, hub, DESK, { pair: ['--scope', 'admin', '--name', 'desk'] }),
    hub.practice('hello', '-i', '--name', 'drawn'),
  ]);
  await hub.entry(session, 'state.changed', ({ data }) => data.state === 'idle');
  await hub.reins('resize', session, '120x40');
}, SLOW_MS);
afterAll(async () => {
  expect([...phone.wrongs, ...desk.wrongs]).toEqual([]);
  await browser.close();
  await hub.close();
});

/** Counts what the socket of this page brings, from now on. */
function counted(page: Page): { bytes: number; snapshots: number } {
  const seen = { bytes: 0, snapshots: 0 };
  page.on('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => {
      if (typeof payload === 'string') return;
      if (payload[0] === 4) seen.snapshots += 1;
      else seen.bytes += payload.length;
    }),
  );
  return seen;
}

async function open(page: Page, id: string, tab = '/terminal'): Promise<void> {
  await page.goto(`${hub.url}/s/${id}${tab}`);
  await isLive(page);
  await page.waitForSelector('[data-view=session][data-live=true]');
}

const shows = (page: Page, text: string) =>
  until(`${text} on the screen`, () =>
    page.evaluate((words) => document.querySelector('.xterm-rows')?.textContent?.includes(words), text),
  );
const given = (id: string): string[] =>
  hub.journal(id).flatMap((entry) => (entry.type === 'prompt.given' ? [entry.data.text] : []));
const size = async (): Promise<string> => {
  const { cols, rows } = await hub.json<{ cols: number; rows: number }>('screen', session);
  return `${cols}x${rows}`;
};

describe('a terminal on the page', () => {
  it('W28: opens as one who watches; only the driver’s keys arrive; nobody is redrawn without a tap', async () => {
    await Promise.all([open(phone.page, session), open(desk.page, session)]);
    await Promise.all([shows(phone.page, 'practice'), shows(desk.page, 'practice')]);
    expect(await phone.page.textContent('.driving')).toContain('watching');
    await desk.page.click('.terminal-pane');
    await desk.page.keyboard.type('nobody hears this');
    await desk.page.waitForSelector('.driving[data-hint]');
    await desk.page.click('[data-do=take]');
    await desk.page.waitForSelector('[data-driver=you]');
    await phone.page.waitForSelector('.driving >> text=desk drives');
    await desk.page.click('.terminal-pane');
    await desk.page.keyboard.type('typed at the desk');
    await shows(phone.page, 'typed at the desk');
    await desk.page.keyboard.press('Enter');
    await until('the prompt', () => given(session).includes('typed at the desk'));
    expect(given(session).filter((text) => text.includes('nobody hears'))).toEqual([]);
    expect(await size()).toBe('120x40');
    await desk.page.keyboard.press('Control+]');
    await desk.page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'tab');
  });

  it('W27: quick keys, sticky and locked; three lines are one paste and one Enter; an IME’s Enter sends nothing; the size stays', async () => {
    const { page } = phone;
    await page.click('[data-do=take]');
    await page.waitForSelector('[data-driver=you]');
    const control = '[data-key=Control]';
    await page.tap(control);
    expect(await page.getAttribute(control, 'data-sticky')).toBe('once');
    await page.tap('[data-key=Left]');
    expect(await page.getAttribute(control, 'data-sticky')).toBe('off');
    await page.tap(control);
    await page.tap(control);
    expect(await page.getAttribute(control, 'data-sticky')).toBe('locked');
    await page.tap(control);
    const field = page.locator('.command-line textarea');
    await field.fill('line one\nline two\nline three');
    await field.dispatchEvent('keydown', { key: 'Enter', isComposing: true });
    expect(given(session).some((text) => text.includes('line one'))).toBe(false);
    await page.click('[data-do=line]');
    await until(
      'one prompt',
      () => given(session).includes('line one\nline two\nline three'),
      () => JSON.stringify(given(session)),
    );
    expect(given(session).filter((text) => text.includes('line'))).toHaveLength(1);
    expect(await size()).toBe('120x40');
    await page.click('[data-do=fit]');
    await until('the size', async () => (await size()) !== '120x40');
  });

  it('W27: two fingers lead back to the first line, a button to the end; the size stays', async () => {
    const { page, context } = phone;
    const rows = Array.from({ length: 300 }, (_, at) => `row ${at} of many`).join('\n');
    const flags = ['-i', '--name', 'scrolled'];
    const long = await hub.reins(
      ...['run', '-d', '-b', 'practice', ...flags, '-p', 'x', '--', '--scenario', JSON.stringify([{ say: rows }])],
    );
    const scrolled = long.stdout.trim();
    await hub.entry(scrolled, 'state.changed', ({ data }) => data.state === 'idle');
    await open(page, scrolled);
    await shows(page, 'row 299 of many');
    const before = await hub.json<{ cols: number; rows: number }>('screen', scrolled);
    const fingers = await context.newCDPSession(page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', y?: number) =>
      fingers.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: y === undefined ? [] : [150, 220].map((x, id) => ({ x, y, id })),
      });
    await until('the first line', async () => {
      await touch('touchStart', 150);
      for (let y = 180; y <= 600; y += 30) await touch('touchMove', y);
      await touch('touchEnd');
      return (await page.textContent('.xterm-rows'))?.includes('row 0 of many');
    });
    await page.tap('[data-do=terminal-end]');
    await shows(page, 'row 299 of many');
    await page.waitForSelector('[data-do=terminal-end]', { state: 'detached' });
    const { cols, rows: high } = await hub.json<{ cols: number; rows: number }>('screen', scrolled);
    expect([cols, high]).toEqual([before.cols, before.rows]);
  });

  it('W26, F2: no byte while the chat is shown, a snapshot and bytes while the terminal is, none after it', async () => {
    const flood = await hub.practice('[[flood 4]]', '-i', '--name', 'flood');
    const seen = counted(desk.page);
    await open(desk.page, flood, '');
    await hub.entry(flood, 'state.changed', ({ data }) => data.state === 'idle');
    expect(seen).toEqual({ bytes: 0, snapshots: 0 });
    await desk.page.click('[data-do=terminal]');
    await shows(desk.page, 'flood');
    expect(seen.snapshots).toBe(1);
    await hub.reins('send', flood, '[[flood 8]]');
    // How many of them there are is the page's pace: what it cannot draw in time comes as a snapshot.
    await until('live bytes', () => seen.bytes > 50_000);
    // The page answers while they come.
    await desk.page.click('[data-do=chat]');
    await desk.page.waitForSelector('.chat');
    const then = seen.bytes;
    await until('the flood is over', () => hub.journal(flood).filter(({ type }) => type === 'agent.text').length >= 2);
    expect(seen.bytes - then).toBeLessThan(1_000_000);
  });

  it('W50: sequences have no effect beyond the screen, and no question of the agent is answered by the page', async () => {
    const hostile = await hub.practice('[[hostile]]', '-i', '--name', 'hostile');
    await hub.entry(hostile, 'agent.text');
    const title = await desk.page.title();
    const sent: string[] = [];
    desk.page.on('websocket', (socket) =>
      socket.on('framesent', ({ payload }) => {
        if (typeof payload !== 'string') sent.push(payload.subarray(5).toString());
      }),
    );
    await open(desk.page, hostile);
    await shows(desk.page, 'practice');
    await desk.page.click('[data-do=take]');
    await desk.page.waitForSelector('[data-driver=you]');
    expect(await desk.page.title()).toBe(title);
    expect(await desk.page.$$eval('.xterm a', (all) => all.length)).toBe(0);
    expect(sent).toEqual([]);
  });

  it('W28: two browsers and two windows of a tmux: only the driver’s keys arrive, a take-over is told to both pages, nobody is redrawn', async () => {
    const id = await hub.practice('hello', '-i', '--name', 'shared');
    await hub.entry(id, 'state.changed', ({ data }) => data.state === 'idle');
    const sizeNow = async () => {
      const { cols, rows } = await hub.json<{ cols: number; rows: number }>('screen', id);
      return [cols, rows];
    };
    await hub.reins('resize', id, '100x30');
    const tmux = await Tmux.start(hub.world, { cols: 120, rows: 40 });
    await tmux.type('test:0', `reins attach --take ${id}`);
    await until('it is drawn for this window', async () => `${await sizeNow()}` === '120,40');
    const drawn = await tmux.shows('test:0', 'practice');
    // A window of another size watches by a copy; so do the pages.
    await tmux.do('new-window', '-d', '-n', 'small', 'exec bash --norc --noprofile -i');
    await tmux.do('resize-window', '-t', 'test:small', '-x', '40', '-y', '20');
    await tmux.type('test:small', `'${process.execPath}' '${CLI}' attach ${id}`);
    await tmux.shows('test:small', 'practice');
    await Promise.all([open(phone.page, id), open(desk.page, id)]);
    await Promise.all([shows(phone.page, 'practice'), shows(desk.page, 'practice')]);
    for (const { page } of [phone, desk]) expect(await page.textContent('.driving')).toMatch(/drives/);
    expect(await sizeNow()).toEqual([120, 40]);
    expect(await tmux.screen('test:0')).toBe(drawn);

    // Who watches types in vain, and is told.
    await desk.page.click('.terminal-pane');
    await desk.page.keyboard.type('from a page that watches');
    await desk.page.waitForSelector('.driving[data-hint]');
    await tmux.type('test:small', 'from a window that watches');
    await tmux.shows('test:small', /drives, you/);
    await tmux.type('test:0', 'typed in tmux');
    await until('the prompt', () => given(id).includes('typed in tmux'));
    await Promise.all([shows(phone.page, 'typed in tmux'), shows(desk.page, 'typed in tmux')]);

    // Taken over: told to the other page; the windows' keys are nobody's now.
    await phone.page.tap('[data-do=take]');
    await phone.page.waitForSelector('[data-driver=you]');
    await desk.page.waitForSelector('.driving >> text=phone drives');
    await tmux.type('test:0', 'no longer heard');
    await phone.page.fill('.command-line textarea', 'from the phone');
    await phone.page.tap('[data-do=line]');
    await until('the prompt', () => given(id).includes('from the phone'));
    await desk.page.click('[data-do=take]');
    await phone.page.waitForSelector('.driving >> text=desk drives');
    await desk.page.click('.terminal-pane');
    await desk.page.keyboard.type('from the desk');
    await desk.page.keyboard.press('Enter');
    await until('the prompt', () => given(id).includes('from the desk'));
    expect(given(id)).toEqual(['hello', 'typed in tmux', 'from the phone', 'from the desk']);
    expect(await sizeNow()).toEqual([120, 40]);
  });
});
