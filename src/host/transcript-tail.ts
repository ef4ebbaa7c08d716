/**
 * A file that grows, read by cursor: what was added is handed on in order, cut wherever it happens to be cut. Woken by
 * the system where it tells, and by a slow look where it does not. A file that was replaced or cut short is read from its
 * beginning (readers know what they have seen). It never holds more than one piece of the file in memory.
 */
import { type FSWatcher, watch } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Clock } from '../contract/index.js';

const PIECE_BYTES = 64 * 1024;

/** Watching a folder fails on some file systems; a second is soon enough for a conversation. */
const LOOK_EVERY_MS = 1_000;

export interface TailOptions {
  path: string;
  /** Bytes that were there before: they come with `history`. */
  historyBytes?: number;
  clock: Clock;
  onBytes(chunk: Uint8Array, history: boolean): void;
  /** All there is was read, for now. */
  onQuiet?(): void;
}

export class TranscriptTail {
  readonly #options: TailOptions;
  #file: FileHandle | undefined;
  #inode: number | undefined;
  #cursor = 0;
  #history: number;
  #watcher: FSWatcher | undefined;
  #cancel: () => void = () => undefined;
  #reading: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(options: TailOptions) {
    this.#options = options;
    this.#history = options.historyBytes ?? 0;
    try {
      this.#watcher = watch(dirname(options.path), () => void this.look());
      this.#watcher.on('error', () => this.#watcher?.close());
      this.#watcher.unref();
    } catch {
      // No such folder yet, or no watching here: the slow look finds what is new.
    }
    this.#again();
    void this.look();
  }

  /** Reads what is there now. Contract: resolves when it has been handed on. */
  look(): Promise<void> {
    // One after the other: two readers on one cursor would tear the file.
    this.#reading = this.#reading.then(() => this.#read()).catch(() => this.#release());
    return this.#reading;
  }

  /** Contract: may be called twice. What was not read by then is not read. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancel();
    this.#watcher?.close();
    await this.#reading;
    await this.#release();
  }

  #again(): void {
    this.#cancel = this.#options.clock.after(LOOK_EVERY_MS, () => {
      if (this.#closed) return;
      void this.look();
      this.#again();
    });
  }

  async #read(): Promise<void> {
    if (this.#closed) return;
    const facts = await stat(this.#options.path).catch(() => undefined);
    if (!facts) return;
    if (this.#file && facts.ino !== this.#inode) {
      await this.#drain();
      await this.#release();
      this.#cursor = 0;
      this.#history = 0;
    }
    if (facts.size < this.#cursor) this.#cursor = 0;
    if (this.#file && facts.size === this.#cursor) return; // a session that rests looks for hours, and costs nothing
    this.#file ??= await open(this.#options.path, 'r');
    this.#inode = facts.ino;
    if (await this.#drain()) this.#options.onQuiet?.();
  }

  /** True if there was anything. */
  async #drain(): Promise<boolean> {
    const piece = new Uint8Array(PIECE_BYTES);
    for (let some = false; ; some = true) {
      if (this.#closed) return some;
      const most = this.#cursor < this.#history ? Math.min(PIECE_BYTES, this.#history - this.#cursor) : PIECE_BYTES;
      const { bytesRead } = await this.#file!.read(piece, 0, most, this.#cursor);
      if (bytesRead === 0) return some;
      const history = this.#cursor < this.#history;
      this.#cursor += bytesRead;
      this.#options.onBytes(piece.slice(0, bytesRead), history);
    }
  }

  async #release(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close().catch(() => undefined); // It is only read: nothing is lost.
  }
}
