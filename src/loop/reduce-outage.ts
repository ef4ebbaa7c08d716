/** An outage of the model or the network: how it is waited out, and how it ends. Part of `reduce`. */
import type { FactOf } from './facts.js';
import type { Current, Finish, LoopState, Outage, Wait } from './state.js';
import { put, type Step } from './step.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** The first pause; it doubles with each try. An outage of a minute is over before anybody has noticed. */
const FIRST_PAUSE_MS = 10 * SECOND;
const LONGEST_PAUSE_MS = 5 * MINUTE;

/** An answer that breaks off so often in one iteration is cut by something that waiting does not change. */
const MOST_CUTS = 3;

/** Whether this end is one that is waited out. */
export function isOutage({ settings, current }: LoopState, fact: FactOf<'iteration-ended'>): boolean {
  if (fact.exit === 'ok' || !fact.outage || settings.once || settings.maxOutageMs <= 0) return false;
  return cutsOf(current, fact) < MOST_CUTS;
}

const cutsOf = (current: Current | undefined, { spoke }: { spoke?: boolean }): number =>
  (current?.cuts ?? 0) + (spoke ? 1 : 0);

/** The agent ended because of it. */
export function outageSeen(step: Step, fact: FactOf<'iteration-ended'>): void {
  const { outage, current } = step.state;
  const message = fact.reason ?? 'no reason given';
  const cuts = cutsOf(current, fact);
  const tries = (outage?.tries ?? 0) + 1;
  const facts = { message, since: outage?.since ?? step.at, tries, ...(cuts > 0 ? { cuts } : {}) };
  put(step, { type: 'loop.outage', data: { level: 'warn', text: `cannot reach the model: ${message}`, ...facts } });
}

export function recovered(step: Step): void {
  const { outage } = step.state;
  if (!outage) return;
  const ms = Math.max(0, step.at - outage.since);
  const tried = outage.tries === 1 ? 'once' : `${outage.tries} times`;
  const text = `the model answers again, after ${span(ms)} (tried ${tried} in vain)`;
  put(step, { type: 'loop.recovered', data: { level: 'info', text, seconds: ms / SECOND, tries: outage.tries } });
}

/** Contract: after `outageSeen`. The last try is at the very end of the time that is given to an outage. */
export function outageWait(state: LoopState, outage: Outage, at: number): Wait {
  const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(30, outage.tries - 1));
  const until = Math.min(at + pause, outage.since + state.settings.maxOutageMs);
  return { until, why: `cannot reach the model (try ${outage.tries}): ${outage.message}`, kind: 'outage' };
}

export function outageFinish(state: LoopState, outage: Outage, at: number): Finish | undefined {
  if (at < outage.since + state.settings.maxOutageMs) return undefined;
  const reason = `the model could not be reached for ${span(at - outage.since)}: ${outage.message}`;
  const advice = 'continue once it answers; event_loop.max_outage_minutes says how long is waited';
  return { outcome: 'failed', exitCode: 1, reason, advice };
}

function span(ms: number): string {
  const minutes = Math.round(ms / MINUTE);
  return minutes >= 2 ? `${minutes} minutes` : `${Math.round(ms / SECOND)} seconds`;
}
