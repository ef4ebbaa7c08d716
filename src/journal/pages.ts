/**
 * A journal in parts: in pages, bounded in entries and in bytes, from either end, for readers far away; and as something
 * one can go through again and again, read in pieces each time and never held. Who wants only some types of entries
 * says so, and the others cost next to nothing.
 */
import type { Entry, EntryType } from '../contract/index.js';
import { type Bytes, entriesBefore, entriesFrom, type FoundEntry, placeAfter } from './lines.js';

/**
 * `since` alone: what follows that entry, oldest first. Otherwise the newest, or the newest before `before`; with `since`
 * none that is not newer. Entries of a page stand in the journal's order always.
 */
export interface EntriesAsk {
  since?: number | undefined;
  before?: number | undefined;
  limit?: number | undefined;
}

export interface EntriesPage {
  entries: Entry[];
  /** There is more in the direction that was asked for. */
  more: boolean;
}

export const MOST_ENTRIES = 1000;
const USUAL_ENTRIES = 200;

/** A page ends with the entry that reaches this, however few it has: one large entry is a page. */
const PAGE_BYTES = 512 * 1024;

export function pageOf(bytes: Bytes, { since, before, limit = USUAL_ENTRIES }: EntriesAsk): EntriesPage {
  const most = Math.min(Math.max(1, limit), MOST_ENTRIES);
  if (before === undefined && since !== undefined) {
    return filled(entriesFrom(bytes, placeAfter(bytes, since)), { most, fits: ({ seq }) => seq > since });
  }
  const end = before === undefined ? bytes.size : placeAfter(bytes, before - 1);
  const { entries, more } = filled(entriesBefore(bytes, end), {
    most,
    fits: ({ seq }) => seq < (before ?? Number.POSITIVE_INFINITY),
    isOver: ({ seq }) => seq <= (since ?? 0),
  });
  return { entries: entries.reverse(), more };
}

function filled(
  all: Iterable<FoundEntry>,
  page: { most: number; fits(entry: Entry): boolean; isOver?(entry: Entry): boolean },
): EntriesPage {
  const entries: Entry[] = [];
  let bytes = 0;
  for (const { entry, size } of all) {
    if (page.isOver?.(entry)) break;
    if (!page.fits(entry)) continue;
    if (entries.length === page.most || bytes >= PAGE_BYTES) return { entries, more: true };
    entries.push(entry);
    bytes += size;
  }
  return { entries, more: false };
}

/** Calls with the bytes and returns what that returns; closes what it opened when the caller is done with it. */
type OpenBytes = (use: (bytes: Bytes) => Generator<Entry>) => Iterable<Entry>;

/**
 * What a host that goes on with a session asks its past for again and again: who was asked what, what was granted, what was
 * used. Few and small beside what an agent says, so they are read once and kept, as text: nobody changes another's.
 */
const KEPT: readonly EntryType[] = [
  ...(['inquiry.opened', 'inquiry.answered', 'inquiry.closed'] as const),
  ...(['consultation.started', 'consultation.ended', 'agent.ended', 'usage.told'] as const),
];
/** Characters; a past with more of them is read each time. */
const MOST_KEPT = 1024 * 1024;

export class Past implements Iterable<Entry> {
  readonly #open: OpenBytes;
  readonly #isFixed: boolean;
  /** `many`: there are too many of them. */
  #kept: { type: EntryType; text: string }[] | 'many' | undefined;

  /** `isFixed`: its bytes will never be others. */
  constructor(open: OpenBytes, { isFixed = false } = {}) {
    this.#open = open;
    this.#isFixed = isFixed;
  }

  [Symbol.iterator](): Iterator<Entry> {
    return this.since(0)[Symbol.iterator]();
  }

  of(types: readonly EntryType[]): Iterable<Entry> {
    const isKept = this.#isFixed && types.every((type) => KEPT.includes(type));
    const kept = isKept ? this.#keep() : undefined;
    if (kept === undefined) return this.#open((bytes) => entries(bytes, 0, types));
    return kept.flatMap(({ type, text }) => (types.includes(type) ? [JSON.parse(text) as Entry] : []));
  }

  #keep(): { type: EntryType; text: string }[] | undefined {
    if (this.#kept !== undefined) return this.#kept === 'many' ? undefined : this.#kept;
    const kept: { type: EntryType; text: string }[] = [];
    let size = 0;
    for (const entry of this.#open((bytes) => entries(bytes, 0, KEPT))) {
      const text = JSON.stringify(entry);
      size += text.length;
      if (size > MOST_KEPT) {
        this.#kept = 'many';
        return undefined;
      }
      kept.push({ type: entry.type, text });
    }
    this.#kept = kept;
    return kept;
  }

  since(seq: number): Iterable<Entry> {
    return this.#open((bytes) => entries(bytes, seq));
  }
}

function* entries(bytes: Bytes, since: number, types?: readonly EntryType[]): Generator<Entry> {
  const from = since === 0 ? 0 : placeAfter(bytes, since);
  for (const { entry } of entriesFrom(bytes, from, types)) if (entry.seq > since) yield entry;
}

/** Entries of some types only, of a journal or of a mere list. */
export function ofTypes<T extends EntryType>(all: Iterable<Entry>, types: readonly T[]): Iterable<Entry<T>> {
  const wanted: readonly EntryType[] = types;
  if (all instanceof Past) return all.of(types) as Iterable<Entry<T>>;
  return [...all].filter((entry) => wanted.includes(entry.type)) as Iterable<Entry<T>>;
}

export function countOf(all: Iterable<Entry>, type: EntryType): number {
  let count = 0;
  for (const _ of ofTypes(all, [type])) count += 1;
  return count;
}

export function isEmpty(all: Iterable<Entry>): boolean {
  for (const _ of all) return false;
  return true;
}
