/** Whether any rule could allow a tool at all: what can be said before the rules' own code is loaded. A no is certain. */
import { canonicalTool, isAbout, isRuleError, parseRule } from '../policy/about.js';
import type { PolicySettings } from '../policy/index.js';

/** Tools for which only rules, grants and trust speak: no list of ours does. */
const DOING = new Set(['Bash', 'Edit', 'WebFetch', 'WebSearch']);

export function mayAllow({ trust, grants, rules }: Readonly<PolicySettings>, tool: string): boolean {
  if (trust.value === 'full' || grants.length > 0 || !DOING.has(canonicalTool(tool))) return true;
  const allowing = rules.filter(({ effect }) => effect === 'allow').map(({ text }) => parseRule(text));
  return allowing.some((rule) => !isRuleError(rule) && isAbout(rule, tool));
}
