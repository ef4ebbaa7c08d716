/**
 * Notices that nothing came and nothing went for a while (seed 000). A touch is one comparison of times, because it
 * comes with every chunk of output: the one timer is set again only when it fires, for what is then left.
 */
import type { Clock } from '../contract/index.js';

export interface IdleAsk {
  /** 0: never. */
  secs: number;
  clock: Clock;
  /** Called once. */
  onIdle: () => void;
}

export class IdleTimer {
  readonly #limitMs: number;
  readonly #clock: Clock;
  readonly #onIdle: () => void;
  #touchedAt: number;
  #cancel: (() => void) | undefined;
  #holds = 0;
  #over: boolean;

  constructor(ask: IdleAsk) {
    this.#limitMs = ask.secs * 1000;
    this.#clock = ask.clock;
    this.#onIdle = ask.onIdle;
    this.#touchedAt = ask.clock.now();
    this.#over = !(this.#limitMs > 0);
    this.#arm(this.#limitMs);
  }

  /** Output or input. */
  touch(): void {
    if (!this.#over) this.#touchedAt = this.#clock.now();
  }

  /** Waiting for a person, or paused: silence means nothing. Each hold needs its release. */
  hold(): void {
    this.#holds += 1;
    this.#disarm();
  }

  release(): void {
    if (this.#holds === 0) return;
    this.#holds -= 1;
    if (this.#holds > 0) return;
    this.touch();
    this.#arm(this.#limitMs);
  }

  close(): void {
    this.#over = true;
    this.#disarm();
  }

  #arm(ms: number): void {
    this.#disarm();
    if (!this.#over) this.#cancel = this.#clock.after(ms, () => this.#check());
  }

  #disarm(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #check(): void {
    const leftMs = this.#touchedAt + this.#limitMs - this.#clock.now();
    // A wall clock set back makes it more than the limit; never wait longer than that.
    if (leftMs > 0) {
      this.#arm(Math.min(leftMs, this.#limitMs));
      return;
    }
    this.close();
    this.#onIdle();
  }
}
