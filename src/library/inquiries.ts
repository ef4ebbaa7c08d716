/**
 * Answers by a program. While it has a handler, somebody is there to answer; a handler that does not answer in its time,
 * says nothing, or is no person where only a person may answer, stands down, and the policy's next side takes over. No
 * timer ever gives an answer.
 */
import { type Inquiry, ReinsError } from '../contract/index.js';

/** The words of `reins answer`: `allow`, `deny`, an option's id or label, `QUESTION=VALUE`, free text. */
export interface GivenAnswer {
  words: string | readonly string[];
  /** Told to the agent. */
  reason?: string;
  /** `session` allows the like of it until the session ends. */
  scope?: 'once' | 'session';
  /** Allows the call with this input instead of its own. */
  input?: unknown;
}

export type Reply = string | readonly string[] | GivenAnswer | undefined;

/** `signal` fires when the inquiry was settled elsewhere, or the time is over. */
export type InquiryHandler = (inquiry: Inquiry, about: { signal: AbortSignal }) => Promise<Reply> | Reply;

export interface InquiryOptions {
  /** How long the handler may take. Claude drops a question after 60 s. */
  budgetMs?: number;
  /** A person answers through this program: it is also given what only a person may answer. */
  person?: boolean;
  /** What the handler threw; by default a warning of the process. */
  failed?(error: unknown, inquiry: Inquiry): void;
}

const BUDGET_MS = 55_000;
/** The system's timers know no longer time: beyond it they would ring at once. */
const LONGEST_MS = 2 ** 31 - 1;

export interface InquiriesPorts {
  answer(inquiry: string, given: GivenAnswer): Promise<unknown>;
  /** Whether this program is there to answer. */
  present(isPresent: boolean): void;
}

interface OpenHandler {
  inquiry: Inquiry;
  /** Set while a handler works on it; afterwards this program has nothing more to say to it. */
  work: AbortController | undefined;
}

export class Inquiries {
  readonly #ports: InquiriesPorts;
  #handler: { call: InquiryHandler; options: InquiryOptions } | undefined;
  #open = new Map<string, OpenHandler>();
  #isPresent = false;

  constructor(ports: InquiriesPorts) {
    this.#ports = ports;
  }

  /** Contract: one handler at a time; returns how to take it away again. Open inquiries are given to it at once. */
  on(call: InquiryHandler, options: InquiryOptions = {}): () => void {
    if (this.#handler) throw new Error('this session has a handler for its inquiries already');
    const handler = { call, options };
    this.#handler = handler;
    for (const open of this.#open.values()) void this.#work(open);
    this.#tellPresence();
    return () => {
      if (this.#handler !== handler) return;
      this.#handler = undefined;
      for (const { work } of this.#open.values()) work?.abort();
      this.#tellPresence();
    };
  }

  opened(inquiry: Inquiry): void {
    if (this.#open.has(inquiry.id)) return;
    const open: OpenHandler = { inquiry, work: undefined };
    this.#open.set(inquiry.id, open);
    void this.#work(open);
    this.#tellPresence();
  }

  closed(id: string): void {
    this.#open.get(id)?.work?.abort();
    this.#open.delete(id);
    this.#tellPresence();
  }

  async #work(open: OpenHandler): Promise<void> {
    const handler = this.#handler;
    const { inquiry } = open;
    if (!handler || (inquiry.exclusive && !handler.options.person)) return;
    const work = new AbortController();
    open.work = work;
    const budget = setTimeout(() => work.abort(), Math.min(handler.options.budgetMs ?? BUDGET_MS, LONGEST_MS));
    const late = new Promise<undefined>((resolve) => {
      work.signal.addEventListener('abort', () => resolve(undefined), { once: true });
    });
    try {
      const asked = Promise.resolve(handler.call(inquiry, { signal: work.signal }));
      const reply = await Promise.race([asked, late]);
      asked.catch(() => undefined); // too late to matter
      if (reply === undefined || work.signal.aborted) return;
      await this.#ports.answer(inquiry.id, given(reply));
      this.#open.delete(inquiry.id);
    } catch (error) {
      // Someone else was first, or the session is over: nothing is left to answer.
      if (error instanceof ReinsError && (error.code === 'ANSWERED_ALREADY' || error.code === 'SESSION_ENDED')) {
        this.#open.delete(inquiry.id);
        return;
      }
      const tell = handler.options.failed ?? ((thrown) => process.emitWarning(thrown as Error));
      tell(error, inquiry);
    } finally {
      clearTimeout(budget);
      // Another handler may have begun with it meanwhile.
      if (open.work === work) open.work = undefined;
      this.#tellPresence();
    }
  }

  /** There, while nothing is open or something is worked on: what it has no answer to must not wait for it. */
  #tellPresence(): void {
    const all = [...this.#open.values()];
    const isPresent = this.#handler !== undefined && (all.length === 0 || all.some(({ work }) => work !== undefined));
    if (isPresent === this.#isPresent) return;
    this.#isPresent = isPresent;
    this.#ports.present(isPresent);
  }
}

function given(reply: Exclude<Reply, undefined>): GivenAnswer {
  return typeof reply === 'string' || isWords(reply) ? { words: reply } : reply;
}

const isWords = (reply: readonly string[] | GivenAnswer): reply is readonly string[] => Array.isArray(reply);
