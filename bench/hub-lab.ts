/// <reference lib="dom" />
/** What the parts about the hub share: a hub of the lab's own, pages let in, and ttyd with the same programs. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from '../test/browser/support/chromium.js';
import { DESK, openPage } from '../test/browser/support/pages.js';
import { atEnd, dir, env, onPath, program, reins } from './lab.js';

const START_MS = 30_000;

export interface LabServer {
  url: string;
  pid: number;
  end(): Promise<void>;
}

/** Resolves with what `found` finds in what it says. */
function serving(argv: string[], found: RegExp): Promise<LabServer> {
  const [command = '', ...args] = argv;
  const child = spawn(command, args, { env, cwd: join(dir, 'work'), stdio: ['ignore', 'pipe', 'pipe'] });
  const end = () => ended(child);
  atEnd(end);
  return new Promise((resolve, reject) => {
    let said = '';
    const fail = () => reject(new Error(`${argv[0]} does not serve: ${said.slice(-300)}`));
    const late = setTimeout(fail, START_MS);
    const hear = (bytes: Buffer) => {
      if (said.length < 100_000) said += bytes.toString();
      const what = found.exec(said)?.[1];
      if (what === undefined) return;
      clearTimeout(late);
      resolve({ url: /^\d+$/.test(what) ? `http://127.0.0.1:${what}` : what, pid: child.pid!, end });
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.once('error', reject);
    child.once('exit', fail);
  });
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), 5_000);
  await gone;
  clearTimeout(late);
}

export const startHub = (): Promise<LabServer> =>
  serving([process.execPath, program, 'serve', '--port', '0', '--json'], /"url":\s*"([^"]+)"/);

export const hasTtyd = (): boolean => onPath('ttyd') !== undefined;

/** Each client of it gets the program anew. Drawn as our page draws: letters in the DOM. */
export const startTtyd = (argv: string[]): Promise<LabServer> =>
  serving(['ttyd', '-i', '127.0.0.1', '-p', '0', '-W', '-t', 'rendererType=dom', ...argv], /Listening on port: (\d+)/);

export async function invite(): Promise<string> {
  return (JSON.parse(await reins('pair', '--scope', 'admin', '--json')) as { link: string }).link;
}

let opened: Promise<Browser> | undefined;

export function browser(): Promise<Browser> {
  opened ??= openBrowser().then((found) => {
    atEnd(() => found.close());
    return found;
  });
  return opened;
}

/** Times of the socket of a page and of its long tasks, kept in `window.bench`. */
export interface Watch {
  sent: number[];
  came: number[];
  tasks: number[];
}

function watchPage(): void {
  const bench: Watch = { sent: [], came: [], tasks: [] };
  Object.assign(window, { bench });
  const Original = window.WebSocket;
  class Watched extends Original {
    constructor(url: string | URL, protocols?: string | string[]) {
      super(url, protocols);
      this.addEventListener('message', ({ data }) => {
        if (typeof data !== 'string' && bench.came.length < 100_000) bench.came.push(performance.now());
      });
    }
    override send(data: string | ArrayBufferLike | Blob | ArrayBufferView<ArrayBuffer>): void {
      if (typeof data !== 'string') bench.sent.push(performance.now());
      super.send(data as ArrayBuffer);
    }
  }
  window.WebSocket = Watched;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) bench.tasks.push(duration);
  }).observe({ type: 'longtask' });
}

/** A page of a browser profile of its own that is not let in anywhere. */
export async function barePage(url: string): Promise<Page> {
  const { page } = await openPage(await browser(), { url }, DESK);
  // What is run in a page was translated on the way, and the translator's helper is not there.
  await page.addInitScript({ content: 'globalThis.__name = (made) => made;' });
  await page.addInitScript(watchPage);
  return page;
}

/** Opens a link as a person does. */
export async function pairedPage(hub: LabServer): Promise<Page> {
  const page = await barePage(hub.url);
  await page.goto(await invite());
  await page.click('[data-do=pair]');
  await page.click('[data-do=enter]');
  await page.waitForSelector('body[data-state=live]');
  return page;
}
