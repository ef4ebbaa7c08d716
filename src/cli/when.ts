/** A time as people write it: `8h`, `yesterday`, `2026-01-02T03:04`. */
import { ReinsError } from '../contract/index.js';

const UNITS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 };

/** Milliseconds since the epoch. Throws USAGE for what is no time, or is yet to come. */
export function whenOf(text: string, now: number): number {
  const at = read(text.trim(), now);
  if (at === undefined || !Number.isFinite(at)) {
    throw new ReinsError('USAGE', {
      problem: `--since ${text.slice(0, 80)} is no time`,
      fix: 'write 8h, 30m, 2d, today, yesterday, or an ISO time like 2026-01-02T18:00',
    });
  }
  if (at > now)
    throw new ReinsError('USAGE', {
      problem: `--since ${text.slice(0, 80)} is yet to come`,
      fix: 'name an earlier time',
    });
  return at;
}

function read(text: string, now: number): number | undefined {
  const span = /^(\d{1,6})\s*([smhdw])$/.exec(text);
  if (span) return now - Number(span[1]) * UNITS[span[2]!]!;
  if (text === 'today' || text === 'yesterday') {
    const day = new Date(now);
    return new Date(day.getFullYear(), day.getMonth(), day.getDate() - (text === 'today' ? 0 : 1)).getTime();
  }
  // A day alone is local, as everything else that is written without a zone.
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return new Date(`${text}T00:00`).getTime();
  return /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/.test(text) ? Date.parse(text.replace(' ', 'T')) : undefined;
}
