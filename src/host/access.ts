/**
 * The door for links: what each may do, and its attach made safe. The right is decided from the first message, before
 * anything is heard; frames that come meanwhile wait, in order. Who shows which process it is may have more (`Doorman`);
 * whoever cannot be judged may do nothing. In an attach, what
 * is missing has the careful meaning (hidden, watching, no answers), what is absurd is refused: a viewer may be of another
 * version, or no viewer at all.
 */
import {
  type Access,
  type AttachRequest,
  allows,
  type Frame,
  isRight,
  LINK_RIGHTS,
  lowered,
  OWN_RIGHTS,
  PARENT_RIGHTS,
  type Principal,
  ReinsError,
  type Right,
  type Size,
  type Up,
} from '../contract/index.js';

export type ViewerHello = Partial<Extract<Up, { t: 'hello' }>>;

/** Known at once, or found out from what the other side says of itself. */
export type Entrance = Access | ((hello: ViewerHello) => Promise<Access>) | Doorman;

/** A link begins with what its first message gives it, and may have more once it has shown which process it is. */
export interface Doorman {
  /** Asked of everyone with the greeting; another one for each link. */
  challenge: string;
  hello(hello: ViewerHello): Promise<Access>;
  prove(claim: { pid?: unknown; start_ticks?: unknown }): Promise<Access & { shown: boolean }>;
}

const isDoorman = (entrance: Entrance): entrance is Doorman => 'challenge' in entrance;

const NOBODY: Principal = { kind: 'program', name: 'nobody' };

export interface GatePorts {
  /** A frame of a link that was let in. */
  hear(frame: Frame): void;
  hold(): void;
  release(): void;
  refused(what: string, need: Right, access: Access): void;
}

export class Gate {
  readonly #ports: GatePorts;
  #entrance: Entrance;
  /** As it was given; `#access` is what the link made of it. */
  #given: Access = { who: NOBODY, may: 'none' };
  #access: Access = this.#given;
  #waiting: Frame[] | undefined;
  #decided = false;
  /** The link's own wish for less. */
  #asked: unknown;
  /** For whom it asks, by its own word. */
  #device: string | undefined;

  constructor(entrance: Entrance, ports: GatePorts) {
    this.#entrance = entrance;
    this.#ports = ports;
    if (typeof entrance !== 'function' && !isDoorman(entrance)) this.#let(entrance);
  }

  get challenge(): string | undefined {
    return isDoorman(this.#entrance) ? this.#entrance.challenge : undefined;
  }

  /** Contract: never rejects. Whoever has everything already need show nothing. */
  async prove(claim: Parameters<Doorman['prove']>[0]): Promise<{ shown: boolean }> {
    if (!isDoorman(this.#entrance) || this.#given.may === 'admin' || this.#given.own) return { shown: true };
    try {
      const { shown, ...access } = await this.#entrance.prove(claim);
      this.#let(access);
      this.lower(this.#asked);
      return { shown };
    } catch {
      return { shown: false }; // it could not be looked at: nothing is gained by it
    }
  }

  get access(): Access {
    return this.#access;
  }

  take(frame: Frame): void {
    if (this.#decided) {
      this.#ports.hear(frame);
      return;
    }
    if (this.#waiting) {
      this.#waiting.push(frame);
      return;
    }
    this.#waiting = [frame];
    this.#ports.hold();
    void this.#decide(frame).then((access) => {
      this.#let(access);
      for (const held of this.#waiting?.splice(0) ?? []) this.#ports.hear(held);
      this.#ports.release();
    });
  }

  async #decide(frame: Frame): Promise<Access> {
    const json = frame.kind === 'json' ? (frame.json as Up) : undefined;
    const hello: ViewerHello = json?.t === 'hello' ? json : {};
    try {
      const entrance = this.#entrance as Doorman | ((hello: ViewerHello) => Promise<Access>);
      return await (typeof entrance === 'function' ? entrance(hello) : entrance.hello(hello));
    } catch (error) {
      return { who: NOBODY, may: 'none', why: `it could not be found out who this is: ${(error as Error).message}` };
    }
  }

  #let(access: Access): void {
    this.#decided = true;
    this.#given = access;
    this.#access = access;
    if (this.#device !== undefined) this.name(this.#device);
  }

  /** A user's own program that asks for a paired device says which. Nobody else's word on who it is counts. */
  name(device: unknown): void {
    const name = plainName(device);
    if (name === undefined) return;
    this.#device = name;
    if (this.#given.may === 'admin' && this.#given.who.kind === 'user')
      this.#access = { ...this.#access, who: { kind: 'device', name } };
  }

  lower(to: unknown): void {
    this.#asked = to;
    if (to === undefined) return;
    const { parent, ...access } = this.#access;
    const answers = parent !== undefined && isRight(to) && allows(to, 'answer') ? { parent } : {};
    this.#access = { ...access, ...answers, may: lowered(access.may, to) };
  }

  may(need: Right): boolean {
    return allows(this.#access.may, need);
  }

  /** A terminal is lent by who sits at this machine, also to look only: what counts is what the link was given. */
  get mayLend(): boolean {
    return allows(this.#given.may, LINK_RIGHTS.lend);
  }

  /** Throws RIGHT_MISSING, and says so to the session. */
  need(need: Right, what: string): void {
    const { own, parent, why } = this.#access;
    if (this.may(need) || (own && OWN_RIGHTS.has(what)) || (parent !== undefined && PARENT_RIGHTS.has(what))) return;
    this.refuse(what, need, why);
  }

  /** The same, for what is found out later. */
  refuse(what: string, need: Right, why: string | undefined): never {
    const { may } = this.#access;
    this.#ports.refused(what, need, why === undefined ? this.#access : { ...this.#access, why });
    throw new ReinsError('RIGHT_MISSING', { what, need, may, why: why === undefined ? '' : `: ${why}` });
  }
}

const LONGEST_NAME = 200;

/** One line without anything that could act where it is shown; undefined if nothing is left. */
export function plainName(given: unknown): string | undefined {
  if (typeof given !== 'string') return undefined;
  const plain = given
    .slice(0, LONGEST_NAME)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
  return plain === '' ? undefined : plain;
}

/** No terminal is larger; a number without a limit would be an emulator without one. */
const LONGEST_SIDE = 1000;

const KINDS = ['run', 'terminal', 'web', 'api'] as const;
const ANSWERS = ['screen', 'tty', 'no'] as const;

type LooseAttach = { [Key in keyof AttachRequest]?: unknown };

export function readAttach(given: LooseAttach): AttachRequest {
  const kind = KINDS.find((one) => one === given.kind);
  if (!kind) throw new ReinsError('USAGE', { problem: 'this is no way to attach', fix: 'is this the same version?' });
  const size = given.size === undefined ? undefined : readSize(given.size);
  const since = readCursor(given.since);
  return {
    t: 'attach',
    kind,
    role: given.role === 'driver' ? 'driver' : 'watcher',
    visible: given.visible === true,
    bytes: given.bytes === true,
    entries: given.entries === true,
    answers: ANSWERS.find((one) => one === given.answers) ?? 'no',
    ...(typeof given.name === 'string' ? { name: given.name.slice(0, LONGEST_NAME) } : {}),
    ...(given.take === true ? { take: true } : {}),
    ...(given.tie === true ? { tie: true } : {}),
    ...(size ? { size } : {}),
    ...(since ? { since } : {}),
  };
}

function readSize(given: unknown): Size {
  const { cols, rows } = (given ?? {}) as { cols?: unknown; rows?: unknown };
  if (!isSide(cols) || !isSide(rows)) {
    throw new ReinsError('USAGE', {
      problem: 'this is no size of a terminal',
      fix: `from 1x1 to ${LONGEST_SIDE}x${LONGEST_SIDE}`,
    });
  }
  return { cols, rows };
}

const isSide = (value: unknown): value is number => isCount(value) && value >= 1 && value <= LONGEST_SIDE;
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

function readCursor(given: unknown): { seq?: number; offset?: number } | undefined {
  if (typeof given !== 'object' || given === null) return undefined;
  const { seq, offset } = given as { seq?: unknown; offset?: unknown };
  return { ...(isCount(seq) ? { seq } : {}), ...(isCount(offset) ? { offset } : {}) };
}
