/** The time an agent has: for all of its work, for its first words, for a silence. It stands still while anyone holds it. */
import type { Clock } from '../../contract/index.js';
import { IdleTimer } from '../../terminal/index.js';
import { Countdown } from '../countdown.js';

/** Seconds; 0 is no limit. */
export interface LimitSettings {
  whole: { secs: number; by: string };
  firstOutputSecs: number;
  idleSecs: number;
}

export type Hold = 'pause' | 'inquiry';

export class RunLimits {
  readonly #clock: Clock;
  readonly #settings: LimitSettings | undefined;
  readonly #over: (reason: string) => void;
  #timers: Countdown[] = [];
  #firstOutput: Countdown | undefined;
  #silence: IdleTimer | undefined;
  readonly #heldFor = new Set<Hold>();
  #closed = false;

  constructor(given: { clock: Clock; settings: LimitSettings | undefined; over: (reason: string) => void }) {
    this.#clock = given.clock;
    this.#settings = given.settings;
    this.#over = given.over;
  }

  /** The agent runs. */
  begin(): void {
    if (!this.#settings || this.#closed) return;
    const { whole, firstOutputSecs } = this.#settings;
    if (whole.secs > 0)
      this.#count(whole.secs * 1000, () => this.#over(`still running after ${whole.secs} s (${whole.by})`));
    if (firstOutputSecs <= 0) return;
    this.#firstOutput = this.#count(firstOutputSecs * 1000, () => this.#over(`no output within ${firstOutputSecs} s`));
  }

  heard(): void {
    if (!this.#settings || this.#closed) return;
    this.#firstOutput?.cancel();
    const { idleSecs } = this.#settings;
    this.#silence ??= new IdleTimer({
      secs: idleSecs,
      clock: this.#clock,
      onIdle: () => this.#over(`no output for ${idleSecs} s`),
    });
    this.#silence.touch();
  }

  /** One more thing that has its time. */
  within(ms: number, late: () => void): void {
    if (!this.#closed) this.#count(ms, late);
  }

  hold(why: Hold): void {
    const isHeld = this.#heldFor.size > 0;
    this.#heldFor.add(why);
    if (isHeld) return;
    for (const timer of this.#timers) timer.hold();
    this.#silence?.hold();
  }

  release(why: Hold): void {
    if (!this.#heldFor.delete(why) || this.#heldFor.size > 0 || this.#closed) return;
    for (const timer of this.#timers) timer.release();
    this.#silence?.release();
  }

  /** The agent is gone: nothing is counted any more, whatever its last words were. */
  close(): void {
    this.#closed = true;
    for (const timer of this.#timers) timer.cancel();
    this.#silence?.close();
  }

  #count(ms: number, call: () => void): Countdown {
    const timer = new Countdown({ ms, clock: this.#clock, call });
    if (this.#heldFor.size > 0) timer.hold();
    this.#timers.push(timer);
    return timer;
  }
}
