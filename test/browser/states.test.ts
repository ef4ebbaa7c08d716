/// <reference lib="dom" />
/**
 * The states of a page and of a session (web.md, section 3), each reached for real, on a phone and on a desk: what they are called,
 * what is read with which time, what can be done and what cannot, and that the frame stays where it is.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { SessionRow } from '../../src/contract/index.js';
import { fakeAgent } from '../journeys/support/agents.js';
import { until } from '../journeys/support/wait.js';
import { openBrowser } from './support/chromium.js';
import { TestHub } from './support/hub.js';
import { DESK, isLive, type Opened, PHONE, pairPage, surely } from './support/pages.js';

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

const hostOf = async (session: string): Promise<number> =>
  until(
    'its host',
    async () => (await hub.json<SessionRow[]>('ls')).find(({ id }) => id === session)?.pid ?? undefined,
  );

/** Where the fixed things of a session are: they are the same in every state. */
const frame = (page: Page): Promise<number[]> =>
  page.evaluate(() =>
    ['.session > .head', '.session > .tabs', '#session-body'].map((one) =>
      Math.round(document.querySelector(one)!.getBoundingClientRect().top),
    ),
  );

interface Seen {
  state: string;
  words: RegExp;
  /** In the DOM, seen. */
  can: string[];
  /** Not in the DOM. */
  cannot?: string[];
  /** More of what the page says. */
  says?: RegExp[];
}

async function shows(session: string, { state, words, can, cannot = [], says = [] }: Seen): Promise<void> {
  for (const { page } of both) {
    await page.goto(`${hub.url}/s/${session}`);
    await isLive(page);
    await page.waitForSelector(`.session[data-state=${state}]`);
    await page.waitForFunction((source) => {
      return new RegExp(source).test(document.querySelector<HTMLElement>('.head .state')?.innerText ?? '');
    }, words.source);
    for (const one of can) await page.waitForSelector(one);
    for (const one of cannot) expect([state, one, await page.$(one)]).toEqual([state, one, null]);
    for (const one of says)
      await page.waitForFunction((source) => new RegExp(source).test(document.body.innerText), one.source);
    expect(await frame(page)).toEqual(frames.get(page) ?? (await frame(page)));
    frames.set(page, await frame(page));
    const row = `a.session-row[data-session="${session}"]`;
    await page.goto(`${hub.url}/sessions`);
    await page.waitForSelector(`${row}[data-is=${state}]`);
  }
}
const frames = new Map<Page, number[]>();

/** What a composer that is shut says, and whether all of it is seen, also in large letters. */
async function isWhole(page: Page, session: string): Promise<[string, boolean]> {
  await page.goto(`${hub.url}/s/${session}`);
  const field = '.composer textarea:disabled';
  await page.waitForSelector(field);
  const fits = () =>
    page.$eval(field, (one) => one.scrollWidth <= one.clientWidth && one.scrollHeight <= one.clientHeight);
  const seen = await fits();
  await page.evaluate(() => document.documentElement.style.setProperty('font-size', '200%'));
  const large = await fits();
  await page.evaluate(() => document.documentElement.style.removeProperty('font-size'));
  return [await page.$eval(field, (one) => (one as HTMLTextAreaElement).placeholder), seen && large];
}

/** Under which chips of Sessions it is found. */
async function chipsOf(page: Page, session: string): Promise<string[]> {
  await page.goto(`${hub.url}/sessions`);
  await isLive(page);
  const found: string[] = [];
  for (const name of await page.$$eval('.chip[data-kind]', (all) => all.map((one) => one.getAttribute('data-kind')!))) {
    await page.click(`[data-kind=${name}]`);
    await page.waitForSelector(`[data-kind=${name}][aria-pressed=true]`);
    if (await page.$(`.main [data-session="${session}"]`)) found.push(name);
    await page.click(`[data-kind=${name}]`);
    await page.waitForSelector(`[data-kind=${name}][aria-pressed=false]`);
  }
  return found;
}

describe('a session', () => {
  it('starting: its steps with seconds; it can be stopped', async () => {
    // It shows nothing, as one that loads for long.
    fakeAgent(hub.world, 'claude', { body: 'forever()' });
    const session = (await hub.reins('run', '-d', '-i', '-b', 'claude', '--name', 'starts')).stdout.trim();
    await hub.entry(session, 'agent.started');
    await shows(session, {
      state: 'starting',
      words: /^starting, \d+ s$/,
      can: [
        '[data-do=menu]',
        '[data-step=host][data-is=done]',
        '[data-step=agent][data-is=done]',
        '[data-step=ready][data-is=now]',
      ],
      says: [/host/, /agent \d+ s/, /ready… \d+ s/],
    });
    await hub.reins('kill', session);
  });

  it('asking: an amber head, its card pinned above the composer on a phone and in the rail of a desk', async () => {
    const session = await hub.practice(
      '[[ask-permission]]',
      '-i',
      '--name',
      'asks',
      '--set',
      'tools.defaults.detached=defer',
    );
    await hub.entry(session, 'inquiry.opened');
    await shows(session, {
      state: 'asking',
      words: /^asks you since \d+ s$/,
      can: ['[data-card] [data-do=allow]', '[data-card] [data-do=deny]', '.composer textarea'],
    });
    await hub.reins('kill', session);
  });

  it('idle, then paused: the composer says why it is shut, and what opens it is beside it', async () => {
    const session = await hub.practice('hello', '-i', '--name', 'rests');
    await hub.entry(session, 'state.changed', ({ data }) => data.state === 'idle');
    await shows(session, {
      state: 'idle',
      words: /^waits for you since \d+ s$/,
      can: ['.composer textarea:enabled'],
      cannot: ['[data-do=interrupt-now]', '[data-do=resume]'],
    });
    expect((await hub.reins('pause', session)).code).toBe(0);
    await shows(session, {
      state: 'paused',
      words: /^stands still since \d+ s$/,
      can: ['.composer textarea:disabled', '.foot [data-do=resume]'],
    });
    const [{ page }] = both as [Opened];
    expect(await isWhole(page, session)).toEqual(['resume it first', true]);
    await page.tap('.foot [data-do=resume]');
    await page.waitForSelector('.session[data-state=idle]');
    await hub.reins('kill', session);
  });

  it('limited: until when, and a countdown', async () => {
    const session = await hub.practice('[[usage-limit 500]]', '--name', 'limited', '--share-folder');
    await until('its limit', async () =>
      (await hub.json<SessionRow[]>('ls')).find(({ id, until: at }) => id === session && at),
    );
    await shows(session, {
      state: 'limited',
      words: /^usage limit until \d\d:\d\d \(1?\d min( \d+ s)?\)$/,
      can: ['[data-do=menu]', '.composer textarea:enabled'],
    });
    const [, { page }] = both as [Opened, Opened];
    await page.goto(`${hub.url}/s/${session}`);
    const left = async () => (await page.waitForSelector('.head .state')).textContent();
    const first = await until('the words', left);
    await until('it counts', async () => (await left()) !== first);
    await hub.reins('kill', session);
  });

  it('ended: outcome, exit code, reason and advice; what is left to do is to go on', async () => {
    const session = await hub.practice('[[fail]]', '--name', 'fails', '--once', '--share-folder');
    await hub.entry(session, 'session.ended');
    await shows(session, {
      state: 'failed',
      words: /^failed \(exit \d+\), \d+ s ago$/,
      can: ['.end .outcome', '[data-do=send][aria-label=Continue]'],
      cannot: ['[data-do=interrupt-now]', '[data-do=stop]'],
      says: [/failed · exit code \d+/],
    });
  });

  it('W7 host died: since when and how many processes are left; they are stopped from here, then it can go on', async () => {
    const session = await hub.practice('[[setsid-child]]', '-i', '--name', 'dies');
    await until('its child', () => hub.world.running().some((one) => one.includes('sleep 300')));
    process.kill(await hostOf(session), 'SIGKILL');
    await shows(session, {
      state: 'died',
      words: /^its host died at \d\d:\d\d; \d+ process(es)? still runs?$/,
      can: ['.foot [data-do=stop-left]', '.composer textarea:disabled'],
    });
    for (const one of both) expect(await chipsOf(one.page, session)).toEqual(['trouble']);
    const [{ page }] = both as [Opened];
    expect(await isWhole(page, session)).toEqual(['stop what still runs first', true]);
    await surely(page, '.foot [data-do=stop-left]');
    await page.waitForSelector('.foot [data-do=stop-left]', { state: 'detached' });
    await page.waitForSelector('[data-do=send][aria-label=Continue]:enabled');
    const row = (await hub.json<SessionRow[]>('ls', '--all')).find(({ id }) => id === session);
    expect(row?.left ?? 0).toBe(0);
    for (const one of both) expect(await chipsOf(one.page, session)).toEqual(['ended']);
  });

  it('host silent: since when; tried again, or killed', async () => {
    const session = await hub.practice('hello', '-i', '--name', 'silent');
    await hub.entry(session, 'state.changed', ({ data }) => data.state === 'idle');
    const pid = await hostOf(session);
    process.kill(pid, 'SIGSTOP');
    await shows(session, {
      state: 'silent',
      words: /^does not answer since \d+ (s|min)$/,
      can: ['.foot [data-do=retry]', '.foot [data-do=kill-silent]', '.composer textarea:disabled'],
    });
    process.kill(pid, 'SIGCONT');
    const [{ page }, desk] = both as [Opened, Opened];
    await page.goto(`${hub.url}/s/${session}`);
    await page.waitForSelector('.session[data-state=idle]');
    await page.waitForSelector('.foot [data-do=retry]', { state: 'detached' });
    process.kill(pid, 'SIGSTOP');
    await desk.page.goto(`${hub.url}/s/${session}`);
    await desk.page.waitForSelector('.session[data-state=silent]');
    await desk.page.click('.foot [data-do=retry]');
    await desk.page.waitForSelector('.foot [role=status] >> text=does not answer');
    await surely(desk.page, '.foot [data-do=kill-silent]');
    await desk.page.waitForSelector('.session:not([data-state=silent])');
    await hub.entry(session, 'session.ended');
  });

  it('W13 other version: which one, and the line to stop it with; nothing else is disturbed', async () => {
    const session = await hub.practice('hello', '-i', '--name', 'of the future');
    await hub.entry(session, 'state.changed', ({ data }) => data.state === 'idle');
    const file = join(hub.world.state, 'reins/sessions', session, 'host.json');
    const ours = readFileSync(file, 'utf8');
    await hub.kill('SIGTERM');
    writeFileSync(file, JSON.stringify({ ...JSON.parse(ours), protocol: 99, newest: 99, version: '9.0.0' }));
    await hub.begin();
    await shows(session, {
      state: 'other',
      words: /^runs under Reins 9\.0\.0/,
      can: ['.foot [data-line=stop]', '.foot [data-do=copy-stop]'],
      cannot: ['.composer textarea:enabled'],
      says: [/protocol 99/],
    });
    writeFileSync(file, ours);
    await hub.kill('SIGTERM');
    await hub.begin();
    await hub.reins('kill', session);
  });
});
