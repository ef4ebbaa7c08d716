/**
 * A viewer's end of a link: says hello, attaches, sends commands and gets each one's single answer, and hands what
 * comes in to its owner. It owns nothing about the session; when the link is gone, every open command fails at once.
 */
import {
  type AttachRequest,
  CODES,
  COMMAND_RIGHTS,
  type CommandName,
  type CommandResult,
  commonProtocol,
  type Down,
  type Entry,
  type Frame,
  type GivenArgs,
  PROTOCOL,
  type Presence,
  protocolInWords,
  ReinsError,
  type Right,
  type Up,
  type Wrong,
} from '../contract/index.js';
import type { Link } from './link.js';
import { Pulse } from './pulse.js';

export interface Incoming {
  entry?(entry: Entry): void;
  output?(bytes: Uint8Array, offset: number): void;
  stderr?(bytes: Uint8Array): void;
  /** Redraw from nothing with these bytes. */
  snapshot?(bytes: Uint8Array, offset: number): void;
  size?(size: { cols: number; rows: number }): void;
  /** The keys went to another viewer, or were left by one. */
  driver?(driver: string | null, name: string | undefined): void;
  /** The session stands still, or goes on. */
  paused?(paused: boolean): void;
  /** Somebody is asked while this terminal is in the background. */
  call?(): void;
  /** What the agent says, while it is written: all of it so far. */
  partial?(text: string): void;
  live?(): void;
  /** What became of a lent terminal. */
  lending?(news: LendingNews): void;
  /** Can a person answer at this viewer's place right now? */
  presence?(): Promise<Presence>;
  end?(exit: number | undefined, reason: string): void;
  closed?(reason: string): void;
}

export type LendingNews = Extract<Down, { t: 'lend' | 'left' | 'returned' }>;
export type Attached = Extract<Down, { t: 'attached' }>;
type Hello = Extract<Down, { t: 'hello' }>;

/** A host that does not answer is told what is wanted all the same. */
const SHOW_WAIT_MS = 2_000;

type Waiting = { resolve: (value: unknown) => void; reject: (error: Error) => void };

export class HostClient {
  readonly #link: Link;
  readonly #incoming: Incoming;
  readonly #session: string;
  #waiting = new Map<number, Waiting>();
  #attached: Waiting | undefined;
  #next = 1;
  #closed: string | undefined;
  #ended = false;
  #greeted = false;
  #protocol: number | undefined;
  #isHeld = false;
  readonly #pulse: Pulse;

  /** Frames that wait until the host knows which process this is: what was said first is heard first. */
  #queue: Frame[] | undefined;
  #showing: Promise<void> = Promise.resolve();
  #isShown: boolean;
  readonly #onlyLooks: boolean;
  readonly #isNamed: boolean;
  readonly #greeting: Promise<Hello | undefined>;
  #greet: (hello?: Hello) => void = () => undefined;

  /**
   * `starter`: the word of who began the host, which needs to show nothing else. `may`: with less than one could have; who
   * only looks need not show who it is, unless it asks for a paired `device`: a name counts only of who has shown itself.
   */
  constructor(options: {
    link: Link;
    session: string;
    version: string;
    incoming?: Incoming;
    starter?: string | undefined;
    may?: Right | undefined;
    device?: string | undefined;
  }) {
    const { starter, device } = options;
    this.#greeting = new Promise((resolve) => {
      this.#greet = resolve;
    });
    this.#isShown = starter !== undefined;
    this.#onlyLooks = options.may === 'view' && device === undefined;
    this.#isNamed = device !== undefined;
    this.#link = options.link;
    this.#session = options.session;
    this.#incoming = options.incoming ?? {};
    this.#pulse = new Pulse({
      // What it says cannot be heard now: that is our terminal's slowness, not its silence.
      isDeaf: () => this.#isHeld || this.#closed !== undefined,
      // Any answer will do, also that it does not know the word.
      ask: () => void this.command('summary').catch(() => undefined),
    });
    const { may } = options;
    const about = {
      ...(starter === undefined ? {} : { starter }),
      ...(may ? { may } : {}),
      ...(device ? { device } : {}),
    };
    this.#up({ t: 'hello', ...PROTOCOL, version: options.version, ...about });
    this.#link.onFrame((frame) => this.#frame(frame));
    this.#link.onClose((reason) => this.#lost(reason));
  }

  /** Whether the host has said anything yet: one that is stopped or stuck takes a connection and stays silent. */
  get greeted(): boolean {
    return this.#greeted;
  }

  /** What both sides speak, once the host has said hello: a host of the first builds knows less. */
  get protocol(): number | undefined {
    return this.#protocol;
  }

  /** The link's own back-pressure, for a viewer whose terminal is slow. */
  hold(): void {
    this.#isHeld = true;
    this.#link.hold();
  }

  release(): void {
    this.#isHeld = false;
    this.#link.release();
  }

  /** Says when the host stops answering, and when it answers again, until the returned function is called. */
  pulse(call: (answers: boolean) => void): () => void {
    return this.#pulse.listen(call);
  }

  attach(request: Omit<AttachRequest, 't'>): Promise<Attached> {
    const attached = new Promise<unknown>((resolve, reject) => {
      this.#attached = { resolve, reject };
    });
    const isMere = request.role !== 'driver' && request.tie !== true && request.answers === 'no';
    this.#up({ t: 'attach', ...request }, isMere && !this.#isNamed ? 'view' : 'type');
    if (this.#closed !== undefined) this.#lost(this.#closed);
    return attached as Promise<Attached>;
  }

  ready(): void {
    this.#up({ t: 'ready' });
  }

  visible(visible: boolean): void {
    this.#up({ t: 'visible', visible });
  }

  input(bytes: Uint8Array): void {
    this.#send({ kind: 'input', bytes }, this.#onlyLooks ? 'view' : 'type');
  }

  /** The viewer's side of lending its terminal (lending.ts). */
  lending(json: Extract<Up, { t: 'lend' | 'lent' | 'return' }>): void {
    this.#up(json, json.t === 'lend' ? 'admin' : 'view');
  }

  /** A command that may take long, but not for a host that has stopped answering: then it fails, with HOST_SILENT. */
  insist<K extends CommandName>(name: K, ...args: GivenArgs<K>): Promise<CommandResult<K>> {
    return new Promise((resolve, reject) => {
      const off = this.pulse((answers) => {
        if (!answers) reject(new ReinsError('HOST_SILENT', { session: this.#session }));
      });
      this.command(name, ...args)
        .then(resolve, reject)
        .finally(off);
    });
  }

  /** Contract: settles exactly once, with the host's answer or a ReinsError. */
  command<K extends CommandName>(name: K, ...[args]: GivenArgs<K>): Promise<CommandResult<K>> {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      if (this.#closed !== undefined) {
        reject(this.#gone(this.#closed));
        return;
      }
      this.#waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
      this.#up({ t: 'command', id, name, args: args ?? {} }, COMMAND_RIGHTS[name]);
    });
  }

  /** Leaves; `untie` keeps a tied session alive. May be called twice. */
  close(how: { untie?: boolean } = {}): void {
    if (this.#closed !== undefined) return;
    const leave = () => {
      this.#link.send({ kind: 'json', json: { t: 'bye', ...how } });
      this.#link.close();
    };
    // What was asked for before still goes; a host that says nothing is not waited for.
    if (this.#queue && this.#greeted) void this.#showing.finally(leave);
    else leave();
  }

  #up(json: Up, right: Right = 'view'): void {
    // Who only looks still lends its terminal, which takes more.
    const isLess = this.#onlyLooks && json.t !== 'lend';
    this.#send({ kind: 'json', json }, isLess ? 'view' : right);
  }

  #send(frame: Frame, right: Right): void {
    if (this.#queue) this.#queue.push(frame);
    else if (right === 'view' || this.#isShown) this.#link.send(frame);
    else {
      this.#queue = [frame];
      this.#showing = this.#show();
    }
  }

  /** Contract: never rejects. Whatever comes of it, the host hears what was asked, and says why not. */
  async #show(): Promise<void> {
    const hello = await this.#greeting;
    const { show } = await import('./show.js');
    const refused = hello && (await show({ session: this.#session, challenge: hello.challenge, prove: this.#prove }));
    this.#isShown = true;
    const queue = this.#queue ?? [];
    this.#queue = undefined;
    if (refused) {
      this.#lost(refused.message, refused);
      this.#link.close();
    }
    for (const frame of queue) this.#link.send(frame);
  }

  readonly #prove = async ({ pid, startTicks }: { pid: number; startTicks: number }): Promise<{ shown: boolean }> => {
    const id = this.#next++;
    const answered = new Promise<unknown>((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#link.send({ kind: 'json', json: { t: 'prove', id, pid, start_ticks: startTicks } });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<unknown>((resolve) => {
      timer = setTimeout(resolve, SHOW_WAIT_MS);
    });
    const value = await Promise.race([answered, late]).catch(() => undefined); // the link is gone, which its own end tells
    clearTimeout(timer);
    return { shown: value === undefined || (value as { shown?: boolean } | null)?.shown !== false };
  };

  #frame(frame: Frame): void {
    this.#pulse.heard();
    const incoming = this.#incoming;
    if (frame.kind === 'output') incoming.output?.(frame.bytes, frame.offset);
    else if (frame.kind === 'stderr') incoming.stderr?.(frame.bytes);
    else if (frame.kind === 'snapshot') incoming.snapshot?.(frame.bytes, frame.offset);
    else if (frame.kind === 'json') this.#message(frame.json as Down);
  }

  #message(json: Down): void {
    switch (json.t) {
      case 'hello':
        this.#hello(json);
        break;
      case 'attached':
        this.#attached?.resolve(json);
        break;
      case 'live':
        this.#incoming.live?.();
        break;
      case 'entry':
        this.#incoming.entry?.(json.entry);
        break;
      case 'partial':
        this.#incoming.partial?.(json.text);
        break;
      case 'size':
        this.#incoming.size?.(json.size);
        break;
      case 'driver':
        this.#incoming.driver?.(json.driver, json.name);
        break;
      case 'paused':
        this.#incoming.paused?.(json.paused);
        break;
      case 'call':
        this.#incoming.call?.();
        break;
      case 'ask':
        void this.#answer(json);
        break;
      case 'lend':
      case 'left':
      case 'returned':
        this.#incoming.lending?.(json);
        break;
      case 'reply':
        this.#reply(json.id, json.value, json.error);
        break;
      case 'end':
        this.#ended = true;
        this.#incoming.end?.(json.exit, json.reason);
        break;
    }
  }

  #hello(json: Hello): void {
    this.#protocol = commonProtocol(json);
    this.#greeted = true;
    this.#greet(json);
    if (this.#protocol !== undefined) return;
    const [theirs, ours] = [protocolInWords(json), protocolInWords(PROTOCOL)];
    this.#lost('another protocol', new ReinsError('PROTOCOL', { theirs, ours }));
    this.#link.close();
  }

  async #answer({ id, what }: Extract<Down, { t: 'ask' }>): Promise<void> {
    // A younger host may ask for what we do not know.
    const ask = what === 'presence' ? this.#incoming.presence?.() : undefined;
    const asked = ask ?? Promise.resolve({ present: false, reason: 'viewer-cannot' });
    // Whoever cannot even find out is not there.
    const presence = await asked.catch(() => ({ present: false, reason: 'viewer-failed' }));
    this.#up({ t: 'reply', id, value: presence });
  }

  #reply(id: number, value: unknown, error: Wrong | undefined): void {
    const waiting = this.#waiting.get(id) ?? (id === 0 ? this.#attached : undefined);
    this.#waiting.delete(id);
    if (error) waiting?.reject(fromWire(error));
    else waiting?.resolve(value);
  }

  #gone(reason: string): ReinsError {
    return this.#ended
      ? new ReinsError('SESSION_ENDED', { session: this.#session })
      : new ReinsError('HOST_LOST', { session: this.#session, reason });
  }

  #lost(reason: string, error: ReinsError = this.#gone(reason)): void {
    const first = this.#closed === undefined;
    this.#pulse.close();
    this.#greet();
    this.#closed = reason;
    for (const waiting of [...this.#waiting.values(), ...(this.#attached ? [this.#attached] : [])])
      waiting.reject(error);
    this.#waiting.clear();
    this.#attached = undefined;
    if (first) this.#incoming.closed?.(reason);
  }
}

/** A host of another version may know errors that we do not: then its own words have to do. */
function fromWire(error: Wrong): ReinsError {
  return Object.hasOwn(CODES, error.code)
    ? new ReinsError(error.code, error.data)
    : new ReinsError('BUG', { reason: `${error.code}: ${error.message}` });
}
