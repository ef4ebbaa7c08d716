/**
 * The viewer of a session without a terminal: the foreground of an autonomous `run`, and `attach` to one. Entries are
 * rendered as they come, inquiries are asked on /dev/tty where a person can be reached, signals become a stop of the
 * session when it is tied to us and a mere leaving when it is not.
 */
import { type Entry, type Inquiry, systemClock } from '../contract/index.js';
import type { HostClient, Incoming, Place } from '../link/index.js';
import { connectTo } from '../sessions/start.js';
import type { Given } from './ask/dialog.js';
import { createAsker } from './ask/index.js';
import { openTty, ttyPresence } from './channels.js';
import { type Context, wantsColour } from './context.js';
import { CountdownLine } from './countdown-line.js';
import { hostLost } from './host-lost.js';
import { Renderer, waitingLine } from './render.js';

export interface FollowOptions {
  place: Place;
  tie: boolean;
  /** May this viewer answer inquiries? */
  answers: boolean;
  verbose?: boolean;
  /** Show only what comes after this entry. */
  since?: number;
}

/** What a signal to us means for the session, and the exit code if the host cannot tell. */
const SIGNALS = {
  SIGINT: { how: 'stop', exit: 130 },
  SIGTERM: { how: 'stop', exit: 143 },
  SIGHUP: { how: 'stop', exit: 129 },
  SIGQUIT: { how: 'kill', exit: 131 },
} as const;

/** What `attach` shows of what was before. */
const RECENT_ENTRIES = 500;

/** The session waits for an answer; this run does not. */
const PARKED = 5;

export async function followSession(context: Context, options: FollowOptions): Promise<number> {
  const follow = new Follow(context, options);
  return follow.run();
}

class Follow {
  readonly #context: Context;
  readonly #options: FollowOptions;
  readonly #renderer: Renderer;
  readonly #countdown: CountdownLine;
  readonly #asker: ReturnType<typeof createAsker>;
  #client: HostClient | undefined;
  #finish: (code: number) => void = () => undefined;
  #fail: (error: Error) => void = () => undefined;
  #agent: string | undefined;
  #signalled = 0;

  constructor(context: Context, options: FollowOptions) {
    this.#context = context;
    this.#options = options;
    this.#renderer = new Renderer(context.channels, { verbose: options.verbose === true });
    this.#countdown = new CountdownLine({
      clock: systemClock,
      show: (text) => this.#asker.beside(() => context.channels.chrome(text)),
    });
    this.#asker = createAsker({
      openTty: () => (options.answers ? openTty() : undefined),
      pretty: wantsColour(context.env, true),
      grantRule: (inquiry) => this.#offers.get(inquiry.id) || undefined,
      agent: () => this.#agent,
      midLine: () => context.channels.midLine,
      env: context.env,
      answer: (inquiry, given) => this.#answer(inquiry, given),
      interrupted: () => this.#signal('SIGINT'),
      killed: () => this.#signal('SIGQUIT'),
      suspend: () =>
        new Promise((goesOn) => {
          process.once('SIGCONT', () => goesOn());
          // The whole job, as the key does outside raw mode.
          process.kill(0, 'SIGTSTP');
        }),
    });
  }

  async run(): Promise<number> {
    const done = new Promise<number>((resolve, reject) => {
      this.#finish = resolve;
      this.#fail = reject;
    });
    const undo = Object.keys(SIGNALS).map((name) => {
      const take = () => this.#signal(name as keyof typeof SIGNALS);
      process.on(name, take);
      return () => process.off(name, take);
    });
    this.#context.onBrokenPipe(() => this.#stop('kill', 'nobody reads the output any more', 'SIGPIPE'));
    try {
      this.#client = await connectTo(this.#context, this.#options.place, this.#incoming());
      const since = this.#options.since ?? (this.#options.tie ? 0 : await this.#recent());
      const attached = await this.#client.attach({
        kind: this.#options.tie ? 'run' : 'terminal',
        role: 'watcher',
        tie: this.#options.tie,
        visible: true,
        bytes: false,
        entries: true,
        answers: this.#options.answers ? 'tty' : 'no',
        since: { seq: since },
      });
      this.#agent = attached.session.agent;
      for (const inquiry of attached.inquiries) {
        this.#opened.set(inquiry.id, inquiry);
        void this.#waits(inquiry.id);
      }
      this.#client.ready();
      return await done;
    } finally {
      for (const one of undo) one();
      this.#asker.close();
      this.#countdown.close();
      this.#client?.close();
    }
  }

  /** A long story is not told again from its beginning to who comes late: its end, and where the rest is. */
  async #recent(): Promise<number> {
    const page = await this.#client?.command('entries', { limit: RECENT_ENTRIES }).catch(() => undefined);
    if (!page) return 0; // a host of a version that does not know the word
    if (page.more) this.#context.channels.chrome(`… earlier: reins logs ${this.#options.place.id}`);
    for (const entry of page.entries) this.#entry(entry);
    return page.entries.at(-1)?.seq ?? 0;
  }

  #incoming(): Incoming {
    return {
      entry: (entry) => this.#entry(entry),
      presence: async () => (this.#options.answers ? ttyPresence() : { present: false, reason: 'read-only' }),
      end: (exit, reason) => this.#ended(exit ?? 0, reason),
      closed: (reason) => {
        const { tie, place } = this.#options;
        void hostLost(this.#context, { session: place.id, reason, tie }).then(this.#fail);
      },
    };
  }

  #ended(exit: number, reason: string): void {
    if (exit === PARKED) this.#context.channels.chrome(reason);
    this.#finish(exit);
  }

  #entry(entry: Entry): void {
    this.#asker.beside(() => this.#renderer.entry(entry));
    if (this.#context.channels.pretty) this.#countdown.entry(entry);
    if (entry.type === 'inquiry.opened') this.#opened.set(entry.data.inquiry.id, entry.data.inquiry);
    else if (entry.type === 'inquiry.answered') this.#closed(entry.data.answer.inquiry);
    else if (entry.type === 'inquiry.closed') this.#closed(entry.data.inquiry);
    else if (entry.type === 'state.changed') for (const id of entry.data.inquiries ?? []) void this.#waits(id);
  }

  /** Opened is not yet asked: a rule may settle it at once. The host says when it really waits for somebody. */
  readonly #opened = new Map<string, Inquiry>();

  /** What "allow for this session" would allow, per inquiry. */
  readonly #offers = new Map<string, string>();

  async #waits(id: string): Promise<void> {
    const inquiry = this.#opened.get(id);
    if (!inquiry || this.#offers.has(id)) return;
    this.#offers.set(id, '');
    const offer = await this.#client?.command('offer', { inquiry: id }).catch(() => undefined);
    if (!this.#opened.delete(id)) return; // settled meanwhile
    this.#offers.set(id, offer?.rules.join(', ') ?? '');
    if (this.#asker.opened(inquiry)) return;
    if (this.#context.channels.format !== 'json') this.#context.channels.chrome(waitingLine(inquiry));
  }

  #closed(id: string): void {
    this.#opened.delete(id);
    this.#offers.delete(id);
    this.#asker.closed(id);
  }

  async #answer(inquiry: string, given: Given): Promise<string | undefined> {
    try {
      await this.#client?.command('answer', { inquiry, ...given });
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  }

  #signal(name: keyof typeof SIGNALS): void {
    const { how, exit } = SIGNALS[name];
    if (!this.#options.tie) {
      this.#finish(name === 'SIGINT' ? 0 : exit);
      return;
    }
    this.#signalled += 1;
    const hurry = this.#signalled > 1 ? 'kill' : how;
    this.#asker.close();
    if (this.#signalled === 1 && how === 'stop')
      this.#context.channels.chrome('Stopping the agent… (again to kill it)');
    void this.#stop(hurry, name, name).catch(() => this.#finish(exit));
  }

  async #stop(how: 'stop' | 'kill', why: string, signal: string): Promise<void> {
    await this.#client?.insist('stop', { how, why, signal });
  }
}
