/**
 * A session's terminal as a page draws it: xterm at the size of the session, in letters as large as fit. It only draws and says
 * what was typed: it answers no question of the agent, opens no link, touches no clipboard and no title. Loaded when a terminal
 * is shown for the first time.
 */
import { type IDisposable, Terminal } from '@xterm/xterm';
import { isReply } from '../model/no-keys.js';
import { Pace } from '../model/pace.js';
import { calmScrolling } from './xterm-scroll.js';
import { standIns } from './xterm-styles.js';

export interface ScreenSize {
  cols: number;
  rows: number;
}

export interface DrawnScreen {
  /** Whether it has another size now. */
  snapshot(bytes: Uint8Array, size: ScreenSize | null): boolean;
  output(bytes: Uint8Array): void;
  resize(size: ScreenSize): void;
  letters(px: number): void;
  /** Of the whole screen as it is drawn, in pixels. */
  room(): { width: number; height: number };
  /** What would fit into so much room with letters of this size. */
  fitting(room: { width: number; height: number }, px: number): ScreenSize;
  scroll(lines: number): void;
  toEnd(): void;
  /** Cursor keys of the program's own kind are wanted. */
  application(): boolean;
  focus(): void;
  colours(theme: Record<string, string>): void;
  close(): void;
}

interface ScreenListeners {
  keys(data: string): void;
  /** Bytes that are no text: an old kind of mouse report. */
  bytes(bytes: Uint8Array): void;
  /** So many bytes were drawn. */
  drawn(bytes: number): void;
  leave(): void;
  scrolled(atEnd: boolean): void;
}

const SCROLLBACK = 10_000;
const PAGE_CLOCK = {
  now: () => performance.now(),
  after(ms: number, call: () => void): () => void {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
};
/** Questions of the agent to its terminal: the session's own terminal answers them. */
const QUERIES = [
  { final: 'c' },
  { prefix: '>', final: 'c' },
  { prefix: '=', final: 'c' },
  { final: 'n' },
  { prefix: '?', final: 'n' },
  { intermediates: '$', final: 'p' },
  { prefix: '?', intermediates: '$', final: 'p' },
  { prefix: '>', final: 'q' },
  { final: 't' },
];
/** Title, links, notifications, the clipboard and the like: none of a page's business. */
const INERT = [0, 1, 2, 7, 8, 9, 52, 99, 133, 633, 777, 1337];
/** Colours: told is one thing, asked another. */
const COLOURS = [4, 10, 11, 12];

function tame(terminal: Terminal): IDisposable[] {
  const { parser } = terminal;
  return [
    ...QUERIES.map((query) => parser.registerCsiHandler(query, () => true)),
    ...INERT.map((code) => parser.registerOscHandler(code, () => true)),
    ...COLOURS.map((code) => parser.registerOscHandler(code, (data) => data.includes('?'))),
    parser.registerDcsHandler({ intermediates: '$', final: 'q' }, () => true),
    parser.registerDcsHandler({ intermediates: '+', final: 'q' }, () => true),
  ];
}

export function openScreen(parent: HTMLElement, size: ScreenSize, on: ScreenListeners): DrawnScreen {
  const terminal = new Terminal({
    ...size,
    allowProposedApi: true,
    fontFamily: getComputedStyle(parent).fontFamily,
    fontSize: 13,
    lineHeight: 1.15,
    scrollback: SCROLLBACK,
    cursorBlink: false,
    linkHandler: { activate: () => undefined },
    macOptionIsMeta: true,
    screenReaderMode: false,
  });
  tame(terminal);
  const letGo = standIns(document);
  terminal.open(parent);
  terminal.onData((data) => {
    if (!isReply(data)) on.keys(data);
  });
  terminal.onBinary((data) => on.bytes(Uint8Array.from(data, (char) => char.charCodeAt(0))));
  terminal.attachCustomKeyEventHandler((event) => {
    const leaves = event.ctrlKey && (event.key === ']' || event.code === 'BracketRight');
    if (leaves && event.type === 'keydown') on.leave();
    return !leaves;
  });
  const isAtEnd = (): boolean => terminal.buffer.active.viewportY >= terminal.buffer.active.baseY;
  terminal.onScroll(() => on.scrolled(isAtEnd()));
  const scrolling = calmScrolling(terminal);
  let drawn = 0;
  let due = 0;
  const pace = new Pace({
    clock: PAGE_CLOCK,
    write: (piece, done) => terminal.write(piece, done),
    // A redraw counts like any other bytes: the hub waits for all it has sent. Said once a frame.
    drawn: (bytes) => {
      drawn += bytes;
      due ||= requestAnimationFrame(() => {
        due = 0;
        if (drawn > 0) on.drawn(drawn);
        drawn = 0;
      });
    },
  });
  const screen = (): HTMLElement | null => parent.querySelector('.xterm-screen');
  return {
    snapshot(bytes, to) {
      const isOther = to !== null && (to.cols !== terminal.cols || to.rows !== terminal.rows);
      if (isOther) terminal.resize(to.cols, to.rows);
      pace.snapshot(bytes);
      return isOther;
    },
    output: (bytes) => pace.output(bytes),
    resize: ({ cols, rows }) => terminal.resize(cols, rows),
    letters(px) {
      terminal.options.fontSize = px;
    },
    room: () => ({ width: screen()?.clientWidth ?? 0, height: screen()?.clientHeight ?? 0 }),
    fitting(room, px) {
      const now = screen();
      const scale = (terminal.options.fontSize ?? px) / px;
      const cell = {
        width: (now?.clientWidth ?? 8 * terminal.cols) / terminal.cols / scale,
        height: (now?.clientHeight ?? 16 * terminal.rows) / terminal.rows / scale,
      };
      return {
        cols: Math.max(20, Math.floor(room.width / cell.width)),
        rows: Math.max(5, Math.floor(room.height / cell.height)),
      };
    },
    scroll(lines) {
      scrolling.settle();
      terminal.scrollLines(lines);
      on.scrolled(isAtEnd());
    },
    toEnd() {
      scrolling.settle();
      terminal.scrollToBottom();
      on.scrolled(true);
    },
    application: () => terminal.modes.applicationCursorKeysMode,
    focus: () => terminal.focus(),
    colours(theme) {
      terminal.options.theme = theme;
    },
    close() {
      pace.close();
      scrolling.close();
      cancelAnimationFrame(due);
      terminal.dispose();
      letGo();
    },
  };
}
