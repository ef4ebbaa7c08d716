/**
 * One living host, followed over one link that stays open: its row and what waits there, as of its last word. What it
 * journals drives it; it is asked anew, over the same link, when an entry says that something changed.
 */
import { type Entry, ReinsError, type SessionRow, type WaitingInquiry } from '../contract/index.js';
import type { HostClient, Place } from '../link/index.js';
import { connectTo, GREETING_MS, isStopped } from './find.js';
import type { Where } from './where.js';

/** Entries after which a row or the inbox is another. */
const TELLING = /^(inquiry|state|iteration|session|hat)\./;

/** Policy decides at once, or asks whether a person is there. */
const ROUTING_MS = 250;

export interface WatchedPorts {
  where: Where;
  place: Place;
  changed(): void;
  /** Its link is gone, and why. Called once. */
  gone(error: ReinsError | undefined): void;
}

export class WatchedHost {
  readonly #ports: WatchedPorts;
  row: SessionRow | undefined;
  inquiries: WaitingInquiry[] = [];
  /** Stopped or stuck: what is said of it is old. */
  silent = false;
  #client: HostClient | undefined;
  #asking: Promise<void> | undefined;
  #again = false;
  /** Opened, and policy is still being asked about them: whether they wait is not said by any entry. */
  readonly #routing = new Set<string>();
  #soon: NodeJS.Timeout | undefined;
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

  async #open(): Promise<void> {
    const { where, place } = this.#ports;
    const late = setTimeout(() => this.#silent(true), GREETING_MS);
    try {
      const client = await connectTo(where, place, {
        entry: (entry) => this.#entry(entry),
        end: () => this.#gone(undefined),
        closed: (reason) => this.#gone(new ReinsError('HOST_LOST', { session: place.id, reason })),
      });
      this.#client = client;
      if (this.#isGone) client.close();
      // Neither seen by anyone nor able to answer: it counts for nobody's presence.
      const quiet = { role: 'watcher', visible: false, bytes: false, entries: true, answers: 'no' } as const;
      const attached = await client.attach({ kind: 'api', ...quiet });
      this.row = attached.session;
      for (const { id } of attached.inquiries) this.#routing.add(id);
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
    if (entry.type === 'inquiry.opened') this.#routing.add(entry.data.inquiry.id);
    if (entry.type === 'inquiry.answered') this.#routing.delete(entry.data.answer.inquiry);
    if (entry.type === 'inquiry.closed') this.#routing.delete(entry.data.inquiry);
    if (TELLING.test(entry.type)) void this.#ask();
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
    if (!client || !this.row) return;
    const late = setTimeout(() => this.#silent(true), GREETING_MS);
    try {
      const [row, inquiries] = await Promise.all([client.command('summary'), client.command('inbox')]);
      this.row = row;
      this.inquiries = inquiries;
      for (const { id } of inquiries) this.#routing.delete(id);
      clearTimeout(this.#soon);
      if (this.#routing.size > 0) this.#soon = setTimeout(() => void this.#ask(), ROUTING_MS);
      clearTimeout(late);
      this.#silent(false);
      this.#ports.changed();
    } catch {
      // Its end is told by its link.
    } finally {
      clearTimeout(late);
    }
  }

  /** Now and then: one that was stopped says nothing of it. */
  look(): void {
    if (isStopped(this.#ports.place)) this.#silent(true);
    else void this.#ask();
  }

  #silent(silent: boolean): void {
    if (silent) this.#settle();
    if (this.silent === silent || this.#isGone) return;
    this.silent = silent;
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
    this.#client?.close();
    this.#settle();
  }
}
