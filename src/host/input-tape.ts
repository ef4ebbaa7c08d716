/**
 * What was typed, on the recording: in clear only while the terminal echoes, as a person beside it would have seen it.
 * Whether it echoes cannot be asked without starting a process, so keys wait here for the answer (the agent does not). In
 * doubt it is hidden: a line that was finished before we could look may have been a password.
 */
import type { Clock } from '../contract/index.js';
import type { TtyState } from '../terminal/index.js';

/** One look per so many milliseconds at most: it costs a process. */
const LOOK_EVERY_MS = 100;

/** A look stops the host for a millisecond or two: it waits for a pause between two keys, but not for ever. */
const PAUSE_MS = 30;
const LONGEST_WAIT_MS = 250;

/** An older look says nothing about now. */
const LOOK_HOLDS_MS = 1000;

/** A program prints its prompt and switches echo off in one go, in either order: a look in between would see it on. */
const QUIET_MS = 50;

export interface InputTapeOptions {
  tty(): Promise<TtyState | undefined>;
  record(bytes: Uint8Array, how: { redact: boolean }): void;
  clock: Clock;
}

interface HeldKeys {
  bytes: Uint8Array;
  /** Whether the terminal surely echoed when they came. */
  echoed: boolean;
}

export class InputTape {
  readonly #options: InputTapeOptions;
  #held: HeldKeys[] = [];
  #look: { at: number; echo: boolean; isRaw: boolean } | undefined;
  #outputAt = Number.NEGATIVE_INFINITY;
  #waiting = false;
  #heldAt = 0;
  #typedAt = 0;
  #closed = false;

  constructor(options: InputTapeOptions) {
    this.#options = options;
  }

  /** The agent wrote something: it may have asked for a password with it. */
  output(): void {
    this.#outputAt = this.#options.clock.now();
  }

  /** Keeps nothing of the caller's buffer. */
  typed(given: Uint8Array): void {
    if (this.#closed) return;
    const bytes = new Uint8Array(given);
    if (this.#isRaw() && this.#held.length === 0) {
      this.#options.record(bytes, { redact: !isBare(bytes) });
      return;
    }
    this.#held.push({ bytes, echoed: this.#echoes() });
    this.#typedAt = this.#options.clock.now();
    if (this.#waiting) return;
    this.#waiting = true;
    this.#heldAt = this.#typedAt;
    const lookedAt = this.#look?.at ?? Number.NEGATIVE_INFINITY;
    this.#wait(Math.max(PAUSE_MS, lookedAt + LOOK_EVERY_MS - this.#heldAt));
  }

  #wait(ms: number): void {
    this.#options.clock.after(ms, () => {
      const due = Math.min(this.#typedAt + PAUSE_MS, this.#heldAt + LONGEST_WAIT_MS);
      const left = due - this.#options.clock.now();
      // A clock that was set back makes it more than that.
      if (left > 0 && left <= LONGEST_WAIT_MS) this.#wait(left);
      else void this.#settle();
    });
  }

  /** For who can wait: after this, `typed` knows what the terminal does. */
  async look(): Promise<void> {
    const state = await this.#options.tty().catch(() => undefined);
    const isRaw = state?.echo === false && state.canonical === false;
    this.#look = { at: this.#options.clock.now(), echo: state?.echo === true, isRaw };
  }

  /** What still waits is put on the recording unseen, unless it was sure already. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const { bytes, echoed } of this.#held.splice(0)) this.#options.record(bytes, { redact: !echoed });
  }

  #echoes(): boolean {
    const look = this.#look;
    if (!look?.echo || look.at < this.#outputAt + QUIET_MS) return false;
    return this.#options.clock.now() - look.at <= LOOK_HOLDS_MS;
  }

  /**
   * A program with a screen of its own draws what is typed by itself, and stays so: no look per handful of keys, for a
   * look stops the host for a millisecond or two. A password prompt is never raw, it only does not echo.
   */
  #isRaw(): boolean {
    return this.#look?.isRaw === true && this.#options.clock.now() - this.#look.at <= LOOK_HOLDS_MS;
  }

  async #settle(): Promise<void> {
    const count = this.#held.length;
    await this.look();
    this.#waiting = false;
    if (this.#closed) return;
    // An unfinished line is still the terminal's: what it does now is what it did then. A finished one was the program's,
    // which may have switched echo on again since.
    let isFinished = this.#held.slice(count).some(({ bytes }) => endsLine(bytes));
    const settled = this.#held.splice(0, count).reverse();
    const shown = settled.map(({ bytes, echoed }) => {
      isFinished ||= endsLine(bytes);
      return { bytes, redact: !(isBare(bytes) || echoed || (!isFinished && this.#look?.echo === true)) };
    });
    for (const { bytes, redact } of shown.reverse()) this.#options.record(bytes, { redact });
    for (const { bytes } of this.#held.splice(0)) this.typed(bytes);
  }
}

const endsLine = (bytes: Uint8Array): boolean => [0x0d, 0x0a, 0x04].some((byte) => bytes.includes(byte));

/** Enter alone gives nothing away. */
const isBare = (bytes: Uint8Array): boolean => bytes.every((byte) => byte === 0x0d || byte === 0x0a);
