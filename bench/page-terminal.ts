/// <reference lib="dom" />
/** T13: keys and floods in the terminal of a page, beside the same program in ttyd's page, in turns. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { barePage, hasTtyd, type LabServer, startTtyd, type Watch } from './hub-lab.js';
import { atEnd, dir, helpers, quick, ROUNDS, reins } from './lab.js';
import { withTasks } from './page-tasks.js';
import { type Findings, short, spread } from './report.js';
import { alternate, figure, percentile, ratio } from './stats.js';
import { floodFile } from './workload.js';

const KEYS = quick ? 20 : 60;
const LIFE_SECS = '600';
const FLOOD_MS = quick ? 3_000 : 8_000;
/**
 * As a person types who is in no hurry: each echo is there before the next key. And at every moment of a frame: with keys
 * always at the same one, a millisecond more on the way would cost a whole frame or nothing.
 */
const KEY_EVERY_MS = 40;
const FRAME_MS = 1000 / 60;
const GOLDEN = 0.618;

/**
 * 20 MB/s as even as a timer allows, if whoever reads is fast enough: how fast it was is written to the last file. The
 * argument before says for how many seconds.
 */
const FLOODER = `const fs = require('node:fs'); const bytes = fs.readFileSync(process.argv[2]);
let at = 0, due = 0; const start = Date.now(); const end = start + 1000 * Number(process.argv[3]);
const step = () => { const now = Date.now(); if (now > end) process.exit(0); due = Math.min((now - start) * 20000, due + 1e6);
  while (at < due) { const from = at % bytes.length; const part = bytes.subarray(from, from + 65536); fs.writeSync(1, part); at += part.length; }
  const beside = process.argv[4] + '-new'; fs.writeFileSync(beside, String(at / 1000 / (Date.now() - start)));
  fs.renameSync(beside, process.argv[4]); setTimeout(step, 5); };
process.stdin.resume(); step();
`;

type Shown = Pick<Findings, 'claims' | 'tables'>;

async function hold(argv: string[]): Promise<string> {
  const id = (await reins('exec', '-d', '--', ...argv)).trim();
  atEnd(() => reins('kill', id));
  return id;
}

async function showOurs(page: Page, hub: LabServer, session: string): Promise<void> {
  await page.goto(`${hub.url}/s/${session}/terminal`);
  await page.waitForSelector('[data-view=session][data-live=true]');
  await page.waitForSelector('.xterm-rows');
}

async function take(page: Page): Promise<void> {
  await page.click('[data-do=take]');
  await page.waitForSelector('[data-driver=you]');
}

/** Notes when each `k` is pressed and when the rows show one more. */
function watchKeys(): void {
  const keys = { pressed: [] as number[], drawn: [] as number[] };
  Object.assign(window, { keys });
  const rows = document.querySelector('.xterm-rows')!;
  const count = () => (rows.textContent ?? '').split('k').length - 1;
  let seen = count();
  addEventListener('keydown', ({ timeStamp }) => keys.pressed.push(timeStamp), { capture: true });
  new MutationObserver(() => {
    for (const now = count(); seen < now; seen++) keys.drawn.push(performance.now());
  }).observe(rows, { childList: true, subtree: true, characterData: true });
}

interface Typed {
  pressed: number[];
  drawn: number[];
}

interface Echo {
  drawn: number;
  wire: number;
}

/** Medians of one round of keys: until the letter is on the page, and from the socket and back. */
async function typed(page: Page): Promise<Echo> {
  await page.bringToFront();
  await page.evaluate(() => {
    const { bench, keys } = window as unknown as { bench: Watch; keys: Typed };
    for (const list of [bench.sent, bench.came, keys.pressed, keys.drawn]) list.length = 0;
  });
  await page.focus('.xterm-helper-textarea');
  for (let key = 1; key <= KEYS; key++) {
    await page.keyboard.press('k');
    await page.waitForFunction((count) => (window as unknown as { keys: Typed }).keys.drawn.length >= count, key, {
      timeout: 10_000,
    });
    await wait(KEY_EVERY_MS + FRAME_MS * ((key * GOLDEN) % 1));
  }
  const { bench, keys } = await page.evaluate(() => {
    const { bench, keys } = window as unknown as { bench: Watch; keys: Typed };
    return { bench, keys };
  });
  const wire = bench.sent.map((sent) => (bench.came.find((came) => came > sent) ?? Number.NaN) - sent);
  const drawn = keys.drawn.map((at, nth) => at - (keys.pressed[nth] ?? Number.NaN));
  const known = (values: number[]) => values.filter((value) => !Number.isNaN(value));
  return { drawn: percentile(known(drawn), 0.5), wire: percentile(known(wire), 0.5) };
}

async function readyToType(page: Page): Promise<void> {
  await page.focus('.xterm-helper-textarea');
  // The first key only wakes the program.
  await page.keyboard.press('w');
  await page.waitForFunction(() => document.querySelector('.xterm-rows')?.textContent?.includes('READY'));
  await page.evaluate(watchKeys);
}

export async function echoBesideTtyd(page: Page, hub: LabServer): Promise<Shown> {
  const { agent } = await helpers();
  const program = [agent, 'echo', LIFE_SECS];
  await showOurs(page, hub, await hold(program));
  await take(page);
  await readyToType(page);
  const subjects = [{ name: 'reins', once: () => typed(page) }];
  const theirs = hasTtyd() ? await startTtyd(program) : undefined;
  if (theirs) {
    const other = await barePage(theirs.url);
    await other.goto(theirs.url);
    await other.waitForSelector('.xterm-rows');
    await readyToType(other);
    subjects.push({ name: 'ttyd', once: () => typed(other) });
  }
  const { taken, failed } = await alternate(subjects, ROUNDS);
  await theirs?.end();
  const ours = taken.get('reins');
  if (!ours) throw new Error(`keys through the page: ${failed.get('reins')}`);
  const peer = taken.get('ttyd');
  const of = (values: Echo[], what: keyof Echo) => values.map((one) => one[what]);
  return {
    claims: peer
      ? [
          {
            id: 'T13',
            what: `from a key to its letter on the page, ${KEYS} keys a round`,
            found: `${spread(figure(of(ours, 'drawn')))} ms, ttyd ${spread(figure(of(peer, 'drawn')))} ms`,
            value: ratio(of(ours, 'drawn'), of(peer, 'drawn')).median,
            unit: 'x ttyd',
            must: 2,
            aim: 1.2,
            better: 'less',
          },
        ]
      : [],
    tables: [
      {
        title: 'Keys in a page’s terminal, ms:',
        head: ['Page', 'key → letter drawn', 'key sent → its bytes back'],
        rows: [...taken].map(([name, all]) => [
          name,
          spread(figure(of(all, 'drawn'))),
          spread(figure(of(all, 'wire'))),
        ]),
      },
    ],
  };
}

interface Flooded {
  /** What the program could write, MB/s. */
  speed: number;
  longest: number;
  /** Of the longest task, what the page itself needed: on a busy machine it waits in its midst. */
  own: number;
  /** Longest time between two frames. */
  gap: number;
  tap: number;
}

function watchFrames(): void {
  const frames = { gap: 0 };
  Object.assign(window, { benchFrames: frames });
  let last = performance.now();
  const next = (now: number): void => {
    frames.gap = Math.max(frames.gap, now - last);
    last = now;
    requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
}

/** `tap` does something a person would, in the midst of it; how long until it was answered is what it returns. */
async function flooded(page: Page, speed: string, tap: () => Promise<number>): Promise<Flooded> {
  await page.waitForFunction(() => (document.querySelector('.xterm-rows')?.textContent ?? '').includes('INFO'));
  const seen = await withTasks(page, () => watched(page, tap));
  return { ...seen, speed: Number(readFileSync(speed, 'utf8')) };
}

async function watched(page: Page, tap: () => Promise<number>): Promise<Omit<Flooded, 'speed' | 'own'>> {
  await page.bringToFront();
  await page.evaluate(watchFrames);
  await page.evaluate(() => {
    (window as unknown as { bench: Watch }).bench.tasks.length = 0;
  });
  await wait(FLOOD_MS / 2);
  const answered = await tap();
  await wait(FLOOD_MS / 2);
  const { tasks, gap } = await page.evaluate(() => {
    const { bench, benchFrames } = window as unknown as { bench: Watch; benchFrames: { gap: number } };
    return { tasks: bench.tasks, gap: benchFrames.gap };
  });
  return { longest: Math.max(0, ...tasks), gap, tap: answered };
}

/**
 * From the tap to the keys being one's own, by the page's clock: what whoever drives the browser needs to find the button is no
 * part of it.
 */
async function takeTimed(page: Page): Promise<number> {
  await page.evaluate(() => {
    const tap = { at: 0, done: 0 };
    Object.assign(window, { benchTap: tap });
    addEventListener('pointerup', ({ timeStamp }) => (tap.at = timeStamp), { capture: true, once: true });
    new MutationObserver(() => {
      if (document.querySelector('[data-driver=you]')) tap.done ||= performance.now();
    }).observe(document.body, { subtree: true, attributes: true, attributeFilter: ['data-driver'] });
  });
  await take(page);
  const { at, done } = await page.evaluate(
    () => (window as unknown as { benchTap: { at: number; done: number } }).benchTap,
  );
  return done - at;
}

async function timedTap(call: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await call();
  return performance.now() - start;
}

export async function floodBesideTtyd(page: Page, hub: LabServer): Promise<Shown> {
  const script = join(dir, 'flooder.cjs');
  writeFileSync(script, FLOODER);
  const speed = join(dir, 'flood-speed');
  const program = [process.execPath, script, floodFile(10), '25', speed];
  const rounds = quick ? 1 : ROUNDS;
  const ours = async () => {
    const session = await hold(program);
    await showOurs(page, hub, session);
    const found = await flooded(page, speed, () => takeTimed(page));
    await page.goto(hub.url);
    await reins('kill', session);
    return found;
  };
  const theirs = async () => {
    const server = await startTtyd(program);
    const other = await barePage(server.url);
    await other.goto(server.url);
    await other.waitForSelector('.xterm-rows');
    // There is no button: the page answers when its own code runs.
    const found = await flooded(other, speed, () =>
      timedTap(() => other.evaluate(() => new Promise(requestAnimationFrame))),
    );
    await other.context().close();
    await server.end();
    return found;
  };
  // What the machine does to a page that does nothing: no frame of any page comes sooner.
  const atRest = async () => {
    await page.goto(hub.url);
    await page.waitForSelector('body[data-state=live]');
    return { ...(await withTasks(page, () => watched(page, async () => Number.NaN))), speed: 0 };
  };
  const subjects = [
    { name: 'reins', once: ours },
    ...(hasTtyd() ? [{ name: 'ttyd', once: theirs }] : []),
    { name: 'reins, at rest', once: atRest },
  ];
  const { taken, failed } = await alternate(subjects, rounds);
  const mine = taken.get('reins');
  if (!mine) throw new Error(`a flood on the page: ${failed.get('reins')}`);
  const of = (all: Flooded[], what: keyof Flooded) => figure(all.map((one) => one[what]));
  return {
    claims: [
      {
        id: 'T13',
        what: 'longest task of the page while its terminal is flooded with 20 MB/s',
        found: `${spread(of(mine, 'longest'))} ms by the clock, ${spread(of(mine, 'own'))} ms of processor time; ${short(of(mine, 'speed').median)} MB/s were written; longest time between two frames ${spread(of(mine, 'gap'))} ms, at rest ${spread(of(taken.get('reins, at rest') ?? [], 'gap'))} ms; a tap on “Take the keys” was answered in ${spread(of(mine, 'tap'))} ms`,
        value: of(mine, 'longest').median,
        unit: ' ms',
        must: 200,
        aim: 100,
        better: 'less',
      },
    ],
    tables: [
      {
        title: `A flood of 20 MB/s, ${short(FLOOD_MS / 1000)} s of it seen, ms:`,
        head: [
          'Page',
          'MB/s written',
          'longest task',
          'its processor time',
          'longest time between two frames',
          'a tap is answered',
        ],
        rows: [...taken].map(([name, all]) => [
          name,
          spread(of(all, 'speed')),
          spread(of(all, 'longest')),
          spread(of(all, 'own')),
          spread(of(all, 'gap')),
          name === 'ttyd' ? `a frame: ${spread(of(all, 'tap'))}` : spread(of(all, 'tap')),
        ]),
      },
    ],
  };
}
