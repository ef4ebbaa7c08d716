/**
 * `.agent/events.jsonl` in the project, as seed 001 wants it: loop events, and each iteration's output in full. It is a
 * view of the journal and nothing else: a continued session writes its file anew from its entries, so that a host that
 * was killed leaves nothing out and nothing twice. One file per session: the last session's is kept beside it, and a
 * file with lines that are not ours is never overwritten. A project that cannot be written stops no work.
 */
import {
  appendFileSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Entry, SessionId } from '../contract/index.js';
import { ofTypes } from '../journal/journal.js';

/** Characters of output per line: a longer output is several lines with `part`, so that none is cut and none is huge. */
const PART = 1024 * 1024;

/** Lines of a continued session that are written together: a long story is not held in memory. */
const LINES_AT_ONCE = 100;

/** A link that an agent put in its place would have us write what it says where it may not; a pipe would hold us for ever. */
const OPENED =
  constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** What the file tells of. */
const TOLD = ['iteration.started', 'agent.text', 'agent.ended', 'event.published'] as const;

export interface AgentEventsOptions {
  cwd: string;
  session: SessionId;
  /** What the journal held before this host: not empty for a continued session. */
  before: Iterable<Entry>;
  trouble: (reason: string) => void;
}

export class AgentEvents {
  readonly #dir: string;
  readonly #file: string;
  readonly #options: AgentEventsOptions;
  #iteration = 0;
  #hat: string | undefined;
  #text = '';
  #parts = 0;
  #broken = false;
  #begun = false;

  constructor(options: AgentEventsOptions) {
    this.#options = options;
    this.#dir = join(options.cwd, '.agent');
    this.#file = join(this.#dir, 'events.jsonl');
  }

  /** Every entry of the session, in order. Contract: never throws. */
  entry(entry: Entry): void {
    if (this.#broken) return;
    try {
      this.#begin();
      const lines = this.#lines(entry);
      if (lines.length > 0) append(this.#file, lines.join(''));
    } catch (error) {
      this.#broken = true;
      this.#options.trouble(`.agent/events.jsonl cannot be written: ${(error as Error).message}`);
    }
  }

  #lines(entry: Entry): string[] {
    const line = (data: Record<string, unknown>) =>
      `${JSON.stringify({ ts: entry.ts, session: this.#options.session, ...data })}\n`;
    const hat = () => (this.#hat === undefined ? {} : { hat: this.#hat });
    switch (entry.type) {
      case 'iteration.started': {
        // Text without an end: the host was killed while that agent spoke.
        const rest = this.#text === '' ? [] : [line(this.#output({ outcome: 'interrupted' }))];
        this.#iteration = entry.data.iteration;
        this.#hat = entry.data.hat ?? (entry.data.coordinator ? 'coordinator' : undefined);
        return rest;
      }
      case 'agent.text': {
        this.#text += entry.data.text;
        const parts: string[] = [];
        while (this.#text.length > PART) parts.push(line(this.#output({ more: true })));
        return parts;
      }
      case 'agent.ended': {
        const { ok, reason } = entry.data;
        const outcome = ok ? 'ok' : 'failed';
        return [line(this.#output({ outcome, ...(reason === undefined ? {} : { reason }) }))];
      }
      case 'event.published': {
        if (!entry.data.accepted) return [];
        const { topic, payload, by, iteration } = entry.data;
        return [line({ type: 'event', topic, payload, by, iteration, ...hat() })];
      }
      default:
        return [];
    }
  }

  #output(end: Record<string, unknown>): Record<string, unknown> {
    const text = this.#text.slice(0, PART);
    this.#text = this.#text.slice(PART);
    const more = end.more === true;
    this.#parts += 1;
    const part = more || this.#parts > 1 ? { part: this.#parts } : {};
    if (!more) this.#parts = 0;
    const hat = this.#hat === undefined ? {} : { hat: this.#hat };
    return { type: 'output', iteration: this.#iteration, ...hat, ...part, ...end, text };
  }

  /** Puts another session's file aside, and writes what this session had said already. */
  #begin(): void {
    if (this.#begun) return;
    this.#begun = true;
    const { before } = this.#options;
    // Never the project's directory itself: if that is gone, the session has to say so.
    if (!existsSync(this.#dir)) mkdirSync(this.#dir);
    if (!lstatSync(this.#dir).isDirectory()) throw new Error('.agent is a link');
    if (existsSync(this.#file)) this.#putAside();
    let lines: string[] = [];
    const write = () => {
      if (lines.length > 0) append(this.#file, lines.join(''));
      lines = [];
    };
    for (const entry of ofTypes(before, TOLD)) {
      lines.push(...this.#lines(entry));
      if (lines.length >= LINES_AT_ONCE) write();
    }
    write();
  }

  #putAside(): void {
    if (!lstatSync(this.#file).isFile()) throw new Error('it is not a file');
    const lines = readFileSync(this.#file, 'utf8').split('\n').filter(Boolean);
    const { session } = this.#options;
    // Our own from before we were continued: everything in it is written again from the journal.
    if (lines.every((line) => ownerOf(line) === session)) rmSync(this.#file);
    else if (lines.every((line) => ownerOf(line) !== undefined)) renameSync(this.#file, `${this.#file}.1`);
    else renameSync(this.#file, this.#freeName());
  }

  /** Lines that are not ours are somebody's: nothing ever overwrites them. */
  #freeName(): string {
    for (let count = 1; ; count++) {
      const name = `${this.#file}.other${count > 1 ? `-${count}` : ''}`;
      if (!existsSync(name)) return name;
    }
  }
}

function append(file: string, text: string): void {
  if (!lstatSync(dirname(file)).isDirectory()) throw new Error('.agent is a link');
  const fd = openSync(file, OPENED, 0o666);
  try {
    const facts = fstatSync(fd);
    if (!facts.isFile() || facts.nlink > 1) throw new Error('it is not a file of its own');
    appendFileSync(fd, text);
  } finally {
    closeSync(fd);
  }
}

/** The session a line of ours belongs to; undefined when somebody else wrote it. */
function ownerOf(line: string): string | undefined {
  return /^\{"ts":"[^"]*","session":"([\w-]+)","type":"/.exec(line)?.[1];
}
