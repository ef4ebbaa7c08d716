/// <reference lib="dom" />
/**
 * T13: what a browser loads before a terminal is opened, how soon a card is on an open page (T11's other half), and the
 * terminal of a page beside ttyd's (page-terminal.ts).
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { hasTtyd, type LabServer, pairedPage, startHub } from './hub-lab.js';
import { atEnd, env, output, program, quick, reins } from './lab.js';
import { echoBesideTtyd, floodBesideTtyd } from './page-terminal.js';
import { type Claim, type Findings, type Part, short, spread } from './report.js';
import { figure } from './stats.js';

const QUESTIONS = quick ? 5 : 20;

/** Scripts and styles of Now and of a session's chat, as gzip makes them. */
async function loaded(page: Page, hub: LabServer, session: string): Promise<{ name: string; bytes: number }[]> {
  const files = new Map<string, number>();
  page.on('response', (response) => {
    if (!['script', 'stylesheet'].includes(response.request().resourceType())) return;
    const name = new URL(response.url()).pathname;
    bodies.push(response.body().then((body) => void files.set(name, gzipSync(body, { level: 9 }).length)));
  });
  const bodies: Promise<void>[] = [];
  await page.goto(hub.url);
  await page.waitForSelector('body[data-state=live]');
  await page.goto(`${hub.url}/s/${session}`);
  await page.waitForSelector('[data-view=session][data-live=true]');
  await Promise.all(bodies);
  page.removeAllListeners('response');
  return [...files].map(([name, bytes]) => ({ name, bytes }));
}

interface Opened {
  id: string;
  at: number;
}

function openedIn(session: string): Opened[] {
  const file = join(env.XDG_STATE_HOME!, 'reins/sessions', session, 'journal.jsonl');
  const entries = readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as { type: string; ts: string; data: { inquiry: { id: string } } });
  return entries
    .filter(({ type }) => type === 'inquiry.opened')
    .map(({ ts, data }) => ({ id: data.inquiry.id, at: Date.parse(ts) }));
}

/** Notes when each card is first in the page. */
function watchCards(): void {
  const cards: Record<string, number> = {};
  Object.assign(window, { cards });
  new MutationObserver(() => {
    for (const { dataset } of document.querySelectorAll<HTMLElement>('[data-card]'))
      cards[dataset.card!] ??= Date.now();
  }).observe(document.body, { childList: true, subtree: true });
}

/** An agent asks one thing after the other, and a person at the page allows each as soon as it can be. */
async function cards(page: Page, hub: LabServer): Promise<number[]> {
  await page.goto(hub.url);
  await page.waitForSelector('body[data-state=live]');
  await page.evaluate(watchCards);
  const steps = Array.from({ length: QUESTIONS }, (_, at) => ({
    tool: 'Bash',
    input: { command: `touch card-${at}`, description: 'Make a file' },
  }));
  const flags = ['--once', '--share-folder', '--set', 'tools.defaults.detached=defer', '-p', 'x'];
  const run = ['run', '-d', '-b', 'practice', ...flags, '--', '--scenario', JSON.stringify(steps)];
  const session = (await output([process.execPath, program, ...run], { PRACTICE_SPEED: '0' })).trim();
  atEnd(() => reins('kill', session));
  const seen = new Set<string>();
  while (seen.size < QUESTIONS) {
    const card = await page.waitForSelector('[data-card][data-over=false]:not([data-shield])');
    const id = (await card.getAttribute('data-card'))!;
    await page.click(`[data-card="${id}"][data-over=false]:not([data-shield]) [data-do=allow]`);
    await page.waitForSelector(`[data-card="${id}"][data-over=false]`, { state: 'detached' });
    seen.add(id);
  }
  const drawn = await page.evaluate(() => (window as unknown as { cards: Record<string, number> }).cards);
  return openedIn(session).map(({ id, at }) => (drawn[id] ?? Number.NaN) - at);
}

async function run(): Promise<Findings> {
  const hub = await startHub();
  try {
    const page = await pairedPage(hub);
    const idle = (await reins('exec', '-d', '--', 'sleep', '300')).trim();
    atEnd(() => reins('kill', idle));
    const files = await loaded(page, hub, idle);
    const kilobytes = files.reduce((sum, { bytes }) => sum + bytes, 0) / 1000;
    const delays = await cards(page, hub);
    const echo = await echoBesideTtyd(page, hub);
    const flood = await floodBesideTtyd(page, hub);
    const less = { id: 'T13', better: 'less' } as const;
    const claims: Claim[] = [
      {
        ...less,
        what: 'JS and CSS of the page before a terminal is opened, gzip',
        found: `${files.length} files`,
        value: kilobytes,
        unit: ' KB',
        must: 90,
        aim: 75,
      },
      {
        ...less,
        id: 'T11',
        what: 'from `inquiry.opened` to the card on an open page',
        found: `${spread(figure(delays))} ms, worst ${short(figure(delays).high)} ms`,
        value: figure(delays).median,
        unit: ' ms',
        must: 300,
        aim: 100,
      },
      ...echo.claims,
      ...flood.claims,
    ];
    const kinds = files.map(({ name, bytes }) => [
      name
        .split('/')
        .at(-1)!
        .replace(/-[A-Z0-9]{8}\./, '.'),
      short(bytes / 1000),
    ]);
    return {
      claims,
      tables: [
        { title: 'Loaded for Now and a session’s chat, KB with gzip:', head: ['File', 'KB'], rows: kinds },
        ...echo.tables,
        ...flood.tables,
      ],
      notes: [
        'Chromium without a screen; letters are drawn in the DOM by our page and by ttyd’s alike.',
        'Cards: the practice agent asks, and a click on the page answers each as soon as it takes one.',
        ...(hasTtyd() ? [] : ['ttyd is not installed here (`bench/get-ttyd.sh` brings one).']),
      ],
    };
  } finally {
    await hub.end();
  }
}

export const webPage: Part = { name: 'page', title: 'T13 The page', run };
