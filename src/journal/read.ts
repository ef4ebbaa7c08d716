/** Reading a journal that nobody may be writing any more: an ended session, or one whose host died. */
import { closeSync } from 'node:fs';
import type { Entry } from '../contract/index.js';
import { type Bytes, entriesBefore, readPart } from './lines.js';
import { type EntriesAsk, type EntriesPage, Past, pageOf } from './pages.js';
import { openPlainFile, withPlainFile } from './plain-file.js';

export { givenBefore, guidanceId } from './guidance.js';
export { ofTypes } from './pages.js';
export { readPlainFile } from './plain-file.js';

/** Enough of a journal's end to hold its last entries. */
const TAIL_BYTES = 256 * 1024;

const bytesOf = ({ fd, size }: { fd: number; size: number }): Bytes => ({
  size,
  read: (from, to) => readPart(fd, from, Math.min(to, size)),
});

/** An absent file is an empty journal. Throws UNREADABLE for what is no journal, once someone looks at it. */
export function journalOf(file: string): Past {
  return new Past(function* (use) {
    const opened = openPlainFile(file);
    if (!opened) return;
    try {
      yield* use(bytesOf(opened));
    } finally {
      closeSync(opened.fd);
    }
  });
}

/** As a host answers the command `entries`, from the file. */
export function readPage(file: string, ask: EntriesAsk): EntriesPage {
  return withPlainFile(file, (opened) => pageOf(bytesOf(opened), ask)) ?? { entries: [], more: false };
}

/** Every whole entry of the file, in memory: for short journals and tests. */
export function readJournal(file: string): Entry[] {
  return [...journalOf(file)];
}

/** The last entries only: cheap, however long the session was. */
export function readJournalTail(file: string): Entry[] {
  const entries: Entry[] = [];
  let bytes = 0;
  withPlainFile(file, (opened) => {
    for (const { entry, size } of entriesBefore(bytesOf(opened), opened.size)) {
      bytes += size;
      if (entries.length > 0 && bytes > TAIL_BYTES) break;
      entries.push(entry);
    }
  });
  return entries.reverse();
}
