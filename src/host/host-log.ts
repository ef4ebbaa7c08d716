/**
 * What a host writes about itself, for who looks for a trouble: start facts, links, commands with their milliseconds,
 * turns of the event loop that took long, errors. In the session's directory, private, bounded, without secrets. Loaded
 * when the start is over, or at the first trouble; what was said before has waited. Idle, it costs nothing: no timer runs.
 */
import { join } from 'node:path';
import type { HeldLog } from '../contract/index.js';
import { FILES } from '../disk/index.js';
import type { Journal } from '../journal/journal.js';
import { createLog, secretsFrom } from '../log/index.js';

/** Two such files per session. */
const LARGEST = 1024 * 1024;

/** A person notices a key that waits so long. */
const SLOW_TURN_MS = 100;

export interface HostLogOptions {
  dir: string;
  session: string;
  env: Record<string, string | undefined>;
  journal: Journal;
  held: HeldLog;
  /** For tests. */
  largest?: number;
}

/** Throws LOG_UNOPENABLE. Returns what ends it. */
export function openHostLog({ dir, session, env, journal, held, largest = LARGEST }: HostLogOptions): () => void {
  let at: number | undefined;
  const log = createLog({
    file: join(dir, FILES.log),
    level: 'info',
    format: 'json',
    session,
    now: () => at ?? Date.now(),
    writeStderr: () => undefined, // a disk that takes nothing is told by the journal
    secrets: secretsFrom(env),
    largest,
  });
  held.passOn((line) => {
    at = line.at;
    const { level, room, msg, facts } = line;
    (room === undefined ? log : log.room(room)).log(level, msg, facts);
    at = undefined;
  });
  const turns = new Turns((ms, first) => held.log('warn', 'slow turn', { ms, first }));
  const off = journal.subscribe((entry) => turns.touch(entry.type));
  return () => {
    off();
    log.close();
  };
}

/** How long the turn of the event loop takes in which something happened: measured from there to its end. */
export class Turns {
  #isMeasuring = false;
  readonly #slow: (ms: number, first: string) => void;
  readonly #now: () => number;

  constructor(slow: (ms: number, first: string) => void, now: () => number = () => performance.now()) {
    this.#slow = slow;
    this.#now = now;
  }

  touch(first: string): void {
    if (this.#isMeasuring) return;
    this.#isMeasuring = true;
    const from = this.#now();
    setImmediate(() => {
      this.#isMeasuring = false;
      const ms = Math.round(this.#now() - from);
      if (ms >= SLOW_TURN_MS) this.#slow(ms, first);
    });
  }
}
