/** Every screen at both sizes and in both themes, with the real hub: nothing sticks out, everything can be reached, little is loaded. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { barriers } from './support/access.js';
import { openBrowser } from './support/chromium.js';
import { TestHub } from './support/hub.js';
import { DESK, isLive, type Opened, PHONE, pairPage, sideways } from './support/pages.js';

const WEB = join(import.meta.dirname, '../../dist/web');
const LONG = 'w'.repeat(400);

let hub: TestHub;
let browser: Browser;
let phone: Opened;
let desk: Opened;
let asks = '';
let idle = '';
let inquiry = '';
let wants = '';
let question = '';
let ended = '';

beforeAll(async () => {
  [hub, browser] = await Promise.all([TestHub.start(), openBrowser()]);
  const defer = ['--set', 'tools.defaults.detached=defer'];
  [asks, wants, ended, idle, phone, desk] = await Promise.all([
    hub.practice('[[ask-permission]]', '-i', '--name', 'asks', ...defer),
    hub.practice('[[ask-single]]', '--once', '--share-folder', '--name', 'wants', ...defer),
    hub.practice('hello', '--once', '--share-folder', '--name', 'over'),
    hub.practice(`hello ${LONG}`, '-i', '--name', `n${LONG}`.slice(0, 60)),
    pairPage(browser, hub, PHONE),
    pairPage(browser, hub, DESK),
  ]);
  inquiry = (await hub.entry(asks, 'inquiry.opened')).data.inquiry.id;
  question = (await hub.entry(wants, 'inquiry.opened')).data.inquiry.id;
  await hub.entry(ended, 'session.ended');
});
afterAll(async () => {
  await browser?.close();
  await hub?.close();
});

const screens = (): [name: string, path: string, ready: string][] => [
  ['Now', '/', '[data-card]'],
  ['Sessions', '/sessions', '[data-find]'],
  ['Session', `/s/${idle}`, `[data-session="${idle}"] [data-seq]`],
  ['Terminal', `/s/${idle}/terminal`, '.command-line, .xterm'],
  ['Ended', `/s/${ended}`, `[data-view=session][data-session="${ended}"] [data-seq]`],
  ['Inquiry', `/s/${asks}/i/${inquiry}`, `:has([data-view=inquiry]) [data-card="${inquiry}"]`],
  ['Question', `/s/${wants}/i/${question}`, `:has([data-view=inquiry]) [data-card="${question}"]`],
  ['New', '/new', '[data-do=start]'],
  ['Settings', '/settings', '[data-when=detached] li'],
  ['Missing', '/nowhere', '[data-view=missing]'],
];

/** Moved inside the page, as a person does: no load for each. */
async function show(page: Page, path: string, ready: string): Promise<void> {
  await page.evaluate((to) => {
    const link = document.createElement('a');
    link.href = to;
    document.body.append(link);
    link.click();
    link.remove();
  }, path);
  await page.waitForSelector(ready);
}

it('W45: nothing is wider than the window, also with a 400-letter word and text twice as large', async () => {
  const found: Record<string, string[]> = {};
  for (const { page } of [phone, desk]) {
    for (const [name, path, ready] of screens()) {
      await show(page, path, ready);
      for (const size of ['100%', '200%']) {
        await page.evaluate((to) => {
          document.documentElement.style.fontSize = to;
        }, size);
        const wide = await sideways(page);
        if (wide.length > 0) found[`${name} at ${size}`] = wide;
      }
      await page.evaluate(() => {
        document.documentElement.style.fontSize = '';
      });
    }
  }
  expect(found).toEqual({});
});

/** Each screen with a field: where it is, what opens it, and what one writes in and presses. */
const fields = (): { path: string; ready: string; opens?: string[]; needs: string[] }[] => {
  const [permission, single] = [inquiry, question].map((id) => `[data-card="${id}"]:not([data-shield])`);
  const asksAt = { path: `/s/${asks}/i/${inquiry}`, ready: `[data-view=inquiry] ${permission}` };
  const wantsAt = { path: `/s/${wants}/i/${question}`, ready: `[data-view=inquiry] ${single}` };
  return [
    { path: `/s/${idle}`, ready: '.composer textarea', needs: ['.composer textarea', '[data-do=send]'] },
    { path: `/s/${idle}/terminal`, ready: '.command-line', needs: ['.command-line textarea', '[data-do=line]'] },
    { path: '/', ready: '[data-card]', needs: ['[data-do=allow]', '[data-do=deny]'] },
    { ...asksAt, needs: ['[data-do=allow]', '[data-do=deny]'] },
    { ...asksAt, opens: ['[data-do=deny]'], needs: ['dialog [data-do=reason]', 'dialog [data-do=deny-now]'] },
    { ...wantsAt, opens: ['[data-do=own]'], needs: ['[data-do=own-words]', '[data-do=answer]'] },
    { ...wantsAt, opens: ['[data-do=else]'], needs: ['dialog [data-do=reason]', 'dialog [data-do=else-now]'] },
    { path: '/new', ready: '[data-do=start]', needs: ['textarea[name=prompt]', '[data-do=start]'] },
    { path: '/sessions', ready: '[data-find]', needs: ['[data-find]', '.main [data-session]'] },
    {
      ...{ path: '/settings', ready: '[data-device]', opens: ['[data-do=rename]'] },
      needs: ['input[name=device-name]', '[data-do=rename-yes]'],
    },
  ];
};

it('W45: with a keyboard on the screen, what one writes in and presses is above it; afterwards all is as before', async () => {
  const { page } = phone;
  const inside = (selector: string): Promise<boolean> =>
    page.$eval(selector, (element) => {
      element.scrollIntoView({ block: 'nearest' });
      const { top, bottom, left, width, height } = element.getBoundingClientRect();
      // Also not under something that stays where it is.
      const seen = document.elementFromPoint(left + width / 2, (top + bottom) / 2);
      return height > 0 && top >= 0 && bottom <= innerHeight + 1 && element.contains(seen);
    });
  const hidden: string[] = [];
  for (const { path, ready, opens = [], needs } of fields()) {
    await show(page, path, ready);
    for (const one of opens) await page.tap(`.main ${one}`);
    await page.waitForSelector(needs[0]!);
    const top = () => page.$eval(needs[0]!, (element) => element.getBoundingClientRect().top);
    const before = await top();
    await page.setViewportSize({ width: 390, height: 420 });
    for (const selector of needs) if (!(await inside(selector))) hidden.push(`${path} ${opens.join()} ${selector}`);
    await page.setViewportSize({ ...PHONE });
    await page.evaluate(() => document.querySelector('.view')?.scrollTo(0, 0));
    await expect.poll(top, { message: `${path} ${opens.join()} afterwards` }).toBeCloseTo(before, 0);
  }
  expect(hidden).toEqual([]);
});

it('W46: who wants less motion sees none on any screen', async () => {
  const moving: Record<string, string[]> = {};
  for (const { page } of [phone, desk]) {
    const found = async (): Promise<string[]> =>
      page.evaluate(() =>
        [...document.querySelectorAll('*')].flatMap((element) =>
          ['', '::before', '::after'].flatMap((part) => {
            const { animationDuration, animationName, transitionDuration } = getComputedStyle(element, part || null);
            const times = [...(animationName === 'none' ? [] : [animationDuration]), transitionDuration].join(', ');
            const isLong = times.split(', ').some((time) => Number.parseFloat(time) > 0.01);
            return isLong ? [`${element.tagName}.${element.className}${part} ${times}`] : [];
          }),
        ),
      );
    for (const [name, path, ready] of screens()) {
      await show(page, path, ready);
      await page.emulateMedia({ reducedMotion: 'no-preference' });
      // The proof that this looks at what moves otherwise.
      expect([name, (await found()).length > 0]).toEqual([name, true]);
      await page.emulateMedia({ reducedMotion: 'reduce' });
      const left = await found();
      if (left.length > 0) moving[name] = left;
    }
  }
  expect(moving).toEqual({});
}, 120_000);

it.each(['phone', 'desk'])(
  'W46: axe finds nothing serious on any screen of a %s, light or dark; what is pressed is 44 px',
  async (size) => {
    const { page } = size === 'phone' ? phone : desk;
    const found: Record<string, object> = {};
    for (const [name, path, ready] of screens()) {
      await show(page, path, ready);
      const wrong = await barriers(page);
      if (Object.keys(wrong).length > 0) found[name] = wrong;
    }
    expect(found).toEqual({});
  },
  120_000,
);

it('W46: keys lead everywhere, and none of them works while one writes', async () => {
  const { page } = desk;
  await show(page, '/', '[data-view=now]');
  await page.keyboard.press('g');
  await page.keyboard.press('s');
  await page.waitForSelector('[data-view=sessions]');
  await page.keyboard.press('/');
  await page.waitForFunction(() => document.activeElement?.hasAttribute('data-find'));
  await page.keyboard.type('gn? nowhere');
  await page.waitForFunction(() => document.body.innerText.includes('None like that.'));
  expect(await page.$('dialog[open]')).toBeNull();
  await page.fill('[data-find]', '');
  await page.evaluate(() => (document.activeElement as HTMLElement).blur());
  await page.keyboard.press('?');
  await page.waitForSelector('dialog[open]');
  // Closed, it has the focus until the next frame: a key that is as fast is the page's.
  await page.evaluate(() => {
    const dialog = document.querySelector<HTMLDialogElement>('dialog[open]')!;
    const inside = dialog.querySelector('button')!;
    dialog.close();
    inside.dispatchEvent(new KeyboardEvent('keydown', { key: 'j', bubbles: true, cancelable: true }));
  });
  await page.waitForFunction(() => document.activeElement?.closest('[data-card], [data-session]') != null);
  await page.waitForSelector('dialog h2', { state: 'detached' });
  await page.keyboard.press('?');
  await page.waitForSelector('dialog[open]');
  await page.keyboard.press('Escape');
  await page.waitForSelector('dialog[open]', { state: 'detached' });
  await page.keyboard.press('j');
  await page.waitForFunction(() => document.activeElement?.closest('[data-card], [data-session]') != null);
  await page.keyboard.press('o');
  await page.waitForSelector('[data-view=session], [data-view=inquiry]');
});

it('W48: at most 90 KB of script before a terminal; nothing from elsewhere; the second visit comes from the cache', async () => {
  const html = readFileSync(join(WEB, 'index.html'), 'utf8');
  const load = (path: string, seen = new Set<string>()): Set<string> => {
    if (seen.has(path)) return seen;
    seen.add(path);
    const text = readFileSync(join(WEB, 'assets', path), 'utf8');
    for (const [, next] of text.matchAll(/(?:from|import)\s?"\.\/([\w.-]+\.js)"/g)) load(next!, seen);
    return seen;
  };
  const main = /assets\/(main-[\w]+\.js)/.exec(html)![1]!;
  const bytes = [...load(main)].reduce((sum, name) => sum + readFileSync(join(WEB, 'assets', `${name}.gz`)).length, 0);
  expect(bytes).toBeGreaterThan(20_000);
  expect(bytes).toBeLessThanOrEqual(90 * 1024);

  const { page } = phone;
  await page.evaluate(async () => void (await navigator.serviceWorker.ready));
  const from: [string, boolean][] = [];
  page.on('response', (response) => {
    if (response.url().includes('/assets/')) from.push([response.url(), response.fromServiceWorker()]);
  });
  await page.reload();
  await isLive(page);
  expect(from.length).toBeGreaterThan(1);
  expect(from.filter(([, kept]) => !kept)).toEqual([]);
  expect([...phone.wrongs, ...desk.wrongs]).toEqual([]);
});
