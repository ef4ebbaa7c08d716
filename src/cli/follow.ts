/**
 * The viewer of a session without a terminal: the foreground of an autonomous `run`, and `attach` to one. Entries are
 * rendered as they come, inquiries are asked on /dev/tty where a person can be reached, signals become a stop of the
 * session when it is tied to us and a mere leaving when it is not.
 */
import { type Entry, type Inquiry, systemClock } from '../contract/index.js';
import type { Attached, Place } from '../link/index.js';
import { connectTo } from '../sessions/start.js';
import type { AnswerArgs } from './ask/dialog.js';
import { createAsker, type PromptStanding } from './ask/index.js';
import { caller, type TerminalCall } from './call-person.js';
import { openTty, ttyPresence } from './channels.js';
import { type Context, wantsColour } from './context.js';
import { CountdownLine } from './countdown-line.js';
import { Renderer, waitingLine } from './render.js';
import { type AttachAsk, type EndWords, type View, Viewing } from './viewing.js';

export interface FollowOptions {
  place: Place;
  tie: boolean;
  /** May this viewer answer inquiries? */
  answers: boolean;
  verbose?: boolean;
  /** How the terminal calls its person when somebody has to be asked on it. */
  calls: TerminalCall;
  /** Show only what comes after this entry. */
  since?: number;
}

/** What `attach` shows of what was before. */
const RECENT_ENTRIES = 500;

/** The session waits for an answer; this run does not. */
const PARKED = 5;

export function followSession(context: Context, options: FollowOptions): Promise<number> {
  const { place, tie } = options;
  const viewing = new Viewing(context, {
    session: place.id,
    tie,
    connect: (incoming) => connectTo(context, place, incoming, options.answers ? undefined : 'view'),
    interruptExit: 0,
  });
  return viewing.run(new Follow(context, options, viewing));
}

class Follow implements View {
  readonly incoming: View['incoming'];
  readonly #context: Context;
  readonly #options: FollowOptions;
  readonly #renderer: Renderer;
  readonly #countdown: CountdownLine;
  readonly #asker: ReturnType<typeof createAsker>;
  readonly #viewing: Viewing;
  #who = { agent: 'the agent', session: '' };

  constructor(context: Context, options: FollowOptions, viewing: Viewing) {
    this.#context = context;
    this.#options = options;
    this.#viewing = viewing;
    this.incoming = {
      entry: (entry) => this.#entry(entry),
      presence: async () => (options.answers ? ttyPresence() : { present: false, reason: 'read-only' }),
    };
    this.#renderer = new Renderer(context.channels, { verbose: options.verbose === true });
    this.#countdown = new CountdownLine({
      clock: systemClock,
      show: (text) => this.#asker.beside(() => context.channels.chrome(text)),
    });
    this.#asker = createAsker({
      openTty: () => (options.answers ? openTty() : undefined),
      ring: caller({ how: options.calls, env: context.env, clock: systemClock, who: () => this.#who }),
      pretty: wantsColour(context.env, true),
      grantRule: (inquiry) => this.#offers.get(inquiry.id) || undefined,
      agent: () => this.#who.agent,
      earlier: (inquiry) => this.#decided.get(inquiry.id),
      midLine: () => context.channels.midLine,
      env: context.env,
      answer: (inquiry, given) => this.#answer(inquiry, given),
      interrupted: () => viewing.signal('SIGINT'),
      killed: () => viewing.signal('SIGQUIT'),
      suspend: () =>
        new Promise((goesOn) => {
          process.once('SIGCONT', () => goesOn());
          // The whole job, as the key does outside raw mode.
          process.kill(0, 'SIGTSTP');
        }),
    });
  }

  async request(): Promise<AttachAsk> {
    const { tie, answers, since = tie ? 0 : await this.#recent() } = this.#options;
    return {
      kind: tie ? 'run' : 'terminal',
      role: 'watcher',
      visible: true,
      bytes: false,
      entries: true,
      answers: answers ? 'tty' : 'no',
      since: { seq: since },
    };
  }

  /** A long story is not told again from its beginning to who comes late: its end, and where the rest is. */
  async #recent(): Promise<number> {
    const page = await this.#viewing.client?.command('entries', { limit: RECENT_ENTRIES }).catch(() => undefined);
    if (!page) return 0; // a host of a version that does not know the word
    if (page.more) this.#context.channels.chrome(`… earlier: reins logs ${this.#options.place.id}`);
    for (const entry of page.entries) this.#entry(entry);
    return page.entries.at(-1)?.seq ?? 0;
  }

  attached({ session, inquiries }: Attached): void {
    this.#who = { agent: session.agent, session: session.name };
    for (const inquiry of inquiries) {
      this.#opened.set(inquiry.id, inquiry);
      this.#moved(inquiry.id, inquiry);
      void this.#waits(inquiry.id);
    }
  }

  stopping(first: boolean): void {
    this.#asker.close();
    if (first) this.#context.channels.chrome('Stopping the agent… (again to kill it)');
  }

  ended(exit: number, reason: string): EndWords | undefined {
    // The end may come before we know what each offers: whoever is sent away still reads how to answer.
    if (exit === PARKED) for (const id of this.#offers.keys()) this.#tell(id);
    return exit === PARKED ? { as: 'chrome', text: reason } : undefined;
  }

  leave(): void {
    this.#asker.close();
    this.#countdown.close();
  }

  #entry(entry: Entry): void {
    this.#asker.beside(() => this.#renderer.entry(entry));
    if (this.#context.channels.pretty) this.#countdown.entry(entry);
    if (entry.type === 'inquiry.opened') this.#opened.set(entry.data.inquiry.id, entry.data.inquiry);
    else if (entry.type === 'inquiry.answered') this.#closed(entry.data.answer.inquiry);
    else if (entry.type === 'inquiry.closed') this.#closed(entry.data.inquiry);
    else if (entry.type === 'inquiry.moved') this.#moved(entry.data.inquiry, entry.data);
    else if (entry.type === 'state.changed') for (const id of entry.data.inquiries ?? []) void this.#waits(id);
  }

  /** Opened is not yet asked: a rule may settle it at once. The host says when it really waits for somebody. */
  readonly #opened = new Map<string, Inquiry>();

  /** What "allow for this session" would allow, per inquiry. */
  readonly #offers = new Map<string, string>();

  /** What was decided before on like questions, the nearest. */
  readonly #decided = new Map<string, string>();

  /** Where each stands: told before it is shown, and while it is. */
  readonly #standing = new Map<string, PromptStanding>();

  #moved(id: string, standing: PromptStanding): void {
    const suggestion = standing.suggestion ?? this.#standing.get(id)?.suggestion;
    this.#standing.set(id, { ...standing, suggestion });
    this.#asker.moved(id, standing);
  }

  async #waits(id: string): Promise<void> {
    const inquiry = this.#opened.get(id);
    if (!inquiry || this.#offers.has(id)) return;
    this.#offers.set(id, '');
    const [offer, decided] = await Promise.all([
      this.#viewing.client?.command('offer', { inquiry: id }).catch(() => undefined),
      this.#decidedBefore(inquiry),
    ]);
    if (!this.#opened.has(id)) return; // settled or told meanwhile
    this.#offers.set(id, offer?.rules.join(', ') ?? '');
    if (decided !== undefined) this.#decided.set(id, decided);
    this.#tell(id);
  }

  /** Loaded with the first question: what cannot be read is not worth a word here. */
  async #decidedBefore(inquiry: Inquiry): Promise<string | undefined> {
    if (inquiry.kind !== 'question' || !this.#options.answers) return undefined;
    const { decidedLines } = await import('../sessions/decisions.js');
    try {
      return decidedLines(this.#context, inquiry)[0];
    } catch {
      return undefined;
    }
  }

  /** Once each: asked here, or with the line that answers it. */
  #tell(id: string): void {
    const inquiry = this.#opened.get(id);
    if (!inquiry) return;
    this.#opened.delete(id);
    if (this.#asker.opened(inquiry)) this.#asker.moved(id, this.#standing.get(id) ?? {});
    else if (this.#context.channels.format !== 'json') this.#context.channels.chrome(waitingLine(inquiry));
  }

  #closed(id: string): void {
    this.#opened.delete(id);
    this.#offers.delete(id);
    this.#standing.delete(id);
    this.#decided.delete(id);
    this.#asker.closed(id);
  }

  async #answer(inquiry: string, given: AnswerArgs): Promise<string | undefined> {
    try {
      await this.#viewing.client?.command('answer', { inquiry, ...given });
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  }
}
