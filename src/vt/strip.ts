/**
 * Removes terminal sequences from agent output and leaves its text, byte by byte with state: feeding all at once or one
 * byte at a time gives the same. Keeps tabs and newlines; `\r\n` becomes `\n`; a lone `\r` ends the line if the line has
 * text (a progress bar gives one line per state) and is nothing otherwise. It moves no cursor: text that a program places
 * by columns comes out joined, so a TUI is read from the `Screen`, never from here.
 */
import { AGAIN, GROUND, GROUND_C2, LINE_FEED, NOTHING, RETURN, RETURNS_KEPT, TABLE, TEXT } from './table.js';

/** 1 MiB: an inline picture fits. */
const MAX_SEQUENCE = 1024 * 1024;

const LF = 0x0a;
/** Text that leaves the state in ground: nearly every byte. */
const PLAIN = (TEXT << 4) | GROUND;

export interface StripOptions {
  /** Leave carriage returns as they are, for who knows better what they mean. */
  keepsReturns?: boolean;
  /** A sequence longer than this was never ended: what follows counts as text again. */
  longest?: number;
}

export class Strip {
  readonly #table: Uint8Array;
  readonly #longest: number;
  #state = GROUND;
  #inSequence = 0;
  #returned = false;
  #lineHasText = false;

  constructor({ keepsReturns = false, longest = MAX_SEQUENCE }: StripOptions = {}) {
    this.#table = keepsReturns ? RETURNS_KEPT : TABLE;
    this.#longest = longest;
  }

  /** The text in this chunk. May hold a character cut at either end, as the chunk did: decode it with state. */
  feed(chunk: Uint8Array): Uint8Array {
    // Two bytes of room per chunk are not enough only if a held-back return and C2 come out together: three are.
    const out = new Uint8Array(chunk.length + 3);
    const table = this.#table;
    const length = chunk.length;
    const longest = this.#longest;
    let at = 0;
    let state = this.#state;
    let returned = this.#returned;
    let hasText = this.#lineHasText;
    let inSequence = this.#inSequence;
    for (let i = 0; i < length; i++) {
      const byte = chunk[i]!;
      const entry = table[(state << 8) | byte]!;
      if (entry === PLAIN && !returned) {
        out[at++] = byte;
        hasText = true;
        state = GROUND;
        inSequence = 0;
        continue;
      }
      let next = entry & 15;
      const kind = entry >> 4;
      if (kind === NOTHING) {
        if (next === GROUND) inSequence = 0;
        else if (++inSequence > longest && next !== GROUND_C2) {
          next = GROUND;
          inSequence = 0;
        }
        state = next;
        continue;
      }
      if (kind === AGAIN) {
        state = GROUND;
        inSequence = 0;
        i--;
        continue;
      }
      if (kind === LINE_FEED) {
        out[at++] = LF;
        returned = false;
        hasText = false;
      } else if (kind === RETURN) {
        returned = true;
      } else {
        if (returned && hasText) out[at++] = LF;
        returned = false;
        hasText = true;
        if (kind === TEXT) out[at++] = byte;
        else {
          // TEXT_AFTER_C2: C2 began a character; a byte that cannot continue it is read again.
          out[at++] = 0xc2;
          if (byte >= 0x80 && byte <= 0xbf) out[at++] = byte;
          else i--;
        }
      }
      state = next;
      if (state === GROUND) inSequence = 0;
    }
    this.#state = state;
    this.#returned = returned;
    this.#lineHasText = hasText;
    this.#inSequence = inSequence;
    return out.subarray(0, at);
  }

  /** What was still held back. The object can be used for a new stream afterwards. */
  end(): Uint8Array {
    const bytes: number[] = [];
    if (this.#state === GROUND_C2) {
      if (this.#returned && this.#lineHasText) bytes.push(LF);
      bytes.push(0xc2);
    } else if (this.#returned && this.#lineHasText) bytes.push(LF);
    this.#state = GROUND;
    this.#inSequence = 0;
    this.#returned = false;
    this.#lineHasText = false;
    return Uint8Array.from(bytes);
  }
}

/** The text of one whole piece of output. */
export function stripAnsi(bytes: Uint8Array): Uint8Array {
  const strip = new Strip();
  const text = strip.feed(bytes);
  const rest = strip.end();
  return rest.length === 0 ? text : Uint8Array.from([...text, ...rest]);
}

/** For programs that print lines: a string that never ends must not swallow much of what follows. */
const LONGEST_IN_LINES = 4096;

/** Takes the next piece of text, and gives what is text in it: printable, tab, CR and LF. */
export function lineStripper(): (piece: string) => string {
  const strip = new Strip({ keepsReturns: true, longest: LONGEST_IN_LINES });
  return (piece) => utf8.decode(strip.feed(Buffer.from(piece)));
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
