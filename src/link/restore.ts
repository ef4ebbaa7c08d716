/**
 * Gives the user's terminal back as it was. An agent that is killed, or a viewer that detaches, leaves modes behind:
 * mouse reports, bracketed paste, a hidden cursor, the alternate screen. Most can be switched off blindly; leaving the
 * alternate screen, and taking kitty's keyboard modes off their stack, may only be done as often as they were put there
 * (the shell around us may have its own), so those are watched for in the bytes that pass.
 */
import { holds, type LeftModes } from '../contract/index.js';

const ESC = 0x1b;
const WATCHED = /\x1b\[(?:\?([\d;]*)([hl])|([<>])(\d*)[\d;]*u)/g;
const STARTS = ['\x1b[?', '\x1b[>', '\x1b[<'];
const ALTERNATE_MODES = new Set(['1049', '1047', '47']);

/** Harmless when they were off: mouse, paste, focus, colour reports, cursor, modified keys, scroll margins, colours. */
const QUIET =
  '\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l\x1b[?1004l\x1b[?2031l\x1b[?2026l\x1b[>4m\x1b7\x1b[r\x1b8\x1b[?25h\x1b[0m';

export class Restore {
  #alternate = false;
  #keyboards = 0;
  /** A sequence may be cut by a chunk's border. */
  #tail = '';

  /** What was put on the terminal and must be taken off again. */
  get left(): LeftModes {
    return { alternate: this.#alternate, keyboards: this.#keyboards };
  }

  /** Goes on from what another one has seen. */
  adopt({ alternate, keyboards }: LeftModes): void {
    this.#alternate = alternate;
    this.#keyboards = keyboards;
    this.#tail = '';
  }

  /** Says whether `left` has changed. */
  watch(bytes: Uint8Array): boolean {
    if (this.#tail === '' && !holds(bytes, ESC)) return false;
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (this.#tail === '' && !STARTS.some((start) => chunk.includes(start))) {
      this.#keep(chunk.subarray(-12).toString('latin1'));
      return false;
    }
    const [alternate, keyboards] = [this.#alternate, this.#keyboards];
    const text = this.#tail + chunk.toString('latin1');
    for (const [, modes, set, stack, count] of text.matchAll(WATCHED)) {
      if (stack === '>') this.#keyboards += 1;
      else if (stack === '<') this.#keyboards = Math.max(0, this.#keyboards - Math.max(1, Number(count)));
      else if (modes!.split(';').some((mode) => ALTERNATE_MODES.has(mode))) this.#alternate = set === 'h';
    }
    this.#keep(text.slice(-12));
    return this.#alternate !== alternate || this.#keyboards !== keyboards;
  }

  /** What to write when leaving. */
  bytes(): string {
    const keyboards = this.#keyboards > 0 ? `\x1b[<${this.#keyboards}u` : '';
    return `${keyboards}${this.#alternate ? '\x1b[?1049l' : ''}${QUIET}`;
  }

  #keep(end: string): void {
    const start = end.lastIndexOf('\x1b');
    this.#tail = start >= 0 && !/[@-~]/.test(end.slice(start + 2)) ? end.slice(start) : '';
  }
}
