/**
 * An agent's transcript while it works: finds its files (a hook names one, or the agent's usual place has it), follows
 * them and those of its sub-agents as they grow, and tells what was said. What stood in them before this launch is read
 * and not told. A transcript that cannot be found or read costs the conversation in the journal, nothing else.
 */
import type { Transcript, TranscriptPlace, TranscriptReader } from '../adapters/index.js';
import type { AgentOutput, Clock } from '../contract/index.js';
import { type FoundFile, headOf, isHeldBy, noteAt, transcriptsIn } from './transcript-find.js';
import { TranscriptTail } from './transcript-tail.js';

/** An agent writes its file with the first prompt; the look is a few directory listings. */
const LOOK_EVERY_MS = 500;
/** Once it is found: a new conversation in the same process, a new sub-agent. */
const LOOK_AGAIN_MS = 1_500;
/** A child row is written at most a batch before its parent. */
const SETTLE_MS = 1_000;
/** Files followed at once; the oldest are let go. */
const MOST_FILES = 64;

export interface TranscriptOptions {
  transcript: Transcript;
  cwd: string;
  /** When the agent was launched. */
  since: number;
  clock: Clock;
  /** The agent's processes: who holds a file open tells whose it is. */
  pids(): number[];
  told(output: AgentOutput): void;
}

export class SessionTranscript {
  readonly #options: TranscriptOptions;
  readonly #reader: TranscriptReader;
  /** What was there before, with its length then. */
  readonly #before = new Map<string, number>();
  readonly #tails = new Map<string, TranscriptTail>();
  /** Main files: sub-agents lie beside them. */
  readonly #main = new Set<string>();
  #cancelLook: () => void = () => undefined;
  #cancelFlush: () => void = () => undefined;
  #closed = false;
  #noted: string | undefined;

  constructor(options: TranscriptOptions) {
    this.#options = options;
    this.#reader = options.transcript.reader({ since: options.since });
    const { place, beside } = options.transcript;
    for (const { path, bytes } of transcriptsIn(place)) {
      this.#before.set(path, bytes);
      for (const one of beside ? transcriptsIn(beside(path)) : []) this.#before.set(one.path, one.bytes);
    }
    this.#look();
  }

  /** Something of it is being read. */
  get found(): boolean {
    return this.#main.size > 0;
  }

  get unknown(): number {
    return this.#reader.unknown;
  }

  /** The agent itself says where it is. */
  at(path: string): void {
    if (this.#closed || this.#main.has(path)) return;
    this.#main.add(path);
    this.#follow(path);
  }

  /** The agent is gone: the last of it, then no more. Contract: may be called twice. */
  async end(): Promise<void> {
    if (this.#closed) return;
    this.#search();
    await Promise.all([...this.#tails.values()].map((tail) => tail.look()));
    for (const output of this.#reader.flush()) this.#options.told(output);
    await this.close();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelLook();
    this.#cancelFlush();
    await Promise.all([...this.#tails.values()].map((tail) => tail.close()));
    this.#tails.clear();
  }

  #look(): void {
    if (this.#closed) return;
    this.#search();
    this.#cancelLook = this.#options.clock.after(this.found ? LOOK_AGAIN_MS : LOOK_EVERY_MS, () => this.#look());
  }

  #search(): void {
    const { place, next, beside } = this.#options.transcript;
    for (const file of this.found && next ? this.#candidates(next) : []) this.at(file.path);
    if (!this.found || place.changes) for (const file of this.#candidates(place)) this.at(file.path);
    this.#searchNoted();
    if (!beside) return;
    for (const path of this.#main) for (const file of transcriptsIn(beside(path))) this.#follow(file.path);
  }

  /** The agent's own note names the conversation: one it began in between has a file of its own. */
  #searchNoted(): void {
    const { transcript, since, pids, told } = this.#options;
    if (!transcript.note) return;
    for (const pid of pids()) {
      const content = noteAt(transcript.note.file(pid), since);
      const id = content === undefined ? undefined : transcript.note.conversation(content);
      if (id === undefined) continue;
      if (id !== this.#noted) told({ kind: 'conversation', id });
      this.#noted = id;
      for (const { path } of transcriptsIn(transcript.note.place(id))) this.at(path);
    }
  }

  /** Those that are this launch's own: by name, by what they begin with, and by who writes them. */
  #candidates(place: TranscriptPlace): FoundFile[] {
    const { cwd, since } = this.#options;
    const fresh = transcriptsIn(place).filter(
      ({ path, bornAt }) => !this.#main.has(path) && (!place.changes || bornAt >= since - 1000),
    );
    const own = fresh.filter(({ path }) => {
      const head = place.owns ? headOf(path) : '';
      return head !== undefined && (place.owns?.(head, { cwd, since }) ?? true);
    });
    if (own.length === 0 || !place.changes) return own;
    const pids = this.#options.pids();
    const held = own.map((file) => ({ file, held: isHeldBy(file.path, pids) }));
    if (held.some((one) => one.held === true)) return held.filter((one) => one.held).map((one) => one.file);
    // Nobody can say whose it is: only a single one is surely ours.
    return held.length === 1 && held[0]!.held === undefined ? own : [];
  }

  #follow(path: string): void {
    if (this.#tails.has(path) || this.#closed) return;
    const file = this.#reader.file();
    const { clock, told } = this.#options;
    const tail = new TranscriptTail({
      path,
      clock,
      historyBytes: this.#before.get(path) ?? 0,
      onBytes: (chunk, history) => {
        for (const output of file.feed(chunk, { history })) told(output);
      },
      onQuiet: () => this.#flushSoon(),
    });
    this.#tails.set(path, tail);
    if (this.#tails.size <= MOST_FILES) return;
    const [oldest] = this.#tails;
    this.#tails.delete(oldest![0]);
    void oldest![1].close();
  }

  #flushSoon(): void {
    if (this.#closed) return;
    this.#cancelFlush();
    this.#cancelFlush = this.#options.clock.after(SETTLE_MS, () => {
      for (const output of this.#reader.flush()) this.#options.told(output);
    });
  }
}
