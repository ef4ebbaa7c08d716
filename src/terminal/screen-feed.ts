/**
 * The way of bytes, sizes and who answers into the emulator, in order: they wait here until there is one, and are then parsed after
 * the current turn of the event loop, in slices, so that keys and viewers go first; a little waits longer while nobody
 * watches. Knows how far parsing has come.
 */
import type { Clock, Size } from '../contract/index.js';
import { Tail } from '../vt/index.js';
import type { Emulator } from './emulator.js';
import { withoutUnseen } from './flood.js';

const LF = 0x0a;

/** Parsed per turn of the event loop: about 1 ms, so a key waits no longer than that. */
const SLICE_BYTES = 64 * 1024;

/** While nobody watches, so much may wait for someone to ask: parsing it then takes about a millisecond. */
const UNWATCHED_BYTES = 32 * 1024;
const UNWATCHED_PIECES = 500;

/** A flood is parsed this often, in one piece: thousands of lines rush by, and those nobody can see are left out. */
const FLOOD_MS = 200;

/** So much within that time is a flood (2.5 MB/s): no agent draws like that, and no person reads it. */
const FLOOD_BYTES = 512 * 1024;

/** Parsed at once in a flood: the more, the larger the part that nobody will have seen. */
const FLOOD_SLICE_BYTES = 8 * 1024 * 1024;

/** Beyond this a caller should hold the agent back; twice as much is parsed inside `write`, so that it stays bounded. */
const BACKLOG_BYTES = 10 * 1024 * 1024;

/** Output, a new size, or whether questions in what follows are answered. */
type FeedItem = Uint8Array | Size | { answering: boolean };

export interface FeedPorts {
  /** Whether anybody is to be told as soon as something is on the screen. */
  isWatched(): boolean;
  afterSlice(emulator: Emulator): void;
}

export class ScreenFeed {
  /** The beginning of a sequence or character that the bytes parsed so far have not finished. */
  readonly tail = new Tail();
  /** Bytes written, and bytes of them that the emulator has parsed. */
  written = 0;
  parsed = 0;
  readonly #ports: FeedPorts;
  readonly #clock: Clock;
  #emulator: Emulator | undefined;
  #queue: FeedItem[] = [];
  #put = 0;
  #done = 0;
  #scheduled = false;
  #flooding = false;
  #window = { start: 0, bytes: 0 };
  #cancelWait: (() => void) | undefined;
  #parsing = false;
  #closed = false;
  #waiters: { step: number; resolve: (emulator: Emulator) => void; reject: (error: Error) => void }[] = [];
  #drains: (() => void)[] = [];

  constructor(clock: Clock, ports: FeedPorts) {
    this.#clock = clock;
    this.#ports = ports;
  }

  get backlog(): number {
    return this.written - this.parsed;
  }

  get behind(): boolean {
    return this.backlog > BACKLOG_BYTES;
  }

  /** Grows with everything put in: equal steps mean an equal screen. */
  get step(): number {
    return this.#put;
  }

  /** Somebody watches from now on. */
  watched(): void {
    this.#schedule();
  }

  put(item: FeedItem): void {
    this.#queue.push(item);
    this.#put++;
    if (item instanceof Uint8Array) this.#count(item.length);
    if (!this.#emulator) return;
    while (this.backlog > 2 * BACKLOG_BYTES && !this.#parsing) this.#slice();
    this.#schedule();
  }

  /** The last bytes that still wait, for a look at what may be cut. */
  lastWaiting(count: number): Uint8Array {
    const parts: Uint8Array[] = [];
    for (let i = this.#queue.length - 1, left = count; i >= 0 && left > 0; i--) {
      const item = this.#queue[i];
      if (!(item instanceof Uint8Array)) continue;
      parts.unshift(item.subarray(-left));
      left -= item.length;
    }
    return Buffer.concat(parts);
  }

  /** From now on everything goes through this emulator. */
  start(emulator: Emulator): void {
    if (this.#closed) return;
    this.#emulator = emulator;
    this.#schedule();
    this.#wake();
  }

  /** Resolves with the emulator once everything put in before this call is on its screen. */
  settled(): Promise<Emulator> {
    if (this.#closed) return Promise.reject(new Error('the screen is closed'));
    if (this.#emulator && this.#done === this.#put) return Promise.resolve(this.#emulator);
    return new Promise((resolve, reject) => {
      this.#waiters.push({ step: this.#put, resolve, reject });
      this.#schedule();
    });
  }

  drained(): Promise<void> {
    if (this.#closed || this.backlog <= BACKLOG_BYTES / 2) return Promise.resolve();
    return new Promise((resolve) => {
      this.#drains.push(resolve);
      this.#schedule();
    });
  }

  close(): void {
    this.#closed = true;
    this.#cancelWait?.();
    this.#queue = [];
    for (const waiter of this.#waiters.splice(0)) waiter.reject(new Error('the screen is closed'));
    for (const drain of this.#drains.splice(0)) drain();
  }

  #count(length: number): void {
    this.written += length;
    const now = this.#clock.now();
    const elapsed = now - this.#window.start;
    if (elapsed >= FLOOD_MS) {
      this.#flooding &&= elapsed < 2 * FLOOD_MS && this.#window.bytes >= FLOOD_BYTES;
      this.#window = { start: now, bytes: 0 };
    }
    this.#window.bytes += length;
    if (this.#window.bytes >= FLOOD_BYTES) this.#flooding = true;
  }

  #schedule(): void {
    if (!this.#emulator || this.#scheduled || this.#parsing || this.#closed || this.#queue.length === 0) return;
    const isUrgent = this.#waiters.length > 0 || this.#drains.length > 0 || this.backlog >= FLOOD_SLICE_BYTES;
    if (!isUrgent && this.#mayWait()) return;
    if (this.#flooding && !isUrgent) {
      this.#cancelWait ??= this.#clock.after(FLOOD_MS, () => {
        this.#cancelWait = undefined;
        if (!this.#parsing && !this.#scheduled) this.#slice();
      });
      return;
    }
    this.#cancelWait?.();
    this.#cancelWait = undefined;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      if (!this.#parsing) this.#slice();
    });
  }

  #mayWait(): boolean {
    return this.backlog <= UNWATCHED_BYTES && this.#queue.length <= UNWATCHED_PIECES && !this.#ports.isWatched();
  }

  #slice(): void {
    const emulator = this.#emulator;
    const first = this.#queue[0];
    if (!emulator || this.#closed || first === undefined) return;
    if (!(first instanceof Uint8Array)) {
      this.#queue.shift();
      if ('answering' in first) emulator.answers.on = first.answering;
      else emulator.resize(first);
      this.#finished(1);
      return;
    }
    const most = this.#flooding ? FLOOD_SLICE_BYTES : SLICE_BYTES;
    let count = 0;
    let size = 0;
    while (count < this.#queue.length && size < most) {
      const item = this.#queue[count];
      if (!(item instanceof Uint8Array)) break;
      size += item.length;
      count++;
    }
    const parts = this.#queue.splice(0, count) as Uint8Array[];
    let bytes = parts.length === 1 ? parts[0]! : Buffer.concat(parts, size);
    if (this.#flooding) {
      const end = this.#endOfLines(bytes);
      if (end < bytes.length) {
        bytes = bytes.subarray(0, end);
        count = this.#putBack(parts, end);
      }
    }
    this.#parsing = true;
    emulator.write(this.#flooding ? this.#seen(emulator, bytes) : bytes, () => {
      this.#parsing = false;
      this.parsed += bytes.length;
      this.tail.feed(bytes);
      this.#finished(count);
    });
  }

  /** What stands behind the cut waits again, piece by piece. Says how many pieces are parsed whole: only they are done. */
  #putBack(parts: Uint8Array[], end: number): number {
    let whole = 0;
    let at = 0;
    for (; at + parts[whole]!.length <= end; whole++) at += parts[whole]!.length;
    this.#queue.unshift(parts[whole]!.subarray(end - at), ...parts.slice(whole + 1));
    return whole;
  }

  /**
   * Where to cut a flood so that it stands between two sequences, for only there can lines be left out: behind its last
   * line, or behind the first if it begins in the middle of a sequence.
   */
  #endOfLines(bytes: Uint8Array): number {
    const end = this.tail.bytes().length === 0 ? bytes.lastIndexOf(LF) : bytes.indexOf(LF);
    return end === -1 ? bytes.length : end + 1;
  }

  /** Without the lines that will have scrolled out of reach. */
  #seen(emulator: Emulator, bytes: Uint8Array): Uint8Array {
    const state = this.tail.bytes().length === 0 ? emulator.floodState() : undefined;
    const shorter = state && withoutUnseen(bytes, state);
    return shorter ? Buffer.concat(shorter) : bytes;
  }

  #finished(count: number): void {
    if (this.#closed) return;
    this.#done += count;
    if (this.#emulator) this.#ports.afterSlice(this.#emulator);
    this.#wake();
    this.#schedule();
  }

  #wake(): void {
    const emulator = this.#emulator;
    if (!emulator) return;
    while (this.#waiters.length > 0 && this.#waiters[0]!.step <= this.#done) this.#waiters.shift()!.resolve(emulator);
    if (this.backlog <= BACKLOG_BYTES / 2) for (const drain of this.#drains.splice(0)) drain();
  }
}
