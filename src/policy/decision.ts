/** What policy returns. Every decision names the rule it comes from. */
import type { By, RuleRef, Verdict } from '../contract/index.js';

export interface Settle {
  do: 'settle';
  verdict: Verdict;
  by: By;
  /** For the agent: what was refused, why, what it may do instead; for an allow, the rule in words. */
  reason: string;
  /** For the user, with a deny: which line of config would change it. */
  fix?: string;
  rule: RuleRef;
}

/** Another agent would have been consulted, had this not been against it. */
interface NotConsulted {
  never?: RuleRef;
}

export type DecisionStep =
  | (Settle & NotConsulted)
  | ({ do: 'ask'; rule: RuleRef } & NotConsulted)
  /** Ask another agent; `onNoAnswer` is what counts when it has no usable answer (in a ladder: the next rung). */
  | { do: 'consult'; rule: RuleRef; onNoAnswer: Settle | { do: 'defer'; rule: RuleRef } }
  /** Hold open, notify, wait. */
  | { do: 'defer'; rule: RuleRef };

/** One rung; without a time it stays until there is an answer. `because`: why rungs before it were left out. */
export type Rung = DecisionStep & { forMs?: number; because?: string };

export type Decision = DecisionStep | ({ do: 'ladder'; rungs: Rung[]; rule: RuleRef } & NotConsulted);
