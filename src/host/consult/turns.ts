/** So many consultations of a session at once, the others behind them: an agent can ask fifty things in one breath. */
import type { Clock } from '../../contract/index.js';

export class ConsultTurns {
  #free: number;
  readonly #clock: Clock;
  readonly #waiting = new Set<() => void>();

  constructor(places: number, clock: Clock) {
    this.#free = places;
    this.#clock = clock;
  }

  /** What gives the place back, once; undefined: called off, or too late, before there was one. Contract: never rejects. */
  take(until: number, signal: AbortSignal): Promise<(() => void) | undefined> {
    if (signal.aborted) return Promise.resolve(undefined);
    if (this.#free > 0) return Promise.resolve(this.#place());
    return new Promise((resolve) => {
      const end = (place: (() => void) | undefined) => {
        this.#waiting.delete(next);
        cancel();
        signal.removeEventListener('abort', off);
        resolve(place);
      };
      const next = () => end(this.#place());
      const off = () => end(undefined);
      const cancel = this.#clock.after(Math.max(0, until - this.#clock.now()), off);
      signal.addEventListener('abort', off, { once: true });
      this.#waiting.add(next);
    });
  }

  #place(): () => void {
    this.#free -= 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#free += 1;
      const [next] = this.#waiting;
      next?.();
    };
  }
}
