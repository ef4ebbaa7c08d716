/**
 * Input on its way to an agent: in order, bounded, and every write learns what became of it. `Writer` counts what the
 * kernel has not taken yet, so that an agent that does not read cannot make us hoard; `descriptorSink` writes to a
 * terminal. The surprising thing: Node's own stream on a terminal's master side writes in blocking mode, and an agent
 * that does not read freezes the whole process in it.
 */
import { writeSync } from 'node:fs';
import type { Clock } from '../contract/index.js';
import type { Written } from './process.js';

/** The stream below: `done` is called once, with an error if the bytes did not get through. */
export type Sink = (bytes: Uint8Array, done: (error?: Error | null) => void) => void;

/** Far above any paste of a person, far below what would hurt a host with many sessions. */
export const INPUT_LIMIT_BYTES = 1024 * 1024;

export class Writer {
  readonly #sink: Sink;
  readonly #limit: number;
  readonly #pending = new Set<(how: Written) => void>();
  #waiting = 0;
  #closed = false;
  #lastByte = 0x0a;

  constructor(sink: Sink, limit = INPUT_LIMIT_BYTES) {
    this.#sink = sink;
    this.#limit = limit;
  }

  /** Bytes the kernel has not taken yet. */
  get waiting(): number {
    return this.#waiting;
  }

  get lastByte(): number {
    return this.#lastByte;
  }

  write(input: Uint8Array | string): Promise<Written> {
    if (this.#closed) return Promise.resolve('gone');
    // A copy: the caller may use its buffer again while ours waits.
    const bytes = typeof input === 'string' ? Buffer.from(input) : Buffer.from(input);
    if (bytes.length === 0) return Promise.resolve('written');
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

/** The kernel does not say when a full terminal has room again; a person does not notice this. */
const RETRY_FIRST_MS = 1;
const RETRY_LONGEST_MS = 40;

/** Writes to a non-blocking descriptor, the rest of a partial write later. `isOpen` is asked before every attempt. */
export function descriptorSink(ask: { fd: number; clock: Clock; isOpen: () => boolean }): Sink {
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

  return (bytes, done) => {
    queue.push({ bytes, done });
    if (!isWaiting && queue.length === 1) pump(RETRY_FIRST_MS);
  };
}

function attempt(fd: number, bytes: Uint8Array): number | Error {
  try {
    return writeSync(fd, bytes);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'EAGAIN') return 0;
    return thrown as Error;
  }
}
