/**
 * `.agent/events.jsonl` in the project, as seed 001 wants it: loop events, and each iteration's output in full. Written
 * from what the journal is told, one file per session (the last session's is kept beside it), never mixed with what
 * agents write: our lines carry the session. A project that cannot be written does not stop the work.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock, SessionId } from '../contract/index.js';

/** One iteration's output beyond this is cut in the middle of nowhere: say so instead. */
const LONGEST_OUTPUT = 16 * 1024 * 1024;

export class AgentEvents {
  readonly #file: string;
  readonly #session: SessionId;
  readonly #clock: Clock;
  readonly #trouble: (reason: string) => void;
  #text = '';
  #cut = 0;
  #broken = false;
  #begun = false;

  constructor(options: { cwd: string; session: SessionId; clock: Clock; trouble: (reason: string) => void }) {
    this.#file = join(options.cwd, '.agent', 'events.jsonl');
    this.#session = options.session;
    this.#clock = options.clock;
    this.#trouble = options.trouble;
  }

  event(event: { topic: string; payload: string; iteration: number; hat?: string }): void {
    this.#append({ type: 'event', ...event });
  }

  text(text: string): void {
    if (this.#text.length + text.length <= LONGEST_OUTPUT) this.#text += text;
    else this.#cut += text.length;
  }

  iterationEnded(iteration: number, outcome: string): void {
    const cut = this.#cut > 0 ? { cut_characters: this.#cut } : {};
    this.#append({ type: 'output', iteration, outcome, text: this.#text, ...cut });
    this.#text = '';
    this.#cut = 0;
  }

  #append(line: Record<string, unknown>): void {
    if (this.#broken) return;
    try {
      this.#begin();
      const ts = new Date(this.#clock.now()).toISOString();
      appendFileSync(this.#file, `${JSON.stringify({ ts, session: this.#session, ...line })}\n`);
    } catch (error) {
      this.#broken = true;
      this.#trouble(`.agent/events.jsonl cannot be written: ${(error as Error).message}`);
    }
  }

  /** Another session's file is put aside once, when we have something to write. */
  #begin(): void {
    if (this.#begun) return;
    this.#begun = true;
    mkdirSync(join(this.#file, '..'), { recursive: true });
    if (!existsSync(this.#file)) return;
    const first = readFileSync(this.#file, 'utf8').split('\n', 1)[0] ?? '';
    if (!first.includes(`"session":"${this.#session}"`)) renameSync(this.#file, `${this.#file}.1`);
  }
}
