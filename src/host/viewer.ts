/**
 * One link to the host: a viewer that attached, or a command line that asks one thing.
 * It speaks the protocol; what commands mean is the host's business (commands.ts). An answer is owed for every command,
 * also when the handler fails.
 */
import {
  type Access,
  type AttachRequest,
  asReinsError,
  type Clock,
  commonProtocol,
  type Down,
  type Frame,
  LINK_RIGHTS,
  MAX_FRAME,
  newViewerId,
  PROTOCOL,
  type Presence,
  protocolInWords,
  type Right,
  type Size,
  type Up,
  type ViewerId,
} from '../contract/index.js';
import { type CatchUp, type Link, Outbox } from '../link/serve.js';
import type { Rights } from '../vt/index.js';
import { type Entrance, Gate, plainName, readAttach } from './access.js';
import { Lending } from './lending.js';
import { PRESENCE_WAIT_MS, type PresenceSource } from './presence.js';

export interface ViewerPorts {
  session: string;
  version: string;
  clock: Clock;
  catchUp: CatchUp;
  /** Decides about an attach: what the reply says. May throw a ReinsError. */
  attach(viewer: Viewer, request: AttachRequest): Omit<Extract<Down, { t: 'attached' }>, 't' | 'viewer'>;
  command(viewer: Viewer, name: string, args: Record<string, unknown>): Promise<unknown>;
  input(viewer: Viewer, bytes: Uint8Array): void;
  /** It asked for what it has no right to. */
  refused(viewer: Viewer, what: string, need: Right, access: Access): void;
  /** What the agent may do to this viewer's own terminal. */
  rights(viewer: Viewer): Rights;
  /** Whether a flood may pass this viewer by. */
  isSpared(viewer: Viewer): boolean;
  changed(viewer: Viewer): void;
  left(viewer: Viewer, how: 'detached' | 'lost', untie: boolean): void;
}

/** Answers that nobody has read: more than the largest one. */
const MOST_UNREAD = 2 * MAX_FRAME;

export class Viewer implements PresenceSource {
  readonly id: ViewerId = newViewerId();
  readonly #link: Lending;
  readonly gate: Gate;
  readonly #ports: ViewerPorts;
  request: AttachRequest | undefined;
  #outbox: Outbox | undefined;
  #asks = new Map<number, (presence: Presence) => void>();
  #nextAsk = 1;
  #visible = false;
  /** In front, by its own report; undefined: it has said nothing. */
  focused: boolean | undefined;
  #isReady = false;
  #gone = false;

  constructor(link: Link, entrance: Entrance, ports: ViewerPorts) {
    this.#link = new Lending(link, {
      clock: ports.clock,
      keys: (bytes) => {
        if (this.request?.role === 'driver') this.#frame({ kind: 'input', bytes });
      },
      rights: () => ports.rights(this),
    });
    this.#ports = ports;
    this.gate = new Gate(entrance, {
      hear: (frame) => this.#frame(frame),
      hold: () => link.hold(),
      release: () => link.release(),
      refused: (what, need, access) => ports.refused(this, what, need, access),
    });
    this.live = new Promise((resolve) => {
      this.#liveNow = resolve;
    });
    this.gone = new Promise((resolve) => link.onClose(() => resolve()));
    const { challenge } = this.gate;
    const asks = challenge === undefined ? {} : { challenge };
    this.#down({ t: 'hello', ...PROTOCOL, version: ports.version, session: ports.session, ...asks });
    link.onFrame((frame) => this.gate.take(frame));
    link.onClose(() => this.#leave('lost', false));
  }

  get outbox(): Outbox | undefined {
    return this.#outbox;
  }

  get answers(): 'screen' | 'tty' | 'no' {
    // Who may not answer is nobody who could.
    return this.gate.may(LINK_RIGHTS.presence) ? (this.request?.answers ?? 'no') : 'no';
  }

  get visible(): boolean {
    return this.#visible;
  }

  get name(): string {
    return this.request?.name ?? this.id;
  }

  ask(): Promise<Presence> {
    if (this.#gone) return Promise.resolve({ present: false, reason: 'viewer-left' });
    const id = this.#nextAsk++;
    return new Promise((resolve) => {
      const cancel = this.#ports.clock.after(PRESENCE_WAIT_MS, () =>
        answer({ present: false, reason: 'viewer-silent' }),
      );
      const answer = (presence: Presence) => {
        cancel();
        this.#asks.delete(id);
        resolve(presence);
      };
      this.#asks.set(id, answer);
      this.#down({ t: 'ask', id, what: 'presence' });
    });
  }

  stderr(bytes: Uint8Array): void {
    this.#outbox?.stderr(bytes);
  }

  tell(size: Size): void {
    this.#down({ t: 'size', size });
  }

  tellDriver(driver: ViewerId | null, name: string | undefined): void {
    this.#down({ t: 'driver', driver, ...(name === undefined ? {} : { name }) });
  }

  /** Only to who follows the entries, is up to date and reads. */
  tellPartial(text: string, mostQueued: number): void {
    if (!this.request?.entries || !this.#isReady || this.#link.queued > mostQueued) return;
    this.#down({ t: 'partial', text });
  }

  tellCall(): void {
    this.#down({ t: 'call' });
  }

  tellPaused(paused: boolean): void {
    this.#down({ t: 'paused', paused });
  }

  /** Resolves when its link is closed, whoever closed it: by then it has got all it was sent. */
  readonly gone: Promise<void>;
  /** Resolves when the viewer is up to date for the first time, or gone. */
  readonly live: Promise<void>;
  #liveNow: () => void = () => undefined;

  /** The last message: after everything the viewer is still owed. */
  async end(reason: string, exit?: number): Promise<void> {
    if (this.request) await this.live;
    await this.#outbox?.upToDate();
    await this.#link.giveBack();
    this.#down({ t: 'end', reason, ...(exit === undefined ? {} : { exit }) });
    this.#link.close();
  }

  #down(json: Down): void {
    this.#link.send({ kind: 'json', json });
  }

  /** Contract: never throws. Whoever sends what cannot be handled loses its link, and nobody else does. */
  #frame(frame: Frame): void {
    if (this.#gone) return;
    try {
      if (frame.kind === 'input') this.#ports.input(this, frame.bytes);
      else if (frame.kind === 'json') this.#message(frame.json as Up);
    } catch {
      this.#leave('lost', false);
    }
  }

  #message(json: Up): void {
    switch (json.t) {
      case 'hello':
        this.gate.name(json.device);
        this.gate.lower(json.may);
        if (commonProtocol(json) === undefined) void this.end(`this host speaks protocol ${protocolInWords(PROTOCOL)}`);
        break;
      case 'prove':
        void this.gate.prove(json).then((value) => this.#down({ t: 'reply', id: json.id, value }));
        break;
      case 'attach':
        this.#attach(json);
        break;
      case 'ready':
        this.#ready();
        break;
      case 'visible':
        // Who is asked each time says by this that the answer may be another one now.
        if (!this.request || (this.#visible === (json.visible === true) && this.request.answers !== 'tty')) break;
        this.#visible = json.visible === true;
        this.#outbox?.setBytes(this.#visible && this.request.bytes);
        this.#ports.changed(this);
        break;
      case 'lend':
      case 'lent':
      case 'return':
        if (this.request && this.gate.mayLend) this.#link.told(json);
        else if (json.t === 'lend') this.#down({ t: 'lend', ok: false });
        break;
      case 'command':
        void this.#command(json);
        break;
      case 'reply':
        this.#asks.get(json.id)?.(readPresence(json.value));
        break;
      case 'bye':
        this.#leave('detached', json.untie === true);
        break;
      case 'hook':
        // Hooks have a socket of their own (hook-links.ts); one that comes here is refused by the end of its link.
        this.#leave('lost', false);
        break;
    }
  }

  #ready(): void {
    if (!this.#outbox || this.#isReady) return;
    this.#isReady = true;
    void this.#outbox.start().then(() => {
      this.#down({ t: 'live' });
      this.#liveNow();
    });
  }

  #attach(given: AttachRequest): void {
    if (this.request) return;
    try {
      const request = readAttach(given);
      this.gate.need(LINK_RIGHTS.attach, 'to attach');
      if (request.role === 'driver') this.gate.need(LINK_RIGHTS['attach as driver'], 'to drive');
      if (request.tie) this.gate.need(LINK_RIGHTS['attach with tie'], 'to tie the session');
      const reply = this.#ports.attach(this, request);
      this.request = request;
      this.#visible = request.visible;
      this.#outbox = new Outbox({
        link: this.#link,
        catchUp: this.#ports.catchUp,
        // From what the reply says on: nothing that happens until the viewer is ready is missed.
        since: { seq: reply.cursor.seq, ...request.since },
        bytes: request.bytes && request.visible,
        entries: request.entries,
        clock: this.#ports.clock,
        isSpared: () => this.#ports.isSpared(this),
      });
      this.#down({ t: 'attached', viewer: this.id, ...reply });
      this.#ports.changed(this);
    } catch (thrown) {
      this.#wrong(0, thrown);
    }
  }

  async #command(json: Extract<Up, { t: 'command' }>): Promise<void> {
    try {
      const value = await this.#ports.command(this, json.name, json.args ?? {});
      this.#down({ t: 'reply', id: json.id, value: value ?? null });
      // Whoever asks on and on and reads nothing must not fill our memory.
      if (this.#link.queued > MOST_UNREAD) this.#leave('lost', false);
    } catch (thrown) {
      this.#wrong(json.id, thrown);
    }
  }

  #wrong(id: number, thrown: unknown): void {
    const error = asReinsError(thrown);
    this.#down({
      t: 'reply',
      id,
      error: { code: error.code, message: error.message, hint: error.hint, data: error.data },
    });
  }

  #leave(how: 'detached' | 'lost', untie: boolean): void {
    if (this.#gone) return;
    this.#gone = true;
    this.#liveNow();
    for (const answer of [...this.#asks.values()]) answer({ present: false, reason: 'viewer-left' });
    this.#ports.left(this, how, untie);
    this.#link.close();
  }
}

/** Only a clear yes is one. */
function readPresence(value: unknown): Presence {
  const { present, reason, ...said } = (value ?? {}) as Record<keyof Presence, unknown>;
  const reachable = plainName(said.reachable);
  return {
    present: present === true,
    reason: typeof reason === 'string' ? reason.slice(0, 100) : 'unclear',
    ...(reachable === undefined ? {} : { reachable }),
  };
}
