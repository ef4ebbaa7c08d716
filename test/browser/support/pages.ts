/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/** Pages of both sizes, let in by a real link. Each says what went wrong in it: errors, refused things, requests to elsewhere. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { TestHub } from './hub.js';

export const PHONE = { width: 390, height: 844 } as const;
export const DESK = { width: 1440, height: 900 } as const;

export interface PageWish {
  theme?: 'dark' | 'light';
  /** Flags for `reins pair`: `--scope view`, `--name phone`. Absent: an admin. */
  pair?: string[];
  /** Another link than a fresh one. */
  link?: string;
  reducedMotion?: boolean;
  /** `block`: nothing is kept, as on an address without a certificate. */
  worker?: 'block';
}

export interface Opened {
  page: Page;
  context: BrowserContext;
  /** Uncaught errors, console errors and requests to other origins. */
  wrongs: string[];
}

/** A browser profile of its own, not let in yet. */
export async function openPage(
  browser: Browser,
  hub: Pick<TestHub, 'url'>,
  size: typeof PHONE | typeof DESK,
  wish: PageWish = {},
): Promise<Opened> {
  const phone = size.width < 760;
  const context = await browser.newContext({
    viewport: { ...size },
    hasTouch: phone,
    isMobile: phone,
    colorScheme: wish.theme ?? 'dark',
    reducedMotion: wish.reducedMotion ? 'reduce' : 'no-preference',
    serviceWorkers: wish.worker ?? 'allow',
    timezoneId: 'UTC',
    locale: 'en-GB',
  });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const wrongs: string[] = [];
  page.on('pageerror', (error) => wrongs.push(`error: ${error.message}`));
  page.on('console', (message) => {
    // A hub that is away is what several tests are about.
    if (message.type() === 'error' && !/ERR_|Failed to load resource|WebSocket connection/.test(message.text()))
      wrongs.push(`console: ${message.text()}`);
  });
  context.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (/^https?:$/.test(protocol) && origin !== new URL(hub.url).origin) wrongs.push(`elsewhere: ${request.url()}`);
  });
  return { page, context, wrongs };
}

/** Opens the link as a person does, confirms, and waits for the live page. */
export async function pairPage(
  browser: Browser,
  hub: Pick<TestHub, 'url' | 'invite'>,
  size: typeof PHONE | typeof DESK,
  wish: PageWish = {},
): Promise<Opened> {
  const opened = await openPage(browser, hub, size, wish);
  await opened.page.goto(wish.link ?? (await hub.invite(...(wish.pair ?? ['--scope', 'admin']))));
  await opened.page.click('[data-do=pair]');
  await opened.page.click('[data-do=enter]');
  await isLive(opened.page);
  return opened;
}

export async function isLive(page: Page): Promise<void> {
  await page.waitForSelector('body[data-state=live]');
}

/** Whether anything is wider than the window: a page that scrolls sideways is broken. */
export function sideways(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth <= width) return [];
    return [...document.querySelectorAll('body *')]
      .filter((element) => element.getBoundingClientRect().right > width + 1)
      .map((element) => `${element.tagName}.${element.className} ${element.textContent?.slice(0, 40)}`)
      .slice(0, 5);
  });
}

/** Presses a button that asks once. Its question is over after seconds, which a busy machine may take for the second press. */
export async function surely(page: Page, button: string): Promise<void> {
  for (let tries = 0; ; tries++) {
    await page.click(button);
    const pressed = page.click(`${button}[data-asks]`, { timeout: 5_000 });
    if (
      await pressed.then(
        () => true,
        (error: Error) => tries > 3 && Promise.reject(error),
      )
    )
      return;
  }
}

/**
 * Presses what answers, until it is taken. A press while the card comes or moves does nothing, and the card says so: who reads that
 * presses again, and only then.
 */
export async function answerBy(page: Page, inquiry: string, button: string): Promise<void> {
  const card = `[data-card="${inquiry}"]`;
  const isTouch = await page.evaluate(() => matchMedia('(pointer: coarse)').matches);
  for (let tries = 0; tries < 8; tries++) {
    await (isTouch ? page.tap : page.click).call(page, `${card}[data-over=false] ${button}`);
    const became = await page.waitForFunction((one) => {
      const found = document.querySelector<HTMLElement>(one);
      if (found === null || found.dataset.over === 'true' || found.dataset.phase !== 'open') return 'taken';
      return found.querySelector('.swallowed[data-said=true]') ? 'too early' : false;
    }, card);
    if ((await became.jsonValue()) === 'taken') return;
    await page.waitForSelector(`${card} .swallowed[data-said=false]`, { state: 'attached' });
  }
  throw new Error(`${button} of ${inquiry} was too early each time`);
}
