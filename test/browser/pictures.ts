/// <reference lib="dom" />
/**
 * Takes the pictures of docs/images anew (`npm run pictures`): a real hub, real sessions and the practice agent, which plays what other
 * agents do. Only names are put in: of agents, and of a folder in the place of a temporary one.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import type { startSession as start } from '../../src/sessions/run.js';
import type { UNSEEN as unseen } from '../../src/sessions/start.js';
import { openBrowser } from './support/chromium.js';
import { TestHub } from './support/hub.js';
import { DESK, isLive, PHONE, pairPage } from './support/pages.js';

const ROOT = join(import.meta.dirname, '../..');
const built = <T>(file: string): Promise<T> => import(join(ROOT, 'dist/sessions', file));
const HOLD = ['tools.defaults.detached=defer'];
const AGENTS: Record<string, string> = { 'flaky-tests': 'codex', web: 'gemini', shots: 'codex' };

const FIX = [
  { say: 'I will look at where totals are made.' },
  { tool: 'Read', input: { file_path: 'total.ts' } },
  { tool: 'Edit', input: { file_path: 'total.ts', old_string: 'Math.floor(cents)', new_string: 'halfEven(cents)' } },
  { tool: 'Bash', input: { command: 'sh test.sh checkout' } },
  {
    say: 'Totals are now rounded **half to even**, as `docs/money.md` asks:\n\n- `halfEven` in `money.ts`, with eight cases\n- the checkout uses it in the one place where rates apply\n\nAll 24 tests pass. I push the branch now.',
  },
  { tool: 'Bash', input: { command: 'git push origin fix/checkout-rounding --force-with-lease' } },
];

interface Shown {
  name: string;
  folder: string;
  set?: string[];
  steps?: object[];
  scenario?: string;
  say?: string;
}

class Scene {
  readonly #hub: TestHub;
  constructor(hub: TestHub) {
    this.#hub = hub;
  }

  /** An agent that is spoken with, as the page starts one. */
  async talks({ name, folder, set = HOLD, steps, scenario, say }: Shown): Promise<string> {
    const { world } = this.#hub;
    const plays = steps ? JSON.stringify(steps) : scenario;
    const env = { ...world.env, ...(plays === undefined ? {} : { PRACTICE_SCENARIO: plays }) };
    const where = { env, cwd: world.folder(folder), version: 'pictures' };
    const { startSession } = await built<{ startSession: typeof start }>('run.js');
    const { UNSEEN } = await built<{ UNSEEN: typeof unseen }>('start.js');
    const { place } = await startSession(where, { backend: 'practice', name, set, mode: 'conversation' }, UNSEEN);
    await this.#hub.entry(place.id, 'state.changed', ({ data }) => data.state === 'idle');
    if (say !== undefined) await this.#hub.reins('send', place.id, say);
    return place.id;
  }

  async alone({ name, folder, scenario = 'hello' }: Shown, ...flags: string[]): Promise<string> {
    return this.#hub.practice(`[[${scenario}]]`, '--name', name, '-C', this.#hub.world.folder(folder), ...flags);
  }
}

/** What the hub says, with the names put in. */
async function named(page: Page, root: string): Promise<void> {
  const put = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(put);
    if (typeof value !== 'object' || value === null) return value;
    const all = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, put(one)]));
    return all.agent === 'practice' ? { ...all, agent: AGENTS[String(all.name)] ?? 'claude' } : all;
  };
  const text = (told: string): string => JSON.stringify(put(JSON.parse(told))).replaceAll(root, '/home/a');
  await page.routeWebSocket(/./, (socket) => {
    const hub = socket.connectToServer();
    hub.onMessage((told) => socket.send(typeof told === 'string' ? text(told) : told));
  });
  await page.route('**/api/folders*', async (route) => {
    const url = decodeURIComponent(route.request().url()).replaceAll('/home/a', root);
    const reply = await route.fetch({ url });
    await route.fulfill({ response: reply, body: (await reply.text()).replaceAll(root, '/home/a') });
  });
  const agents = ['claude', 'codex', 'gemini'].map((id) => ({ id, found: true }));
  await page.route('**/api/agents', (route) => route.fulfill({ json: agents }));
}

async function take(browser: Browser, hub: TestHub, open: string): Promise<void> {
  const path = (name: string) => join(ROOT, 'docs/images', `page-${name}.png`);
  for (const [size, shots] of [
    [DESK, [['desk', open, '[data-card] [data-do=allow]']]],
    [
      PHONE,
      [
        ['phone', '/', '[data-card] [data-do=allow]'],
        ['new', '/new', '[data-do=start]'],
      ],
    ],
  ] as [typeof DESK, [string, string, string][]][]) {
    const { page, context } = await pairPage(browser, hub, size);
    await named(page, hub.world.project);
    for (const [name, to, ready] of shots) {
      await page.goto(`${hub.url}${to}`);
      await isLive(page);
      await page.waitForSelector(ready);
      await page.waitForSelector('[data-card]:not([data-shield]), [data-view=new]');
      if (name === 'new') await fill(page);
      await page.screenshot({ path: path(name), animations: 'disabled' });
    }
    await context.close();
  }
}

async function fill(page: Page): Promise<void> {
  await page.fill('textarea[name=prompt]', 'Show prices with their currency everywhere, also in mails.');
  await page.waitForSelector('text=It is there.');
  await page.waitForSelector('[data-do=start]:enabled');
}

async function main(): Promise<void> {
  const [hub, browser] = await Promise.all([TestHub.start(), openBrowser()]);
  try {
    const scene = new Scene(hub);
    const api = hub.world.folder('shop/api');
    writeFileSync(join(api, 'total.ts'), 'export const total = (cents: number) => Math.floor(cents);\n');
    writeFileSync(join(api, 'test.sh'), 'echo "24 passed"\n');
    const rules = 'rules.allow=["Read", "Edit", "Bash(sh test.sh checkout)"]';
    const fix = await scene.talks({
      ...{ name: 'api-fix', folder: 'shop/api', steps: FIX, set: [...HOLD, rules] },
      say: 'The checkout rounds half cents down. Fix it, with a test, and push the branch.',
    });
    await scene.alone({ name: 'release', folder: 'shop/api', scenario: 'fail' }, '--once', '--share-folder');
    await scene.talks({ name: 'flaky-tests', folder: 'shop/api', scenario: 'ask-single', say: 'Make them steady.' });
    await scene.talks({ name: 'web', folder: 'shop/web', scenario: 'thinking', say: 'How wide may a card be?' });
    await scene.alone({ name: 'changelog', folder: 'docs', scenario: 'loop 1' });
    await scene.alone(
      { name: 'nightly-refactor', folder: 'shop/web', scenario: 'usage-limit 11400' },
      '--share-folder',
    );
    const still = await scene.talks({ name: 'migration', folder: 'platform', scenario: 'hello' });
    await hub.reins('pause', still);
    await hub.entry(fix, 'inquiry.opened');
    await take(browser, hub, `/s/${fix}`);
  } finally {
    await browser.close();
    await hub.close();
  }
}

await main();
