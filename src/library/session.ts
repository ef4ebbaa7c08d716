/**
 * A session as a program holds it. Commands and inquiries go over one link that is never held, so that a slow reader of a
 * stream can still answer, stop and resize.
 */
import type { Entry, ScreenShot, SendReceipt, SessionRow, Size, WaitingInquiry } from '../contract/index.js';
import type { HostClient } from '../link/index.js';
import { type GivenAnswer, Inquiries, type InquiryHandler, type InquiryOptions } from './inquiries.js';
import { type Connect, type OutputPiece, type PastEntries, readEntries, readOutput, TiedLink } from './readers.js';
import type { Given } from './stream.js';

/** How a session ended, as its last entry says it. */
export type SessionEnd = Extract<Entry, { type: 'session.ended' }>['data'];

export interface SessionPorts {
  id: string;
  connect: Connect;
  past: PastEntries;
  /** The link to the host broke: what a tied session left is ended; the error for whoever waits. */
  lost(reason: string): Promise<Error>;
}

export class Session implements AsyncDisposable {
  readonly id: string;
  readonly #ports: SessionPorts;
  readonly #inquiries: Inquiries;
  readonly #ended: Promise<SessionEnd>;
  #settle!: { end(how: SessionEnd): void; fail(error: Error): void };
  #client!: HostClient;
  #tied: TiedLink | undefined;
  #last: SessionEnd | undefined;
  #left = false;

  /** By `startSession` and `openSession` alone. */
  private constructor(ports: SessionPorts) {
    this.id = ports.id;
    this.#ports = ports;
    this.#ended = new Promise((end, fail) => {
      this.#settle = { end, fail };
    });
    // Who does not wait for the end has not asked for its errors either.
    this.#ended.catch(() => undefined);
    this.#inquiries = new Inquiries({
      answer: (inquiry, given) => this.answer(inquiry, given.words, given),
      present: (isPresent) => this.#client.visible(isPresent),
    });
  }

  /** `tie`: the session ends with this program, however that ends. */
  static async open(ports: SessionPorts, { tie }: { tie: boolean }): Promise<Session> {
    const session = new Session(ports);
    await session.#open(tie);
    return session;
  }

  async #open(tie: boolean): Promise<void> {
    this.#client = await this.#ports.connect({
      entry: (entry) => this.#heard(entry),
      end: (exit, reason) => this.#settle.end(this.#last ?? unseen(exit, reason)),
      closed: (reason) => {
        const { fail } = this.#settle;
        if (!this.#left) this.#ports.lost(reason).then(fail, fail);
      },
    });
    const { inquiries } = await this.#client.attach({
      kind: 'api',
      role: 'watcher',
      visible: false,
      bytes: false,
      entries: true,
      answers: 'screen',
      // A session of our own is heard from its first entry on.
      ...(tie ? { since: { seq: 0 } } : {}),
    });
    for (const inquiry of inquiries) this.#inquiries.opened(inquiry);
    this.#client.ready();
    if (tie) this.#tied = await TiedLink.open(this.#ports.connect, this.id);
  }

  #heard(entry: Entry): void {
    if (entry.type === 'inquiry.opened') this.#inquiries.opened(entry.data.inquiry);
    else if (entry.type === 'inquiry.answered') this.#inquiries.closed(entry.data.answer.inquiry);
    else if (entry.type === 'inquiry.closed') this.#inquiries.closed(entry.data.inquiry);
    else if (entry.type === 'session.ended') this.#last = entry.data;
  }

  /** As `reins ls` shows it. */
  row(): Promise<SessionRow> {
    return this.#client.command('summary', {});
  }

  /** Everything that happens, in order, from the first entry or from the one after `since`, until the session ends; also when it is over. */
  entries(options: { since?: number } = {}): Given<Entry> {
    return readEntries(this.#ports.connect, this.#ports.past, options.since);
  }

  /** What the agent's terminal prints, or the command its pipes. A slow reader of a tied session slows the agent. */
  output(): Given<OutputPiece> {
    return this.#tied?.read() ?? readOutput(this.#ports.connect);
  }

  /** Puts a message into the agent's input box and presses Enter once. `key`: the same one twice counts once. */
  submit(text: string, options: { key?: string } = {}): Promise<SendReceipt> {
    return this.#client.command('submit', { text, ...options });
  }

  /** Keys by name: `Esc C-c Enter "text"`. */
  async keys(keys: string): Promise<void> {
    await this.#client.command('keys', { keys });
  }

  async resize(size: Size): Promise<void> {
    await this.#client.command('resize', { cols: size.cols, rows: size.rows });
  }

  screen(options: { scrollback?: number } = {}): Promise<ScreenShot> {
    return this.#client.command('screen', options);
  }

  inquiries(): Promise<WaitingInquiry[]> {
    return this.#client.command('inbox', {});
  }

  /** The words of `reins answer`: `allow`, `deny`, an option, `QUESTION=VALUE`, text. */
  async answer(
    inquiry: string,
    words: GivenAnswer['words'],
    more: Omit<GivenAnswer, 'words'> = {},
  ): Promise<{ verdict: string }> {
    const { reason, scope, input } = more;
    return this.#client.command('answer', {
      inquiry,
      words: typeof words === 'string' ? [words] : [...words],
      ...(reason === undefined ? {} : { reason }),
      ...(scope === undefined ? {} : { scope }),
      ...(input === undefined ? {} : { input }),
    });
  }

  /** Lets a program answer, one handler at a time; returns how to take it away. See {@link InquiryOptions}. */
  onInquiry(handler: InquiryHandler, options: InquiryOptions = {}): () => void {
    return this.#inquiries.on(handler, options);
  }

  async interrupt(): Promise<void> {
    await this.#client.command('interrupt', {});
  }

  /** Stands the whole tree still, and lets it go on. */
  async pause(): Promise<void> {
    await this.#client.command('pause', {});
  }

  async resume(): Promise<void> {
    await this.#client.command('resume', {});
  }

  /** Ends the whole tree: politely, then by force; the report names every process and how it ended. */
  stop(options: { how?: 'stop' | 'kill'; why?: string } = {}) {
    return this.#client.insist('stop', { how: options.how ?? 'stop', why: options.why ?? 'asked for by a program' });
  }

  /** Resolves when it is over; rejects if its host died. */
  wait(): Promise<SessionEnd> {
    return this.#ended;
  }

  /** Leaves a session that lives on, also one that was tied to this program. */
  detach(): void {
    this.#leave(true);
  }

  /** A tied session is stopped; any other is left alone. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#tied && !this.#left) {
      // It may be over already.
      await this.stop().catch(() => undefined);
      await this.#ended.catch(() => undefined);
    }
    this.#leave(false);
  }

  #leave(untie: boolean): void {
    if (this.#left) return;
    this.#left = true;
    this.#tied?.close({ untie });
    this.#client.close();
    // Nobody hears of its end here any more; one that has ended already stays so.
    this.#settle.fail(new Error(`this program has left session ${this.id}`));
  }
}

/** Its last entry was not seen: it was over before we looked. */
const unseen = (exit: number | undefined, reason: string): SessionEnd => ({
  outcome: exit === 0 ? 'completed' : 'failed',
  exit_code: exit ?? 1,
  reason,
  counts: { iterations: 0, inquiries: 0, denied: 0 },
});
