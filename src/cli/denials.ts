/**
 * One denial is several entries: the notice with the way to allow it, the answer, the tool's failure, and at the end the
 * agent's own account. This remembers which of them a reader has been told already. It prints nothing.
 */
import type { EntryPayload, Inquiry } from '../contract/index.js';

const MOST_RULES = 8;

export class Denials {
  /** Inquiry → the call it is about. */
  readonly #calls = new Map<string, string | undefined>();
  readonly #denied = new Set<string>();
  #isTold = false;
  #any = false;
  /** What would have allowed them, from the start of this leg on. */
  readonly #rules = new Set<string>();

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
    if (notice.code === 'denied') {
      this.#isTold = true;
      for (const rule of rulesIn(notice.facts?.fix)) if (this.#rules.size < MOST_RULES) this.#rules.add(rule);
    }
    return notice.code === 'loop.denied' || (this.#any && notice.text.startsWith('not permitted: '));
  }

  /** As `--set rules.allow=…` takes them; undefined: no rule would allow what was denied. */
  get allowing(): string | undefined {
    return this.#rules.size === 0 ? undefined : JSON.stringify([...this.#rules]);
  }

  /** Another leg: what was in the way of the last one may be allowed by now. */
  begin(): void {
    this.clear();
    this.#rules.clear();
  }

  clear(): void {
    this.#calls.clear();
    this.#denied.clear();
    this.#isTold = false;
    this.#any = false;
  }
}

/** Of the line that would allow a call, `rules: {allow: ["Bash(npm test)"]}`. */
function rulesIn(fix: unknown): string[] {
  const list = /^rules: \{allow: (\[.*\])\}$/s.exec(typeof fix === 'string' ? fix : '')?.[1];
  try {
    return list === undefined ? [] : (JSON.parse(list) as string[]);
  } catch {
    return []; // cut short, or another build's
  }
}
