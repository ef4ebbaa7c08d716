/**
 * Processes that are none of ours and never will be, remembered from one look at the machine to the next: a loop looks
 * after every agent, and nearly all it would read is what it read before. Only who is older than we are is remembered, for
 * nobody we start can be its ancestor, its session or its group; and only if it did not carry the mark when it was read. The
 * surprising thing: a number proves nothing, it is used again. The badge is what the kernel gave this very process.
 */
import { type Badge, isDead, type ProcessRow, type ProcessTable } from './table.js';

export class Strangers {
  readonly #table: ProcessTable;
  readonly #since: number;
  #known = new Map<number, Badge>();
  /** Of the look that is being taken: who was met again, and the badges of who was not. */
  #met = new Map<number, Badge>();
  readonly #fresh = new Map<number, Badge>();

  /** `us`: who starts whatever may carry the mark. */
  constructor({ table, us = process.pid }: { table: ProcessTable; us?: number }) {
    this.#table = table;
    this.#since = table.row(us)?.startTicks ?? Number.NEGATIVE_INFINITY;
  }

  /** Asked right before a process would be read, and the badge taken before anything else: one that comes after has another. */
  isMet(pid: number): boolean {
    const badge = this.#table.badge?.(pid);
    if (!badge) return false;
    const known = this.#known.get(pid);
    const isSame = known !== undefined && known.inode === badge.inode && known.madeAt === badge.madeAt;
    (isSame ? this.#met : this.#fresh).set(pid, badge);
    return isSame;
  }

  /** The look is over; these rows were read, and are none of ours. Who was not met is forgotten. Returns who was. */
  learn(others: Iterable<ProcessRow>): Iterable<number> {
    const met = [...this.#met.keys()];
    this.#known = this.#met;
    this.#met = new Map();
    for (const row of others) {
      const badge = this.#fresh.get(row.pid);
      if (badge && row.startTicks < this.#since && !isDead(row)) this.#known.set(row.pid, badge);
    }
    this.#fresh.clear();
    return met;
  }
}
