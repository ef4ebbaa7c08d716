/** The end of an iteration: was it done, was completion claimed, do the gates agree. Part of `reduce`. */
import type { Outcome } from '../contract/index.js';
import { NOT_CLAIMED } from './completion.js';
import { missingEvents } from './evolve-iteration.js';
import type { Claim, FactOf } from './facts.js';
import { isOutage, outageSeen, recovered } from './reduce-outage.js';
import { proceed } from './reduce-start.js';
import { findHat } from './settings.js';
import type { GateResult, LoopState } from './state.js';
import { finish, put, type Step } from './step.js';

type Completion = Claim & { accepted: boolean };

export function iterationEnded(step: Step, fact: FactOf<'iteration-ended'>): void {
  const { phase, goal, settings } = step.state;
  const running = step.state.current;
  if (!running || (phase !== 'working' && phase !== 'stopping')) return;
  // A late exit of an older agent process must not touch the new one.
  if (fact.iteration !== running.iteration || (fact.attempt ?? running.attempt) !== running.attempt) return;
  if (step.state.parked) put(step, { type: 'loop.resumed', data: { level: 'info', text: 'the agent ended' } });
  put(step, { type: 'agent.ended', data: figures(fact) });
  const ok = fact.exit === 'ok';
  const claim = claimOf(step.state, fact);

  if (goal && !(ok && goal.outcome === 'limit')) {
    const reason = claim.claimed ? `${claim.reason}, not judged: ${goal.reason}` : claim.reason;
    end(step, fact, {
      outcome: ok ? 'completed' : 'stopped',
      reason: goal.reason,
      completion: { ...claim, accepted: false, reason },
    });
    finish(step, goal);
    return;
  }
  if (!ok && running.limit && !settings.once) {
    recovered(step); // it was reached, and refused
    end(step, fact, { outcome: 'parked', reason: running.limit.message });
    proceed(step);
    return;
  }
  if (isOutage(step.state, fact)) {
    outageSeen(step, fact);
    end(step, fact, { outcome: 'parked', reason: `cannot reach the model: ${step.state.outage?.message}` });
    proceed(step);
    return;
  }
  recovered(step);
  if (!ok) {
    const outcome = fact.exit === 'timed-out' ? 'timed-out' : 'failed';
    const why = fact.reason ?? running.limit?.message;
    const reason = claim.claimed
      ? `${claim.reason}, refused because the iteration ${outcome === 'failed' ? 'failed' : 'timed out'}`
      : claim.reason;
    end(step, fact, {
      outcome,
      ...(why === undefined ? {} : { reason: why }),
      completion: { ...claim, accepted: false, reason },
    });
    if (fact.fatal) finish(step, { outcome: 'failed', exitCode: 1, reason: why ?? 'the agent could not work' });
    else proceed(step);
    return;
  }
  const missing = claim.claimed && !settings.once ? missingEvents(step.state) : [];
  if (missing.length > 0) {
    const reason = `${claim.reason}, refused because a required event is missing: ${missing.join(', ')}`;
    end(step, fact, { outcome: 'completed', completion: { claimed: true, accepted: false, reason } });
    proceed(step);
    return;
  }
  if ((claim.claimed || settings.once) && settings.gates.length > 0) {
    const text = `${claim.claimed ? `completion ${claim.reason}` : 'the agent finished'}; running gates: ${settings.gates.join(', ')}`;
    const facts = {
      how: claim.reason,
      claimed: claim.claimed,
      ...(fact.tree === undefined ? {} : { tree: fact.tree }),
    };
    put(step, { type: 'loop.judging', data: { level: 'info', text, ...facts } });
    step.effects.push({ do: 'run-gates', iteration: running.iteration, gates: settings.gates });
    return;
  }
  end(step, fact, { outcome: 'completed', completion: { ...claim, accepted: claim.claimed } });
  proceed(step);
}

/** A claim by an event stands, whatever the last line says; a silent hat may claim by its `default_publishes`. */
function claimOf({ current, settings }: LoopState, fact: FactOf<'iteration-ended'>): Claim {
  if (current?.claim !== undefined) return { claimed: true, reason: current.claim };
  const claim = fact.claim ?? { claimed: false, reason: NOT_CLAIMED };
  const silent = fact.exit === 'ok' && !claim.claimed && current?.kept.length === 0;
  return silent && findHat(settings, current?.hat)?.defaultPublishes === settings.promise
    ? { claimed: true, reason: `claimed by default_publishes of hat ${current?.hat}` }
    : claim;
}

export function gatesRan(step: Step, fact: FactOf<'gates-ran'>): void {
  const { phase, current, settings } = step.state;
  if (phase !== 'judging' || !current || fact.iteration !== current.iteration) return;
  const unrun = settings.gates.filter((gate) => !fact.results.some((result) => result.gate === gate));
  const missing = unrun.map((gate) => ({ gate, ok: false, exitCode: null, seconds: 0, tail: 'it did not run' }));
  const results: GateResult[] = [...fact.results, ...missing];
  for (const { gate, ok, exitCode, seconds, tail, outputFile } of results) {
    const said = {
      ...(tail === undefined ? {} : { tail }),
      ...(outputFile === undefined ? {} : { output_file: outputFile }),
    };
    put(step, { type: 'gate.ran', data: { gate, ok, exit_code: exitCode, seconds, ...said } });
  }
  const failed = results.find((result) => !result.ok);
  const claimed = current.claim !== undefined;
  const how = current.claim ?? 'the agent finished';
  const reason = failed
    ? `${how}, refused because gate \`${failed.gate}\` failed${failed.exitCode === null ? '' : ` (exit ${failed.exitCode})`}`
    : `${how}${settings.gates.length === 0 ? '' : `; gates passed: ${settings.gates.join(', ')}`}`;
  end(step, {}, { outcome: 'completed', completion: { claimed, accepted: claimed && !failed, reason } });
  proceed(step);
}

function end(
  step: Step,
  fact: { tree?: string },
  how: { outcome: Outcome; reason?: string; completion?: Completion },
): void {
  const current = step.state.current!;
  const { costUsd } = current.usage;
  const tree = fact.tree ?? current.tree;
  const data = {
    iteration: current.iteration,
    ...how,
    seconds: Math.max(0, step.at - current.startedAt) / 1000,
    ...(costUsd > 0 ? { cost_usd: costUsd } : {}),
    ...(tree === undefined ? {} : { tree }),
  };
  put(step, { type: 'iteration.ended', data });
}

export function figures(fact: { costUsd?: number; inputTokens?: number; outputTokens?: number }) {
  return {
    ...(fact.costUsd === undefined ? {} : { cost_usd: fact.costUsd }),
    ...(fact.inputTokens === undefined ? {} : { input_tokens: fact.inputTokens }),
    ...(fact.outputTokens === undefined ? {} : { output_tokens: fact.outputTokens }),
  };
}
