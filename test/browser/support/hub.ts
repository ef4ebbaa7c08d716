/**
 * A real hub for one file of tests: the built `reins serve` on a port of the system's choice, with a home, a state and a project of its
 * own, and practice sessions in it. It can be killed and started again on the same port.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Entry, SessionRow } from '../../../src/contract/index.js';
import { type Ended, type Running, reins, startReins } from '../../journeys/support/cli.js';
import { until } from '../../journeys/support/wait.js';
import { World } from '../../journeys/support/world.js';

/** A machine with other things to do may need long for a start. */
const PATIENCE_MS = 60_000;

export class TestHub {
  readonly world = new World();
  url = '';
  /** Of the first start: lets one browser in, once. */
  link = '';
  #running: Running | undefined;
  #isKilled = false;

  static async start(flags: string[] = []): Promise<TestHub> {
    const hub = new TestHub();
    await hub.begin(flags);
    return hub;
  }

  /** Also a second time, after a `kill`: then on the port it had. `cli`: of another build. */
  async begin(flags: string[] = [], cli?: string): Promise<void> {
    const port = this.url === '' ? '0' : new URL(this.url).port;
    const args = ['serve', '--port', port, '--json', ...flags];
    const running = startReins(this.world, args, cli === undefined ? {} : { cli });
    this.#running = running;
    this.#isKilled = false;
    const said = await until(
      'the hub',
      () => running.stdout.includes('\n') && running.stdout,
      () => running.stderr,
      PATIENCE_MS,
    );
    const { url, link } = JSON.parse(said) as { url: string; link: string };
    this.url = url;
    this.link = link;
  }

  get pid(): number {
    return this.#running!.pid;
  }

  get output(): string {
    return `${this.#running?.stdout ?? ''}${this.#running?.stderr ?? ''}`;
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    if (!this.#isKilled) this.#running?.signal(signal);
    this.#isKilled = true;
    await this.#running?.done;
  }

  reins(...args: string[]): Promise<Ended> {
    return reins(this.world, args);
  }

  async json<T>(...args: string[]): Promise<T> {
    return JSON.parse((await this.reins(...args, '--json')).stdout) as T;
  }

  /** A pairing link by `reins pair`. */
  async invite(...flags: string[]): Promise<string> {
    return (await this.json<{ link: string }>('pair', ...flags)).link;
  }

  /** A detached session of the practice agent; its id. `flags` come before the prompt: `-i`, `--name`, `--set`, … */
  async practice(prompt: string, ...flags: string[]): Promise<string> {
    const ended = await this.reins('run', '-d', '-b', 'practice', ...flags, '-p', prompt);
    if (ended.code !== 0) throw new Error(`the session did not start: ${ended.stderr}`);
    return ended.stdout.trim();
  }

  /** The journal as it is on disk, which is the truth. */
  journal(session: string): Entry[] {
    try {
      const text = readFileSync(join(this.world.state, 'reins/sessions', session, 'journal.jsonl'), 'utf8');
      return text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Entry);
    } catch {
      return []; // not begun
    }
  }

  async entry<T extends Entry['type']>(
    session: string,
    type: T,
    fits: (entry: Entry<T>) => boolean = () => true,
  ): Promise<Entry<T>> {
    const found = await until(`${type} in ${session}`, () =>
      this.journal(session).find((entry) => entry.type === type && fits(entry as Entry<T>)),
    );
    return found as Entry<T>;
  }

  /** Ends every session and the hub, and proves that nothing is left. */
  async close(): Promise<void> {
    const rows = await this.json<SessionRow[]>('ls');
    await Promise.all(rows.map(({ id }) => this.reins('kill', id)));
    await this.kill('SIGTERM');
    await this.world.close();
  }
}
