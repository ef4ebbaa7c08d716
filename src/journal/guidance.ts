/** Names of guidance. Made from the key of who sends it, the same guidance sent again is found in the journal and not given twice. */
import { createHash, randomBytes } from 'node:crypto';
import type { Entry } from '../contract/index.js';

export const guidanceId = (key?: string): string =>
  `g-${key === undefined ? randomBytes(3).toString('hex') : createHash('sha256').update(key).digest('hex').slice(0, 16)}`;

/** Whether it was given before, and in which iteration it was delivered. */
export function givenBefore(id: string, entries: Iterable<Entry>): { delivered_in?: number | undefined } | undefined {
  let known: { delivered_in?: number | undefined } | undefined;
  for (const entry of entries) if (entry.type === 'guidance.given' && entry.data.id === id) known = entry.data;
  return known;
}
