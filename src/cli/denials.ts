/**
 * One denial is several entries: the notice with the way to allow it, the answer, the tool's failure, and at the end the
 * agent's own account. This remembers which of them a reader has been told already. It prints nothing.
 */
import type { EntryPayload, Inquiry } from '../contract/index.js';

export class Denials {
  /** Inquiry → the call it is about. */
  readonly #calls = new Map<string, string | undefined>();
  readonly #denied = new Set<string>();
  #isTold = false;
  #any = false;

  opened(inquiry: Inquiry): void {
    this.#calls.set(inquiry.id, inquiry.call);
  }

  /** Denied: whether its notice has just been shown. */
  answered(inquiry: string): boolean {
    const call = this.#calls.get(inquiry);
    this.#calls.delete(inquiry);
    if (call !== undefined) this.#denied.add(call);
    this.#any = true;
    const isTold = this.#isTold;
    this.#isTold = false;
    return isTold;
  }

  isDenied(call: string): boolean {
    return this.#denied.delete(call);
  }

  /** A notice that only repeats: the loop's count, and the agent's list of what it was not permitted. */
  isKnown(notice: EntryPayload<'notice'>): boolean {
    if (notice.code === 'denied') this.#isTold = true;
    return notice.code === 'loop.denied' || (this.#any && notice.text.startsWith('not permitted: '));
  }

  clear(): void {
    this.#calls.clear();
    this.#denied.clear();
    this.#isTold = false;
    this.#any = false;
  }
}
