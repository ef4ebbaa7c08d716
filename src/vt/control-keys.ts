/**
 * Control keys in the bytes a terminal sends, with state: a key may be cut between two reads, the same key comes in several
 * encodings, and inside a bracketed paste it is text, however many reads the paste takes. Holds nothing back and knows no
 * meaning: whoever feeds it decides what a key does.
 */
import { type Clock, CONTROL_KEY, ReinsError, systemClock } from '../contract/index.js';

/** A paste whose end never comes (its viewer died) must not disarm keys for ever. */
const PASTE_SILENCE_MS = 2000;
/** No key we look for is longer; whatever is, is not a key. */
const LONGEST_SEQUENCE = 64;

const ESC = 0x1b;

export class ControlKeys {
  #isPasting = false;
  /** When the last read of the paste came. */
  #heardAt = 0;
  /** Parameters of a control sequence that is not complete; `undefined`: none, or only its ESC was seen. */
  #sequence: string | undefined;
  #afterEsc = false;

  get isPasting(): boolean {
    return this.#isPasting;
  }

  /** No sequence is half read: a read without ESC and without the key needs no look. */
  get isGround(): boolean {
    return !this.#afterEsc && this.#sequence === undefined;
  }

  /** A read comes, before its bytes are stepped through. Only inside a paste the time matters. */
  heard(now: number): void {
    if (this.#isPasting && now - this.#heardAt > PASTE_SILENCE_MS) this.reset();
    this.#heardAt = now;
  }

  /** Half a key or half a paste is void. */
  reset(): void {
    this.#isPasting = false;
    this.#sequence = undefined;
    this.#afterEsc = false;
  }

  /** The control character whose key this byte completes (Ctrl-C: 3); undefined in a paste. Esc itself is never one. */
  step(byte: number, now: number): number | undefined {
    if (byte === ESC) {
      this.#afterEsc = true;
      this.#sequence = undefined;
      return undefined;
    }
    const isFirst = this.#afterEsc;
    this.#afterEsc = false;
    if (isFirst && byte === 0x5b) {
      this.#sequence = '';
      return undefined;
    }
    // A control character ends a sequence and is itself, as terminals do it.
    if (this.#sequence === undefined || byte < 0x20) {
      this.#sequence = undefined;
      return byte < 0x20 && !this.#isPasting ? byte : undefined;
    }
    const sequence = this.#sequence + String.fromCharCode(byte);
    const isOver = (byte >= 0x40 && byte <= 0x7e) || sequence.length > LONGEST_SEQUENCE;
    this.#sequence = isOver ? undefined : sequence;
    return isOver ? this.#complete(sequence, now) : undefined;
  }

  #complete(sequence: string, now: number): number | undefined {
    if (sequence === '200~') [this.#isPasting, this.#heardAt] = [true, now];
    if (sequence === '201~') this.#isPasting = false;
    return this.#isPasting ? undefined : encodedKey(sequence);
  }
}

/** `99;5u` (kitty, with lock keys, alternates and event types) and `27;5;99~` (xterm) are both Ctrl-C. */
function encodedKey(sequence: string): number | undefined {
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
  const character = Number(code);
  // @ A…Z [ \ ] ^ _ and the small letters, as a keyboard names them.
  return character >= 0x40 && character <= 0x7a ? character & 0x1f : undefined;
}

/** Modifiers are sent as 1 + bits: 4 is control, 64 caps lock, 128 num lock. */
function isControlOnly(modifiers: number): boolean {
  return ((modifiers - 1) & ~(64 | 128)) === 4;
}

/**
 * Whether one of these bytes is there. A key or its echo is one byte long: for those a loop is ten times quicker than the
 * array's own method, and this stands in the way of each of them.
 */
export function holds(bytes: Uint8Array, one: number, two = one, three = one): boolean {
  if (bytes.length > SHORT) return bytes.includes(one) || bytes.includes(two) || bytes.includes(three);
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === one || byte === two || byte === three) return true;
  }
  return false;
}

const SHORT = 16;

export interface DetachKey {
  /** Bytes before the key, and whether it was pressed; what follows it is dropped. */
  scan(bytes: Uint8Array): { pass: Uint8Array; detach: boolean };
  label: string;
  /** As it is written in the config. */
  name: string;
}

/**
 * The one key a viewer keeps for itself; everything else goes to the agent untouched. Inside a paste the key is text, also
 * when the paste comes in several reads; which is why one scanner has to see all bytes of a terminal.
 */
export function detachKey(name: string, clock: Pick<Clock, 'now'> = systemClock): DetachKey {
  const match = CONTROL_KEY.exec(name);
  if (!match)
    throw new ReinsError('CONFIG_INVALID', { problem: `cli.detach_key: ${name} is no control key, like C-]` });
  const code = match[1]!.toUpperCase().charCodeAt(0) & 0x1f;
  const keys = new ControlKeys();
  return {
    name,
    label: `Ctrl-${match[1]!.toUpperCase()}`,
    scan(bytes) {
      if (keys.isPasting) keys.heard(clock.now());
      // Nearly every key is neither.
      if (keys.isGround && !holds(bytes, code, ESC)) return { pass: bytes, detach: false };
      const now = clock.now();
      // Where the current sequence began; before this read: what has partly gone out goes out whole.
      let begin: number | undefined;
      for (let at = 0; at < bytes.length; at += 1) {
        const byte = bytes[at]!;
        if (byte === ESC) begin = at;
        if (keys.step(byte, now) !== code) continue;
        keys.reset();
        return { pass: bytes.subarray(0, byte === code ? at : (begin ?? at + 1)), detach: true };
      }
      return { pass: bytes, detach: false };
    },
  };
}
