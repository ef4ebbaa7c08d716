/** The environment and the ports for time and log, which everyone is handed: the real ones in programs, others in tests; and code for later. */

/** The environment of a process, as it is handed on. */
export type Env = Record<string, string | undefined>;

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /**
   * Calls once after `ms`, never before `now()` says so; the returned function cancels and may be called twice. Until then
   * the process stays alive: a stop that waits between two signals must not be cut short because nothing else is left to do.
   */
  after(ms: number, call: () => void): () => void;
}

/** setTimeout overflows to 1 ms beyond this: a longer wait is made of several. */
const LONGEST_TIMER_MS = 2_147_483_647;

/** A timer counts from a time of its own, and comes up to a millisecond early by ours; by more, somebody set the clock back. */
const MOST_EARLY_MS = 5;

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, call) {
    const due = Date.now() + ms;
    let left = ms;
    let timer: ReturnType<typeof setTimeout>;
    const arm = () => {
      const part = Math.min(left, LONGEST_TIMER_MS);
      left -= part;
      timer = setTimeout(left > 0 ? arm : ring, part);
    };
    // Whoever set a time and waits for it must find it reached: there is no second call.
    const ring = () => {
      const early = due - Date.now();
      if (early > 0 && early <= MOST_EARLY_MS) timer = setTimeout(ring, early);
      else call();
    };
    arm();
    return () => clearTimeout(timer);
  },
};

/** A clock that moves only when told to; due calls run in order of their time. */
export class HandClock implements Clock {
  #now: number;
  #due: { at: number; call: () => void }[] = [];

  constructor(start = 1_700_000_000_000) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  after(ms: number, call: () => void): () => void {
    const item = { at: this.#now + ms, call };
    this.#due.push(item);
    return () => {
      this.#due = this.#due.filter((other) => other !== item);
    };
  }

  /** How many calls wait: a test can prove that nothing is left. */
  get waiting(): number {
    return this.#due.length;
  }

  advance(ms: number): void {
    const until = this.#now + ms;
    for (;;) {
      const next = this.#due.filter((item) => item.at <= until).sort((a, b) => a.at - b.at)[0];
      if (!next) break;
      this.#due = this.#due.filter((item) => item !== next);
      this.#now = Math.max(this.#now, next.at);
      next.call();
    }
    this.#now = until;
  }
}

/** The port every room writes diagnostics to; `log/` implements it. Facts and ids only: no prompts, bytes or secrets. */
export type LogLevel = 'error' | 'warn' | 'info' | 'debug' | 'trace';

export interface Log {
  log(level: LogLevel, msg: string, facts?: Record<string, unknown>): void;
  /** The same log, with the room's name on each line. */
  room(name: string): Log;
}

/** One line that waits for a log to be written to. */
export interface HeldLine {
  at: number;
  level: LogLevel;
  room: string | undefined;
  msg: string;
  facts: Record<string, unknown> | undefined;
}

/** A log before there is one: keeps the first so many lines, tells of the first that is a trouble, and passes them on. */
export class HeldLog implements Log {
  #lines: HeldLine[] = [];
  #pass: ((line: HeldLine) => void) | undefined;
  readonly #options: { most: number; clock: Clock; trouble(): void };

  constructor(options: { most: number; clock: Clock; trouble(): void }) {
    this.#options = options;
  }

  log(level: LogLevel, msg: string, facts?: Record<string, unknown>): void {
    this.#add(undefined, level, msg, facts);
  }

  room(name: string): Log {
    return { log: (level, msg, facts) => this.#add(name, level, msg, facts), room: (other) => this.room(other) };
  }

  passOn(to: (line: HeldLine) => void): void {
    this.#pass = to;
    for (const line of this.#lines.splice(0)) to(line);
  }

  #add(room: string | undefined, level: LogLevel, msg: string, facts: Record<string, unknown> | undefined): void {
    const line = { at: this.#options.clock.now(), level, room, msg, facts };
    if (this.#pass) this.#pass(line);
    else if (this.#lines.length < this.#options.most) this.#lines.push(line);
    if (level === 'error' || level === 'warn') this.#options.trouble();
  }
}

export const silentLog: Log = { log() {}, room: () => silentLog };

/**
 * Code that is loaded when it is first wanted, and then kept: asked for by its name again, it might come from another build
 * that was installed meanwhile, or not be there any more. What failed is tried again.
 */
export function once<T>(load: () => Promise<T>): () => Promise<T> {
  let got: Promise<T> | undefined;
  return () => {
    got ??= load().catch((error: unknown) => {
      got = undefined;
      throw error;
    });
    return got;
  };
}
