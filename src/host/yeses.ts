/**
 * Calls that were allowed and whose result has not come yet: a yes covers the result of that one call, once. The result
 * must be of the same call, tool and input; whatever differs is asked about on its own.
 */
import type { Answer, By, Inquiry } from '../contract/index.js';

/** An agent has few calls under way at once; what never came back is forgotten, the oldest first. */
const MOST_CALLS = 200;

type CallFacts = Pick<Inquiry, 'kind' | 'call' | 'tool' | 'input' | 'parent'>;

export class Yeses {
  #allowed = new Map<string, By>();

  answered(inquiry: CallFacts, { verdict, by }: Pick<Answer, 'verdict' | 'by'>): void {
    if (inquiry.call === undefined) return;
    if (inquiry.kind === 'deliver') {
      // One yes, one result: a second one of the same name is not covered, however the first came out.
      this.#allowed.delete(keyOf(inquiry));
      return;
    }
    if (inquiry.kind !== 'run') return;
    if (verdict.kind !== 'allow') {
      this.#forget(inquiry.call);
      return;
    }
    const ran = verdict.input === undefined ? inquiry : { ...inquiry, input: verdict.input };
    this.#allowed.set(keyOf(ran), by);
    if (this.#allowed.size > MOST_CALLS) this.#allowed.delete(this.#allowed.keys().next().value!);
  }

  /** Who allowed the call that this is the result of. */
  covering(inquiry: CallFacts): By | undefined {
    return inquiry.kind === 'deliver' && inquiry.call !== undefined ? this.#allowed.get(keyOf(inquiry)) : undefined;
  }

  /** Asked again under the same name and denied: the earlier yes is none any more. */
  #forget(call: string): void {
    const begin = JSON.stringify([call]).slice(0, -1);
    for (const key of this.#allowed.keys()) if (key.startsWith(`${begin},`)) this.#allowed.delete(key);
  }
}

const keyOf = ({ call, tool, input, parent }: CallFacts): string =>
  JSON.stringify([call, tool ?? null, parent ?? null, ordered(input) ?? null]);

/** The same fields in another order are the same input. */
function ordered(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(ordered);
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(fields.map(([name, inner]) => [name, ordered(inner)]));
}
