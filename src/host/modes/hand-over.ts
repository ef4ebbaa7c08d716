/**
 * What did not fit into an iteration's prompt, whole, where the agent may read it: inside the project, because a guarded
 * agent reads there without asking and gemini reads nowhere else (decision 041). One file per session, written anew for
 * each prompt that was cut and gone when nothing was, or when the session ends. An agent could put a link in its way, so
 * none is followed. A project that cannot be written stops no work: the session's own copy is named then.
 */
import { lstatSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionId } from '../../contract/index.js';

const FOLDER = '.agent';
const OURS = /^handover-[a-z0-9]+\.md(\.new)?$/;
/** What a killed host left, and nobody continued. */
const STALE_MS = 7 * 24 * 60 * 60 * 1000;

export class HandOver {
  readonly #dir: string;
  readonly #name: string;
  readonly #now: () => number;
  #swept = false;

  constructor({ cwd, session, now }: { cwd: string; session: SessionId; now: () => number }) {
    this.#dir = join(cwd, FOLDER);
    this.#name = `handover-${session}.md`;
    this.#now = now;
  }

  /** Its name as the agent can use it, from its working directory; undefined when the project takes no file. */
  write(text: string): string | undefined {
    const file = join(this.#dir, this.#name);
    const draft = `${file}.new`;
    try {
      this.#prepare();
      rmSync(draft, { recursive: true, force: true });
      // Made new: what an agent has put there in this moment is not written through.
      writeFileSync(draft, text, { flag: 'wx', mode: 0o600 });
      renameSync(draft, file);
      return `${FOLDER}/${this.#name}`;
    } catch {
      this.remove();
      return undefined;
    }
  }

  /** Contract: never throws. */
  remove(): void {
    try {
      if (!lstatSync(this.#dir).isDirectory()) return;
      for (const name of [this.#name, `${this.#name}.new`]) rmSync(join(this.#dir, name), { force: true });
    } catch {
      // Not there, or not ours to touch.
    }
  }

  #prepare(): void {
    try {
      mkdirSync(this.#dir);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    if (!lstatSync(this.#dir).isDirectory()) throw new Error(`${FOLDER} is not a folder`);
    if (this.#swept) return;
    this.#swept = true;
    for (const name of readdirSync(this.#dir).filter((one) => OURS.test(one))) {
      const file = join(this.#dir, name);
      if (this.#now() - lstatSync(file).mtimeMs > STALE_MS) rmSync(file, { force: true });
    }
  }
}
