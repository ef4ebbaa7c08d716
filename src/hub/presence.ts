/**
 * Whether a person is at one of the pages, and by what one could be fetched: what the hub answers when a host asks for it. A page
 * counts while it is shown and was touched a moment ago, and only for sessions that its device sees and may answer.
 */
import { allows, type Presence, type Right, type SessionRow } from '../contract/index.js';
import type { WatchPeople } from '../sessions/index.js';

/** Someone who may look at pages: a page that is open, or a device that can be called. */
export interface Person {
  name: string;
  right: Right;
  sees(row: SessionRow): boolean;
}

export interface PagePerson extends Person {
  device: { id: string };
  visible: boolean;
  touchedAt: number;
}

export interface PresencePorts {
  now(): number;
  /** `presence.web_idle_secs` */
  idleMs: number;
  row(session: string): SessionRow | undefined;
  /** Devices that can be called by a push. */
  callable(): Iterable<Person>;
}

export class PagePeople implements WatchPeople {
  readonly #ports: PresencePorts;
  readonly #pages = new Set<PagePerson>();
  readonly #listeners = new Set<() => void>();
  #timer: NodeJS.Timeout | undefined;

  constructor(ports: PresencePorts) {
    this.#ports = ports;
  }

  now(session: string): Presence {
    const row = this.#ports.row(session);
    const mayAnswer = (one: Person) => row !== undefined && allows(one.right, 'answer') && one.sees(row);
    const pages = [...this.#pages].filter(mayAnswer);
    if (pages.some((page) => this.#isHere(page))) return { present: true, reason: 'web' };
    const called = [...this.#ports.callable()].find(mayAnswer);
    const reachable = called ? `push to ${called.name}` : pages[0] && `the open page of ${pages[0].name}`;
    return { present: false, reason: 'web', ...(reachable === undefined ? {} : { reachable }) };
  }

  changed(call: () => void): () => void {
    this.#listeners.add(call);
    return () => this.#listeners.delete(call);
  }

  /** Of this device somebody looks at a page now: it need not be called. */
  isAt(isDevice: (page: PagePerson) => boolean): boolean {
    return [...this.#pages].some((page) => isDevice(page) && this.#isHere(page));
  }

  add(page: PagePerson): void {
    this.#pages.add(page);
    this.tell();
  }

  remove(page: PagePerson): void {
    this.#pages.delete(page);
    this.tell();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#listeners.clear();
  }

  /** Signs of a person at a page. Told on only if somebody is there now who was not, or the other way: each key is a sign. */
  sign(page: PagePerson, { visible, touchedAt }: Pick<PagePerson, 'visible' | 'touchedAt'>): void {
    const wasHere = this.#isHere(page);
    page.visible = visible;
    page.touchedAt = touchedAt;
    // The timer of one that stays goes off at its old time, and looks again.
    if (this.#isHere(page) !== wasHere) this.tell();
  }

  /** Somebody came or went, or a device can be called now. */
  tell(): void {
    for (const listener of [...this.#listeners]) listener();
    this.#later();
  }

  #isHere({ visible, touchedAt }: PagePerson): boolean {
    return visible && this.#ports.now() - touchedAt < this.#ports.idleMs;
  }

  /** When the next one has sat untouched for too long. */
  #later(): void {
    clearTimeout(this.#timer);
    const ends = [...this.#pages].filter((page) => this.#isHere(page)).map(({ touchedAt }) => touchedAt);
    if (ends.length === 0) return;
    const ms = Math.max(10, Math.min(...ends) + this.#ports.idleMs - this.#ports.now());
    this.#timer = setTimeout(() => this.tell(), ms);
    this.#timer.unref();
  }
}
