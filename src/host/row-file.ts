/**
 * The session's row in a file beside its journal, so that who lists many sessions need not ask each of their hosts
 * (decision 046). The file is late by a moment, and a disk may not take it; what is never late is the number in the host's
 * name (`proc/telling.ts`), which says that an older file does not count. Idle, it costs nothing: no timer runs.
 */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock, SessionRow } from '../contract/index.js';
import { FILES, writeWhole } from '../disk/index.js';
import type { Journal } from '../journal/journal.js';
import { ownIdentity } from '../proc/peer.js';
import { type Telling, telling } from '../proc/telling.js';

/** Changes come in groups, and a file is written for the last of them. */
const WRITE_MS = 100;

export interface RowInFile {
  pid: number;
  start_ticks: number;
  /** It is true as long as the host bears this number. */
  number: number;
  row: SessionRow;
}

export interface RowKeeper {
  /** Now and then: for what no entry tells, and for a file that somebody removed. */
  look(): void;
  close(): void;
}

export interface RowFileOptions {
  dir: string;
  journal: Journal;
  clock: Clock;
  row(): SessionRow;
  /** For tests: whether and how numbers can be told. */
  telling?: Telling | undefined;
}

/** Undefined where nobody could tell whether the file counts. */
export function keepRow(options: RowFileOptions): RowKeeper | undefined {
  const tells = 'telling' in options ? options.telling : telling();
  return tells && new KeptRow(options, tells);
}

class KeptRow implements RowKeeper {
  readonly #options: RowFileOptions;
  readonly #telling: Telling;
  readonly #file: string;
  readonly #off: () => void;
  #row: SessionRow | undefined;
  #text = '';
  #number = 0;
  #isTouched = false;
  #isClosed = false;
  #cancelWrite: (() => void) | undefined;

  constructor(options: RowFileOptions, tells: Telling) {
    this.#options = options;
    this.#telling = tells;
    this.#file = join(options.dir, FILES.row);
    // At the end of the turn in which it happened: before the host can sleep again, and be believed.
    this.#off = options.journal.subscribe(() => {
      if (this.#isTouched) return;
      this.#isTouched = true;
      setImmediate(() => this.look());
    });
    this.look();
  }

  look(): void {
    this.#isTouched = false;
    if (this.#isClosed) return;
    const row = this.#options.row();
    const text = JSON.stringify(row);
    if (text !== this.#text) {
      this.#row = row;
      this.#text = text;
      this.#number += 1;
      this.#says(this.#number);
    } else if (this.#cancelWrite || existsSync(this.#file)) return;
    this.#cancelWrite ??= this.#options.clock.after(WRITE_MS, () => this.#write());
  }

  #says(number: number): void {
    try {
      this.#telling.counts(number);
    } catch {
      this.#forget(); // then the file must not stay either
    }
  }

  #write(): void {
    this.#cancelWrite = undefined;
    if (this.#isClosed || !this.#row) return;
    const { pid, startTicks } = ownIdentity();
    const told: RowInFile = { pid, start_ticks: startTicks, number: this.#number, row: this.#row };
    try {
      writeWhole(this.#file, JSON.stringify(told));
    } catch {
      // A disk that takes nothing: the number of what is there says that it is old, and whoever lists asks us.
    }
  }

  #forget(): void {
    try {
      rmSync(this.#file, { force: true });
    } catch {
      // As above: its number is old.
    }
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#off();
    this.#cancelWrite?.();
    this.#forget();
    this.#telling.close();
  }
}
