/**
 * The lines of a journal, read in pieces of bounded size, forwards or backwards from any place: nobody holds a long
 * journal in memory. What cannot be read (a spoiled line, one longer than any entry) is passed over, because it is no
 * reason to lose the others; what stands behind the last newline is a torn line and is never shown.
 */
import { readSync } from 'node:fs';
import type { Entry, EntryType } from '../contract/index.js';

/** Bytes of a journal wherever they are: in its file, or in memory for a disk that refuses. May return fewer at the end. */
export interface Bytes {
  readonly size: number;
  read(from: number, to: number): Buffer;
}

/** An entry with the length of its line. */
export interface FoundEntry {
  entry: Entry;
  size: number;
}

interface LineAt {
  /** Where it begins. */
  at: number;
  bytes: Buffer;
}

/** One read; a longer line is read in pieces that double, up to a limit. */
const PIECE = 64 * 1024;
const LARGEST_PIECE = 4 * 1024 * 1024;
/** A look at one place in the middle: an entry or two. */
const LOOK = 4 * 1024;
/** No entry is as long: a link does not carry half of it. */
const LONGEST = 64 * 1024 * 1024;

const NEWLINE = 0x0a;
const NOTHING = Buffer.alloc(0);

/** Whole lines from a place on, which is the beginning of one. */
function* linesFrom(bytes: Bytes, from: number, piece = PIECE): Generator<LineAt> {
  let at = from;
  let held: Buffer = NOTHING;
  let isTooLong = false;
  for (let want = piece; ; ) {
    const more = bytes.read(at + held.length, Math.min(bytes.size, at + held.length + want));
    if (more.length === 0) return;
    // What was held has no newline in it: only what is new is looked through.
    let end = more.indexOf(NEWLINE);
    if (end >= 0) end += held.length;
    held = held.length === 0 ? more : Buffer.concat([held, more]);
    let start = 0;
    for (; end >= 0; end = held.indexOf(NEWLINE, start)) {
      if (!isTooLong && end - start <= LONGEST) yield { at: at + start, bytes: held.subarray(start, end) };
      isTooLong = false;
      start = end + 1;
    }
    want = start === 0 ? Math.min(want * 2, LARGEST_PIECE) : piece;
    at += start;
    held = held.subarray(start);
    if (held.length <= LONGEST) continue;
    isTooLong = true;
    at += held.length;
    held = NOTHING;
    want = piece;
  }
}

/** Whole lines before a place, the last one first. */
function* linesBefore(bytes: Bytes, to: number): Generator<Buffer> {
  let rest: Buffer = NOTHING;
  /** The newline of the line we are in was seen: what follows the last one of all is torn. */
  let isWhole = false;
  for (let from = to, want = PIECE; from > 0; ) {
    const start = Math.max(0, from - want);
    const piece = bytes.read(start, from);
    let stop = piece.length;
    for (let at = piece.lastIndexOf(NEWLINE); at >= 0; at = at === 0 ? -1 : piece.lastIndexOf(NEWLINE, at - 1)) {
      if (isWhole && stop - at + rest.length <= LONGEST) yield joined(piece.subarray(at + 1, stop), rest);
      isWhole = true;
      rest = NOTHING;
      stop = at;
    }
    if (isWhole) rest = joined(piece.subarray(0, stop), rest);
    if (rest.length > LONGEST) {
      isWhole = false;
      rest = NOTHING;
    }
    want = stop === piece.length ? Math.min(want * 2, LARGEST_PIECE) : PIECE;
    from = start;
  }
  if (isWhole) yield rest;
}

const joined = (head: Buffer, rest: Buffer): Buffer => (rest.length === 0 ? head : Buffer.concat([head, rest]));

/** The end of the last whole line. */
export function wholeSize(bytes: Bytes): number {
  for (let to = bytes.size; to > 0; to -= PIECE) {
    const from = Math.max(0, to - PIECE);
    const at = bytes.read(from, to).lastIndexOf(NEWLINE);
    if (at >= 0) return from + at + 1;
  }
  return 0;
}

/** Entries from a place on, oldest first; of some types only, if they are named: the others are not even parsed. */
export function* entriesFrom(bytes: Bytes, from: number, types?: readonly EntryType[]): Generator<FoundEntry> {
  for (const line of linesFrom(bytes, from)) {
    if (types && !types.some((type) => type === (typeOf(line.bytes) ?? type))) continue;
    const entry = readEntry(line.bytes);
    if (entry && (types?.includes(entry.type) ?? true)) yield { entry, size: line.bytes.length };
  }
}

/** Entries before a place, newest first. */
export function* entriesBefore(bytes: Bytes, to: number): Generator<FoundEntry> {
  for (const line of linesBefore(bytes, to)) {
    const entry = readEntry(line);
    if (entry) yield { entry, size: line.length };
  }
}

/** Where the first entry after `seq` begins, or the end: found by halving, for a journal's numbers only grow. */
export function placeAfter(bytes: Bytes, seq: number): number {
  let low = 0;
  let high = bytes.size;
  while (high - low > 4 * LOOK) {
    const middle = low + Math.floor((high - low) / 2);
    const found = firstWithin(bytes, middle, high);
    if (found && found.seq <= seq) low = found.end;
    else high = middle;
  }
  for (const line of linesFrom(bytes, low, 4 * LOOK)) {
    if ((readEntry(line.bytes)?.seq ?? 0) > seq) return line.at;
  }
  return bytes.size;
}

/** The first entry whose line begins behind `from` and before `to`. */
function firstWithin(bytes: Bytes, from: number, to: number): { seq: number; end: number } | undefined {
  let isFirst = true;
  for (const line of linesFrom(bytes, from, LOOK)) {
    if (line.at >= to) return undefined;
    // We came into the middle of the first one.
    const entry = isFirst ? undefined : readEntry(line.bytes);
    isFirst = false;
    if (entry) return { seq: entry.seq, end: line.at + line.bytes.length + 1 };
  }
  return undefined;
}

/** The lines we write begin so; any other has to be parsed to know. */
const HEAD = /^\{"v":1,"seq":\d+,"ts":"[^"]*","session":"[^"]*","type":"([^"]*)"/;
const HEAD_BYTES = 256;

function typeOf(line: Buffer): string | undefined {
  return HEAD.exec(line.toString('latin1', 0, HEAD_BYTES))?.[1];
}

function readEntry(line: Buffer): Entry | undefined {
  try {
    const entry = JSON.parse(line.toString('utf8')) as Entry | null;
    return Number.isSafeInteger(entry?.seq) ? (entry ?? undefined) : undefined;
  } catch {
    return undefined; // not a line of ours, or what a broken disk made of it
  }
}

/** So much of a file as there is. */
export function readPart(fd: number, from: number, to: number): Buffer {
  const bytes = Buffer.alloc(Math.max(0, to - from));
  let done = 0;
  while (done < bytes.length) {
    const count = readSync(fd, bytes, done, bytes.length - done, from + done);
    if (count === 0) break;
    done += count;
  }
  return bytes.subarray(0, done);
}
