/**
 * The one block on the terminal: drawn in place of the last one, taken away, or replaced by one line. After the terminal
 * changed its size the old block cannot be found any more: it stays where it is and a new one is drawn below.
 */
import type { Tty } from '../channels.js';
import { type DialogSize, type DialogView, erase, overdraw, type Painted, paint, type SpanRow } from './draw.js';

export interface BlockOptions {
  pretty: boolean;
  /** Does the terminal's cursor stand behind text of ours? Unknown = taken for true. */
  midLine?: (() => boolean) | undefined;
  /** The cursor can be moved. Where it cannot (TERM=dumb), everything is written once, below what was there. */
  moves?: boolean;
}

export class Block {
  readonly #options: BlockOptions;
  #painted: (Painted & { size: DialogSize }) | undefined;
  #atLineStart = false;

  constructor(options: BlockOptions) {
    this.#options = options;
  }

  get visible(): boolean {
    return this.#painted !== undefined;
  }

  draw(tty: Tty, view: DialogView): void {
    const size = sizeOf(tty);
    const painted = paint(view, { size, ...this.#options });
    const last = this.#painted?.text;
    // What is being typed grows at its end: a terminal without cursor moves gets only what is new.
    const grown = this.#moves || last === undefined || !painted.text.startsWith(last);
    if (this.#covers(size, painted.height)) write(tty, overdraw(this.#painted!, painted));
    else if (!grown) write(tty, painted.text.slice(last.length));
    else write(tty, this.#before(size) + painted.text);
    this.#painted = { ...painted, size };
  }

  /** The new block has the place of the old one, row for row. */
  #covers(size: DialogSize, height: number): boolean {
    const last = this.#painted;
    return this.#moves && last?.height === height && isSame(last.size, size);
  }

  get #moves(): boolean {
    return this.#options.moves !== false;
  }

  /** Takes the block away; the cursor stands at the start of a line. */
  hide(tty: Tty): void {
    if (!this.#painted) return;
    write(tty, this.#before(sizeOf(tty)));
    this.#painted = undefined;
    this.#atLineStart = true;
  }

  /** One line in place of the block, which stays. */
  line(tty: Tty, row: SpanRow): void {
    const size = sizeOf(tty);
    write(tty, `${this.#before(size)}${paint({ rows: [row] }, { size, ...this.#options }).text}\r\n`);
    this.#painted = undefined;
    this.#atLineStart = true;
  }

  /** Someone else has written: where the cursor stands is no longer known. */
  disturbed(): void {
    this.#painted = undefined;
    this.#atLineStart = false;
  }

  #before(size: DialogSize): string {
    const last = this.#painted;
    if (!last) return this.#atLineStart || this.#options.midLine?.() === false ? '' : '\r\n';
    return isSame(last.size, size) && this.#moves ? erase(last.height) : '\r\n';
  }
}

const isSame = (a: DialogSize, b: DialogSize): boolean => a.columns === b.columns && a.rows === b.rows;

export const sizeOf = (tty: Tty): DialogSize => ({ columns: tty.columns, rows: tty.rows });

function write(tty: Tty, text: string): void {
  try {
    tty.write(text);
  } catch {
    // The terminal is full or gone: the next key draws again, and if it is gone there will be none.
  }
}
