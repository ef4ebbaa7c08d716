/**
 * A terminal in two parts: what was said, which scrolls away for good, and a live area below it that is painted anew with
 * each frame. Works on the normal screen. Owns where the cursor is; nobody else writes while it lives.
 */
export interface Painting {
  lines: string[];
  /** Where the caret stands; absent: at the end of the last line. */
  caret?: { row: number; column: number };
}

const SGR = /\x1b\[[0-9;]*m/g;

/** Columns of one character; close enough for what the practice agent prints. */
function charWidth(char: string): number {
  const code = char.codePointAt(0)!;
  if (code < 0x300) return 1;
  if (code <= 0x36f || code === 0x200d || (code >= 0xfe00 && code <= 0xfe0f)) return 0;
  const wide =
    (code >= 0x1100 && code <= 0x115f) || (code >= 0x2e80 && code <= 0xa4cf) || (code >= 0xac00 && code <= 0xd7a3);
  return wide || (code >= 0xf900 && code <= 0xfaff) || (code >= 0xff00 && code <= 0xff60) || code >= 0x1f300 ? 2 : 1;
}

/** Without colours. */
export const plain = (text: string): string => text.replace(SGR, '');

export function width(text: string): number {
  let columns = 0;
  for (const char of plain(text)) columns += charWidth(char);
  return columns;
}

/** Cut to so many columns; colours survive. */
export function clip(text: string, columns: number): string {
  if (width(text) <= columns) return text;
  let out = '';
  let used = 0;
  for (const part of text.split(/(\x1b\[[0-9;]*m)/)) {
    if (part.startsWith('\x1b[')) {
      out += part;
      continue;
    }
    for (const char of part) {
      used += charWidth(char);
      if (used <= columns) out += char;
    }
  }
  return out;
}

/** Breaks at spaces where possible; a line's own line breaks stay. Plain text only. */
export function wrap(text: string, columns: number): string[] {
  return text.split('\n').flatMap((line) => {
    const rows: string[] = [];
    let row = '';
    let used = 0;
    for (const word of line.match(/\s+|\S+/g) ?? []) {
      const size = width(word);
      if (used + size > columns && used > 0) {
        rows.push(row.trimEnd());
        row = '';
        used = 0;
        if (/^\s/.test(word)) continue;
      }
      if (size <= columns) {
        row += word;
        used += size;
        continue;
      }
      for (const char of word) {
        if (used + charWidth(char) > columns) {
          rows.push(row);
          row = '';
          used = 0;
        }
        row += char;
        used += charWidth(char);
      }
    }
    return [...rows, row];
  });
}

/** Control characters as visible signs: text of a model must never reach the terminal as a command. */
export function visible(text: string): string {
  return text
    .replace(/[\x00-\x08\x0b-\x1f\x7f\x80-\x9f]/g, (char) =>
      char < ' ' ? String.fromCodePoint(0x2400 + char.charCodeAt(0)) : '·',
    )
    .replaceAll('\t', '    ');
}

export class Painter {
  readonly #write: (text: string | Buffer) => void;
  readonly #size: () => { columns: number; rows: number };
  #live: string[] = [];
  #caret = { row: 0, column: 0 };
  /** Raw bytes were written and may be in the middle of something: no frame until words come again. */
  #held: 'no' | 'line' | 'middle' = 'no';

  constructor(given: { write: (text: string | Buffer) => void; size: () => { columns: number; rows: number } }) {
    this.#write = given.write;
    this.#size = given.size;
  }

  /** Prints lines for good and the live area below them, in one write. */
  paint(said: string[], frame: Painting): void {
    if (this.#held !== 'no' && said.length === 0) return;
    const { columns, rows } = this.#size();
    const lines = frame.lines.slice(-Math.max(1, rows - 1)).map((line) => clip(line, columns));
    const cut = frame.lines.length - lines.length;
    const caret = frame.caret
      ? { row: Math.max(0, frame.caret.row - cut), column: frame.caret.column }
      : { row: lines.length - 1, column: width(lines.at(-1) ?? '') };
    caret.column = Math.min(caret.column, columns - 1);
    const up = lines.length - 1 - caret.row;
    const place = `${up > 0 ? `\x1b[${up}A` : ''}\r${caret.column > 0 ? `\x1b[${caret.column}C` : ''}`;
    const fresh = this.#held === 'middle' ? '\r\n' : this.#erase(columns);
    this.#write(`\x1b[?25l${fresh}${[...said, ...lines].join('\r\n')}${place}\x1b[?25h`);
    this.#held = 'no';
    this.#live = lines;
    this.#caret = caret;
  }

  raw(bytes: Buffer): void {
    if (this.#held === 'no') this.#write(this.#erase(this.#size().columns));
    this.#live = [];
    this.#caret = { row: 0, column: 0 };
    this.#held = bytes.at(-1) === 0x0a ? 'line' : 'middle';
    this.#write(bytes);
  }

  /** Leaves the live area behind as if it never was. */
  clear(): void {
    this.#write(this.#erase(this.#size().columns));
    this.#live = [];
    this.#caret = { row: 0, column: 0 };
  }

  /** A narrower terminal has wrapped our lines: count the rows they take now, not the ones we painted. */
  #erase(columns: number): string {
    const above = this.#live
      .slice(0, this.#caret.row)
      .reduce((sum, line) => sum + Math.max(1, Math.ceil(width(line) / columns)), 0);
    const up = above + Math.floor(this.#caret.column / columns);
    return `\r${up > 0 ? `\x1b[${up}A` : ''}\x1b[J`;
  }
}
