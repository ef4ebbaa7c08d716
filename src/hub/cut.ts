/** Entries as a page gets them: what is longer than anyone reads on a page is cut, visibly, and says how long it was. */
import type { Entry } from '../contract/index.js';

/** Of a whole entry, roughly; an ordinary one has a few hundred bytes. */
const MOST_ENTRY = 128 * 1024;
const LONGEST_TEXT = 32 * 1024;
const MOST_PARTS = 500;
const DEEPEST = 20;

/** As text, because that is what it costs; the same entry where it is small enough. */
export function cutEntry(entry: Entry): { entry: Entry; bytes: number } {
  const text = JSON.stringify(entry);
  if (text.length <= MOST_ENTRY) return { entry, bytes: text.length };
  for (const longest of [LONGEST_TEXT, 4096, 256]) {
    const data = cut(entry.data, longest, 0) as Record<string, unknown>;
    const bytes = JSON.stringify(data).length;
    if (bytes <= MOST_ENTRY) return { entry: { ...entry, data } as Entry, bytes };
  }
  return { entry: { ...entry, data: cut(entry.data, 16, DEEPEST - 2) } as Entry, bytes: MOST_ENTRY };
}

function cut(value: unknown, longest: number, depth: number): unknown {
  if (typeof value === 'string') {
    return value.length <= longest ? value : `${value.slice(0, longest)}… (${value.length} characters, cut)`;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEEPEST) return '…';
  if (Array.isArray(value)) return value.slice(0, MOST_PARTS).map((one) => cut(one, longest, depth + 1));
  const fields = Object.entries(value).slice(0, MOST_PARTS);
  return Object.fromEntries(fields.map(([name, one]) => [name.slice(0, 200), cut(one, longest, depth + 1)]));
}
