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

/**
 * A full first read, and what is there behind it, as one chunk. A terminal gives 4 KB at a time and Node takes one read
 * per turn of the event loop: in a flood the turns, not the bytes, would be the cost.
 */
export function readMore(fd: number, first: Uint8Array): Uint8Array {
  const chunk = Buffer.allocUnsafe(READ_BYTES);
  let length = 0;
  try {
    // Short of its end by one read: a terminal may have dropped to smaller pieces, never to larger ones.
    while (first.length + length < READ_BYTES) {
      const count = readSync(fd, chunk, first.length + length, READ_BYTES - first.length - length, null);
      if (count === 0) break;
      length += count;
    }
  } catch {
    // Empty for now (EAGAIN), or the end (EIO), which the stream hears of by itself.
  }
  if (length === 0) return first;
  chunk.set(first);
  return chunk.subarray(0, first.length + length);
}

export interface Source {
  pause(): void;
  resume(): void;
}

export class Outlet {
  readonly #source: Source;
  #listeners: TakeOutput[] = [];
  #queue: { chunk: Uint8Array; stream: OutputStream }[] = [];
  #queued = 0;
  #held = false;
  #delivering = false;
  #closed = false;
  #whenOut: (() => void)[] = [];

  constructor(source: Source) {
    this.#source = source;
  }

  onOutput(call: TakeOutput): void {
    this.#listeners.push(call);
    // Not inside the call: whoever listens wants to finish setting up first.
    if (this.#listeners.length === 1) queueMicrotask(() => this.#deliver());
  }

  push(chunk: Uint8Array, stream: OutputStream): void {
    if (this.#closed) return;
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
    for (const [at, { chunk, stream }] of batch.entries()) {
      if (this.#held || this.#closed) {
        if (!this.#closed) this.#queue = [...batch.slice(at), ...this.#queue];
        return;
      }
      this.#queued -= chunk.length;
      for (const listener of this.#listeners) listener(chunk, stream);
    }
  }

  #tellOut(): void {
    const calls = this.#whenOut;
    this.#whenOut = [];
    for (const call of calls) call();
  }
}
