/**
 * The truth of one session: an append-only file, one JSON line per entry. `append` is the only way to tell anyone that
 * something happened: it numbers the entry, writes the line, then hands it to every subscriber in order. A torn last
 * line (kill -9 in mid-write) is cut off when the journal is opened again. A disk that refuses (full, read-only) does
 * not stop the agent: entries then live in memory, bounded, and are written as soon as the disk takes them.
 */
import { closeSync, fdatasync, fdatasyncSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import type { Clock, Entry, EntryPayload, EntryType, SessionId } from '../contract/index.js';

/** How long an entry may wait for the disk's own cache to be flushed: a power cut loses at most this. */
const SYNC_MS = 100;

/** Entries kept in memory for a disk that refuses: enough for hours of quiet work, bounded for a flood. */
const MOST_UNWRITTEN = 10_000;
/** The same in bytes: a tool's result may be large. */
const MOST_UNWRITTEN_BYTES = 32 * 1024 * 1024;

/** How often a disk that refused is asked again while nothing new happens: an idle session's entries want to be safe too. */
const RETRY_MS = 2_000;

const NEWLINE = 0x0a;

/** One remembered file position per so many entries: catching up reads at most this many too much. */
const INDEX_EVERY = 256;

export type JournalTrouble = (reason: string) => void;

interface Line {
  seq: number;
  bytes: Buffer;
}

export class Journal {
  #fd: number;
  readonly #session: SessionId;
  readonly #clock: Clock;
  #seq = 0;
  #size = 0;
  #index: { seq: number; at: number }[] = [];
  #unwritten: Line[] = [];
  #unwrittenBytes = 0;
  #subscribers: ((entry: Entry) => void)[] = [];
  /** Entries on their way to the subscribers: one that is appended meanwhile comes after them. */
  #telling: Entry[] = [];
  #isTelling = false;
  #cancelSync: (() => void) | undefined;
  #trouble: JournalTrouble | undefined;
  /** Why the disk refuses, as long as it does. */
  #refusal: string | undefined;
  #cancelRetry: (() => void) | undefined;
  /** Half a line stands at the end of the file, because the disk did not even let us cut it off. */
  #torn = false;
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

  /** Why entries are in memory only, as long as they are. */
  get refusal(): string | undefined {
    return this.#refusal;
  }

  /** Told once, when the disk first refuses a line; again only after it has taken lines in between. */
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
    const seq = this.#seq + 1;
    const ts = new Date(this.#clock.now()).toISOString();
    const entry = { v: 1, seq, ts, session: this.#session, type, data } as Entry<T>;
    const bytes = Buffer.from(`${JSON.stringify(entry)}\n`);
    this.#seq = seq;
    this.#unwritten.push({ seq, bytes });
    this.#unwrittenBytes += bytes.length;
    const refused = this.#write();
    this.#tell(entry as Entry);
    if (refused !== undefined) this.#trouble?.(refused);
    return entry;
  }

  /** Entries after `seq`, oldest first. */
  since(seq: number): Entry[] {
    const start = this.#index.findLast((point) => point.seq <= seq + 1)?.at ?? 0;
    const written = this.#read(start, this.#size);
    const { entries } = readEntries(Buffer.concat([written, ...this.#unwritten.map((line) => line.bytes)]));
    return entries.filter((entry) => entry.seq > seq);
  }

  /** Its file was removed under us: written again as a whole, under this name. Throws what the disk says. */
  again(file: string): void {
    if (this.#closed) return;
    const written = this.#read(0, this.#size);
    const fd = openSync(file, 'a+', 0o600);
    try {
      ftruncateSync(fd, 0);
      for (let done = 0; done < written.length; ) done += writeSync(fd, written, done);
    } catch (error) {
      closeSync(fd);
      throw error;
    }
    closeSync(this.#fd);
    this.#fd = fd;
    this.#torn = false;
  }

  close(): void {
    if (this.#closed) return;
    this.#cancelSync?.();
    this.#write();
    this.#closed = true;
    this.#cancelRetry?.();
    this.#cancelSync?.();
    try {
      fdatasyncSync(this.#fd);
    } catch {
      // The last lines are with the system; a disk that fails now cannot be helped.
    }
    closeSync(this.#fd);
  }

  /** In order, to every subscriber: also when one of them appends, and when one of them fails. */
  #tell(entry: Entry): void {
    this.#telling.push(entry);
    if (this.#isTelling) return;
    this.#isTelling = true;
    const failures: unknown[] = [];
    for (let next = this.#telling.shift(); next; next = this.#telling.shift()) {
      for (const call of [...this.#subscribers]) {
        try {
          call(next);
        } catch (error) {
          failures.push(error);
        }
      }
    }
    this.#isTelling = false;
    if (failures.length > 0) throw failures[0];
  }

  /** Writes what waits. Returns why the disk refuses, when that is news. */
  #write(): string | undefined {
    // The descriptor's number may belong to another file by now.
    if (this.#closed) return undefined;
    try {
      for (let next = this.#unwritten[0]; next; next = this.#unwritten[0]) {
        const at = this.#size;
        this.#whole(next.bytes);
        const last = this.#index.at(-1);
        if (!last || next.seq - last.seq >= INDEX_EVERY) this.#index.push({ seq: next.seq, at });
        this.#drop();
      }
    } catch (error) {
      while (this.#unwritten.length > MOST_UNWRITTEN || this.#unwrittenBytes > MOST_UNWRITTEN_BYTES) this.#drop();
      const news = this.#refusal === undefined;
      this.#refusal = (error as Error).message;
      this.#cancelRetry ??= this.#clock.after(RETRY_MS, () => {
        this.#cancelRetry = undefined;
        this.#write();
      });
      return news ? this.#refusal : undefined;
    }
    this.#refusal = undefined;
    this.#cancelSync ??= this.#clock.after(SYNC_MS, () => {
      this.#cancelSync = undefined;
      // A failed sync is not news: the next write on this disk tells.
      if (!this.#closed) fdatasync(this.#fd, () => undefined);
    });
    return undefined;
  }

  #drop(): void {
    this.#unwrittenBytes -= this.#unwritten.shift()?.bytes.length ?? 0;
  }

  /** All or nothing: half a line on a full disk is cut off again, so that the next line starts where it must. */
  #whole(line: Buffer): void {
    this.#mend();
    let done = 0;
    try {
      while (done < line.length) done += writeSync(this.#fd, line, done);
    } catch (error) {
      this.#torn = done > 0;
      this.#mend();
      throw error;
    }
    this.#size += line.length;
  }

  #mend(): void {
    if (!this.#torn) return;
    ftruncateSync(this.#fd, this.#size);
    this.#torn = false;
  }

  #read(from: number, to: number): Buffer {
    const bytes = Buffer.alloc(Math.max(0, to - from));
    let done = 0;
    while (done < bytes.length) {
      const count = readSync(this.#fd, bytes, done, bytes.length - done, from + done);
      if (count === 0) break;
      done += count;
    }
    return bytes.subarray(0, done);
  }

  #recover(): Entry[] {
    const whole = fstatSync(this.#fd).size;
    const { entries, size } = readEntries(this.#read(0, whole));
    if (size !== whole) ftruncateSync(this.#fd, size);
    this.#size = size;
    this.#seq = entries.reduce((most, entry) => Math.max(most, entry.seq), 0);
    return entries;
  }
}

/**
 * The entries of a journal, and how many bytes its whole lines take; what follows is a torn line. A line that cannot be
 * read (a disk's own fault) is passed over: it is no reason to lose those that can.
 */
export function readEntries(bytes: Buffer): { entries: Entry[]; size: number } {
  const entries: Entry[] = [];
  let size = 0;
  for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, size)) {
    const entry = readEntry(bytes.toString('utf8', size, end));
    if (entry) entries.push(entry);
    size = end + 1;
  }
  return { entries, size };
}

function readEntry(line: string): Entry | undefined {
  try {
    const entry = JSON.parse(line) as Entry | null;
    return Number.isSafeInteger(entry?.seq) ? (entry ?? undefined) : undefined;
  } catch {
    return undefined; // not a line of ours, or what a broken disk made of it
  }
}
