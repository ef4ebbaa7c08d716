/**
 * The truth of one session: an append-only file, one JSON line per entry. `append` is the only way to tell anyone that
 * something happened: it numbers the entry, writes the line, then hands it to every subscriber in order. A torn last
 * line (kill -9 in mid-write) is cut off when the journal is opened again. A disk that refuses (full, read-only) does
 * not stop the agent: entries then live in memory, bounded, and are written as soon as the disk takes them.
 */
import {
  closeSync,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import type { Clock, Entry, EntryPayload, EntryType, SessionId } from '../contract/index.js';
import { fitting } from './fit.js';
import { type Bytes, entriesBefore, readPart, wholeSize } from './lines.js';
import { type EntriesAsk, type EntriesPage, Past, pageOf } from './pages.js';

export { fittingInquiries } from './fit.js';
export { countOf, type EntriesAsk, type EntriesPage, isEmpty, MOST_ENTRIES, ofTypes, type Past } from './pages.js';

/** How long an entry may wait for the disk's own cache to be flushed: a power cut loses at most this. */
const SYNC_MS = 100;

/** Entries kept in memory for a disk that refuses: enough for hours of quiet work, bounded for a flood. */
const MOST_UNWRITTEN = 10_000;
/** The same in bytes: a tool's result may be large. */
const MOST_UNWRITTEN_BYTES = 32 * 1024 * 1024;

/** How often a disk that refused is asked again while nothing new happens: an idle session's entries want to be safe too. */
const RETRY_MS = 2_000;

/** A journal that has to be written again is copied in pieces. */
const PIECE_BYTES = 1024 * 1024;

export type JournalTrouble = (reason: string) => void;

interface UnwrittenLine {
  seq: number;
  bytes: Buffer;
}

/** Where something is put on record. What needs no more of a journal than this can be given another place. */
export interface Sink {
  append<T extends EntryType>(type: T, data: EntryPayload<T>): unknown;
}

export class Journal {
  #fd: number;
  readonly #session: SessionId;
  readonly #clock: Clock;
  #seq = 0;
  #size = 0;
  #unwritten: UnwrittenLine[] = [];
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

  /** Opens or creates; returns the journal and what it already held, which is read only where someone looks at it. */
  static open(options: { file: string; session: SessionId; clock: Clock }): { journal: Journal; entries: Past } {
    const fd = openSync(options.file, 'a+', 0o600);
    const journal = new Journal({ fd, session: options.session, clock: options.clock });
    journal.#recover();
    const before = journal.#size;
    const bytes: Bytes = { size: before, read: (from, to) => journal.#read(from, Math.min(to, before)) };
    return { journal, entries: new Past((use) => use(bytes), { isFixed: true }) };
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
    const whole = { v: 1, seq, ts, session: this.#session, type, data } as Entry;
    const { entry, line: bytes } = fitting(whole);
    this.#seq = seq;
    this.#unwritten.push({ seq, bytes });
    this.#unwrittenBytes += bytes.length;
    const refused = this.#write();
    this.#tell(entry);
    if (refused !== undefined) this.#trouble?.(refused);
    return entry as Entry<T>;
  }

  /** A bounded part of it, whatever its length. */
  page(ask: EntriesAsk): EntriesPage {
    return pageOf({ size: this.#size + this.#unwrittenBytes, read: (from, to) => this.#read(from, to) }, ask);
  }

  /**
   * Its file may have been removed under us: written again as a whole, under this name, unless it is still there. Beside it
   * first, so that nothing is emptied that was not lost. Throws what the disk says.
   */
  again(file: string): void {
    if (this.#closed || isFile(file, this.#fd)) return;
    const beside = `${file}.new`;
    rmSync(beside, { force: true });
    const fd = openSync(beside, 'ax+', 0o600);
    try {
      for (let at = 0; at < this.#size; ) {
        const piece = readPart(this.#fd, at, Math.min(this.#size, at + PIECE_BYTES));
        if (piece.length === 0) break;
        for (let done = 0; done < piece.length; ) done += writeSync(fd, piece, done);
        at += piece.length;
      }
      renameSync(beside, file);
    } catch (error) {
      closeSync(fd);
      rmSync(beside, { force: true });
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
        this.#whole(next.bytes);
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

  /** Of the file, and behind it of what the disk has refused so far. */
  #read(from: number, to: number): Buffer {
    const written = from < this.#size ? readPart(this.#fd, from, Math.min(to, this.#size)) : undefined;
    if (written && (to <= this.#size || this.#unwritten.length === 0)) return written;
    const parts = written ? [written] : [];
    let at = this.#size;
    for (const { bytes } of this.#unwritten) {
      if (at >= to) break;
      const part = bytes.subarray(Math.max(0, from - at), Math.max(0, to - at));
      if (part.length > 0) parts.push(part);
      at += bytes.length;
    }
    return Buffer.concat(parts);
  }

  /** Reads its end only: the torn line is cut off, the last entry has the highest number. */
  #recover(): void {
    const size = fstatSync(this.#fd).size;
    const bytes: Bytes = { size, read: (from, to) => readPart(this.#fd, from, to) };
    this.#size = wholeSize(bytes);
    if (this.#size !== size) ftruncateSync(this.#fd, this.#size);
    for (const { entry } of entriesBefore(bytes, this.#size)) {
      this.#seq = entry.seq;
      break;
    }
  }
}

/** Whether the name still leads to the very file that is open. */
function isFile(name: string, fd: number): boolean {
  const [named, open] = [statSync(name, { throwIfNoEntry: false }), fstatSync(fd)];
  return named !== undefined && named.dev === open.dev && named.ino === open.ino;
}
