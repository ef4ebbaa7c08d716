/**
 * Says when the screen is worth looking at: at the end of a frame the agent marked, otherwise at most every 16 ms while it
 * draws, and always once after the last change. Costs nothing while nobody listens.
 */
import type { Clock, ScreenShot } from '../contract/index.js';

/** One frame of a display at 60 Hz. */
const FRAME_MS = 16;

/** An agent that opened a frame and never ends it is looked at anyway. */
const SYNC_MS = 150;

export class Frames {
  readonly #clock: Clock;
  readonly #shot: () => ScreenShot | undefined;
  readonly #calls = new Set<(shot: ScreenShot) => void>();
  #last = Number.NEGATIVE_INFINITY;
  #timer: { at: number; cancel: () => void } | undefined;
  #ended = false;

  constructor(clock: Clock, shot: () => ScreenShot | undefined) {
    this.#clock = clock;
    this.#shot = shot;
  }

  get watched(): boolean {
    return this.#calls.size > 0;
  }

  add(call: (shot: ScreenShot) => void): () => void {
    this.#calls.add(call);
    return () => this.#calls.delete(call);
  }

  /** The agent ended a frame; told while bytes are parsed, acted upon in `changed`. */
  ended(): void {
    this.#ended = true;
  }

  /** Bytes were parsed. `inFrame`: the agent is in the middle of a frame it marked. */
  changed({ inFrame }: { inFrame: boolean }): void {
    if (!this.watched) return;
    const ended = this.#ended;
    this.#ended = false;
    const now = this.#clock.now();
    if (ended && !inFrame) this.#show();
    else if (inFrame) this.#showBy(now + SYNC_MS);
    else if (now - this.#last >= FRAME_MS) this.#show();
    else this.#showBy(this.#last + FRAME_MS);
  }

  close(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#calls.clear();
  }

  #showBy(at: number): void {
    if (this.#timer && this.#timer.at <= at) return;
    this.#timer?.cancel();
    const cancel = this.#clock.after(Math.max(0, at - this.#clock.now()), () => {
      this.#timer = undefined;
      this.#show();
    });
    this.#timer = { at, cancel };
  }

  #show(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#last = this.#clock.now();
    const shot = this.watched ? this.#shot() : undefined;
    if (!shot) return;
    for (const call of [...this.#calls]) call(shot);
  }
}
