/**
 * Everyone who is linked to this session, the lease of the keys, and the tie to the run that started it. What a viewer
 * is owed (catch-up, live bytes and entries, last words) is decided here; what it may ask for is in commands.ts.
 */
import {
  type Access,
  type AttachRequest,
  type Clock,
  type Down,
  type Entry,
  type EntryPayload,
  type Frame,
  LINK_RIGHTS,
  type Log,
  type Right,
  type SessionRow,
  type Size,
  type WaitingInquiry,
} from '../contract/index.js';
import type { Journal } from '../journal/journal.js';
import type { CatchUp, Link } from '../link/serve.js';
import { FocusWish, isTyped, withoutAnswers, withoutFocus } from '../vt/index.js';
import type { Entrance } from './access.js';
import { DriverLease } from './driver.js';
import type { Work } from './modes/work.js';
import type { SessionSpec } from './spec.js';
import { Viewer, type ViewerPorts } from './viewer.js';

/** A word about keys that are ignored, again. */
const IGNORED_AGAIN_MS = 2_000;

/** A tied session whose first viewer does not come within this time has lost it already. */
const TIE_WAIT_MS = 10_000;

/** Entries of a catch-up that are read and sent at once. */
const PAGE_ENTRIES = 500;

/** Refusals in the journal of one session. */
const MOST_REFUSALS = 200;

export interface ViewersPorts {
  spec: SessionSpec;
  journal: Journal;
  clock: Clock;
  log: Log;
  /** The work exists only after the viewers do. */
  work(): Work;
  row(): SessionRow;
  inquiries(): WaitingInquiry[];
  command(viewer: Viewer, name: string, args: Record<string, unknown>): Promise<unknown>;
  /** Somebody came, went, showed or hid. */
  changed(): void;
  /** The run this session is tied to vanished. */
  tieLost(why: string): void;
  over(): boolean;
}

export class Viewers implements Iterable<Viewer> {
  readonly driver: DriverLease;
  readonly #ports: ViewersPorts;
  #all = new Set<Viewer>();
  #tied: Viewer | 'waiting' | undefined;
  /** Whose keys were ignored since the driver changed. */
  #toldIgnored = new WeakMap<Viewer, number>();
  #tiedLive: () => void = () => undefined;
  /** Whether the agent itself wants to hear when its terminal is in front. */
  readonly #wish = new FocusWish();

  constructor(ports: ViewersPorts) {
    this.#ports = ports;
    this.driver = new DriverLease(ports.journal);
    this.#tied = ports.spec.seat.tied ? 'waiting' : undefined;
    ports.journal.subscribe((entry: Entry) => {
      this.each((viewer) => viewer.outbox?.entry(entry));
      if (entry.type === 'driver.changed') this.#tellDriver();
      if (entry.type === 'inquiry.moved') this.#call(entry.data);
    });
  }

  [Symbol.iterator](): Iterator<Viewer> {
    return this.#all.values();
  }

  /** Who sees it. The hub's own link and one that only waits for news show nobody anything: whoever looks has another. */
  get attached(): number {
    const sees = ({ request }: Viewer) => request && (request.bytes || (request.visible && request.kind !== 'web'));
    return [...this.#all].filter(sees).length;
  }

  get log(): Log {
    return this.#ports.log;
  }

  /** The viewer whose end is the session's end, if it is here. */
  get tied(): Viewer | undefined {
    return this.#tied instanceof Viewer ? this.#tied : undefined;
  }

  accept(link: Link, entrance: Entrance): void {
    const viewer = new Viewer(link, entrance, this.#viewerPorts());
    this.#all.add(viewer);
    this.#ports.log.log('info', 'link opened', { viewer: viewer.id });
  }

  each(call: (viewer: Viewer) => void): void {
    for (const viewer of this.#all) call(viewer);
  }

  /** The agent's output, to everyone who sees it. */
  show(offset: number, bytes: Uint8Array): void {
    this.#wish.saw(bytes);
    for (const viewer of this.#all) viewer.outbox?.output(offset, bytes);
  }

  /** Lets a tied session live on without the viewer that started it: parked, or detached on purpose. */
  untie(): void {
    this.#tied = undefined;
  }

  /** A foreground session begins when its viewer sees it: nothing is missed, and no agent starts for nobody. */
  first(): Promise<boolean> {
    if (this.#tied !== 'waiting') return Promise.resolve(true);
    return new Promise((resolve) => {
      const cancel = this.#ports.clock.after(TIE_WAIT_MS, () => resolve(false));
      this.#tiedLive = () => {
        cancel();
        resolve(true);
      };
    });
  }

  /** Gives the keys, and with them the size, to a viewer that drives now. */
  drives(viewer: Viewer, request: AttachRequest | undefined = viewer.request): void {
    const work = this.#ports.work();
    work.driverSees(request?.kind === 'terminal');
    if (!request?.size) return;
    work.resize(request.size);
    this.tellSize(request.size);
  }

  tellSize(size: Size): void {
    this.each((viewer) => {
      if (viewer.request) viewer.tell(size);
    });
  }

  tellPaused(paused: boolean): void {
    this.each((viewer) => {
      if (viewer.request) viewer.tellPaused(paused);
    });
  }

  /** The last words to everyone who watches. */
  async farewell(words: { reason: string; exitCode: number }): Promise<void> {
    await Promise.all([...this.#all].map((viewer) => viewer.end(words.reason, words.exitCode)));
  }

  readonly #catchUp: CatchUp = async (from, wants) => {
    const { journal } = this.#ports;
    const output = this.#ports.work().terminal;
    const since = from.seq ?? journal.seq;
    // A long story comes page by page, the screen with the last of it.
    const isFar = wants.entries && journal.seq - since > PAGE_ENTRIES;
    const bytes = wants.bytes && output && !isFar ? await output.since(from.offset) : undefined;
    // Entries last, without waiting again: what is read now and what is subscribed to meets without a gap.
    const page = wants.entries ? journal.page({ since, limit: PAGE_ENTRIES }) : undefined;
    const entries: Frame[] = (page?.entries ?? []).map((entry) => ({ kind: 'json', json: { t: 'entry', entry } }));
    const more = page?.more === true;
    const offset = bytes?.offset ?? (isFar ? undefined : (output?.offset ?? 0));
    return {
      frames: [...entries, ...(bytes?.frame ? [bytes.frame] : [])],
      at: { seq: more ? page.entries.at(-1)!.seq : journal.seq, ...(offset === undefined ? {} : { offset }) },
      more,
    };
  };

  #viewerPorts(): ViewerPorts {
    const { spec, clock, command, changed } = this.#ports;
    return {
      session: spec.id,
      version: spec.reins,
      clock,
      catchUp: this.#catchUp,
      attach: (viewer, request) => this.#attach(viewer, request),
      command,
      input: (viewer, bytes) => this.#input(viewer, bytes),
      // Who drives, and the run that started it, see everything; without a screen there is nothing else to show.
      isSpared: (viewer) =>
        this.driver.holder !== viewer.id && this.#tied !== viewer && this.#ports.work().terminal?.screen !== undefined,
      rights: (viewer) => {
        const drives = this.driver.holder === viewer.id;
        return {
          mayAnswer: drives && spec.mode !== 'autonomous',
          mayCopy: drives && spec.config.cli.clipboard === 'driver',
          keepsFocus: true,
        };
      },
      changed,
      refused: (viewer, what, need, access) => this.#refused(viewer, what, need, access),
      left: (viewer, how, untie) => this.#left(viewer, how, untie),
    };
  }

  /** Keys of one viewer count. Nobody's: the first who may and types has them. Another's: ignored, and it is told once. */
  #input(viewer: Viewer, sent: Uint8Array): void {
    const { driver } = this;
    const { rest, focused = viewer.focused } = withoutFocus(sent);
    viewer.focused = focused;
    const bytes = this.#wish.wants ? sent : rest;
    if (bytes.length === 0) return;
    if (!viewer.gate.may(LINK_RIGHTS.input)) {
      if (isTyped(bytes)) this.#ignored(viewer, () => this.#refused(viewer, 'to type', LINK_RIGHTS.input));
      return;
    }
    if (driver.holder !== viewer.id && isTyped(bytes)) {
      if (viewer.request?.role === 'driver' && driver.ask(viewer.id, { take: false })) this.drives(viewer);
      else this.#ignored(viewer);
    }
    if (driver.holder !== viewer.id) return;
    // The host answers the agent's questions to its terminal: a page that shows it would answer them once more.
    const typed = viewer.request?.kind === 'web' ? withoutAnswers(bytes) : bytes;
    if (typed.length > 0) this.#ports.work().input(typed, viewer.id);
  }

  /** Not with every key; but what was told may be drawn over by then. */
  #ignored(viewer: Viewer, also: () => void = () => undefined): void {
    const now = this.#ports.clock.now();
    if (now - (this.#toldIgnored.get(viewer) ?? Number.NEGATIVE_INFINITY) < IGNORED_AGAIN_MS) return;
    this.#toldIgnored.set(viewer, now);
    if (viewer.request) viewer.tellDriver(this.driver.holder, this.#driverName);
    also();
  }

  /** A paired device has one that people know. */
  get #driverName(): string | undefined {
    const { who } = [...this.#all].find(({ id }) => id === this.driver.holder)?.gate.access ?? {};
    return who?.kind === 'device' ? who.name : undefined;
  }

  #refusals = 0;

  /** On record, and bounded: whoever is refused can ask for ever. */
  #refused({ gate }: Viewer, what: string, need: Right, access: Access = gate.access): void {
    this.#refusals += 1;
    if (this.#refusals > MOST_REFUSALS) return;
    const { who, may, why } = access;
    const last = this.#refusals === MOST_REFUSALS ? ' Further ones are not noted.' : '';
    this.#ports.journal.append('notice', {
      level: 'warn',
      code: 'refused',
      text: `${who.name} (${who.kind}) was refused: ${what} takes the right ${need}, it has ${may}${why ? `: ${why}` : ''}.${last}`,
      facts: { what, need, may, who },
    });
  }

  /** A person who looks at the terminal sees it there; one of which nothing is known may be looking. */
  #call({ stage }: EntryPayload<'inquiry.moved'>): void {
    if (stage !== 'asking' && stage !== 'deferred') return;
    this.each((viewer) => {
      if (viewer.focused === false && viewer.answers === 'screen') viewer.tellCall();
    });
  }

  #tellDriver(): void {
    this.#toldIgnored = new WeakMap();
    const name = this.#driverName;
    this.each((viewer) => {
      if (viewer.request) viewer.tellDriver(this.driver.holder, name);
    });
  }

  #attach(viewer: Viewer, request: AttachRequest): Omit<Extract<Down, { t: 'attached' }>, 't' | 'viewer'> {
    const { journal } = this.#ports;
    if (request.tie && this.#tied === 'waiting') {
      this.#tied = viewer;
      void viewer.live.then(() => this.#tiedLive());
    }
    const { kind, role, name, visible } = request;
    const { who, may } = viewer.gate.access;
    const person = `${who.kind} ${who.name}`;
    this.#ports.log.log('info', 'attached', { viewer: viewer.id, kind, role, name, visible, who: person, may });
    journal.append('viewer.attached', {
      viewer: viewer.id,
      kind: request.kind,
      role: request.role,
      who: viewer.gate.access.who,
      may: viewer.gate.access.may,
      ...(request.name ? { name: request.name } : {}),
    });
    if (request.role === 'driver' && this.driver.ask(viewer.id, { take: request.take === true })) {
      this.drives(viewer, request);
    }
    const { terminal } = this.#ports.work();
    return {
      session: this.#ports.row(),
      driver: this.driver.holder,
      ...(this.#driverName === undefined ? {} : { driver_name: this.#driverName }),
      inquiries: this.#ports.inquiries(),
      cursor: { seq: journal.seq, offset: terminal?.offset ?? 0 },
      size: terminal?.screen?.size ?? null,
      focus: true,
    };
  }

  #left(viewer: Viewer, how: 'detached' | 'lost', untie: boolean): void {
    const { journal, over, tieLost, changed } = this.#ports;
    this.#all.delete(viewer);
    this.#ports.log.log('info', 'link closed', { viewer: viewer.id, how, left: this.#all.size });
    const wasTied = this.#tied === viewer;
    if (wasTied) this.#tied = undefined;
    if (over()) return;
    if (viewer.request) journal.append('viewer.left', { viewer: viewer.id, how });
    if (this.driver.holder === viewer.id) {
      this.driver.release(viewer.id);
      this.#ports.work().driverSees(false);
    }
    if (wasTied && untie) this.#ports.work().untied?.();
    else if (wasTied) tieLost('its terminal went away');
    changed();
  }
}
