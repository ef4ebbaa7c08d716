/** Reading a journal that nobody may be writing any more: an ended session, or one whose host died. */
import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import type { Entry } from '../contract/index.js';
import { readEntries } from './journal.js';

/** Enough of a journal's end to hold its last entries; where one alone is larger, more is read. */
const TAIL_BYTES = 256 * 1024;

/** Every whole entry of the file; an absent file is an empty journal. */
export function readJournal(file: string): Entry[] {
  try {
    return readEntries(readFileSync(file)).entries;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** The last entries only: cheap, however long the session was. */
export function readJournalTail(file: string): Entry[] {
  let fd: number;
  try {
    fd = openSync(file, 'r');
  } catch {
    return []; // no journal yet: the session never got that far
  }
  try {
    const { size } = fstatSync(fd);
    for (let wanted = TAIL_BYTES; ; wanted *= 4) {
      const start = Math.max(0, size - wanted);
      const bytes = Buffer.alloc(size - start);
      const tail = bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, start));
      // The first line is cut somewhere, unless the file begins with it.
      const { entries } = readEntries(start === 0 ? tail : tail.subarray(tail.indexOf(0x0a) + 1));
      if (entries.length > 0 || start === 0) return entries;
    }
  } finally {
    closeSync(fd);
  }
}
