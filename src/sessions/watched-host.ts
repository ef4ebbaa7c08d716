/**
 * One living host, followed over one link that stays open: its row and what waits there, as of its last word. What it
 * journals drives it; it is asked anew, over the same link, when an entry says that something changed.
 */
import {
  type By,
  type Entry,
  nameOf,
  type Presence,
  ReinsError,
  type SessionRow,
  type WaitingInquiry,
} from '../contract/index.js';
import type { HostClient, Place } from '../link/index.js';
import { connectTo, GREETING_MS, isStopped, rowFromFiles, SILENT_DETAIL } from './find.js';
import type { Where } from './where.js';

/**
 * Entries after which a row or the inbox is another. One that was opened may be settled by a rule and wait for nobody: that it
 * waits is said by `inquiry.moved`, its first stage included.
 */
const TELLING = /^(inquiry|state|iteration|session|hat)\./;

/** Entries of which an agent that talks writes many: its row is asked for once in a while, and always after the last. */
const TALKING = /^(agent\.text$|usage\.)/;
const TALKING_MS = 1_000;

/** How inquiries ended, for who is told later: more never end at once. */
const MOST_ENDS = 100;

/** How one came to its end: in words, by whom, and when. */
export interface SettledHow {
  how: string;
  by?: string;
  at: string;
}

/** People who may answer elsewhere: the host asks anew for each inquiry. */
export interface WatchPeople {
  now(session: string): Presence;
  /** Called when it may have changed for some; returns how to hear no more of it. */
  changed(call: () => void): () => void;
}

export interface WatchedPorts {
  where: Where;
  place: Place;
  /** For who lets people answer. */
  people?: WatchPeople | undefined;
  changed(): void;
  /** Its link is gone, and why. Called once. */
  gone(error: ReinsError | undefined): void;
}

export class WatchedHost {
  readonly #ports: WatchedPorts;
  #said: SessionRow | undefined;
  /** What its files say of one that has not said anything. */
  #written: SessionRow | undefined;
  inquiries: WaitingInquiry[] = [];
  /** Stopped or stuck: what is said of it is old. */
  silent = false;
  #client: HostClient | undefined;
  #asking: Promise<void> | undefined;
  #again = false;
  #askedAt = Number.NEGATIVE_INFINITY;
  /** A row that is asked for a little later. */
  #soon: NodeJS.Timeout | undefined;
  readonly #ends = new Map<string, SettledHow>();
  #wasPresent = false;
  #noPeople: () => void = () => undefined;
  #isGone = false;
  /** When its first word came, or it is known to be silent or gone. Never rejects. */
  readonly settled: Promise<void>;
  #settle: () => void = () => undefined;

  constructor(ports: WatchedPorts) {
    this.#ports = ports;
    this.settled = new Promise((resolve) => {
      this.#settle = resolve;
    });
    void this.#open();
  }

  /** Its own words, if it has said any. */
  get row(): SessionRow | undefined {
    return this.#said ?? this.#written;
  }

  async #open(): Promise<void> {
    const { where, place, people } = this.#ports;
    // However long one waits for it, it says nothing.
    if (isStopped(place)) this.#silent(true);
    const late = setTimeout(() => this.#silent(true), GREETING_MS);
    try {
      const client = await connectTo(where, place, {
        entry: (entry) => this.#entry(entry),
        end: () => this.#gone(undefined),
        closed: (reason) => this.#gone(new ReinsError('HOST_LOST', { session: place.id, reason })),
        ...(people ? { presence: async () => people.now(place.id) } : {}),
      });
      this.#client = client;
      if (this.#isGone) client.close();
      // Without people behind it, it is neither seen by anyone nor able to answer: it counts for nobody's presence.
      const quiet = { role: 'watcher', visible: false, bytes: false, entries: true } as const;
      const attached = await client.attach({
        kind: people ? 'web' : 'api',
        ...(people ? { name: 'the hub' } : {}),
        ...quiet,
        answers: people ? 'tty' : 'no',
      });
      if (people) {
        this.#people(people);
        this.#noPeople = people.changed(() => this.#people(people));
      }
      this.#said = attached.session;
      client.ready();
      clearTimeout(late);
      this.#silent(false);
      await this.#ask();
    } catch (error) {
      this.#gone(error as ReinsError);
    } finally {
      clearTimeout(late);
      this.#settle();
    }
  }

  #entry(entry: Entry): void {
    if (entry.type === 'inquiry.answered') {
      const { inquiry, verdict, by } = entry.data.answer;
      this.#end(inquiry, { how: HOW[verdict.kind], by: byWords(by), at: entry.ts });
    } else if (entry.type === 'inquiry.closed') {
      const { inquiry, reason = entry.data.how, by } = entry.data;
      this.#end(inquiry, { how: reason, ...(by ? { by: byWords(by) } : {}), at: entry.ts });
    }
    if (TELLING.test(entry.type)) void this.#ask();
    else if (TALKING.test(entry.type)) this.#askSoon();
  }

  #askSoon(): void {
    if (this.#soon !== undefined || this.#isGone) return;
    const ms = this.#askedAt + TALKING_MS - performance.now();
    if (ms <= 0) void this.#ask();
    else this.#soon = setTimeout(() => void this.#ask(), ms);
  }

  /** The first word about it counts: an answer, not that it was delivered. */
  #end(inquiry: string, how: SettledHow): void {
    if (this.#ends.has(inquiry)) return;
    this.#ends.set(inquiry, how);
    if (this.#ends.size > MOST_ENDS) this.#ends.delete(this.#ends.keys().next().value!);
  }

  endOf(inquiry: string): SettledHow | undefined {
    return this.#ends.get(inquiry);
  }

  /** The host looks again at who is there when a viewer is shown or hidden, so that is how it is told. */
  #people(people: WatchPeople): void {
    const { present } = people.now(this.#ports.place.id);
    if (present === this.#wasPresent) return;
    this.#wasPresent = present;
    this.#client?.visible(present);
  }

  /** However many entries came meanwhile, one more question. */
  async #ask(): Promise<void> {
    if (this.#asking) {
      this.#again = true;
      return;
    }
    this.#asking = this.#askOnce();
    await this.#asking;
    this.#asking = undefined;
    if (!this.#again) return;
    this.#again = false;
    await this.#ask();
  }

  async #askOnce(): Promise<void> {
    const client = this.#client;
    if (!client || !this.#said) return;
    // What was to be asked later is asked now.
    clearTimeout(this.#soon);
    this.#soon = undefined;
    this.#askedAt = performance.now();
    const late = setTimeout(() => this.#silent(true), GREETING_MS);
    try {
      const [row, inquiries] = await Promise.all([client.command('summary'), client.command('inbox')]);
      this.#said = row;
      this.inquiries = inquiries;
      clearTimeout(late);
      this.#silent(false);
      this.#ports.changed();
    } catch {
      // Its end is told by its link.
    } finally {
      clearTimeout(late);
    }
  }

  /** Now and then: one that was stopped says nothing of it, and one that is stuck only shows when it is asked. */
  look(asks: boolean): void {
    if (isStopped(this.#ports.place)) this.#silent(true);
    else if (asks || this.silent) void this.#ask();
  }

  #silent(silent: boolean): void {
    if (silent) this.#settle();
    if (this.silent === silent || this.#isGone) return;
    this.silent = silent;
    // One that was silent from the beginning is there all the same.
    if (!this.#said) this.#written = rowFromFiles(this.#ports.place, SILENT_DETAIL);
    this.#ports.changed();
  }

  #gone(error: ReinsError | undefined): void {
    if (this.#isGone) return;
    this.close();
    this.#ports.gone(error);
  }

  /** Nobody wants to know any more. */
  close(): void {
    this.#isGone = true;
    clearTimeout(this.#soon);
    this.#noPeople();
    this.#client?.close();
    this.#settle();
  }
}

const HOW = { allow: 'allowed', deny: 'denied', values: 'answered' } as const;

/** A device or person by its own name, anything else as the journal names it. */
const byWords = (by: By): string => (by.kind === 'viewer' && by.who?.kind === 'device' ? by.who.name : nameOf(by));
