/**
 * Whether an agent that ended before it was ready is started again: a crash at the start may be a passing trouble, so a
 * few attempts are worth it; a choice made on a first-run page, or an end after minutes, is not a crash.
 */
import type { Clock } from '../../contract/index.js';

const MOST_ATTEMPTS = 3;
/** Pauses before the second and third attempt. */
const BACKOFF_MS = [1_000, 2_000];
/** Later than this it did start, whatever we saw of it. */
const EARLY_MS = 10_000;

export interface LaunchEnd {
  /** Its prompt, or any work, was seen. */
  ready: boolean;
  /** Somebody typed, sent or answered something: its end may be what they wanted. */
  touched: boolean;
  failed: boolean;
  /** It asks to be started again itself. */
  wantsRestart: boolean;
}

export type Again = { again: true; waitMs: number; attempt: number } | { again: false; gaveUp: boolean };

export class Respawn {
  readonly #clock: Clock;
  #attempts = 0;
  #restarts = 0;
  #startedAt = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  started(): void {
    this.#startedAt = this.#clock.now();
  }

  get attempts(): number {
    return this.#attempts;
  }

  ended(end: LaunchEnd): Again {
    if (end.wantsRestart) {
      this.#restarts += 1;
      return this.#restarts > MOST_ATTEMPTS
        ? { again: false, gaveUp: true }
        : { again: true, waitMs: 0, attempt: this.#restarts + 1 };
    }
    const early = this.#clock.now() - this.#startedAt <= EARLY_MS;
    if (end.ready || end.touched || !end.failed || !early) return { again: false, gaveUp: false };
    this.#attempts += 1;
    if (this.#attempts >= MOST_ATTEMPTS) return { again: false, gaveUp: true };
    return { again: true, waitMs: BACKOFF_MS[this.#attempts - 1]!, attempt: this.#attempts + 1 };
  }
}
