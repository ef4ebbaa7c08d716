/** Rules with where they stand, and the one way to ask whether they cover all of something. */
import type { RuleRef } from '../contract/index.js';
import type { Rule } from './rules.js';

export interface ListedRule {
  rule: Rule;
  ref: RuleRef;
  /** A person gave it for one call: redirections and input must be that call's. */
  grant?: boolean;
}

/** Nothing to cover is not covered. */
export function all<T>(items: T[], cover: (item: T) => ListedRule[] | undefined): ListedRule[] | undefined {
  const found: ListedRule[] = [];
  for (const item of items) {
    const rules = cover(item);
    if (!rules) return undefined;
    found.push(...rules);
  }
  return items.length > 0 ? [...new Set(found)] : undefined;
}
