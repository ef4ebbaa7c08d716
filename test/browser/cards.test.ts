/** Inquiries answered from the page: cards on a desk and on a phone, with a real hub, real hosts and the practice agent. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../journeys/support/wait.js';
import { openBrowser } from './support/chromium.js';
import { TestHub } from './support/hub.js';
import { answerBy, DESK, type Opened, PHONE, pairPage, sideways } from './support/pages.js';

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

/** A session of the practice agent that plays these steps, or a scenario of its own, once; its id. What is asked waits. */
async function plays(what: object[] | string, ...flags: string[]): Promise<string> {
  const [prompt, scenario] = typeof what === 'string' ? [what, []] : ['x', ['--', '--scenario', JSON.stringify(what)]];
  const hold = [
    '--set',
    'tools.defaults.detached=defer',
    ...(flags.includes('-i') ? [] : ['--once', '--share-folder']),
  ];
  const ended = await hub.reins('run', '-d', '-b', 'practice', ...hold, ...flags, '-p', prompt, ...scenario);
  if (ended.code !== 0) throw new Error(`the session did not start: ${ended.stderr}`);
  return ended.stdout.trim();
}

const bash = (command: string) => ({ tool: 'Bash', input: { command, description: 'Run the command' } });
const opened = async (session: string, nth = 1) =>
  (await until(
    `inquiry ${nth} of ${session}`,
    () => hub.journal(session).filter(({ type }) => type === 'inquiry.opened')[nth - 1],
  )) as Extract<ReturnType<TestHub['journal']>[number], { type: 'inquiry.opened' }>;
const inquiryOf = async (session: string, nth = 1): Promise<string> => (await opened(session, nth)).data.inquiry.id;
const answerTo = async (session: string, inquiry: string) =>
  (await hub.entry(session, 'inquiry.answered', ({ data }) => data.answer.inquiry === inquiry)).data.answer;
const said = (session: string): string =>
  hub
    .journal(session)
    .flatMap((entry) => (entry.type === 'agent.text' ? [entry.data.text] : []))
    .join('\n');

const card = (inquiry: string, more = ''): string =>
  `[data-card="${inquiry}"][data-over=false]:not([data-shield]) ${more}`;
const settledText = async (page: Page, inquiry: string): Promise<string> =>
  (await page.waitForSelector(`[data-card="${inquiry}"][data-over=true]`)).innerText();

describe('cards', () => {
  test('W14 a card is on the open page soon after its inquiry, and takes no answer in its first 300 ms', async ({
    annotate,
  }) => {
    await desk.page.evaluate(() => {
      const seen: Record<string, { at: number; shield: boolean }> = {};
      Object.assign(window, { seen });
      new MutationObserver(() => {
        for (const found of document.querySelectorAll<HTMLElement>('[data-card]')) {
          if (seen[found.dataset.card!]) continue;
          seen[found.dataset.card!] = { at: Date.now(), shield: 'shield' in found.dataset };
          // A finger that was already on its way.
          found.querySelector<HTMLElement>('[data-do=allow]')?.click();
        }
      }).observe(document.body, { childList: true, subtree: true });
    });
    const files = ['one', 'two', 'three', 'four', 'five'];
    const session = await plays(
      files.map((name) => bash(`touch w14-${name}.txt`)),
      '--name',
      'w14',
    );
    const delays: number[] = [];
    for (const nth of files.keys()) {
      const { ts, data } = await opened(session, nth + 1);
      const { id } = data.inquiry;
      await desk.page.waitForSelector(card(id));
      const first = await desk.page.evaluate(
        (name) => (window as unknown as { seen: Record<string, { at: number; shield: boolean }> }).seen[name]!,
        id,
      );
      expect(first.shield).toBe(true);
      expect(
        hub.journal(session).some((one) => one.type === 'inquiry.answered' && one.data.answer.inquiry === id),
      ).toBe(false);
      delays.push(first.at - Date.parse(ts));
      await desk.page.click(card(id, '[data-do=allow]'));
      await answerTo(session, id);
    }
    const sorted = delays.toSorted((a, b) => a - b);
    await annotate(`inquiry.opened to the card: median ${sorted[2]} ms, worst ${sorted[4]} ms`);
    expect(sorted[4]).toBeLessThan(20_000);
  });

  test('W15 three sessions are answered from Now, by keys on a desk and by taps on a phone; W28 who comes second sees who was first', async () => {
    const sessions = await Promise.all(
      ['a', 'b', 'c'].map((name) => plays([bash(`touch w15-${name}.txt`)], '--name', `w15${name}`)),
    );
    const ids = await Promise.all(sessions.map((session) => inquiryOf(session)));
    await desk.page.goto(hub.url);
    for (const id of ids) await desk.page.waitForSelector(card(id));
    const order = await desk.page.$$eval('[data-place=rail][data-card]', (all) =>
      all.map((one) => (one as HTMLElement).dataset.card!),
    );
    // A key without a chosen card answers nothing.
    await desk.page.keyboard.press('a');
    await desk.page.waitForFunction(
      (id) => document.activeElement?.closest<HTMLElement>('[data-card]')?.dataset.card === id,
      order[0]!,
    );
    expect(hub.journal(sessions[ids.indexOf(order[0]!)]!).some(({ type }) => type === 'inquiry.answered')).toBe(false);
    // A key in the moment in which a card comes or moves is not taken: who sees that presses again.
    const key = (name: string, leadsTo: string) =>
      until(`${name} to lead to ${leadsTo}`, async () => {
        await desk.page.keyboard.press(name);
        return desk.page.waitForSelector(leadsTo, { timeout: 1000 }).catch(() => undefined);
      });
    await key('a', `[data-card="${order[0]}"][data-over=true]`);
    expect(await settledText(desk.page, order[0]!)).toMatch(/^Allowed by you, \d\d:\d\d:\d\d/);
    await desk.page.keyboard.press('j');
    await desk.page.waitForSelector(card(order[1]!));
    await key('d', 'dialog[open]:not([data-shield])');
    await desk.page.keyboard.type('not this one');
    await desk.page.keyboard.press('Enter');
    expect(await settledText(desk.page, order[1]!)).toContain('Denied by you');
    const denied = ids.indexOf(order[1]!);
    expect(await answerTo(sessions[denied]!, order[1]!)).toMatchObject({
      verdict: { kind: 'deny' },
      reason: 'not this one',
    });
    await answerBy(phone.page, order[2]!, '[data-do=allow]');
    expect(await settledText(phone.page, order[2]!)).toContain('Allowed by you');
    // W28: on the desk it is said in place who it was, and the buttons are gone.
    expect(await settledText(desk.page, order[2]!)).toMatch(/^Allowed by phone/i);
    expect(await desk.page.$(`[data-card="${order[2]}"] [data-do]`)).toBeNull();
  });

  test('W17 allow for session names its rules, and holds in that session alone', async () => {
    const again = [bash('touch w17.txt'), bash('touch w17.txt'), { say: 'both done' }];
    const [first, second] = await Promise.all([plays(again), plays(again)]);
    const id = await inquiryOf(first!);
    const offer = await desk.page.waitForSelector(card(id, '[data-do=allow-session]'));
    expect(await offer.innerText()).toContain('Bash(touch w17.txt');
    await offer.click();
    expect(await answerTo(first!, id)).toMatchObject({ scope: 'session' });
    await until('both', () => said(first!).includes('both done'));
    // The same call once more was nobody's business.
    expect((await answerTo(first!, await inquiryOf(first!, 2))).by.kind).toBe('grant');
    expect(await desk.page.$(`[data-card="${await inquiryOf(first!, 2)}"]`)).toBeNull();
    const other = await inquiryOf(second!);
    await answerBy(desk.page, other, '[data-do=allow]');
    const next = await inquiryOf(second!, 2);
    await answerBy(desk.page, next, '[data-do=allow]');
    await answerTo(second!, next);
  });

  test('W18 one, several, many and one’s own words: the agent gets exactly these', async () => {
    const session = await plays('[[ask-several]]');
    const id = await inquiryOf(session);
    const { page } = phone;
    const at = (more: string) => card(id, more);
    await page.tap(at('[data-option="1"]'));
    await page.tap(at('[data-option="2"]'));
    expect(await page.$$eval(`[data-card="${id}"] input:checked`, (all) => all.length)).toBe(1);
    await page.tap(at('[data-do=next]'));
    await page.tap(at('[data-question=features] [data-option="3"]'));
    await page.tap(at('[data-question=features] [data-option="1"]'));
    await page.tap(at('[data-do=next]'));
    await page.fill(at('[data-do=own-words]'), 'reins');
    await page.tap(at('[data-do=next]'));
    expect(await page.innerText(at('.review'))).toMatch(/SQLite[\s\S]*Auth, Metrics[\s\S]*reins/);
    await answerBy(page, id, '[data-do=answer]');
    expect((await answerTo(session, id)).verdict).toEqual({
      kind: 'values',
      values: { database: ['2'], features: ['1', '3'], name: ['reins'] },
    });
    await until('what the agent understood', () => /Understood: .*SQLite.*reins/s.test(said(session)));
  });

  test('W19 a secret is masked, and nowhere once it is sent', async () => {
    const asks =
      'stty -echo; printf "Password: "; read -r x; stty echo; printf "\\n"; echo "it has: $x" | tr -d a-z | wc -c';
    const ended = await hub.reins('exec', '-d', '--', 'sh', '-c', asks);
    const session = ended.stdout.trim();
    const id = await inquiryOf(session);
    const field = card(id, 'input[type=password]');
    await phone.page.fill(field, 'correct horse');
    expect(await phone.page.getAttribute(field, 'autocomplete')).toBe('off');
    await phone.page.tap(card(id, '[data-do=answer]'));
    await settledText(phone.page, id);
    await until('what was typed', () => hub.journal(session).some(({ type }) => type === 'session.ended'));
    const left = await phone.page.evaluate(() => [
      document.documentElement.outerHTML,
      ...[...document.querySelectorAll('input, textarea')].map((one) => (one as HTMLInputElement).value),
    ]);
    expect(left.join()).not.toContain('correct horse');
    expect(JSON.stringify(hub.journal(session))).not.toContain('correct horse');
  });

  test('W20 something else: the question is closed with the text, and the agent reads it once', async () => {
    const session = await plays('[[ask-single]]');
    const id = await inquiryOf(session);
    await phone.page.tap(card(id, '[data-do=else]'));
    await phone.page.fill('dialog[open] textarea', 'use what is there');
    await phone.page.tap('dialog[open]:not([data-shield]) [data-do=else-now]');
    expect(await answerTo(session, id)).toMatchObject({ verdict: { kind: 'deny' }, reason: 'use what is there' });
    await until('what the agent read', () => said(session).includes('use what is there'));
    expect(said(session).split('use what is there')).toHaveLength(2);
  });

  test('W21 three calls at once are three cards, settled in any order', async () => {
    const session = await plays('[[parallel]]');
    const ids = [await inquiryOf(session, 1), await inquiryOf(session, 2), await inquiryOf(session, 3)];
    for (const id of ids) await desk.page.waitForSelector(card(id));
    // Each that is settled folds away and moves the others: a press in that moment is not taken.
    await answerBy(desk.page, ids[2]!, '[data-do=allow]');
    await desk.page.click(card(ids[0]!, '[data-do=deny]'));
    await desk.page.click('dialog[open]:not([data-shield]) [data-do=deny-now]');
    await answerTo(session, ids[0]!);
    await answerBy(desk.page, ids[1]!, '[data-do=allow]');
    await until('all three', () => said(session).includes('All three are settled.'));
    const results = hub
      .journal(session)
      .flatMap((entry) => (entry.type === 'inquiry.answered' ? [entry.data.answer] : []));
    expect(Object.fromEntries(results.map(({ inquiry, verdict }) => [inquiry, verdict.kind]))).toEqual({
      [ids[0]!]: 'deny',
      [ids[1]!]: 'allow',
      [ids[2]!]: 'allow',
    });
  });
});

describe('a card that is not what it was', () => {
  test('an answer to something else than what is there is refused, and the card says so', async () => {
    const session = await plays([bash('touch digest.txt')]);
    const id = await inquiryOf(session);
    const { page } = desk;
    await page.waitForSelector(card(id));
    await page.route('**/api/inquiries/*/answer', async (route) => {
      const args = { ...(route.request().postDataJSON() as object), digest: 'of-another-command' };
      await route.continue({ postData: JSON.stringify(args) });
    });
    const refusal = page.waitForResponse((reply) => reply.url().endsWith('/answer'));
    await page.click(card(id, '[data-do=allow]'));
    expect((await refusal).status()).toBe(409);
    await page.waitForSelector(`[data-card="${id}"] .wrong`);
    await page.unroute('**/api/inquiries/*/answer');
    expect(hub.journal(session).some(({ type }) => type === 'inquiry.answered')).toBe(false);
    await page.click(card(id, '[data-do=allow]'));
    await answerTo(session, id);
  });

  test('a network that is cut in mid-answer is said, and sending again does no harm', async () => {
    const session = await plays([bash('touch cut.txt')]);
    const id = await inquiryOf(session);
    const { page } = phone;
    await page.waitForSelector(card(id));
    // The hub never hears of the first; of the second the page never hears.
    let times = 0;
    await page.route('**/api/inquiries/*/answer', async (route) => {
      times += 1;
      if (times === 2) await route.fetch();
      await route.abort();
    });
    await page.tap(card(id, '[data-do=allow]'));
    await page.waitForSelector(`[data-card="${id}"][data-phase=unsent]`);
    await page.tap(`[data-card="${id}"]:not([data-shield]) [data-do=send-again]`);
    await answerTo(session, id);
    expect(await settledText(page, id)).toContain('by you');
    await page.unroute('**/api/inquiries/*/answer');
    expect(hub.journal(session).filter(({ type }) => type === 'inquiry.answered')).toHaveLength(1);
  });

  test('W50 hostile words are text: nothing runs, nothing is hidden, nothing is wider than the phone', async () => {
    const evil = `<img src=x onerror=alert(1)> \u202Egnp.exe\u200b ${'w'.repeat(400)}`;
    const ask = {
      question: `**Allow** ${evil}`,
      header: evil,
      options: [{ label: 'Allow', description: evil }, { label: evil }],
    };
    const session = await plays(
      [{ tool: 'Bash', input: { command: `echo "${evil}" \u001b[31m`, description: evil } }, { ask: [ask] }],
      '--name',
      'w50',
    );
    const id = await inquiryOf(session);
    const { page } = phone;
    await page.waitForSelector(card(id));
    expect(await page.innerText(`[data-card="${id}"] .thing`)).toMatch(
      /⟨U\+202E⟩gnp\.exe⟨U\+200B⟩[\s\S]*⟨U\+001B⟩\[31m/,
    );
    expect(await sideways(page)).toEqual([]);
    // 200 % text, and what a keyboard leaves.
    await page.evaluate(() => (document.documentElement.style.fontSize = '200%'));
    expect(await sideways(page)).toEqual([]);
    await page.evaluate(() => (document.documentElement.style.fontSize = ''));
    await page.tap(card(id, '[data-do=deny]'));
    await page.tap('dialog[open]:not([data-shield]) [data-do=deny-now]');
    const question = await inquiryOf(session, 2);
    await page.waitForSelector(card(question));
    expect(await page.$$(`[data-card="${question}"] :is(img, script, a[href^=javascript])`)).toEqual([]);
    expect(await sideways(page)).toEqual([]);
    await page.tap(card(question, '[data-option="2"]'));
    await answerBy(page, question, '[data-do=answer]');
    await answerTo(session, question);
  });

  test('W45 in its session, on a sheet and with a keyboard, the thing and the buttons are inside what is seen', async () => {
    const session = await plays([bash('touch w45.txt')]);
    const id = await inquiryOf(session);
    const { page } = phone;
    const inside = async (): Promise<void> => {
      for (const part of ['.thing', '[data-do=allow]', '[data-do=deny]']) {
        const box = (await (await page.waitForSelector(card(id, part))).boundingBox())!;
        const { height, width } = page.viewportSize()!;
        expect([part, box.y >= 0, box.y + Math.min(box.height, 40) <= height, box.x + box.width <= width]).toEqual([
          part,
          true,
          true,
          true,
        ]);
        if (part !== '.thing') expect(box.height).toBeGreaterThanOrEqual(44);
      }
    };
    for (const path of [`/s/${session}`, `/s/${session}/i/${id}`]) {
      await page.goto(`${hub.url}${path}`);
      for (const height of [844, 420]) {
        await page.setViewportSize({ width: 390, height });
        await inside();
      }
      await page.setViewportSize({ ...PHONE });
    }
    // Pushed to the left it asks for a reason, and answers nothing by itself.
    await answerBy(page, id, '[data-do=allow]');
    await answerTo(session, id);
    await page.goto(hub.url);
  });

  test('W2 who may only look has no buttons', async () => {
    const session = await plays([bash('touch w2.txt')]);
    const id = await inquiryOf(session);
    const guest = await pairPage(browser, hub, PHONE, { pair: ['--scope', 'view', '--name', 'guest'] });
    await guest.page.waitForSelector(`[data-card="${id}"] .thing`);
    expect(await guest.page.$$(`[data-card="${id}"] :is(button, input, textarea)`)).toEqual([]);
    await guest.context.close();
    await desk.page.click(card(id, '[data-do=allow]'));
    await answerTo(session, id);
  });

  test('W23 of an agent in its own terminal: allowed on the card, its dialog goes on', async () => {
    const session = await plays('[[ask-permission]]', '-i');
    const id = await inquiryOf(session);
    await desk.page.waitForSelector(card(id));
    await desk.page.click(card(id, '[data-do=allow]'));
    await until('the dialog to close', () => said(session).includes('Done. It said'));
  });
});
