/** A timer that can be held: a paused session's deadlines stop, and go on where they were. */
import type { Clock } from '../contract/index.js';

export class Countdown {
  readonly #clock: Clock;
  readonly #call: () => void;
  #left: number;
  #since = 0;
  #stop: (() => void) | undefined;
  /** It has called, or never will: a release must not bring it back. */
  #over = false;

  constructor(options: { ms: number; clock: Clock; call: () => void }) {
    this.#clock = options.clock;
    this.#call = options.call;
    this.#left = options.ms;
    this.release();
  }

  /** Milliseconds since the epoch; undefined while it is held, because nobody knows for how long. */
  get endsAt(): number | undefined {
    return this.#stop ? this.#since + this.#left : undefined;
  }

  /** Milliseconds that are left of it. */
  get left(): number {
    return Math.max(0, this.#stop ? this.#since + this.#left - this.#clock.now() : this.#left);
  }

  hold(): void {
    if (!this.#stop) return;
    this.#halt();
    this.#left -= this.#clock.now() - this.#since;
  }

  release(): void {
    if (this.#stop || this.#over) return;
    this.#since = this.#clock.now();
    this.#stop = this.#clock.after(Math.max(0, this.#left), () => {
      this.cancel();
      this.#call();
    });
  }

  cancel(): void {
    this.#over = true;
    this.#halt();
  }

  #halt(): void {
    this.#stop?.();
    this.#stop = undefined;
  }
}

/** The timers of one open inquiry. */
export interface CaseTimers {
  deadline?: Countdown;
  /** How long the present rung of a ladder is still tried. */
  rung: Countdown | undefined;
  /** How long an inquiry whose last viewer left still waits for one. */
  grace: Countdown | undefined;
}

export const countdowns = ({ deadline, rung, grace }: CaseTimers): Countdown[] =>
  [deadline, rung, grace].filter((countdown) => countdown !== undefined);

export function endRung(timers: CaseTimers): void {
  timers.rung?.cancel();
  timers.rung = undefined;
}
