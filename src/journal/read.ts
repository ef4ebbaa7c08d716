/** Reading a journal that nobody may be writing any more: an ended session, or one whose host died. */
import type { Entry } from '../contract/index.js';
import { readEntries } from './journal.js';
import { MOST_BYTES, readPart, readPlainFile, withPlainFile } from './plain-file.js';

/** Enough of a journal's end to hold its last entries; where one alone is larger, more is read. */
const TAIL_BYTES = 256 * 1024;

/** Every whole entry of the file; an absent file is an empty journal. Throws UNREADABLE for what is no journal. */
export function readJournal(file: string): Entry[] {
  return readEntries(readPlainFile(file) ?? Buffer.alloc(0)).entries;
}

/** The last entries only: cheap, however long the session was. */
export function readJournalTail(file: string): Entry[] {
  const found = withPlainFile(file, (fd, size) => {
    for (let wanted = TAIL_BYTES; ; wanted *= 4) {
      const start = Math.max(0, size - wanted);
      const tail = readPart(fd, start, size);
      // The first line is cut somewhere, unless the file begins with it.
      const { entries } = readEntries(start === 0 ? tail : tail.subarray(tail.indexOf(0x0a) + 1));
      if (entries.length > 0 || start === 0 || wanted * 4 > MOST_BYTES) return entries;
    }
  });
  return found ?? []; // no journal yet: the session never got that far
}
