/**
 * A loop that waits (for a usage limit, after a failure) says so once in the journal; a person at a terminal wants to
 * see that it still does. A line now and then, less often the longer the wait, for whoever watches live.
 */
import { type Clock, type Entry, timeLeft } from '../contract/index.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

export class CountdownLine {
  readonly #clock: Clock;
  readonly #show: (text: string) => void;
  #cancel: (() => void) | undefined;

  constructor(options: { clock: Clock; show: (text: string) => void }) {
    this.#clock = options.clock;
    this.#show = options.show;
  }

  entry(entry: Entry): void {
    if (entry.type === 'loop.waiting') this.#next(entry.data);
    else if (entry.type === 'notice' && entry.data.code === 'loop.wait') {
      // A host of an older build.
      const until = Number(entry.data.facts?.until);
      if (Number.isFinite(until)) this.#next({ until, why: String(entry.data.facts?.why ?? '') });
    } else if (entry.type === 'iteration.started' || entry.type === 'session.ended') this.close();
  }

  close(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #next(wait: { until: number; why: string }): void {
    this.close();
    const left = wait.until - this.#clock.now();
    const pause = pauseFor(left);
    if (pause >= left) return;
    this.#cancel = this.#clock.after(pause, () => {
      this.#show(`  … ${timeLeft(wait.until - this.#clock.now())} left: ${wait.why}`);
      this.#next(wait);
    });
  }
}

function pauseFor(left: number): number {
  if (left > 30 * MINUTE) return 10 * MINUTE;
  if (left > 3 * MINUTE) return MINUTE;
  return 15 * SECOND;
}
