/**
 * Remembers the unfinished end of a byte stream: a sequence or character that was cut by the end of a read. A snapshot
 * of the screen carries it, so that a viewer's terminal stands in the middle of the same sequence as ours and the next
 * byte means the same to both. Cheap: an ESC starts anew in every state, so only what follows the last one is read.
 */
import { AGAIN, ESCAPE, GROUND, GROUND_C2, TABLE, TEXT_AFTER_C2 } from './table.js';

/** Beyond this an unfinished sequence keeps only its beginning: titles and colours fit, clipboard contents need not. */
const MAX_TAIL = 8 * 1024;

const ESC = 0x1b;

export class Tail {
  #state = GROUND;
  #held: Uint8Array = new Uint8Array(0);

  feed(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    const lastEscape = chunk.lastIndexOf(ESC);
    let state = lastEscape === -1 ? this.#state : ESCAPE;
    let start = lastEscape === -1 ? (state === GROUND ? -1 : 0) : lastEscape;
    let held = lastEscape === -1 && state !== GROUND ? this.#held : NONE;
    let i = lastEscape === -1 ? 0 : lastEscape + 1;
    if (state === GROUND && chunk.indexOf(0xc2) === -1) i = chunk.length;
    for (; i < chunk.length; i++) {
      const entry = TABLE[(state << 8) | chunk[i]!]!;
      const before = state;
      state = entry & 15;
      const kind = entry >> 4;
      if (kind === AGAIN || (kind === TEXT_AFTER_C2 && before === GROUND_C2 && chunk[i]! < 0x80)) i--;
      if (state === GROUND) {
        start = -1;
        held = NONE;
      } else if (before === GROUND) start = i;
    }
    this.#state = state;
    this.#held = state === GROUND ? cutCharacter(this.#held, chunk) : keep(held, chunk.subarray(start));
  }

  /** The bytes since the last point where nothing was unfinished. */
  bytes(): Uint8Array {
    return this.#held;
  }
}

const NONE = new Uint8Array(0);

function keep(held: Uint8Array, more: Uint8Array): Uint8Array {
  return concat(held, more.subarray(0, Math.max(MAX_TAIL - held.length, 0)));
}

/** The lead and continuation bytes of a character whose end has not come; at most three bytes. */
function cutCharacter(before: Uint8Array, chunk: Uint8Array): Uint8Array {
  const end = concat(before.length <= 3 && isCutCharacter(before) ? before : NONE, chunk.subarray(-4));
  for (let back = 1; back <= Math.min(3, end.length); back++) {
    const byte = end[end.length - back]!;
    if (byte >= 0xc3 && byte <= 0xf4) {
      const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return needed > back ? end.slice(-back) : NONE;
    }
    if (byte < 0x80 || byte >= 0xc0) return NONE;
  }
  return NONE;
}

const isCutCharacter = (bytes: Uint8Array): boolean => bytes.length > 0 && bytes[0]! >= 0xc3;

function concat(a: Uint8Array, b: Uint8Array): Uint8Array {
  const all = new Uint8Array(a.length + b.length);
  all.set(a);
  all.set(b, a.length);
  return all;
}
