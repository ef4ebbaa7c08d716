/**
 * Gives the user's terminal back as it was. An agent that is killed, or a viewer that detaches, leaves modes behind:
 * mouse reports, bracketed paste, a hidden cursor, the alternate screen. Most can be switched off blindly; leaving the
 * alternate screen may only be done if it is on, so that one is watched for in the bytes that pass.
 */
const ALTERNATE = /\x1b\[\?([\d;]*)([hl])/g;
const ALTERNATE_MODES = new Set(['1049', '1047', '47']);

/** Harmless when they were off: mouse, paste, focus, colour reports, cursor, kitty keys, modified keys, colours. */
const QUIET =
  '\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l\x1b[?1004l\x1b[?2031l\x1b[?2026l\x1b[<u\x1b[>4m\x1b[?25h\x1b[0m';

export class Restore {
  #alternate = false;
  /** A sequence may be cut by a chunk's border. */
  #tail = '';

  watch(bytes: Uint8Array): void {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (this.#tail === '' && !chunk.includes('\x1b[?')) {
      this.#keep(chunk.subarray(-12).toString('latin1'));
      return;
    }
    const text = this.#tail + chunk.toString('latin1');
    for (const match of text.matchAll(ALTERNATE)) {
      if (match[1]!.split(';').some((mode) => ALTERNATE_MODES.has(mode))) this.#alternate = match[2] === 'h';
    }
    this.#keep(text.slice(-12));
  }

  /** What to write when leaving. */
  bytes(): string {
    return `${this.#alternate ? '\x1b[?1049l' : ''}${QUIET}`;
  }

  #keep(end: string): void {
    const start = end.lastIndexOf('\x1b');
    this.#tail = start >= 0 && !/[@-~]/.test(end.slice(start + 2)) ? end.slice(start) : '';
  }
}
