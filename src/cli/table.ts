/** Columns for people: as wide as their content, cut to the terminal, control characters made harmless. */
import { cells, cut } from './ask/text.js';

export function table(head: string[], rows: string[][], options: { width?: number } = {}): string {
  const safe = rows.map((row) => row.map(harmless));
  const widths = head.map((title, column) => Math.max(title.length, ...safe.map((row) => cells(row[column] ?? ''))));
  const lines = [head, ...safe].map((row) =>
    row
      .map((cell, column) => (column === head.length - 1 ? cell : cell + ' '.repeat(widths[column]! - cells(cell))))
      .join('  ')
      .trimEnd(),
  );
  const { width } = options;
  return lines.map((line) => (width ? cut(line, width) : line)).join('\n');
}

/** Text from outside on our screen: no control characters, no bidirectional overrides, one line. */
export function harmless(text: string): string {
  return text
    .replace(/[\r\n\t]+/g, ' ')
    .replace(/[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, '�');
}

/** 95 → 1m35s. */
export function duration(seconds: number): string {
  const s = Math.max(0, Math.round(seconds));
  if (s < 60) return `${s}s`;
  if (s < 3600) return `${Math.floor(s / 60)}m${String(s % 60).padStart(2, '0')}s`;
  if (s < 86_400) return `${Math.floor(s / 3600)}h${String(Math.floor((s % 3600) / 60)).padStart(2, '0')}m`;
  return `${Math.floor(s / 86_400)}d${Math.floor((s % 86_400) / 3600)}h`;
}

export const processCount = (count: number): string => (count === 1 ? '1 process' : `${count} processes`);
