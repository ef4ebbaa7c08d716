/** The entry a session ends with: how, why, what to do next, and what it came to. */
import type { EntryPayload } from '../contract/index.js';
import type { Finish, Work } from './modes/work.js';

type EndFacts = ReturnType<Work['facts']> & { inquiries: number };

export function endOf(finish: Finish, facts: EndFacts): EntryPayload<'session.ended'> {
  const { iteration, costUsd, inputTokens, outputTokens, denied, inquiries } = facts;
  return {
    outcome: finish.outcome,
    exit_code: finish.exitCode,
    reason: finish.reason,
    ...(finish.advice === undefined ? {} : { advice: finish.advice }),
    counts: {
      iterations: iteration ?? 0,
      inquiries,
      denied,
      ...(costUsd === undefined ? {} : { cost_usd: costUsd }),
      ...(inputTokens === undefined ? {} : { input_tokens: inputTokens }),
      ...(outputTokens === undefined ? {} : { output_tokens: outputTokens }),
    },
    ...(finish.changes === undefined ? {} : { changes: finish.changes }),
  };
}
