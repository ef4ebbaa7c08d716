/**
 * The truth of one session: an append-only file, one JSON line per entry. `append` is the only way to tell anyone that
 * something happened: it numbers the entry, writes the line, then hands it to every subscriber in order. A torn last
 * line (kill -9 in mid-write) is cut off when the journal is opened again. A disk that refuses (full, read-only) does
 * not stop the agent: entries then live in memory, bounded, and are written as soon as the disk takes them.
 */
import { closeSync, fdatasync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import type { Clock, Entry, EntryPayload, EntryType, SessionId } from '../contract/index.js';

/** How long an entry may wait for the disk's own cache to be flushed: a power cut loses at most this. */
const SYNC_MS = 100;

/** Entries kept in memory for a disk that refuses: enough for hours of quiet work, bounded for a flood. */
const MOST_UNWRITTEN = 10_000;

/** One remembered file position per so many entries: catching up reads at most this many too much. */
const INDEX_EVERY = 256;

export interface JournalTrouble {
  (reason: string): void;
}

export class Journal {
  readonly #fd: number;
  readonly #session: SessionId;
  readonly #clock: Clock;
  #seq = 0;
  #size = 0;
  #index: { seq: number; at: number }[] = [];
  #unwritten: string[] = [];
  #subscribers: ((entry: Entry) => void)[] = [];
  #cancelSync: (() => void) | undefined;
  #trouble: JournalTrouble | undefined;
  #troubled = false;
  #closed = false;

  private constructor(options: { fd: number; session: SessionId; clock: Clock }) {
    this.#fd = options.fd;
    this.#session = options.session;
    this.#clock = options.clock;
  }

  /** Opens or creates; returns the journal and what it already held. */
  static open(options: { file: string; session: SessionId; clock: Clock }): { journal: Journal; entries: Entry[] } {
    const fd = openSync(options.file, 'a+', 0o600);
    const journal = new Journal({ fd, session: options.session, clock: options.clock });
    return { journal, entries: journal.#recover() };
  }

  get seq(): number {
    return this.#seq;
  }

  /** Told once, when the disk first refuses a line. */
  onTrouble(call: JournalTrouble): void {
    this.#trouble = call;
  }

  subscribe(call: (entry: Entry) => void): () => void {
    this.#subscribers.push(call);
    return () => {
      this.#subscribers = this.#subscribers.filter((other) => other !== call);
    };
  }

  append<T extends EntryType>(type: T, data: EntryPayload<T>): Entry<T> {
    this.#seq += 1;
    const ts = new Date(this.#clock.now()).toISOString();
    const entry = { v: 1, seq: this.#seq, ts, session: this.#session, type, data } as Entry<T>;
    this.#write(`${JSON.stringify(entry)}\n`);
    for (const call of [...this.#subscribers]) call(entry as Entry);
    return entry;
  }

  /** Entries after `seq`, oldest first. */
  since(seq: number): Entry[] {
    const start = this.#index.findLast((point) => point.seq <= seq + 1)?.at ?? 0;
    const text = this.#read(start, this.#size) + this.#unwritten.join('');
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Entry)
      .filter((entry) => entry.seq > seq);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#cancelSync?.();
    this.#write('');
    closeSync(this.#fd);
  }

  #write(line: string): void {
    if (line !== '') this.#unwritten.push(line);
    try {
      while (this.#unwritten.length > 0) {
        const next = this.#unwritten[0]!;
        if ((this.#seq - this.#unwritten.length) % INDEX_EVERY === 0) {
          this.#index.push({ seq: this.#seq - this.#unwritten.length + 1, at: this.#size });
        }
        this.#whole(Buffer.from(next));
        this.#unwritten.shift();
      }
    } catch (error) {
      if (!this.#troubled) {
        this.#troubled = true;
        this.#trouble?.((error as Error).message);
      }
      if (this.#unwritten.length > MOST_UNWRITTEN) this.#unwritten.splice(1, 1);
      return;
    }
    this.#troubled = false;
    this.#cancelSync ??= this.#clock.after(SYNC_MS, () => {
      this.#cancelSync = undefined;
      // A failed sync is not news: the next write on this disk tells.
      if (!this.#closed) fdatasync(this.#fd, () => undefined);
    });
  }

  /** All or nothing: half a line on a full disk is cut off again, so that the next line starts where it must. */
  #whole(line: Buffer): void {
    let done = 0;
    try {
      while (done < line.length) done += writeSync(this.#fd, line, done);
    } catch (error) {
      if (done > 0) ftruncateSync(this.#fd, this.#size);
      throw error;
    }
    this.#size += line.length;
  }

  #read(from: number, to: number): string {
    const bytes = Buffer.alloc(to - from);
    let done = 0;
    while (done < bytes.length) {
      const count = readSync(this.#fd, bytes, done, bytes.length - done, from + done);
      if (count === 0) break;
      done += count;
    }
    return bytes.toString('utf8', 0, done);
  }

  #recover(): Entry[] {
    const { entries, size } = readEntries(this.#read(0, fstatSync(this.#fd).size));
    if (size !== fstatSync(this.#fd).size) ftruncateSync(this.#fd, size);
    this.#size = size;
    this.#seq = entries.at(-1)?.seq ?? 0;
    return entries;
  }
}

/** The whole lines of a journal, and how many bytes they take; what follows is a torn line. */
export function readEntries(text: string): { entries: Entry[]; size: number } {
  const entries: Entry[] = [];
  let size = 0;
  for (const line of text.split('\n').slice(0, -1)) {
    try {
      entries.push(JSON.parse(line) as Entry);
    } catch {
      break; // nothing after a line that cannot be read can be trusted to be in order
    }
    size += Buffer.byteLength(line) + 1;
  }
  return { entries, size };
}
