/**
 * What was typed, on the recording: in clear only while the terminal echoes, as a person beside it would have seen it.
 * Whether it echoes cannot be asked without starting a process, so keys wait here for the answer (the agent does not). In
 * doubt it is hidden: a line that was finished before we could look may have been a password.
 */
import type { Clock } from '../contract/index.js';
import type { TtyState } from '../terminal/index.js';

/** One look per so many milliseconds at most: it costs a process. */
const LOOK_EVERY_MS = 100;

/** An older look says nothing about now. */
const LOOK_HOLDS_MS = 1000;

export interface InputTapeOptions {
  tty(): Promise<TtyState | undefined>;
  record(bytes: Uint8Array, how: { redact: boolean }): void;
  clock: Clock;
}

export class InputTape {
  readonly #options: InputTapeOptions;
  #held: Uint8Array[] = [];
  /** Whether the terminal echoed before the first of the held bytes, as far as that is known. */
  #echoedBefore = false;
  #look: { at: number; echo: boolean } | undefined;
  #outputAt = Number.NEGATIVE_INFINITY;
  #waiting = false;
  #closed = false;

  constructor(options: InputTapeOptions) {
    this.#options = options;
  }

  /** The agent wrote something: it may have asked for a password with it. */
  output(): void {
    this.#outputAt = this.#options.clock.now();
  }

  typed(bytes: Uint8Array): void {
    if (this.#closed) return;
    if (this.#held.length === 0) this.#echoedBefore = this.#echoes();
    this.#held.push(bytes);
    if (this.#waiting) return;
    this.#waiting = true;
    const lookedAt = this.#look?.at ?? Number.NEGATIVE_INFINITY;
    const wait = Math.max(0, lookedAt + LOOK_EVERY_MS - this.#options.clock.now());
    this.#options.clock.after(wait, () => void this.#settle());
  }

  /** For who can wait: after this, `typed` knows what the terminal did before. */
  async look(): Promise<void> {
    const state = await this.#options.tty().catch(() => undefined);
    this.#look = { at: this.#options.clock.now(), echo: state?.echo === true };
  }

  /** What still waits is put on the recording unseen. */
  close(): void {
    if (this.#held.length > 0) this.#put({ redact: true });
    this.#closed = true;
  }

  #echoes(): boolean {
    const look = this.#look;
    if (!look?.echo || look.at < this.#outputAt) return false;
    return this.#options.clock.now() - look.at <= LOOK_HOLDS_MS;
  }

  async #settle(): Promise<void> {
    const count = this.#held.length;
    await this.look();
    this.#waiting = false;
    if (this.#closed || count === 0) return;
    const later = this.#held.splice(count);
    const whole = Buffer.concat(this.#held);
    // An unfinished line is still the terminal's: what it does now is what it did then. A finished one is the program's.
    const known = !endsLine(whole) || this.#echoedBefore;
    const isBare = whole.every((byte) => byte === 0x0d || byte === 0x0a);
    this.#put({ redact: !(isBare || (known && this.#look?.echo === true)) });
    for (const bytes of later) this.typed(bytes);
  }

  #put(how: { redact: boolean }): void {
    const bytes = Buffer.concat(this.#held);
    this.#held = [];
    this.#options.record(bytes, how);
  }
}

const endsLine = (bytes: Uint8Array): boolean => bytes.includes(0x0d) || bytes.includes(0x0a) || bytes.includes(0x04);
