/**
 * The driver lease: one viewer types and owns the size, the others watch. It is given to the first who asks, taken over
 * only on purpose, and free again when its holder leaves. Every change is an entry, so that everyone sees it.
 */
import type { ViewerId } from '../contract/index.js';
import type { Journal } from '../journal/journal.js';

export class DriverLease {
  readonly #journal: Journal;
  #holder: ViewerId | null = null;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  get holder(): ViewerId | null {
    return this.#holder;
  }

  /** Asks for the keys; `take` takes them from whoever has them. Returns whether the viewer drives now. */
  ask(viewer: ViewerId, how: { take: boolean }): boolean {
    if (this.#holder === viewer) return true;
    if (this.#holder !== null && !how.take) return false;
    const because = this.#holder === null ? 'first to ask' : `taken over from ${this.#holder}`;
    this.#holder = viewer;
    this.#journal.append('driver.changed', { driver: viewer, because });
    return true;
  }

  release(viewer: ViewerId): void {
    if (this.#holder !== viewer) return;
    this.#holder = null;
    this.#journal.append('driver.changed', { driver: null, because: 'left' });
  }
}
