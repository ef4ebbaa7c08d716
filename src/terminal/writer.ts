/**
 * Input on its way to an agent: in order, bounded, and every write learns what became of it. `Writer` counts what the
 * kernel has not taken yet, so that an agent that does not read cannot make us hoard; `descriptorWriter` is one
 * for a terminal. The surprising thing: Node's own stream on a terminal's master side writes in blocking mode, and an agent
 * that does not read freezes the whole process in it.
 */
import { writeSync } from 'node:fs';
import type { Clock } from '../contract/index.js';
import type { Written } from './process.js';

/** The stream below: `done` is called once, with an error if the bytes did not get through. */
export type ByteSink = (bytes: Uint8Array, done: (error?: Error | null) => void) => void;

/** What the kernel takes of it at once, without waiting. Only asked while nothing waits before it. */
export type Attempt = (bytes: Uint8Array) => number | Error;

/** Far above any paste of a person, far below what would hurt a host with many sessions. */
export const INPUT_LIMIT_BYTES = 1024 * 1024;

export class Writer {
  readonly #sink: ByteSink;
  readonly #attempt: Attempt | undefined;
  readonly #limit: number;
  readonly #pending = new Set<(how: Written) => void>();
  #waiting = 0;
  #closed = false;
  #lastByte = 0x0a;

  constructor(sink: ByteSink, options: { attempt?: Attempt; limit?: number } = {}) {
    this.#sink = sink;
    this.#attempt = options.attempt;
    this.#limit = options.limit ?? INPUT_LIMIT_BYTES;
  }

  /** Bytes the kernel has not taken yet. */
  get waiting(): number {
    return this.#waiting;
  }

  get lastByte(): number {
    return this.#lastByte;
  }

  write(input: Uint8Array | string): Promise<Written> {
    if (this.#closed) return GONE;
    const given = typeof input === 'string' ? Buffer.from(input) : input;
    if (given.length === 0) return WRITTEN;
    // Nearly every key ends here: this stands in the way of each of them.
    const taken = this.#attempt && this.#pending.size === 0 ? this.#attempt(given) : 0;
    if (typeof taken !== 'number') return GONE;
    if (taken > 0) this.#lastByte = given[taken - 1]!;
    if (taken === given.length) return WRITTEN;
    // A copy: the caller may use its buffer again while ours waits.
    return this.#wait(Buffer.from(given.subarray(taken)));
  }

  #wait(bytes: Uint8Array): Promise<Written> {
    // One write larger than the limit goes through when nothing else waits: refusing it for ever helps nobody.
    if (this.#waiting > 0 && this.#waiting + bytes.length > this.#limit) return Promise.resolve('full');
    this.#waiting += bytes.length;
    this.#lastByte = bytes[bytes.length - 1] ?? this.#lastByte;
    return new Promise((resolve) => {
      const settle = (how: Written): void => {
        if (!this.#pending.delete(settle)) return;
        this.#waiting -= bytes.length;
        resolve(how);
      };
      this.#pending.add(settle);
      this.#sink(bytes, (error) => settle(error ? 'gone' : 'written'));
    });
  }

  close(): void {
    this.#closed = true;
    for (const settle of [...this.#pending]) settle('gone');
  }
}

/** The very promise that `write` gives when the kernel had everything at once. */
export const WRITTEN: Promise<Written> = Promise.resolve('written');
const GONE: Promise<Written> = Promise.resolve('gone');

/** The kernel does not say when a full terminal has room again; a person does not notice this. */
const RETRY_FIRST_MS = 1;
const RETRY_LONGEST_MS = 40;

/** For a non-blocking descriptor, the rest of a partial write later; closed before the descriptor is. */
export function descriptorWriter(ask: { fd: number; clock: Clock; isOpen: () => boolean }): Writer {
  const queue: { bytes: Uint8Array; done: (error?: Error) => void }[] = [];
  let isWaiting = false;

  const pump = (retryMs: number): void => {
    isWaiting = false;
    for (let head = queue[0]; head && !isWaiting; head = queue[0]) {
      const taken = ask.isOpen() ? attempt(ask.fd, head.bytes) : new Error('the terminal is closed');
      if (taken instanceof Error || taken === head.bytes.length) {
        queue.shift();
        head.done(taken instanceof Error ? taken : undefined);
        continue;
      }
      head.bytes = head.bytes.subarray(taken);
      const waitMs = taken > 0 ? RETRY_FIRST_MS : retryMs;
      isWaiting = true;
      ask.clock.after(waitMs, () => pump(Math.min(waitMs * 2, RETRY_LONGEST_MS)));
    }
  };

  const sink: ByteSink = (bytes, done) => {
    queue.push({ bytes, done });
    if (!isWaiting && queue.length === 1) pump(RETRY_FIRST_MS);
  };
  return new Writer(sink, { attempt: (bytes) => attempt(ask.fd, bytes) });
}

function attempt(fd: number, bytes: Uint8Array): number | Error {
  try {
    return writeSync(fd, bytes);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'EAGAIN') return 0;
    return thrown as Error;
  }
}
