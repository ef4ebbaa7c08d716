/** The input box: a text with a caret, edited by keys. */
import type { PracticeKey } from './keys.js';
import { visible, width, wrap } from './painter.js';

/** A long text is shown by its end only. */
const SHOWN_ROWS = 6;
const SHOWN_CHARS = 2000;

export class Box {
  #chars: string[] = [];
  #at = 0;

  get text(): string {
    return this.#chars.join('');
  }

  clear(): void {
    this.#chars = [];
    this.#at = 0;
  }

  key(key: PracticeKey): void {
    if ('text' in key) this.#insert(key.name === 'paste' ? key.text.replaceAll('\t', '    ') : key.text);
    else if (key.name === 'newline') this.#insert('\n');
    else if (key.name === 'backspace' && this.#at > 0) {
      this.#at -= 1;
      this.#chars.splice(this.#at, 1);
    } else if (key.name === 'delete') this.#chars.splice(this.#at, 1);
    else if (key.name === 'left') this.#at = Math.max(0, this.#at - 1);
    else if (key.name === 'right') this.#at = Math.min(this.#chars.length, this.#at + 1);
    else if (key.name === 'home') this.#at = 0;
    else if (key.name === 'end') this.#at = this.#chars.length;
    else if (key.name === 'ctrl-u') this.#cut(0);
    else if (key.name === 'ctrl-w') this.#cut(this.text.slice(0, this.#at).replace(/\S+\s*$/, '').length);
  }

  /** Rows as shown behind `❯ `, and the caret among them. */
  view(columns: number): { rows: string[]; caret: { row: number; column: number } } {
    const before = visible(this.#chars.slice(Math.max(0, this.#at - SHOWN_CHARS), this.#at).join(''));
    const after = visible(this.#chars.slice(this.#at, this.#at + SHOWN_CHARS).join(''));
    const hidden = this.#at > SHOWN_CHARS ? `[${this.#at - SHOWN_CHARS} characters] …` : '';
    const rows = wrap(hidden + before + after, columns);
    const head = wrap(hidden + before, columns);
    const first = Math.max(0, Math.min(head.length - 1, rows.length - SHOWN_ROWS));
    const caret = { row: head.length - 1 - first, column: width(head.at(-1) ?? '') };
    return { rows: rows.slice(first, first + SHOWN_ROWS), caret };
  }

  #insert(text: string): void {
    const added = [...text];
    this.#chars = [...this.#chars.slice(0, this.#at), ...added, ...this.#chars.slice(this.#at)];
    this.#at += added.length;
  }

  #cut(from: number): void {
    this.#chars.splice(from, this.#at - from);
    this.#at = from;
  }
}
