/**
 * Output on its way from an agent: `Outlet` delivers chunks in order, holds them back while nobody may take them, and
 * knows when the last one is out; `readRest` fetches what the kernel still holds once a process has ended. The
 * surprising thing: libuv calls it end of file when a hang-up meets a short read, and a terminal's reads are always
 * short, so without `readRest` the last lines of a quarter of all runs are lost.
 */
import { readSync } from 'node:fs';

export type OutputStream = 'out' | 'err';
export type TakeOutput = (chunk: Uint8Array, stream: OutputStream) => void;

/** Kept for a first listener that comes late; beyond it the source is paused. */
const UNHEARD_LIMIT_BYTES = 1024 * 1024;
const READ_BYTES = 64 * 1024;
/** More than a terminal (about 64 KB) or a socket pair (about 200 KB) can hold: beyond it someone else is writing. */
const REST_LIMIT_BYTES = 4 * 1024 * 1024;

/**
 * Reads a non-blocking descriptor until nothing is there. Exact after the writer's death: Linux flushes a terminal's
 * pending work before it answers EAGAIN or EIO, so "empty" means that every byte has been read.
 */
export function readRest(fd: number, take: (chunk: Uint8Array) => void): void {
  for (let total = 0; total < REST_LIMIT_BYTES; ) {
    const chunk = Buffer.allocUnsafe(READ_BYTES);
    let length = 0;
    try {
      length = readSync(fd, chunk, 0, READ_BYTES, null);
    } catch {
      // EAGAIN: empty, others still hold the other end. EIO: empty, nobody does. EBADF: closed already.
      return;
    }
    if (length === 0) return;
    total += length;
    take(chunk.subarray(0, length));
  }
}

/** Gathered at most: more would only make the next key wait. */
const GATHER_BYTES = 64 * 1024;

/**
 * Joins the full reads of a flood. A terminal gives 4 KB at a time and Node takes one read per turn of the event loop, so
 * everything behind it would run once per 4 KB. A read that is not full was the last for now and goes on at once, and so
 * does what was gathered when a turn brings nothing more: no timer, and a key's echo never waits. (Reading on by hand
 * until nothing is left is no way: an empty terminal makes the reader wait for the kernel's own worker.)
 */
export class Gather {
  readonly #fullBytes: number;
  readonly #push: (chunk: Uint8Array) => void;
  #parts: Uint8Array[] = [];
  #bytes = 0;
  #fresh = false;
  #scheduled = false;

  constructor(options: { fullBytes: number; push: (chunk: Uint8Array) => void }) {
    this.#fullBytes = options.fullBytes;
    this.#push = options.push;
  }

  take(chunk: Uint8Array): void {
    if (this.#parts.length === 0 && chunk.length < this.#fullBytes) {
      this.#push(chunk);
      return;
    }
    this.#parts.push(chunk);
    this.#bytes += chunk.length;
    if (chunk.length < this.#fullBytes || this.#bytes >= GATHER_BYTES) {
      this.flush();
      return;
    }
    this.#fresh = true;
    this.#watch();
  }

  flush(): void {
    const parts = this.#parts;
    if (parts.length === 0) return;
    this.#parts = [];
    this.#bytes = 0;
    this.#push(parts.length === 1 ? parts[0]! : Buffer.concat(parts));
  }

  #watch(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      if (this.#parts.length === 0) return;
      if (this.#fresh) {
        this.#fresh = false;
        this.#watch();
      } else this.flush();
    });
  }
}

export interface PausableSource {
  pause(): void;
  resume(): void;
}

export class Outlet {
  readonly #source: PausableSource;
  #listeners: TakeOutput[] = [];
  #queue: { chunk: Uint8Array; stream: OutputStream }[] = [];
  #queued = 0;
  #held = false;
  #delivering = false;
  #closed = false;
  #whenOut: (() => void)[] = [];

  constructor(source: PausableSource) {
    this.#source = source;
  }

  onOutput(call: TakeOutput): void {
    this.#listeners.push(call);
    // Not inside the call: whoever listens wants to finish setting up first.
    if (this.#listeners.length === 1) queueMicrotask(() => this.#deliver());
  }

  push(chunk: Uint8Array, stream: OutputStream): void {
    if (this.#closed) return;
    const isFree = !this.#held && !this.#delivering && this.#queue.length === 0 && this.#listeners.length > 0;
    if (isFree) {
      // Nothing waits, as nearly always: the echo of a key should not either.
      this.#delivering = true;
      try {
        this.#tell(chunk, stream);
      } finally {
        this.#delivering = false;
      }
      if (this.#queue.length > 0) this.#deliver();
      return;
    }
    this.#queue.push({ chunk, stream });
    this.#queued += chunk.length;
    this.#deliver();
    if (this.#queued > UNHEARD_LIMIT_BYTES) this.#source.pause();
  }

  hold(): void {
    this.#held = true;
    this.#source.pause();
  }

  release(): void {
    this.#held = false;
    this.#deliver();
    if (!this.#held) this.#source.resume();
  }

  /** Resolves when all that was pushed has been delivered; at once if nobody ever listened. */
  emptied(): Promise<void> {
    if (this.#isOut()) return Promise.resolve();
    return new Promise((resolve) => this.#whenOut.push(resolve));
  }

  close(): void {
    this.#closed = true;
    this.#queue = [];
    this.#queued = 0;
    this.#tellOut();
  }

  #isOut(): boolean {
    return this.#queue.length === 0 || this.#listeners.length === 0;
  }

  #deliver(): void {
    // A listener that releases or holds inside its own call must not reorder what follows.
    if (this.#delivering || this.#listeners.length === 0) return;
    const unheard = this.#queued > UNHEARD_LIMIT_BYTES;
    this.#delivering = true;
    try {
      while (!this.#held && this.#queue.length > 0) {
        const batch = this.#queue;
        this.#queue = [];
        this.#deliverBatch(batch);
      }
    } finally {
      this.#delivering = false;
    }
    if (this.#isOut()) this.#tellOut();
    if (unheard && !this.#held) this.#source.resume();
  }

  #deliverBatch(batch: { chunk: Uint8Array; stream: OutputStream }[]): void {
    for (let at = 0; at < batch.length; at += 1) {
      if (this.#held || this.#closed) {
        if (!this.#closed) this.#queue = [...batch.slice(at), ...this.#queue];
        return;
      }
      const { chunk, stream } = batch[at]!;
      this.#queued -= chunk.length;
      this.#tell(chunk, stream);
    }
  }

  #tell(chunk: Uint8Array, stream: OutputStream): void {
    for (let at = 0; at < this.#listeners.length; at += 1) this.#listeners[at]!(chunk, stream);
  }

  #tellOut(): void {
    const calls = this.#whenOut;
    this.#whenOut = [];
    for (const call of calls) call();
  }
}
