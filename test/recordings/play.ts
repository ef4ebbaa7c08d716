/**
 * Plays a recording of a real agent (asciicast v2, gzipped) into a headless terminal and shows every rendered screen on
 * the way, chunk by chunk as it was read, or byte by byte, as the worst possible reader would have seen it.
 */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import xterm from '@xterm/headless';
import type { ScreenShot } from '../../src/contract/index.js';

export interface Frame {
  /** Seconds since the start of the recording. */
  at: number;
  shot: ScreenShot;
  /** The last OSC 7501 before this frame. */
  osc: string | undefined;
  /** What the person typed since the frame before. */
  typed: string;
}

type Event = [number, string, string];

interface WithCore {
  _core: {
    writeSync(data: string): void;
    /** Without rows: all of them. */
    _inputHandler: { onRequestRefreshRows(listener: (rows?: { start: number; end: number }) => void): void };
  };
}

export function recording(path: string): string {
  return gunzipSync(readFileSync(new URL(path, import.meta.url))).toString('utf8');
}

export function textFile(path: string): string {
  return readFileSync(new URL(path, import.meta.url), 'utf8');
}

/** A saved screen. Its first line says size, cursor, buffer and (since 2.1.325) title; the rest is the screen. */
export function savedScreen(path: string): ScreenShot {
  const [head = '', ...lines] = textFile(path).split('\n');
  const [, cols, rows] = /cols=(\d+) rows=(\d+)/.exec(head) ?? [];
  const [, x, y] = /cursor=(\d+),(\d+)/.exec(head) ?? [];
  return {
    cols: Number(cols),
    rows: Number(rows),
    cursor: { x: Number(x), y: Number(y), visible: !head.includes('visible=false') },
    alternate: head.includes('buffer=alternate'),
    title: JSON.parse(/ title=("[^"]*")/.exec(head)?.[1] ?? '""') as string,
    lines: Array.from({ length: Number(rows) }, (_, row) => lines[row] ?? ''),
  };
}

export function play(path: string, step: 'chunk' | 'byte', see: (frame: Frame) => void): void {
  const [first = '{}', ...rest] = recording(path).split('\n').filter(Boolean);
  const head = JSON.parse(first) as { width: number; height: number };
  const stage = stageOf(head.width, head.height);
  let osc: string | undefined;
  let typed = '';
  stage.terminal.parser.registerOscHandler(7501, (text) => {
    osc = text;
    return true;
  });
  for (const line of rest) {
    const [at, kind, data] = JSON.parse(line) as Event;
    if (kind === 'i') typed += data;
    if (kind === 'r') stage.resize(data);
    if (kind !== 'o') continue;
    for (const piece of step === 'chunk' ? [Buffer.from(data)] : bytesOf(data)) {
      stage.write(piece);
      see({ at, shot: stage.shot(), osc, typed });
      typed = '';
    }
  }
  stage.terminal.dispose();
}

function bytesOf(data: string): Uint8Array[] {
  return Array.from(Buffer.from(data), (byte) => Uint8Array.of(byte));
}

export function stageOf(cols: number, rows: number) {
  const terminal = new xterm.Terminal({ cols, rows, allowProposedApi: true, scrollback: 1000, logLevel: 'off' });
  const core = (terminal as unknown as WithCore)._core;
  const utf8 = new TextDecoder();
  let title = '';
  let visible = true;
  let last: ScreenShot | undefined;
  let base = -1;
  let dirty = { start: 0, end: rows - 1 };
  core._inputHandler.onRequestRefreshRows(({ start, end } = { start: 0, end: terminal.rows - 1 }) => {
    dirty = { start: Math.min(dirty.start, start), end: Math.max(dirty.end, end) };
  });
  terminal.onTitleChange((next) => {
    title = next;
  });
  const cursorMode = (shown: boolean) => (params: (number | number[])[]) => {
    if (params.includes(25)) visible = shown;
    return false;
  };
  terminal.parser.registerCsiHandler({ prefix: '?', final: 'h' }, cursorMode(true));
  terminal.parser.registerCsiHandler({ prefix: '?', final: 'l' }, cursorMode(false));
  return {
    terminal,
    // Decoded here: the terminal's own decoder loses a character cut after a byte 0x80 (`›`, `…`). And written
    // synchronously: the public `write` waits for a timer each time, byte by byte that would take minutes.
    write: (data: Uint8Array) => core.writeSync(utf8.decode(data, { stream: true })),
    resize(data: string) {
      const [, wide, high] = /(\d+)x(\d+)/.exec(data) ?? [];
      terminal.resize(Number(wide), Number(high));
      last = undefined;
    },
    /** The same object as long as nothing on it has changed. Only rows that were written to are read again. */
    shot(): ScreenShot {
      const buffer = terminal.buffer.active;
      const cursor = { x: buffer.cursorX, y: buffer.cursorY, visible };
      const alternate = buffer.type === 'alternate';
      if (last?.alternate !== alternate || base !== buffer.baseY) dirty = { start: 0, end: terminal.rows - 1 };
      base = buffer.baseY;
      const lines = last ? last.lines.slice() : Array.from({ length: terminal.rows }, () => '');
      let same = last !== undefined && last.title === title && last.alternate === alternate;
      same &&= last?.cursor.x === cursor.x && last.cursor.y === cursor.y && last.cursor.visible === visible;
      for (let row = dirty.start; row <= dirty.end; row += 1) {
        const line = buffer.getLine(base + row)?.translateToString(true) ?? '';
        same &&= lines[row] === line;
        lines[row] = line;
      }
      dirty = { start: terminal.rows, end: -1 };
      if (!last || !same) last = { cols: terminal.cols, rows: terminal.rows, cursor, alternate, title, lines };
      return last;
    },
  };
}
