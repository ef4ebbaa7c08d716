/**
 * What Ctrl-C and Ctrl-\ mean while a person drives an agent (seed 000): the first Ctrl-C is the agent's, a second one
 * within a second is ours and stops, Ctrl-\ kills. Pure: bytes and time in, bytes and action out; nothing is ever held
 * back for later, so a key is never late. The surprising thing: the same keys come in several encodings, and inside a
 * bracketed paste they are text.
 */
import { holds } from '../contract/index.js';

export interface InterruptsAsk {
  windowMs?: number;
}

export interface Fed {
  /** What the agent gets. */
  forward: Uint8Array;
  action?: 'stop' | 'kill';
}

export const INTERRUPT_WINDOW_MS = 1000;
/** A paste whose end never comes (its viewer died) must not disarm Ctrl-C for ever. */
const PASTE_SILENCE_MS = 2000;
/** No key we look for is longer; whatever is, is not a key. */
const LONGEST_SEQUENCE = 64;

const ESC = 0x1b;
const CTRL_C = 0x03;
const CTRL_BACKSLASH = 0x1c;

type Key = 'interrupt' | 'quit' | 'paste-start' | 'paste-end';

export class Interrupts {
  readonly #windowMs: number;
  /** Until when a second Ctrl-C stops. */
  #windowEndsAt = Number.NEGATIVE_INFINITY;
  #isPasting = false;
  #fedAt = Number.NEGATIVE_INFINITY;
  /** Parameters of a control sequence that is not complete; `undefined`: none, or only its ESC was seen. */
  #sequence: string | undefined;
  #afterEsc = false;

  constructor(ask: InterruptsAsk = {}) {
    this.#windowMs = ask.windowMs ?? INTERRUPT_WINDOW_MS;
  }

  feed(bytes: Uint8Array, now: number): Fed {
    if (this.#isPasting && now - this.#fedAt > PASTE_SILENCE_MS) this.reset();
    this.#fedAt = now;
    if (this.#isGround() && !holds(bytes, ESC, CTRL_C, CTRL_BACKSLASH)) return { forward: bytes };
    const forward: number[] = [];
    let action: Fed['action'];
    // Where the current sequence began in `forward`; undefined when it began in an earlier chunk.
    let begin: number | undefined;
    for (const byte of bytes) {
      if (byte === ESC) begin = forward.length;
      forward.push(byte);
      const key = this.#step(byte);
      if (key === undefined) continue;
      const asked = this.#mean(key, now);
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

  /** Another person drives now: half a key or half a paste of the last one is void. */
  reset(): void {
    this.#isPasting = false;
    this.#sequence = undefined;
    this.#afterEsc = false;
    this.#windowEndsAt = Number.NEGATIVE_INFINITY;
  }

  #isGround(): boolean {
    return !this.#afterEsc && this.#sequence === undefined;
  }

  #step(byte: number): Key | undefined {
    if (byte === ESC) {
      this.#afterEsc = true;
      this.#sequence = undefined;
      return undefined;
    }
    if (this.#afterEsc) {
      this.#afterEsc = false;
      if (byte === 0x5b) this.#sequence = '';
      else return plainKey(byte);
      return undefined;
    }
    if (this.#sequence === undefined) return plainKey(byte);
    // A control character ends a sequence and is itself, as terminals do it.
    if (byte < 0x20) {
      this.#sequence = undefined;
      return plainKey(byte);
    }
    const sequence = this.#sequence + String.fromCharCode(byte);
    const isOver = (byte >= 0x40 && byte <= 0x7e) || sequence.length > LONGEST_SEQUENCE;
    this.#sequence = isOver ? undefined : sequence;
    return isOver ? sequenceKey(sequence) : undefined;
  }

  #mean(key: Key, now: number): Fed['action'] {
    if (key === 'paste-start') this.#isPasting = true;
    if (key === 'paste-end') this.#isPasting = false;
    if (this.#isPasting || key === 'paste-end') return undefined;
    if (key === 'quit') return 'kill';
    if (now < this.#windowEndsAt) {
      this.#windowEndsAt = Number.NEGATIVE_INFINITY;
      return 'stop';
    }
    this.#windowEndsAt = now + this.#windowMs;
    return undefined;
  }
}

function plainKey(byte: number): Key | undefined {
  return byte === CTRL_C ? 'interrupt' : byte === CTRL_BACKSLASH ? 'quit' : undefined;
}

/** `99;5u` and `92;5u` (kitty, with lock keys, alternates and event types), `27;5;99~` (xterm), `200~`, `201~`. */
function sequenceKey(sequence: string): Key | undefined {
  if (sequence === '200~') return 'paste-start';
  if (sequence === '201~') return 'paste-end';
  const kitty = /^(\d+)(?::[\d:]*)?;(\d+)(?::(\d+))?(?:;[\d:]*)?u$/.exec(sequence);
  const xterm = /^27;(\d+);(\d+)~$/.exec(sequence);
  const [code, modifiers, event] = kitty
    ? [kitty[1], kitty[2], kitty[3]]
    : xterm
      ? [xterm[2], xterm[1], undefined]
      : [undefined, undefined, undefined];
  // Only a press counts: releases and the repeats of a held key are no second wish.
  if (event !== undefined && event !== '1') return undefined;
  if (!isControlOnly(Number(modifiers))) return undefined;
  return code === '99' ? 'interrupt' : code === '92' ? 'quit' : undefined;
}

/** Modifiers are sent as 1 + bits: 4 is control, 64 caps lock, 128 num lock. */
function isControlOnly(modifiers: number): boolean {
  return ((modifiers - 1) & ~(64 | 128)) === 4;
}
