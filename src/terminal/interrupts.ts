/**
 * What Ctrl-C and Ctrl-\ mean while a person drives an agent (seed 000): the first Ctrl-C is the agent's, a second one
 * within a second is ours and stops, Ctrl-\ kills. Pure: bytes and time in, bytes and action out; nothing is ever held
 * back for later, so a key is never late. How keys are encoded, and that a paste is text, is ControlKeys' business.
 */
import { ControlKeys, holds } from '../vt/index.js';

export interface InterruptsAsk {
  windowMs?: number;
}

export interface Fed {
  /** What the agent gets. */
  forward: Uint8Array;
  action?: 'stop' | 'kill';
}

export const INTERRUPT_WINDOW_MS = 1000;

const ESC = 0x1b;
const CTRL_C = 0x03;
const CTRL_BACKSLASH = 0x1c;

export class Interrupts {
  readonly #windowMs: number;
  readonly #keys = new ControlKeys();
  /** Until when a second Ctrl-C stops. */
  #windowEndsAt = Number.NEGATIVE_INFINITY;

  constructor(ask: InterruptsAsk = {}) {
    this.#windowMs = ask.windowMs ?? INTERRUPT_WINDOW_MS;
  }

  feed(bytes: Uint8Array, now: number): Fed {
    this.#keys.heard(now);
    if (this.#keys.isGround && !holds(bytes, ESC, CTRL_C, CTRL_BACKSLASH)) return { forward: bytes };
    const forward: number[] = [];
    let action: Fed['action'];
    // Where the current sequence began in `forward`; undefined when it began in an earlier chunk.
    let begin: number | undefined;
    for (const byte of bytes) {
      if (byte === ESC) begin = forward.length;
      forward.push(byte);
      const asked = this.#mean(this.#keys.step(byte, now), now);
      if (asked === undefined) continue;
      action = asked;
      const isPlain = byte === CTRL_C || byte === CTRL_BACKSLASH;
      // A sequence that has partly gone out goes out whole: the agent is never left inside half a key.
      if (isPlain) forward.pop();
      else if (begin !== undefined) forward.length = begin;
      // Nothing behind a kill is worth delivering.
      if (action === 'kill') break;
    }
    return { forward: Uint8Array.from(forward), ...(action ? { action } : {}) };
  }

  #mean(key: number | undefined, now: number): Fed['action'] {
    if (key === CTRL_BACKSLASH) return 'kill';
    if (key !== CTRL_C) return undefined;
    if (now < this.#windowEndsAt) {
      this.#windowEndsAt = Number.NEGATIVE_INFINITY;
      return 'stop';
    }
    this.#windowEndsAt = now + this.#windowMs;
    return undefined;
  }
}
