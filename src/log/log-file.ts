/**
 * One append-only log file, 0600, bounded: at 10 MB it becomes `.1` (replacing the last `.1`) and a new one begins.
 * Writes are synchronous, so the last line before a crash is on disk. A write that fails is reported once, never thrown.
 */
import { closeSync, constants, fstatSync, openSync, renameSync, writeSync } from 'node:fs';
import { ReinsError } from '../contract/index.js';

/** Bytes; two of them are kept per name. */
const LARGEST_LOG = 10 * 1024 * 1024;

/** Not blocking: a pipe nobody reads must be an error, not a program that hangs before it said a word. */
const FLAGS = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK;

export class LogFile {
  readonly #file: string;
  readonly #largest: number;
  readonly #onTrouble: (reason: string) => void;
  #fd: number | undefined;
  #size = 0;
  #isRegular = false;
  #troubled = false;

  /** Throws LOG_UNOPENABLE. */
  constructor(of: { file: string; largest?: number; onTrouble: (reason: string) => void }) {
    this.#file = of.file;
    this.#largest = of.largest ?? LARGEST_LOG;
    this.#onTrouble = of.onTrouble;
    try {
      if (of.file === '') throw new Error('it has no name');
      this.#open();
    } catch (error) {
      const reason = (error as Error).message;
      throw new ReinsError('LOG_UNOPENABLE', { file: of.file, reason }, { cause: error });
    }
  }

  write(line: string): void {
    if (this.#fd === undefined) return;
    try {
      const bytes = Buffer.from(line);
      if (this.#isRegular && this.#size > 0 && this.#size + bytes.length > this.#largest) this.#rotate();
      writeSync(this.#fd, bytes);
      this.#size += bytes.length;
    } catch (error) {
      if (!this.#troubled) this.#onTrouble((error as Error).message);
      this.#troubled = true;
    }
  }

  close(): void {
    const fd = this.#fd;
    this.#fd = undefined;
    if (fd !== undefined) closeSync(fd);
  }

  #open(): void {
    this.#fd = openSync(this.#file, FLAGS, 0o600);
    const stat = fstatSync(this.#fd);
    this.#isRegular = stat.isFile();
    this.#size = stat.size;
  }

  #rotate(): void {
    const old = this.#fd;
    try {
      renameSync(this.#file, `${this.#file}.1`);
    } catch (error) {
      // Someone removed the file under us: a new one is all there is to make.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    this.#open();
    if (old !== undefined) closeSync(old);
  }
}
