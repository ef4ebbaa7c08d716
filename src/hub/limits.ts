/**
 * What one who is not let in can cost. Nobody is ever locked out: a wrong pairing secret is answered late, a right one at once
 * and whoever else tries; a cookie that fits is looked at on its own. What is too much at once is refused, and may be asked again.
 */
import type { Clock } from '../contract/index.js';

const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 2_000;
const MOST_WAITING = 16;
const CALM_AFTER_MS = 60_000;
/** Of one device. */
const MOST_AT_ONCE = 40;

/** Wrong guesses wait, all together and ever longer. */
export class PairingBrake {
  readonly #clock: Clock;
  #wrong = 0;
  #last = 0;
  #waiting = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** False at once where too many wait already. */
  async wrong(): Promise<boolean> {
    const now = this.#clock.now();
    this.#wrong = now - this.#last > CALM_AFTER_MS ? 1 : this.#wrong + 1;
    this.#last = now;
    if (this.#waiting >= MOST_WAITING) return false;
    this.#waiting += 1;
    const delay = Math.min(FIRST_DELAY_MS * 2 ** Math.min(this.#wrong - 1, 10), LONGEST_DELAY_MS);
    await new Promise<void>((resolve) => this.#clock.after(delay, resolve));
    this.#waiting -= 1;
    return true;
  }
}

/** What runs for each device: so many at once, and nothing any more once it is let out. */
export class InFlight {
  readonly #of = new Map<string, Set<AbortController>>();

  /** Undefined: too many already. Else what says that it was called off, and what ends it. */
  begin(device: string): { signal: AbortSignal; done(): void } | undefined {
    const running = this.#of.get(device) ?? new Set();
    if (running.size >= MOST_AT_ONCE) return undefined;
    const one = new AbortController();
    this.#of.set(device, running.add(one));
    const done = () => {
      if (running.delete(one) && running.size === 0) this.#of.delete(device);
    };
    return { signal: one.signal, done };
  }

  callOff(device: string): void {
    for (const one of this.#of.get(device) ?? []) one.abort();
  }
}

/** A refusal is logged once a minute for each kind, with how many there were: a flood must not fill the log. */
export class Refusals {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #say: (kind: string, count: number) => void;
  readonly #of = new Map<string, { since: number; count: number }>();

  constructor(clock: Pick<Clock, 'now'>, say: (kind: string, count: number) => void) {
    this.#clock = clock;
    this.#say = say;
  }

  note(kind: string): void {
    const now = this.#clock.now();
    const last = this.#of.get(kind);
    if (last && now - last.since < CALM_AFTER_MS) {
      last.count += 1;
      return;
    }
    this.#say(kind, (last?.count ?? 0) + 1);
    this.#of.set(kind, { since: now, count: 0 });
  }
}
