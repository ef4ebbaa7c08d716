/**
 * A block on the terminal: rows behind our bar, wrapped and cut by us. The terminal's own wrapping is off while a block
 * is drawn, so that no row of outside text can ever continue in a row without the bar, whatever width we believe in.
 * Rows hold safe text only (`text.ts`); styles are ours.
 */
import { cells, cut, widthOf } from './text.js';

export type Style = 'bar' | 'title' | 'dim' | 'key' | 'warn' | 'good' | 'chosen';

export interface Span {
  text: string;
  style?: Style;
}

export type SpanRow = Span[];

export interface DialogSize {
  columns: number;
  rows: number;
}

export interface DialogView {
  rows: SpanRow[];
  /** Where the cursor stands in the last row, in columns behind the bar; absent = behind its text. */
  cursor?: number;
}

const BAR = '┃ ';
const SGR: Record<Style, string> = { bar: '36', title: '1', dim: '2', key: '1', warn: '33', good: '32', chosen: '36' };

/** Narrower than this nothing can be read; wider than this no line of text should be. */
const NARROWEST = 20;
const WIDEST = 160;

/** Columns for a row's text. One is kept free: a full row leaves some terminals about to wrap. */
export function roomOf(size: DialogSize): number {
  return Math.max(NARROWEST, Math.min(size.columns, WIDEST)) - BAR.length - 1;
}

/** Rows a block may have and still be redrawn in place: its top must not scroll away. */
export function heightOf(size: DialogSize): number {
  return Math.max(4, size.rows - 1);
}

/** Room for every key with its words; less than this and only the most needed are named. */
export const isRoomy = (size: DialogSize): boolean => size.columns >= 40 && size.rows >= 10;

export const plain = (text: string, style?: Style): SpanRow => [style ? { text, style } : { text }];

/** A row as several, broken at spaces where there are some; later ones are indented. */
export function wrap(row: SpanRow, options: { width: number; indent?: number }): SpanRow[] {
  const { width, indent = 0 } = options;
  const chars = row.flatMap(({ text, style }) => Array.from(text, (char) => ({ char, style })));
  const rows: SpanRow[] = [];
  let start = 0;
  while (start < chars.length || rows.length === 0) {
    const lead = rows.length === 0 ? 0 : Math.min(indent, width - 8);
    const end = endOfRow(chars, { start, room: Math.max(1, width - lead) });
    rows.push([...(lead > 0 ? plain(' '.repeat(lead)) : []), ...joined(chars.slice(start, end))]);
    start = end;
  }
  return rows;
}

function endOfRow(chars: { char: string }[], { start, room }: { start: number; room: number }): number {
  let used = 0;
  let space = -1;
  for (let at = start; at < chars.length; at++) {
    used += widthOf(chars[at]!.char);
    if (used > room) return space > start ? space : Math.max(at, start + 1);
    if (chars[at]!.char === ' ') space = at + 1;
  }
  return chars.length;
}

function joined(chars: { char: string; style: Style | undefined }[]): SpanRow {
  const row: SpanRow = [];
  for (const { char, style } of chars) {
    const last = row.at(-1);
    if (last && last.style === style) last.text += char;
    else row.push(style ? { text: char, style } : { text: char });
  }
  return row;
}

/** Things side by side, in as many rows as they need; one thing is broken only if it fits in no row. */
export function flow(items: SpanRow[], width: number): SpanRow[] {
  const rows: SpanRow[] = [];
  let used = 0;
  for (const item of items) {
    const wide = rowCells(item);
    const last = rows.at(-1);
    if (last && used + 2 + wide <= width) {
      last.push({ text: '  ' }, ...item);
      used += 2 + wide;
    } else {
      const parts = wrap(item, { width, indent: 4 });
      rows.push(...parts);
      used = rowCells(parts.at(-1)!);
    }
  }
  return rows;
}

/** At most `most` rows; the last one says how many are missing and which key shows them. */
export function cutRows(rows: SpanRow[], most: number): SpanRow[] {
  if (rows.length <= most) return rows;
  const kept = Math.max(0, most - 1);
  return [...rows.slice(0, kept), plain(`… ${rows.length - kept} more lines, ? shows all`, 'warn')];
}

export const rowCells = (row: SpanRow): number => row.reduce((sum, span) => sum + cells(span.text), 0);

/** A key and what it does. */
export const keyItem = (key: string, does: string): SpanRow => [
  { text: `[${key}]`, style: 'key' },
  { text: ` ${does}` },
];

export interface Painted {
  text: string;
  height: number;
  /** Row by row, to be drawn over one by one. */
  lines: string[];
  /** Column of the cursor in the last row, from 1. */
  column: number;
}

/** The block as text for the terminal; the cursor ends in its last row. */
export function paint(view: DialogView, options: { size: DialogSize; pretty: boolean; moves?: boolean }): Painted {
  const { size, pretty } = options;
  const room = roomOf(size);
  // On a terminal too small for it the keys and the line being typed matter most.
  const rows = view.rows.slice(-heightOf(size));
  const lines = rows.map((row) => rowText([{ text: BAR, style: 'bar' }, ...trimmed(row, room)], pretty));
  const behind = Math.min(view.cursor ?? rowCells(rows.at(-1) ?? []), room);
  const painted = { height: rows.length, lines, column: BAR.length + 1 + behind };
  if (options.moves === false) return { ...painted, text: lines.join('\r\n') };
  const cursor = view.cursor === undefined ? '' : `\x1b[${BAR.length + 1 + Math.min(view.cursor, room)}G`;
  return { ...painted, text: `\x1b[?7l${lines.join('\r\n')}\x1b[?7h${cursor}` };
}

/** Only the rows that differ, each in its place: what stays the same is not touched, so nothing flickers. */
export function overdraw(last: Painted, now: Painted): string {
  const rows = now.lines.flatMap((line, at) => (line === last.lines[at] ? [] : [{ line, up: now.height - 1 - at }]));
  if (rows.length === 0 && last.column === now.column) return '';
  const drawn = rows.map(({ line, up }) => {
    const [there, back] = up > 0 ? [`\x1b[${up}A`, `\x1b[${up}B`] : ['', ''];
    return `${there}\r${line}\x1b[K${back}`;
  });
  return `\x1b[?7l${drawn.join('')}\x1b[?7h\x1b[${now.column}G`;
}

/** Removes a block that was just painted; the cursor stands where it began. */
export function erase(height: number): string {
  return `\r${height > 1 ? `\x1b[${height - 1}A` : ''}\x1b[J`;
}

function trimmed(row: SpanRow, room: number): SpanRow {
  let left = room;
  return row.flatMap((span) => {
    if (left <= 0) return [];
    const text = cut(span.text, left);
    left -= cells(text);
    return [{ ...span, text }];
  });
}

function rowText(row: SpanRow, pretty: boolean): string {
  return row.map(({ text, style }) => (pretty && style ? `\x1b[${SGR[style]}m${text}\x1b[0m` : text)).join('');
}
