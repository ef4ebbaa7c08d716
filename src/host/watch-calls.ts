/** The tripwire of one session: what it is told, and what the session's end comes to when it trips. */
import type { AgentOutput } from '../contract/index.js';
import type { Journal } from '../journal/journal.js';
import { mayAllow } from './may-allow.js';
import type { Finish } from './modes/work.js';
import type { SessionPolicy } from './policy.js';
import type { Presses } from './presses.js';
import type { SessionSpec } from './spec.js';
import { Tripwire, type UngatedCall } from './tripwire.js';
import { UNGATED_EXIT, ungatedEntry, ungatedWords } from './ungated.js';

export interface Watch {
  said(output: AgentOutput): void;
  /** When all that was seen is judged: how the session ends, if something ran ungated. */
  quiet(): Promise<Finish | undefined>;
}

/** Undefined where everything is allowed: full trust without a deny rule. */
export function watchCalls(given: {
  spec: SessionSpec;
  journal: Journal;
  policy: SessionPolicy;
  presses: Presses;
  over(): boolean;
  isStopping(): boolean;
  /** The one stop path, without the polite wait: what ran ungated may still be running. */
  stop(): void;
}): Watch | undefined {
  const { spec, journal, policy, presses } = given;
  const denies = spec.rules.some((rule) => rule.effect === 'deny');
  if (!spec.agent || (spec.trust === 'full' && !denies)) return undefined;
  const agent = spec.agent.adapter;
  let ungated: Finish | undefined;
  const trip = (found: UngatedCall): void => {
    if (given.over()) return;
    const facts = { found, session: spec.id, cwd: spec.cwd, agent };
    const entry = ungatedEntry(facts);
    const { reason, advice, notice } = ungatedWords(facts, entry);
    ungated = { outcome: 'ungated', exitCode: UNGATED_EXIT, reason, advice };
    // On record first, then acted upon.
    journal.append('ungated', entry);
    journal.append('notice', { level: 'error', code: 'ungated', text: notice });
    given.stop();
  };
  const tripwire = new Tripwire({
    presses,
    trip,
    mayAllow: (tool) => mayAllow(policy.settings, tool),
    isStopping: () => given.isStopping(),
    warmUp: () => policy.warmUp(),
    allowedByRules: (call, answered) => policy.allows(call, answered),
  });
  journal.subscribe((entry) => tripwire.entry(entry));
  return {
    said: (output) => tripwire.said(output),
    async quiet() {
      await tripwire.quiet();
      return ungated;
    },
  };
}
