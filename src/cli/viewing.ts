/**
 * What every viewer of a session does, whatever it shows: links and attaches, turns signals into a stop of the session when
 * that is tied to it and into a mere leaving when it is not, ends with the session, ends what a dead host left behind, and
 * gives back what is the user's before it says its last words. What differs is a `View`.
 */
import { type AttachRequest, ReinsError } from '../contract/index.js';
import type { Attached, HostClient, Incoming } from '../link/index.js';
import type { Context } from './context.js';

/** What a signal to us means for a session that is tied to us, and our exit code. */
export const SIGNALS = {
  SIGINT: { how: 'stop', exit: 130 },
  SIGTERM: { how: 'stop', exit: 143 },
  SIGHUP: { how: 'stop', exit: 129 },
  SIGQUIT: { how: 'kill', exit: 131 },
} as const;

export type EndSignal = keyof typeof SIGNALS;

/** Something said at the end, on a terminal that is the user's again. */
export interface EndWords {
  as: 'complaint' | 'chrome';
  text: string;
}

/** The tie is not the view's to choose. */
export type AttachAsk = Omit<AttachRequest, 't' | 'tie'>;

export interface View {
  request(): AttachAsk | Promise<AttachAsk>;
  readonly incoming: Omit<Incoming, 'end' | 'closed'>;
  /** Nothing was asked of the host yet. */
  linked?(client: HostClient): void;
  /** Nothing was shown yet. */
  attached?(attached: Attached): void | Promise<void>;
  /** A signal is about to end the session. */
  stopping?(first: boolean): void;
  /** The host is gone. */
  lost?(): void;
  /** What to say about the session's end. */
  ended?(exit: number, reason: string): EndWords | undefined;
  /** Gives back what is the user's. The link may be gone already. May be called twice. */
  leave(): void | Promise<void>;
  /** Before the last words: they begin on a line of their own. */
  freshLine?(): void;
}

export interface ViewingOptions {
  session: string;
  tie: boolean;
  connect(incoming: Incoming): Promise<HostClient>;
  /** Where Ctrl-C is the usual way to leave, that is no failure. */
  interruptExit?: number;
}

export class Viewing {
  readonly #context: Context;
  readonly #options: ViewingOptions;
  readonly #done: Promise<number>;
  #finish: (code: number) => void = () => undefined;
  #fail: (error: Error) => void = () => undefined;
  #client: HostClient | undefined;
  #isOver = false;
  #signals = 0;
  #isHeld = false;
  #words: EndWords | undefined;

  constructor(context: Context, options: ViewingOptions) {
    this.#context = context;
    this.#options = options;
    this.#done = new Promise((resolve, reject) => {
      this.#finish = resolve;
      this.#fail = reject;
    });
  }

  /** Resolves with the exit code. Once. */
  async run(view: View): Promise<number> {
    const { tie, connect } = this.#options;
    this.#signal = (name) => this.#signalled(view, name);
    const undo = onSignals((name) => this.#signal(name));
    // A reader that went away ends what was started for it; what goes on without us is none of its business. A terminal
    // that went away hangs us up.
    this.#context.onBrokenPipe(async () => {
      if (tie && !process.stdout.isTTY)
        await this.#client?.insist('stop', { how: 'kill', why: NOBODY_READS, signal: 'SIGPIPE' });
    });
    try {
      const client = await this.#unlessLeft(connect(this.#incoming(view)));
      if (!client) return await this.#done;
      this.#client = client;
      view.linked?.(client);
      const asked = Promise.resolve(view.request());
      const attached = await this.#unlessLeft(asked.then((request) => client.attach({ ...request, tie })));
      if (!attached) return await this.#done;
      await view.attached?.(attached);
      client.ready();
      return await this.#done;
    } finally {
      this.#isOver = true;
      await view.leave();
      this.#client?.close();
      undo();
      this.#say(view);
    }
  }

  get client(): HostClient | undefined {
    return this.#client;
  }

  /** As if it had been sent to us: keys in raw mode do not become signals by themselves. */
  signal(name: EndSignal): void {
    this.#signal(name);
  }

  /** Ends the viewing, not the session. */
  detach(code: number, text: string): void {
    this.#words = { as: 'chrome', text };
    this.#isOver = true;
    this.#client?.close({ untie: true });
    this.#finish(code);
  }

  /** After every write to stdout: a reader that is slow slows the link, and nothing piles up here. */
  wrote(): void {
    if (this.#isHeld || !process.stdout.writableNeedDrain) return;
    this.#isHeld = true;
    this.#client?.hold();
    process.stdout.once('drain', () => {
      this.#isHeld = false;
      this.#client?.release();
    });
  }

  #signal: (name: EndSignal) => void = () => undefined;

  #incoming(view: View): Incoming {
    const { session, tie } = this.#options;
    return {
      ...view.incoming,
      end: (exit, reason) => {
        if (this.#isOver) return;
        this.#isOver = true;
        this.#words = view.ended?.(exit ?? 0, reason);
        this.#finish(exit ?? 0);
      },
      closed: (reason) => {
        if (this.#isOver) return;
        this.#isOver = true;
        // Its words belong on a terminal that is the user's again.
        const lost = async () => {
          view.lost?.();
          await view.leave();
          view.freshLine?.();
          // Nobody needs it before the worst has happened.
          const { hostLost } = await import('./host-lost.js');
          this.#fail(await hostLost(this.#context, { session, reason, tie }));
        };
        lost().catch(this.#fail);
      },
    };
  }

  #signalled(view: View, name: EndSignal): void {
    const { how, exit } = SIGNALS[name];
    const { tie, interruptExit = exit } = this.#options;
    if (this.#isOver) return;
    if (!tie || !this.#client) {
      this.#finish(name === 'SIGINT' && !tie ? interruptExit : exit);
      return;
    }
    this.#signals += 1;
    // A shell that goes with its terminal hangs us up a second time: that is nobody's impatience.
    const isHurry = this.#signals > 1 && name !== 'SIGHUP';
    view.stopping?.(this.#signals === 1 && how === 'stop');
    this.#client.insist('stop', { how: isHurry ? 'kill' : how, why: name, signal: name }).catch((error: ReinsError) => {
      // Its end, or its death, says the rest.
      if (isGone(error)) return;
      this.#words ??= { as: 'complaint', text: `${error.message}\n  ${error.hint}` };
      this.#finish(exit);
    });
  }

  /** Undefined if the viewing ended first: nothing is waited for then, and what comes later is closed again. */
  async #unlessLeft<T>(asked: Promise<T>): Promise<T | undefined> {
    const left = this.#done.then(() => LEFT);
    // What became of the host is told better by its end, or its death.
    const first = await Promise.race([asked, left]).catch((error: unknown) => {
      if (!this.#isOver || !isGone(error)) throw error;
      return left;
    });
    if (first !== LEFT) return first as T;
    asked.then(closeLate, () => undefined); // it could not be had either
    return undefined;
  }

  #say(view: View): void {
    if (!this.#words) return;
    view.freshLine?.();
    const { as, text } = this.#words;
    if (as === 'chrome') this.#context.channels.chrome(text);
    else this.#context.channels.complain(text);
  }
}

const LEFT = Symbol('left');

const isGone = (error: unknown): boolean =>
  error instanceof ReinsError && (error.code === 'SESSION_ENDED' || error.code === 'HOST_LOST');

const NOBODY_READS = 'nobody reads the output any more';

const closeLate = (late: unknown): void => {
  if (late && typeof (late as HostClient).close === 'function') (late as HostClient).close();
};

/** Until the returned function is called. */
export function onSignals(take: (name: EndSignal) => void): () => void {
  const undo = (Object.keys(SIGNALS) as EndSignal[]).map((name) => {
    const call = () => take(name);
    process.on(name, call);
    return () => process.off(name, call);
  });
  return () => {
    for (const one of undo) one();
  };
}
