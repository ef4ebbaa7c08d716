/** Our own command line, run as a user would: in a seat of the lab, with a state directory of its own. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Entry, EntryType } from '../../contract/index.js';
import { FILES } from '../../disk/index.js';
import { readJournal } from '../../journal/read.js';
import { sessionDir } from '../../link/index.js';
import { NEVER } from './ended-by-signal.js';

const PROGRAM = fileURLToPath(new URL('../main.js', import.meta.url));
/** A rehearsal has no model to wait for: what has not come by then is not coming. */
const PATIENCE_MS = 30_000;
const LOOK_EVERY_MS = 50;

export type Of<T extends EntryType> = Extract<Entry, { type: T }>;

export interface Said {
  code: number | null;
  out: string;
  err: string;
}

export class OwnCli {
  readonly env: Record<string, string>;
  readonly cwd: string;
  /** Nothing is started any more, and nothing said. */
  readonly ended: AbortSignal;

  constructor(given: { env: Record<string, string>; cwd: string; ended: AbortSignal }) {
    this.ended = given.ended;
    this.env = given.env;
    this.cwd = given.cwd;
  }

  run(args: string[]): Promise<Said> {
    if (this.ended.aborted) return NEVER;
    return new Promise((resolve) => {
      const child = spawn(process.execPath, [PROGRAM, ...args], {
        cwd: this.cwd,
        env: this.env,
        stdio: ['ignore', 'pipe', 'pipe'],
        // Its own session: no terminal to ask on, as in CI.
        detached: true,
        timeout: 4 * PATIENCE_MS,
      });
      const said = { out: '', err: '' };
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
        said.out += chunk;
      });
      child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
        said.err += chunk;
      });
      child.on('error', (error) => resolve({ code: null, out: said.out, err: error.message }));
      child.on('close', (code) => resolve(this.ended.aborted ? NEVER : { code, ...said }));
    });
  }

  entries(session: string): Entry[] {
    try {
      return readJournal(join(sessionDir(this.env, session), FILES.journal));
    } catch {
      return []; // Not there yet.
    }
  }

  /** The first entry of this kind, or undefined when it does not come. */
  async entry<T extends EntryType>(
    session: string,
    type: T,
    is: (entry: Of<T>) => boolean = () => true,
  ): Promise<Of<T> | undefined> {
    const until = Date.now() + PATIENCE_MS;
    for (;;) {
      const found = this.entries(session).find((one): one is Of<T> => one.type === type && is(one as Of<T>));
      if (this.ended.aborted) return NEVER;
      if (found) return found;
      if (Date.now() > until || this.entries(session).some((one) => one.type === 'session.ended')) return undefined;
      await sleep(LOOK_EVERY_MS);
    }
  }
}
