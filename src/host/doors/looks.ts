/**
 * Looks at the agent's screen until they agree. One frame proves nothing: claude's title rests 2 ms before the line that
 * announces a dialog, and a large dialog is painted in parts. So what counts is what two looks a moment apart have seen,
 * with nothing else in between. A screen that nobody understands and that stands still is told of.
 */
import type { ScreenReading, Tui } from '../../adapters/index.js';
import type { Clock, ScreenShot } from '../../contract/index.js';
import { asks } from './may-type.js';

/** Three frames of a display: longer than any repaint that was measured, shorter than anyone notices. */
const STEADY_MS = 50;

/** Something that asks, or that is known not to be the input box: its picture may blink. */
const UNREAD_MS = 1_000;

/** Nothing is known about it, so it has to stand still: splash screens and half-painted pages do not, for so long. */
const STILL_MS = 3_000;
const STILL_AT_START_MS = 8_000;

export interface LooksPorts {
  tui: Tui;
  clock: Clock;
  /** Look again: a frame of what is on the screen now. */
  again(): void;
  /** Not even ready for the first time yet. */
  starting(): boolean;
  /** What nobody understands has stood there long enough; its text. */
  strange(text: string): void;
}

export class Looks {
  readonly #ports: LooksPorts;
  #reading: ScreenReading | undefined;
  #seen = '';
  /** Since when the looks agree, and how many did. */
  #since = 0;
  #looks = 0;
  #picture = '';
  #strangeSince: number | undefined;
  #next: { at: number; cancel: () => void } | undefined;

  constructor(ports: LooksPorts) {
    this.#ports = ports;
  }

  get reading(): ScreenReading | undefined {
    return this.#reading;
  }

  /** The last looks agree. */
  get settled(): boolean {
    return this.steadyFor >= STEADY_MS;
  }

  /** For how long they agree, in milliseconds. */
  get steadyFor(): number {
    return this.#looks > 1 ? this.#ports.clock.now() - this.#since : 0;
  }

  /** A new picture. Contract: called for every frame, in order. */
  see(shot: ScreenShot): ScreenReading {
    const { tui, clock } = this.#ports;
    const reading = tui.read(shot);
    const seen = [reading.state, reading.composer, reading.dialog?.key, reading.unread !== undefined].join('|');
    this.#looks = seen === this.#seen ? this.#looks + 1 : 1;
    if (this.#looks === 1) this.#since = clock.now();
    this.#seen = seen;
    this.#reading = reading;
    if (!this.settled) this.#lookIn(STEADY_MS);
    if (!tui.blind) this.#wonder(reading, shot);
    return reading;
  }

  close(): void {
    this.#next?.cancel();
    this.#next = undefined;
  }

  /** Known: the input box, a dialog that can be answered, work going on. */
  #wonder(reading: ScreenReading, shot: ScreenShot): void {
    const { clock, starting, strange } = this.#ports;
    const picture = shot.lines
      .map((line) => line.trimEnd())
      .join('\n')
      .trim();
    const known = reading.composer || reading.dialog || (reading.state !== undefined && !asks(reading.state));
    const changed = picture !== this.#picture;
    this.#picture = picture;
    if (known || picture === '') {
      this.#strangeSince = undefined;
      return;
    }
    const unread = reading.unread !== undefined || asks(reading.state);
    if (this.#strangeSince === undefined || (changed && !unread)) this.#strangeSince = clock.now();
    const left = this.#strangeSince + (unread ? UNREAD_MS : starting() ? STILL_AT_START_MS : STILL_MS) - clock.now();
    if (left > 0) this.#lookIn(left);
    else strange(reading.unread ?? picture);
  }

  #lookIn(ms: number): void {
    const { clock, again } = this.#ports;
    const at = clock.now() + ms;
    if (this.#next && this.#next.at <= at) return;
    this.#next?.cancel();
    const cancel = clock.after(ms, () => {
      this.#next = undefined;
      again();
    });
    this.#next = { at, cancel };
  }
}
