/** What a person goes by on a card, with a real hub, real hosts and the practice agent on both sides: a suggestion, what was decided before, a plan. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Entry, type LostInquiry, timeLeft } from '../../src/contract/index.js';
import { reins } from '../journeys/support/cli.js';
import { until } from '../journeys/support/wait.js';
import { openBrowser } from './support/chromium.js';
import { TestHub } from './support/hub.js';
import { answerBy, DESK, type Opened, PHONE, pairPage, sideways } from './support/pages.js';

const GOAL = 'Build the shop. We run PostgreSQL everywhere.';

let hub: TestHub;
let browser: Browser;
let desk: Opened;
let phone: Opened;

beforeAll(async () => {
  [hub, browser] = await Promise.all([TestHub.start(), openBrowser()]);
  desk = await pairPage(browser, hub, DESK, { pair: ['--scope', 'admin', '--name', 'laptop'] });
  phone = await pairPage(browser, hub, PHONE, { pair: ['--scope', 'answer', '--name', 'phone'] });
}, 120_000);

afterAll(async () => {
  await browser?.close();
  await hub?.close();
  expect([...(desk?.wrongs ?? []), ...(phone?.wrongs ?? [])]).toEqual([]);
});

/** A session of the practice agent whose questions wait; its id and that of its first inquiry. */
async function asks(
  scenario: string,
  flags: string[] = [],
  env: Record<string, string> = {},
): Promise<{ session: string; id: string }> {
  const hold = ['--once', '--share-folder', '--set', 'tools.defaults.detached=defer'];
  const args = ['run', '-d', '-b', 'practice', ...hold, ...flags, '-p', GOAL];
  const ended = await reins(hub.world, args, { env: { PRACTICE_SCENARIO: scenario, ...env } });
  if (ended.code !== 0) throw new Error(`the session did not start: ${ended.stderr}`);
  const session = ended.stdout.trim();
  return { session, id: (await hub.entry(session, 'inquiry.opened')).data.inquiry.id };
}

const card = (inquiry: string, more = ''): string =>
  `[data-card="${inquiry}"][data-over=false]:not([data-shield]) ${more}`;
const answerOf = async (session: string) => (await hub.entry(session, 'inquiry.answered')).data.answer;

test('a suggestion stands on the card with how sure it is and what it rests on; taken, it is the person’s answer', async () => {
  const { session, id } = await asks('ask-single', ['--set', 'consult.suggest=true'], {
    PRACTICE_CONSULT: 'consult PostgreSQL 0.82',
  });
  for (const { page } of [desk, phone]) {
    const told = await (await page.waitForSelector(card(id, '[data-ground=suggestion]'))).innerText();
    expect(told).toMatch(/^practice would answer PostgreSQL \(0\.82\)/);
    expect(told).toContain(GOAL);
    expect(await sideways(page)).toEqual([]);
  }
  // Nobody has answered by then: a suggestion is none.
  expect(hub.journal(session).some(({ type }) => type === 'inquiry.answered')).toBe(false);
  await answerBy(phone.page, id, '[data-do=take]');
  expect(await answerOf(session)).toMatchObject({
    verdict: { kind: 'values', values: { database: ['1'] } },
    by: { kind: 'viewer' },
  });
  const over = await desk.page.waitForSelector(`[data-card="${id}"][data-over=true]`);
  expect(await over.innerText()).toMatch(/by phone/i);
  await hub.entry(session, 'agent.text', ({ data }) => data.text.includes('Understood: PostgreSQL'));
});

test('what was decided before on a like question stands on the next card, with who decided it', async () => {
  const first = await asks('ask-single');
  await desk.page.waitForSelector(card(first.id));
  await desk.page.click(card(first.id, '[data-option="2"]'));
  await answerBy(desk.page, first.id, '[data-do=answer]');
  await answerOf(first.session);
  await hub.entry(first.session, 'session.ended');
  const next = await asks('ask-single');
  for (const { page } of [desk, phone]) {
    const told = await (await page.waitForSelector(card(next.id, '[data-ground=history]'))).innerText();
    expect(told).toMatch(/^before earlier: Which database[^→]*→ SQLite \(by .*reins decisions show d-?\w+\)/);
    expect(await sideways(page)).toEqual([]);
  }
  await desk.page.click(card(next.id, '[data-option="1"]'));
  await answerBy(desk.page, next.id, '[data-do=answer]');
  await answerOf(next.session);
});

test('a permission that is asked again says what people said to exactly this before; the answer is still theirs', async () => {
  const step = { tool: 'Bash', input: { command: 'echo again >> again.txt' } };
  const scenario = JSON.stringify([step, step, { tool: 'Bash', input: { command: 'echo other >> again.txt' } }, step]);
  const { session } = await asks(scenario);
  const nth = async (n: number) => {
    await until(`inquiry ${n}`, () => hub.journal(session).filter(({ type }) => type === 'inquiry.opened')[n - 1]);
    const entry = hub.journal(session).filter(({ type }) => type === 'inquiry.opened')[n - 1]!;
    return (entry as Entry<'inquiry.opened'>).data.inquiry.id;
  };
  const told: (string | undefined)[] = [];
  for (const n of [1, 2, 3, 4]) {
    const id = await nth(n);
    for (const { page } of [desk, phone]) await page.waitForSelector(card(id));
    const line = await phone.page.$(card(id, '[data-ground=history]'));
    told.push(await line?.innerText());
    expect(await sideways(phone.page)).toEqual([]);
    expect(hub.journal(session).filter(({ type }) => type === 'inquiry.answered')).toHaveLength(n - 1);
    if (n === 4) expect((await hub.reins('inbox')).stdout).toContain('you allowed exactly this twice in this session');
    await answerBy(desk.page, id, '[data-do=allow]');
  }
  expect(told).toEqual([
    undefined,
    'before you allowed exactly this once in this session',
    undefined,
    'before you allowed exactly this twice in this session',
  ]);
  await hub.entry(session, 'session.ended');
});

test('a plan is read as it is meant, and is gone ahead with or changed in words; no button stops the asking', async () => {
  const plan = '# Move the shop\n\n1. **Dump** the tables\n2. Load them';
  const scenario = JSON.stringify([{ tool: 'ExitPlanMode', input: { plan } }]);
  const [changed, taken] = [await asks(scenario), await asks(scenario)];
  const { page } = phone;
  const { id } = changed;
  await page.waitForSelector(card(id));
  expect(await page.innerText(card(id))).toContain('has a plan');
  expect(await page.innerText(card(id, '.thing strong'))).toBe('Dump');
  const buttons = await page.$$eval(card(id, '.actions button'), (all) =>
    all.map((one) => (one as HTMLElement).innerText),
  );
  expect(buttons).toEqual(['Change it…', 'Go ahead']);
  await page.tap(card(id, '[data-do=deny]'));
  await page.fill('dialog[open] textarea', 'load them first');
  await page.tap('dialog[open]:not([data-shield]) [data-do=deny-now]');
  expect(await answerOf(changed.session)).toMatchObject({ verdict: { kind: 'deny' }, reason: 'load them first' });
  // The card above folds away and moves this one meanwhile.
  await answerBy(desk.page, taken.id, '[data-do=allow]');
  expect(await answerOf(taken.session)).toMatchObject({ verdict: { kind: 'allow' } });
  await hub.entry(taken.session, 'tool.returned', ({ data }) => data.ok);
});

test('a page that nobody can read has a small live picture on its card; it is dealt with in the terminal, and then the card goes', async () => {
  const session = await hub.practice('[[page]]', '-i', '--name', 'settings', '--set', 'tools.defaults.detached=defer');
  const { data } = await hub.entry(session, 'inquiry.opened');
  const { id } = data.inquiry;
  expect(data.inquiry).toMatchObject({ kind: 'run', tool: 'dialog', exclusive: true });
  for (const { page } of [desk, phone]) {
    await page.goto(hub.url);
    const picture = await page.waitForSelector(card(id, '.picture[data-is=live]'));
    expect(await picture.innerText()).toContain('▸ Keys');
    expect(await page.innerText(card(id))).toMatch(/shows a page Reins cannot read/);
    // The whole width of the screen is seen, in no more room than the card has.
    expect(await picture.evaluate((one) => one.scrollWidth <= one.clientWidth)).toBe(true);
    expect(await page.$(card(id, '.actions button'))).toBeNull();
    expect(await sideways(page)).toEqual([]);
  }
  // The desk goes there and looks around: the phone sees it.
  await desk.page.click(card(id, '[data-do=terminal]'));
  await desk.page.click('[data-do=take]');
  await desk.page.waitForSelector('[data-do=take]', { state: 'detached' });
  await desk.page.focus('.xterm textarea');
  await desk.page.keyboard.press('ArrowDown');
  await phone.page.waitForFunction(
    (one) => document.querySelector<HTMLElement>(one)?.innerText.includes('▸ Colours'),
    card(id, '.picture'),
  );
  // Nobody looks at what is out of sight: the hub is not asked.
  let asked = 0;
  phone.page.on('request', (request) => {
    if (request.url().endsWith('/screen')) asked += 1;
  });
  await phone.page.goto(`${hub.url}/settings`);
  await phone.page.waitForSelector('[data-view=settings]');
  asked = 0;
  await desk.page.keyboard.press('ArrowDown');
  await desk.page.keyboard.press('Escape');
  await hub.entry(session, 'inquiry.closed', ({ data: closed }) => closed.inquiry === id);
  await hub.entry(session, 'agent.text', ({ data: said }) => said.text.includes('Back from the settings'));
  expect(asked).toBe(0);
  await phone.page.goto(hub.url);
  await phone.page.waitForSelector('[data-view=now]');
  expect(await phone.page.$(card(id))).toBeNull();
  await hub.reins('kill', session);
});

test('W19 the time that is left and what comes then count down on the card, and are what `inbox --json` says', async () => {
  const ladder = (steps: string) =>
    ['attached', 'detached'].flatMap((side) => ['--set', `tools.defaults.${side}=${steps}`]);
  const run = await asks('ask-permission', ladder('[{ask: 4m}, deny]'));
  const question = await asks('ask-single', ladder('[{ask: 270s}, auto]'));
  // A plain command's secret is nobody's to answer but a person's: it has no time.
  const reads = 'stty -echo; printf "Password: "; read -r x; stty echo';
  const hidden = (await hub.reins('exec', '-d', '--', 'sh', '-c', reads)).stdout.trim();
  const secret = (await hub.entry(hidden, 'inquiry.opened')).data.inquiry.id;
  const inbox = () => hub.json<LostInquiry[]>('inbox');
  const told = await until('both with their time', async () => {
    const open = (await inbox()).filter((one) => one.until !== undefined);
    const mine = [run.id, question.id].flatMap((id) => open.filter((one) => one.id === id));
    return mine.length === 2 && mine;
  });
  expect(told.map(({ next, who }) => [next, who])).toEqual([
    ['deny', undefined],
    ['consult', 'practice'],
  ]);
  expect((await inbox()).find(({ id }) => id === secret)).toMatchObject({ stage: 'asking' });
  expect((await inbox()).find(({ id }) => id === secret)).not.toHaveProperty('until');
  const then = ['deny', 'consultant practice'];
  for (const size of [PHONE, DESK]) {
    const { page, context, wrongs } = await pairPage(browser, hub, size);
    for (const [at, { id, until: end }] of told.entries()) {
      const next = `[data-card="${id}"] [data-next]`;
      await page.waitForSelector(next);
      const right = new Set<string>();
      // By the page's own clock, which is told once a second; twice, so that it is seen to go on.
      await until(
        `the time of ${id}`,
        async () => {
          const shown = await page.$eval(next, (one) => ({ words: one.textContent, at: Date.now() }));
          const may = [0, 1000].map((late) => `then: ${then[at]}, in ${timeLeft(Date.parse(end!) - shown.at + late)}`);
          if (may.includes(shown.words!)) right.add(shown.words!);
          return right.size > 1;
        },
        () => JSON.stringify([...right]),
      );
    }
    await page.waitForSelector(`[data-card="${secret}"] [data-next] >> text="waits for you"`);
    // What a page shows of it changes nothing: nobody has answered.
    const still = await inbox();
    for (const { id, until: end } of told) expect(still.find((one) => one.id === id)?.until).toBe(end);
    expect(wrongs).toEqual([]);
    await context.close();
  }
});
