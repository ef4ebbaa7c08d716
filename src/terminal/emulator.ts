/**
 * The terminal emulator behind a `Screen`: xterm's, without a window. Loaded only when a screen is wanted, because it
 * costs memory that a quiet session need not pay. Bytes are parsed at once and in order; what it reports is always the
 * state after the last write.
 */
import { createRequire } from 'node:module';
import type { Clock, ScreenShot, Size } from '../contract/index.js';
import { DeviceAnswers } from './answers.js';
import type { FloodState } from './flood.js';
import { ScreenModes } from './screen-modes.js';
import { ansiRows, flowingRows, type Hyperlink, placedRows, plainRows, styleOf } from './screen-rows.js';
import { widths } from './widths.js';

/** Titles, working directory, notifications (9, 99, 777), prompts (133, 633), iTerm (1337) and agent state (7501). */
const OSC_CODES = [0, 1, 2, 7, 9, 99, 133, 633, 777, 1337, 7501];

/** An operating system command longer than this is told shortened. */
const MAX_OSC_CHARS = 16 * 1024;

/** A snapshot drops its oldest scrollback lines beyond this size: a phone on a bad link waits for every byte. */
const SNAPSHOT_BUDGET_BYTES = 60_000;

/** It is no ES module: imported as one it costs each session some megabytes more. */
const xterm = createRequire(import.meta.url)('@xterm/headless') as typeof import('@xterm/headless');

const utf8 = new TextEncoder();

export interface TerminalModes {
  bracketedPaste: boolean;
  alternate: boolean;
  mouse: boolean;
  focus: boolean;
  applicationCursor: boolean;
}

export interface EmulatorEvents {
  osc(code: number, text: string): void;
  bell(): void;
  /** The agent ended a frame (synchronized output, `CSI ? 2026 l`). */
  frameEnd(): void;
  reply(bytes: Uint8Array): void;
}

export class Emulator {
  readonly answers: DeviceAnswers;
  readonly modes: ScreenModes;
  readonly #utf8 = new TextDecoder();
  readonly #terminal: InstanceType<typeof xterm.Terminal>;
  readonly #scrollback: number;
  #title = '';

  constructor(options: { size: Size; scrollback: number; clock: Clock; events: EmulatorEvents }) {
    const { size, scrollback, clock, events } = options;
    this.#scrollback = scrollback;
    // Of the window reports only the size is allowed: a title that is read back is text the agent wrote.
    const windowOptions = { getWinSizeChars: true };
    this.#terminal = new xterm.Terminal({
      ...size,
      scrollback,
      windowOptions,
      allowProposedApi: true,
      logLevel: 'off',
    });
    this.#terminal.unicode.register(widths);
    this.#terminal.unicode.activeVersion = widths.version;
    this.answers = new DeviceAnswers({ terminal: this.#terminal, clock, reply: events.reply });
    this.modes = new ScreenModes({
      terminal: this.#terminal,
      style: () => this.#style(),
      onSyncEnd: events.frameEnd,
    });
    this.#terminal.onTitleChange((title) => {
      this.#title = title.slice(0, MAX_OSC_CHARS);
    });
    this.#terminal.onBell(events.bell);
    for (const code of OSC_CODES) {
      this.#terminal.parser.registerOscHandler(code, (text) => {
        events.osc(code, text.slice(0, MAX_OSC_CHARS));
        return false;
      });
    }
  }

  /** Parses now; `done` is called when it is parsed, which is before this returns unless xterm chose to pause. */
  write(bytes: Uint8Array, done: () => void): void {
    // xterm parses the first write after user input at once, others after a timer of 1 ms; an empty input is no input.
    this.#terminal.input('', true);
    // Decoded here: xterm's own reader loses a character whose middle byte is 0x80 when a chunk ends inside it.
    this.#terminal.write(this.#utf8.decode(bytes, { stream: true }), done);
  }

  resize({ cols, rows }: Size): void {
    this.#terminal.resize(cols, rows);
    this.modes.resized();
  }

  get inSyncFrame(): boolean {
    return this.#terminal.modes.synchronizedOutputMode;
  }

  /** Where a flood would go on, or undefined if what scrolls away is not simply the top of the normal screen. */
  floodState(): FloodState | undefined {
    const { buffer, modes, rows } = this.#terminal;
    if (buffer.active.type !== 'normal' || this.modes.hasMargins || modes.originMode) return undefined;
    return { rows, scrollback: this.#scrollback, cursorY: buffer.active.cursorY };
  }

  get size(): Size {
    return { cols: this.#terminal.cols, rows: this.#terminal.rows };
  }

  terminalModes(): TerminalModes {
    const { modes, buffer } = this.#terminal;
    return {
      bracketedPaste: modes.bracketedPasteMode,
      alternate: buffer.active.type === 'alternate',
      mouse: modes.mouseTrackingMode !== 'none',
      focus: modes.sendFocusMode,
      applicationCursor: modes.applicationCursorKeysMode,
    };
  }

  shot(scrollback: number): ScreenShot {
    const { cols, rows } = this.#terminal;
    const buffer = this.#terminal.buffer.active;
    return {
      cols,
      rows,
      cursor: { x: Math.min(buffer.cursorX, cols - 1), y: buffer.cursorY, visible: this.modes.cursorVisible },
      alternate: buffer.type === 'alternate',
      title: this.#title,
      lines: plainRows({ buffer, rows, scrollback }),
    };
  }

  ansi(scrollback: number): string {
    const buffer = this.#terminal.buffer.active;
    return ansiRows({ buffer, rows: this.#terminal.rows, scrollback }).join('\n');
  }

  /**
   * Bytes that draw this screen on any terminal of this size, whatever it showed before: reset, cells, modes. Scrollback
   * lines are left out, oldest first, when they would not fit the budget.
   */
  snapshot(scrollback: number): Uint8Array {
    const { buffer, rows } = this.#terminal;
    let lines = this.#affordable(scrollback);
    let cells = flowingRows({ buffer: buffer.normal, rows, scrollback: lines, linkOf: this.#linkOf });
    for (
      let size = Buffer.byteLength(cells);
      lines > 0 && size > SNAPSHOT_BUDGET_BYTES;
      size = Buffer.byteLength(cells)
    ) {
      // Lines differ in length: take a little less than the share that fits.
      lines = Math.floor(((lines * SNAPSHOT_BUDGET_BYTES) / size) * 0.8);
      cells = flowingRows({ buffer: buffer.normal, rows, scrollback: lines, linkOf: this.#linkOf });
    }
    if (buffer.active.type === 'alternate') {
      cells += this.modes.enterAlternate() + placedRows({ buffer: buffer.alternate, rows, linkOf: this.#linkOf });
    }
    const flags = this.answers.keyboardFlags(buffer.active.type);
    const title = this.#title === '' ? '' : `\x1b]2;${printable(this.#title)}\x07`;
    const keyboard = flags === 0 ? '' : `\x1b[=${flags};1u`;
    return utf8.encode(`${RESET}${cells}${title}${keyboard}${this.modes.sequences()}`);
  }

  /** Where a link leads. Not public either; without it the text stays, and the link is lost. */
  readonly #linkOf = (id: number): Hyperlink | undefined => {
    const core = (
      this.#terminal as { _core?: { _oscLinkService?: { getLinkData(id: number): Hyperlink | undefined } } }
    )._core;
    return core?._oscLinkService?.getLinkData(id);
  };

  /** The colours the next character will have. Not public; without it a viewer is wrong until the next colour change. */
  #style(): string {
    const core = (this.#terminal as { _core?: { _inputHandler?: { _curAttrData?: Parameters<typeof styleOf>[0] } } })
      ._core;
    const attributes = core?._inputHandler?._curAttrData;
    return attributes ? styleOf(attributes) : '';
  }

  /** How many lines of scrollback the budget allows, guessed from the newest ones, because drawing twice takes twice as long. */
  #affordable(scrollback: number): number {
    const buffer = this.#terminal.buffer.normal;
    const lines = Math.max(0, Math.min(scrollback, buffer.baseY));
    const sample = Math.min(lines, 40);
    if (sample === 0) return lines;
    let chars = 0;
    for (let back = 1; back <= sample; back++) {
      chars += 4 + (buffer.getLine(buffer.baseY - back)?.translateToString(true).length ?? 0);
    }
    return Math.min(lines, Math.floor((SNAPSHOT_BUDGET_BYTES * 0.8 * sample) / chars));
  }

  close(): void {
    this.answers.close();
    this.#terminal.dispose();
  }
}

/**
 * Leaves the alternate screen, takes back margins, origin and insert mode, character sets, styles, mouse and paste modes,
 * then clears screen and scrollback. Not `ESC c`: that also takes back what belongs to the user's terminal.
 */
const RESET =
  '\x1b[?1049l\x1b[!p\x1b(B\x0f\x1b[r\x1b[?6l\x1b[?7h\x1b[?45l\x1b[4l\x1b[0m\x1b[?1l\x1b>\x1b[?2004l\x1b[?1004l' +
  '\x1b[?9l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1005l\x1b[?1006l\x1b[?1015l\x1b[?1016l\x1b[?2031l\x1b[?25h' +
  '\x1b[=0;1u\x1b[H\x1b[2J\x1b[3J';

/** Control characters in a title would end the command early. */
const printable = (text: string): string => text.replace(/[\x00-\x1f\x7f-\x9f]/g, '');
