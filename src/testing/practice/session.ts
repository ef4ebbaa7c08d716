/**
 * What a running practice agent is: its id, its place, its pace, and the files it keeps about itself under PRACTICE_HOME,
 * in claude's shapes (`sessions/<pid>.json`, `projects/<folder>/<id>.jsonl`) so that one reader serves both.
 */
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Hooks } from './hooks.js';

export const VERSION = '1.0.0';
export const MODEL = 'practice-script';

export type Status = 'idle' | 'busy' | 'waiting';

export class PracticeSession {
  readonly id: string;
  readonly cwd = process.cwd();
  readonly resumed: boolean;
  readonly hooks: Hooks;
  readonly skipPermissions: boolean;
  /** What may run without asking again: `Bash:npm`, `Write`. */
  readonly grants = new Set<string>();
  /** Milliseconds of every delay are multiplied by this; 0 in tests. */
  readonly pace: number;
  readonly #home: string | undefined;
  readonly #started = Date.now();
  #lastRow: string | null = null;

  constructor(given: {
    id?: string;
    resume?: string;
    settings?: string;
    skipPermissions: boolean;
    env: NodeJS.ProcessEnv;
  }) {
    this.id = given.resume ?? given.id ?? randomUUID();
    this.resumed = given.resume !== undefined;
    this.skipPermissions = given.skipPermissions;
    const speed = Number(given.env.PRACTICE_SPEED ?? '1');
    this.pace = Number.isFinite(speed) && speed >= 0 ? speed : 1;
    this.#home = given.env.PRACTICE_HOME || undefined;
    if (this.#home) {
      const known = existsSync(this.transcript);
      if (this.resumed && !known) throw new Error(`No conversation found with session ID: ${this.id}`);
      if (!this.resumed && known) throw new Error(`Session ID ${this.id} is already in use.`);
    }
    this.hooks = new Hooks({ settings: given.settings, session: this });
  }

  /** Empty without a home. */
  get transcript(): string {
    const folder = this.cwd.replace(/[^A-Za-z0-9]/g, '-');
    return this.#home ? join(this.#home, 'projects', folder, `${this.id}.jsonl`) : '';
  }

  /** Earlier prompts of a resumed conversation. */
  history(): string[] {
    if (!this.resumed || !this.#home) return [];
    return readFileSync(this.transcript, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as { type?: string; message?: { content?: unknown } })
      .filter((row) => row.type === 'user' && typeof row.message?.content === 'string')
      .map((row) => row.message?.content as string);
  }

  /** Appends one row: `user`, `assistant` or `system`, chained by parentUuid. */
  record(row: Record<string, unknown>): void {
    if (!this.#home) return;
    const uuid = randomUUID();
    const around = { isSidechain: false, cwd: this.cwd, sessionId: this.id, version: VERSION, entrypoint: 'cli' };
    const whole = { parentUuid: this.#lastRow, ...row, uuid, timestamp: new Date().toISOString(), ...around };
    this.#lastRow = uuid;
    mkdirSync(join(this.transcript, '..'), { recursive: true, mode: 0o700 });
    appendFileSync(this.transcript, `${JSON.stringify(whole)}\n`, { mode: 0o600 });
  }

  status(status: Status, waitingFor?: string): void {
    if (!this.#home) return;
    const file = this.#statusFile();
    const now = Date.now();
    const row = { pid: process.pid, sessionId: this.id, cwd: this.cwd, startedAt: this.#started, version: VERSION };
    const state = {
      kind: 'interactive',
      status,
      updatedAt: now,
      statusUpdatedAt: now,
      ...(waitingFor ? { waitingFor } : {}),
    };
    mkdirSync(join(file, '..'), { recursive: true, mode: 0o700 });
    writeFileSync(`${file}.new`, JSON.stringify({ ...row, ...state }), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }

  /** Contract: may be called twice. */
  close(): void {
    this.hooks.close();
    if (this.#home) rmSync(this.#statusFile(), { force: true });
  }

  #statusFile(): string {
    return join(this.#home ?? '', 'sessions', `${process.pid}.json`);
  }

  /** Waits `ms` at this session's pace; an abort ends it early, without an error. */
  wait(ms: number, signal?: AbortSignal): Promise<void> {
    return waitReally(ms * this.pace, signal);
  }
}

export function waitReally(ms: number, signal?: AbortSignal): Promise<void> {
  if (ms === 0 || signal?.aborted) return Promise.resolve();
  return new Promise((settle) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      settle();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });
}
