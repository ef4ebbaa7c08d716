/**
 * What waits to be sent over one notifier: so many at a time, tried again with growing pauses, and never more than a bound.
 * A server that is slow or dead holds up its own lane and nobody else.
 */
import type { Clock } from '../contract/index.js';
import type { Delivered } from './deliver.js';

export interface Job {
  signal: AbortSignal;
  /** Contract: resolves, never rejects. */
  send(attempt: number): Promise<Delivered>;
  /** Once, with what came of it in the end; not when it was called off. */
  over(result: Delivered, tries: number): void;
}

/** Between the tries: about five minutes in all. */
const PAUSES_MS = [1_000, 4_000, 15_000, 60_000, 240_000];
const MOST_WAITING = 64;

export class Lane {
  readonly #clock: Clock;
  readonly #slots: number;
  #waiting: Job[] = [];
  #running = 0;
  #isClosing = false;
  #wakes = new Set<() => void>();
  #idles: (() => void)[] = [];

  constructor(options: { clock: Clock; slots: number }) {
    this.#clock = options.clock;
    this.#slots = options.slots;
  }

  /** False: too much waits already. */
  add(job: Job): boolean {
    if (this.#isClosing || this.#waiting.length >= MOST_WAITING) return false;
    this.#waiting.push(job);
    this.#next();
    return true;
  }

  /** No more is taken, nothing is tried again; resolves when what waits has been tried once. */
  async finish(): Promise<void> {
    this.#isClosing = true;
    for (const wake of [...this.#wakes]) wake();
    if (this.#running > 0 || this.#waiting.length > 0) await new Promise<void>((resolve) => this.#idles.push(resolve));
  }

  #next(): void {
    while (this.#running < this.#slots && this.#waiting.length > 0) {
      const job = this.#waiting.shift()!;
      this.#running += 1;
      void this.#run(job).finally(() => {
        this.#running -= 1;
        this.#next();
        if (this.#running === 0) for (const idle of this.#idles.splice(0)) idle();
      });
    }
  }

  async #run(job: Job): Promise<void> {
    let tries = 0;
    for (let attempt = 1; !job.signal.aborted; attempt += 1) {
      const result = await job.send(attempt);
      if (job.signal.aborted) return;
      const pauseMs = this.#pauseAfter(result, tries);
      if (pauseMs === undefined || this.#isClosing) {
        job.over(result, tries + 1);
        return;
      }
      if (result.how === 'failed') tries += 1;
      else tries = 0;
      await this.#pause(pauseMs, job.signal);
      if (this.#isClosing && result.how === 'failed') {
        job.over(result, tries);
        return;
      }
    }
  }

  #pauseAfter(result: Delivered, tries: number): number | undefined {
    if (result.how === 'held') return result.againMs;
    if (result.how !== 'failed' || !result.again) return undefined;
    const pauseMs = PAUSES_MS[tries];
    return pauseMs === undefined ? undefined : Math.max(pauseMs, result.againMs ?? 0);
  }

  #pause(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        cancel();
        signal.removeEventListener('abort', wake);
        this.#wakes.delete(wake);
        resolve();
      };
      const cancel = this.#clock.after(ms, wake);
      signal.addEventListener('abort', wake, { once: true });
      this.#wakes.add(wake);
    });
  }
}
