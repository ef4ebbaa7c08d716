/**
 * Events as lines of asciicast v2, one text stream per file: characters cut by the end of a read are held until they are
 * whole, bytes that are no UTF-8 become replacement characters (the format is text).
 *   {"version":2,"width":80,"height":24,"timestamp":1700000000,"reins":{"at":1700000000123,"keyframe":true}}
 *   [0.05,"o","hello\r\n"]
 */
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

export class CastText {
  readonly #start: number;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  #lastAt = 0;

  constructor(start: number) {
    this.#start = start;
  }

  /** Neighbouring output becomes one event at the time of its first byte. */
  lines(events: HeldEvent[]): string {
    let out = '';
    for (let i = 0; i < events.length; i++) {
      const event = events[i]!;
      let data = event.text ?? '';
      if (event.bytes) {
        const run = [event.bytes];
        for (let next = events[i + 1]; next?.bytes; next = events[i + 1]) {
          run.push(next.bytes);
          i++;
        }
        // One decode of many reads: half the time of one decode each.
        data = this.#decoder.decode(run.length === 1 ? event.bytes : Buffer.concat(run), { stream: true });
        if (data === '') continue;
      }
      // A clock that was set back must not make a player wait or stumble: time only grows.
      this.#lastAt = Math.max(this.#lastAt, event.at - this.#start);
      out += `[${this.#lastAt / 1000},"${event.code}",${JSON.stringify(data)}]\n`;
    }
    return out;
  }
}
