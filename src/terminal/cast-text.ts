/**
 * Events as lines of asciicast v2, one text stream per file: characters cut by the end of a read are held until they are
 * whole, bytes that are no UTF-8 become replacement characters (the format is text).
 *   {"version":2,"width":80,"height":24,"timestamp":1700000000,"reins":{"at":1700000000123,"keyframe":true}}
 *   [0.05,"o","hello\r\n"]
 */
import { isUtf8 } from 'node:buffer';
import type { Size } from '../contract/index.js';

export interface HeldEvent {
  code: 'o' | 'i' | 'r' | 'm';
  /** Epoch milliseconds. */
  at: number;
  /** Bytes of output before this event. */
  offset: number;
  /** Of output. */
  bytes?: Uint8Array;
  /** Of everything else. */
  text?: string;
}

/** `keyframe`: the first event redraws a screen that an earlier part already showed; readers of several parts skip it. */
export function headerLine(head: { size: Size; at: number; keyframe: boolean; title: string | undefined }): string {
  return `${JSON.stringify({
    version: 2,
    width: head.size.cols,
    height: head.size.rows,
    timestamp: Math.floor(head.at / 1000),
    title: head.title,
    env: { TERM: 'xterm-256color' },
    reins: { at: head.at, keyframe: head.keyframe },
  })}\n`;
}

/** Output within this time is one event: a repaint storm is one line. */
const EVENT_MS = 50;

export class CastText {
  readonly #start: number;
  #lastAt = 0;
  /** The beginning of a character that the last read cut. */
  #cut: Uint8Array = Buffer.alloc(0);

  constructor(start: number) {
    this.#start = start;
  }

  /** Output within a moment becomes one event at the time of its first byte. */
  lines(events: HeldEvent[]): Uint8Array {
    const parts: Uint8Array[] = [];
    for (let i = 0; i < events.length; i++) {
      const event = events[i]!;
      let data: Uint8Array | undefined = event.text === undefined ? undefined : Buffer.from(JSON.stringify(event.text));
      if (event.bytes) {
        const run = [this.#cut, event.bytes];
        for (let next = events[i + 1]; next?.bytes && next.at - event.at < EVENT_MS; next = events[i + 1]) {
          run.push(next.bytes);
          i++;
        }
        data = this.#output(Buffer.concat(run));
        if (!data) continue;
      }
      // A clock that was set back must not make a player wait or stumble: time only grows.
      this.#lastAt = Math.max(this.#lastAt, event.at - this.#start);
      parts.push(Buffer.from(`[${this.#lastAt / 1000},"${event.code}",`), data ?? EMPTY, END);
    }
    return Buffer.concat(parts);
  }

  #output(bytes: Buffer): Buffer | undefined {
    const whole = bytes.subarray(0, bytes.length - cutBytes(bytes));
    // A copy: the rest of it would keep the whole batch alive.
    this.#cut = Buffer.from(bytes.subarray(whole.length));
    if (whole.length === 0) return undefined;
    return isUtf8(whole) ? jsonText(whole) : Buffer.from(JSON.stringify(lenient.decode(whole)));
  }
}

const EMPTY = Buffer.from('""');
const END = Buffer.from(']\n');
const lenient = new TextDecoder('utf-8', { ignoreBOM: true });

/** How many bytes at the end begin a character that goes on behind it. */
function cutBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if (byte < 0x80) return 0;
    if (byte >= 0xc2) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) && byte <= 0xf4 ? back : 0;
  }
  return 0;
}

/** What stands behind the backslash for a byte that JSON does not allow in a text; 0 for all others. */
const ESCAPE = Uint8Array.from({ length: 256 }, (_, byte) => {
  const text = byte < 0x80 ? JSON.stringify(String.fromCharCode(byte)) : '';
  return text[1] === '\\' ? text.charCodeAt(2) : 0;
});
const [BACKSLASH, QUOTE, LOWER_U] = [0x5c, 0x22, 0x75];
/** Room is made step by step, for a byte may become six, but hardly any does. */
const STEP_BYTES = 1024;
const WORST_STEP_BYTES = 6 * STEP_BYTES;
const HEX = Buffer.from('0123456789abcdef');

/** The same bytes as `JSON.stringify` of the text, without making a string of it: a flood is recorded too. */
function jsonText(bytes: Uint8Array): Buffer {
  let out = Buffer.allocUnsafe(bytes.length + (bytes.length >> 1) + 2 * WORST_STEP_BYTES);
  let at = 0;
  out[at++] = QUOTE;
  for (let i = 0; i < bytes.length; i++) {
    if (i % STEP_BYTES === 0 && out.length - at < 2 * WORST_STEP_BYTES) out = Buffer.concat([out], 2 * out.length);
    const byte = bytes[i]!;
    const mark = ESCAPE[byte]!;
    if (mark === 0) {
      out[at++] = byte;
      continue;
    }
    out[at++] = BACKSLASH;
    out[at++] = mark;
    if (mark !== LOWER_U) continue;
    out[at++] = 0x30;
    out[at++] = 0x30;
    out[at++] = HEX[byte >> 4]!;
    out[at++] = HEX[byte & 15]!;
  }
  out[at++] = QUOTE;
  return out.subarray(0, at);
}
