/**
 * What the emulator knows but does not tell: cursor visibility and style, scroll margins, mouse encoding, the character
 * set, the saved cursor. Listened to on its parser, and written into snapshots so that a viewer's terminal ends in the
 * same state. Not covered, because nothing public tells it: tab stops and SO/SI shifts.
 */
import type { Terminal } from '@xterm/headless';
import { styleOf } from './screen-rows.js';

/** Private modes of which the emulator does not tell: colour reports, mouse encodings, alternate scroll, cursor blink. */
const KEPT_MODES = [12, 1005, 1006, 1007, 1015, 1016, 2031, 2048];

const MOUSE = { none: '', x10: '\x1b[?9h', vt200: '\x1b[?1000h', drag: '\x1b[?1002h', any: '\x1b[?1003h' };

interface PerBuffer {
  margins?: { top: number; bottom: number };
  /** Where `ESC 7` or the alternate screen left the cursor, and how it wrote. */
  saved?: { x: number; y: number; charset: string; style: string };
}

export class ScreenModes {
  cursorVisible = true;
  #cursorStyle: number | undefined;
  #modes = new Set<number>();
  #charset = 'B';
  #buffers: Record<'normal' | 'alternate', PerBuffer> = { normal: {}, alternate: {} };
  readonly #terminal: Terminal;
  readonly #style: () => string;

  /** `style`: the colours of the next character, as SGR parameters. */
  constructor({ terminal, style, onSyncEnd }: { terminal: Terminal; style: () => string; onSyncEnd: () => void }) {
    this.#terminal = terminal;
    this.#style = style;
    const parser = terminal.parser;
    const numbers = (params: (number | number[])[]): number[] => params.map((p) => (typeof p === 'number' ? p : p[0]!));
    parser.registerCsiHandler({ prefix: '?', final: 'h' }, (params) => this.#set(numbers(params), true));
    parser.registerCsiHandler({ prefix: '?', final: 'l' }, (params) => {
      const codes = numbers(params);
      if (codes.includes(2026)) onSyncEnd();
      return this.#set(codes, false);
    });
    parser.registerCsiHandler({ final: 'r' }, (params) => {
      const [top = 1, bottom = 0] = numbers(params);
      const full = top <= 1 && (bottom === 0 || bottom >= terminal.rows);
      if (full) delete this.#here().margins;
      else this.#here().margins = { top: Math.max(top, 1), bottom: bottom === 0 ? terminal.rows : bottom };
      return false;
    });
    parser.registerCsiHandler({ intermediates: ' ', final: 'q' }, (params) => {
      this.#cursorStyle = numbers(params)[0] ?? 0;
      return false;
    });
    parser.registerEscHandler({ intermediates: '(', final: '0' }, () => this.#designate('0'));
    parser.registerEscHandler({ intermediates: '(', final: 'B' }, () => this.#designate('B'));
    parser.registerEscHandler({ final: '7' }, () => this.#save());
    parser.registerEscHandler({ final: '8' }, () => this.#restore(this.#here()));
    parser.registerCsiHandler({ final: 'u' }, () => this.#restore(this.#here()));
    parser.registerCsiHandler({ final: 's' }, () => this.#save());
    parser.registerCsiHandler({ intermediates: '!', final: 'p' }, () => this.#reset());
    parser.registerEscHandler({ final: 'c' }, () => this.#reset());
  }

  /** A resize takes the margins back, as terminals do. */
  resized(): void {
    this.#buffers = { normal: {}, alternate: {} };
  }

  /** Whether lines scroll over the whole height: what makes scrolled lines leave at the top. */
  get hasMargins(): boolean {
    return this.#here().margins !== undefined;
  }

  /** What to write after the cells so that cursor, modes and the colours of the next character are right too. */
  sequences(): string {
    const here = this.#here();
    const { modes } = this.#terminal;
    const style = this.#style();
    let text = here.saved ? `${this.#savedCursor(here)}\x1b7\x1b[0m\x1b(B` : '';
    if (here.margins) text += `\x1b[${here.margins.top};${here.margins.bottom}r`;
    if (modes.originMode) text += '\x1b[?6h';
    text += this.#cursor();
    if (this.#charset !== 'B') text += `\x1b(${this.#charset}`;
    if (this.#cursorStyle !== undefined) text += `\x1b[${this.#cursorStyle} q`;
    if (modes.applicationCursorKeysMode) text += '\x1b[?1h';
    if (modes.applicationKeypadMode) text += '\x1b=';
    if (modes.bracketedPasteMode) text += '\x1b[?2004h';
    if (modes.sendFocusMode) text += '\x1b[?1004h';
    if (modes.insertMode) text += '\x1b[4h';
    if (modes.reverseWraparoundMode) text += '\x1b[?45h';
    if (!modes.wraparoundMode) text += '\x1b[?7l';
    text += MOUSE[modes.mouseTrackingMode];
    for (const mode of this.#modes) text += `\x1b[?${mode}h`;
    if (!this.cursorVisible) text += '\x1b[?25l';
    return style === '' ? text : `${text}\x1b[0;${style}m`;
  }

  /** Enters the alternate screen as the agent did: with the cursor of the normal one saved, and nothing on it. */
  enterAlternate(): string {
    return `${this.#savedCursor(this.#buffers.normal)}\x1b[?1049h\x1b[0m\x1b(B\x1b[2J`;
  }

  #savedCursor({ saved }: PerBuffer): string {
    const { cursorX, cursorY } = this.#terminal.buffer.normal;
    const { x, y, style, charset } = saved ?? { x: cursorX, y: cursorY, style: '', charset: 'B' };
    return `\x1b[${y + 1};${x + 1}H\x1b[0;${style}m\x1b(${charset}`;
  }

  /** A cursor behind the last column, where the next character wraps, gets there only by writing that column again. */
  #cursor(): string {
    const { cols, modes } = this.#terminal;
    const { active } = this.#terminal.buffer;
    // Origin mode counts rows from the top margin.
    const row = active.cursorY - (modes.originMode ? (this.#here().margins?.top ?? 1) - 1 : 0) + 1;
    if (active.cursorX < cols) return `\x1b[${row};${active.cursorX + 1}H`;
    const line = active.getLine(active.baseY + active.cursorY);
    const last = line?.getCell(cols - 1);
    const x = last?.getWidth() === 0 ? cols - 2 : cols - 1;
    const cell = line?.getCell(x);
    const style = cell && !cell.isAttributeDefault() ? styleOf(cell) : '';
    return `\x1b[${row};${x + 1}H\x1b[0;${style}m${cell?.getChars() || ' '}\x1b[0m`;
  }

  #here(): PerBuffer {
    return this.#buffers[this.#terminal.buffer.active.type];
  }

  #set(codes: number[], on: boolean): false {
    for (const code of codes) {
      if (code === 25) this.cursorVisible = on;
      else if (code === 1049 || code === 1048) {
        // Both save and restore the cursor; 1049 does so on the normal screen.
        if (on) this.#save();
        else this.#restore(code === 1049 ? this.#buffers.normal : this.#here());
      } else if (!KEPT_MODES.includes(code)) continue;
      else if (on) this.#modes.add(code);
      else this.#modes.delete(code);
    }
    return false;
  }

  #designate(charset: string): false {
    this.#charset = charset;
    return false;
  }

  #save(): false {
    const { cursorX, cursorY } = this.#terminal.buffer.active;
    this.#here().saved = {
      x: Math.min(cursorX, this.#terminal.cols - 1),
      y: cursorY,
      charset: this.#charset,
      style: this.#style(),
    };
    return false;
  }

  /** A cursor that was never saved comes back with the usual characters. */
  #restore(buffer: PerBuffer): false {
    return this.#designate(buffer.saved?.charset ?? 'B');
  }

  #reset(): false {
    this.cursorVisible = true;
    this.#charset = 'B';
    this.#cursorStyle = undefined;
    this.#modes.clear();
    this.resized();
    return false;
  }
}
