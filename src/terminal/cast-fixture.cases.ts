/** Recordings of real agents for tests: their output and sizes in order, and the screens they showed. */
import { readFileSync } from 'node:fs';
import type { Size } from '../contract/index.js';

export interface CastFixture {
  size: Size;
  events: { timeMs: number; code: string; data: string }[];
}

const file = (name: string): string =>
  readFileSync(new URL(`../../test/recordings/screen/${name}`, import.meta.url), 'utf8');

export function castFixture(name: string): CastFixture {
  const [head, ...lines] = file(name).trimEnd().split('\n');
  const { width, height } = JSON.parse(head!) as { width: number; height: number };
  const events = lines.map((line) => {
    const [seconds, code, data] = JSON.parse(line) as [number, string, string];
    return { timeMs: seconds * 1000, code, data };
  });
  return { size: { cols: width, rows: height }, events };
}

/** A screen as it was seen: the moment (ms) from its first line, and its lines without trailing blanks. */
export function shotFixture(name: string): { timeMs: number; lines: string[] } {
  const [head, ...lines] = file(name).split('\n');
  const [, amount, unit] = / t=([\d.]+)(ms|s)/.exec(head!)!;
  return { timeMs: Number(amount) * (unit === 's' ? 1000 : 1), lines: trimmed(lines) };
}

/** Rows without blanks at their ends and without empty rows at the end. */
export function trimmed(lines: string[]): string[] {
  const rows = lines.map((line) => line.trimEnd());
  while (rows.at(-1) === '') rows.pop();
  return rows;
}
