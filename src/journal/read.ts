/** Reading a journal that nobody may be writing any more: an ended session, or one whose host died. */
import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import type { Entry } from '../contract/index.js';
import { readEntries } from './journal.js';

/** Enough of a journal's end to hold its last entries, however large they are: entries are bounded to less. */
const TAIL_BYTES = 256 * 1024;

/** Every whole entry of the file; an absent file is an empty journal. */
export function readJournal(file: string): Entry[] {
  try {
    return readEntries(readFileSync(file, 'utf8')).entries;
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
    const size = statSync(file).size;
    const start = Math.max(0, size - TAIL_BYTES);
    const bytes = Buffer.alloc(size - start);
    readSync(fd, bytes, 0, bytes.length, start);
    const text = bytes.toString('utf8');
    return readEntries(start === 0 ? text : text.slice(text.indexOf('\n') + 1)).entries;
  } finally {
    closeSync(fd);
  }
}
