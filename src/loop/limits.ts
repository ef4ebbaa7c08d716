/**
 * When the loop ends and how long it pauses: pure answers about a state, in one place. Completion is asked before every
 * limit, so being done in the last allowed iteration is being done.
 */
import { shellWord } from '../contract/index.js';
import type { StopSignal } from './facts.js';
import { outageFinish, outageWait } from './reduce-outage.js';
import { circle, isFirstOf } from './rounds.js';
import type { HatSettings } from './settings.js';
import { type Finish, type LoopState, runtimeMs, totalUsage, type Wait } from './state.js';
import { counted } from './words.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** A failure is not waited for longer than this: what takes longer is a usage limit, which says its time. */
const LONGEST_BACKOFF_MS = 5 * MINUTE;
/** A usage limit that comes again is waited for twice as long each time: reset times lie by some minutes. */
const SHORTEST_LIMIT_MS = MINUTE;
const LONGEST_LIMIT_STEP_MS = 60 * MINUTE;
/** Without a stated time. */
const UNSTATED_LIMIT_MS = 5 * MINUTE;
/** Weekly limits exist; a time beyond this was misread. */
const LONGEST_LIMIT_MS = 8 * 24 * 60 * MINUTE;
/** So many iterations in a row that needed a person and brought nothing: the next would not fare better. */
const DENIED_IN_ROW = 3;

const SIGNAL_EXITS: Record<StopSignal, number> = { SIGHUP: 129, SIGINT: 130, SIGQUIT: 131, SIGTERM: 143 };

/** How a session ends that was asked to stop. */
export function stopFinish(ask: { how: 'stop' | 'kill' | 'park'; signal?: StopSignal; why?: string }): Finish {
  if (ask.how === 'park') {
    const advice = 'answer what waits (`reins inbox`), then continue';
    return { outcome: 'parked', exitCode: 5, reason: ask.why ?? 'deferred inquiries wait for a person', advice };
  }
  const exitCode = ask.signal ? SIGNAL_EXITS[ask.signal] : ask.how === 'kill' ? 137 : SIGNAL_EXITS.SIGTERM;
  const reason = ask.why ?? (ask.signal ? `stopped by ${ask.signal}` : ask.how === 'kill' ? 'killed' : 'stopped');
  return { outcome: 'stopped', exitCode, reason };
}

/** Limits that also stop an agent at work. */
export function spentFinish(state: LoopState, at: number): Finish | undefined {
  const { maxRuntimeMs, maxCostUsd } = state.settings;
  if (maxRuntimeMs !== undefined && runtimeMs(state, at) >= maxRuntimeMs) {
    const more = Math.ceil((runtimeMs(state, at) + maxRuntimeMs) / SECOND);
    return limit(`the runtime limit of ${seconds(maxRuntimeMs)} was reached`, raise(`--max-runtime ${more}`));
  }
  const { costUsd } = totalUsage(state);
  if (maxCostUsd !== undefined && costUsd >= maxCostUsd) {
    const reason = `the cost limit of $${maxCostUsd} was reached ($${costUsd.toFixed(4)} spent)`;
    return limit(reason, raise(`--max-cost ${Math.ceil((costUsd + maxCostUsd) * 100) / 100}`));
  }
  return undefined;
}

/** Between two iterations: how the session ends now, or undefined if it goes on. */
export function finishNow(state: LoopState, at: number): Finish | undefined {
  const { settings, last, current } = state;
  // An interrupted iteration runs again before anything about the last one counts.
  if (current) return (inOutage(state) && outageFinish(state, state.outage!, at)) || spentFinish(state, at);
  if (last?.accepted) return completed(state, `completed in iteration ${last.iteration}`);
  if (settings.once && last && !last.settled) return onceFinish(state);
  return spentFinish(state, at) ?? countFinish(state);
}

function onceFinish(state: LoopState): Finish {
  const last = state.last!;
  const why = last.reason ? `: ${last.reason}` : '';
  if (last.outcome === 'timed-out')
    return { outcome: 'timed-out', exitCode: 124, reason: last.reason ?? 'the agent took too long' };
  if (last.outcome !== 'completed') return orDenied(state, failed(`the agent failed${why}`));
  if (last.gatesFailed.length > 0) {
    return orDenied(state, failed(`the agent finished, but gate ${last.gatesFailed.join(', ')} failed`));
  }
  const done = completed(state, 'the agent finished');
  return last.claimed ? done : orDenied(state, done);
}

function countFinish(state: LoopState): Finish | undefined {
  const { settings, failures, stall } = state;
  const { maxIterations, maxConsecutiveFailures, stallIterations } = settings;
  if (maxConsecutiveFailures !== undefined && failures.count >= maxConsecutiveFailures) {
    const why = state.last?.reason ? `, the last: ${state.last.reason}` : '';
    const reason = `${counted(failures.count, 'iteration')} failed${failures.count > 1 ? ' in a row' : ''}${why}`;
    if (failures.timedOut === failures.count) return { outcome: 'timed-out', exitCode: 124, reason };
    return orDenied(state, { ...failed(reason), advice: 'see `reins logs`, then continue' });
  }
  if (state.deniedInRow >= DENIED_IN_ROW) {
    return orDenied(state, failed(`${state.deniedInRow} iterations in a row needed a person`));
  }
  if (maxIterations !== undefined && state.iteration >= maxIterations) {
    const advice = raise(`--max-iterations ${state.iteration + maxIterations}`);
    return orDenied(state, limit(`the limit of ${counted(maxIterations, 'iteration')} was reached`, advice));
  }
  if (stallIterations > 0 && stall.count >= stallIterations) {
    const reason = `no progress in ${counted(stall.count, 'iteration')}: the files did not change and no event was published`;
    return orDenied(state, limit(reason, UNSTALL));
  }
  const round = circle(state, stallIterations);
  if (round !== undefined) {
    const how = stall.tree === undefined ? 'in the same words' : 'with no change to the files';
    const reason = `no progress: the same hand-overs came again ${counted(stallIterations, 'time')} ${how}: ${round}`;
    return orDenied(state, limit(reason, UNSTALL));
  }
  return undefined;
}

const UNSTALL = 'say it more clearly with -p, or let it go on';

/** Whether the next iteration without progress would end the loop. */
export function stallWarning(state: LoopState): string | undefined {
  const { stallIterations } = state.settings;
  if (stallIterations < 2 || state.current || state.last?.outcome !== 'completed') return undefined;
  if (isFirstOf(state, stallIterations - 1)) {
    const round = circle(state, stallIterations - 1);
    return `The same hand-overs go round and nothing changes (${round}); one more round and the loop stops.`;
  }
  if (state.stall.count !== stallIterations - 1) return undefined;
  return `No progress in ${counted(state.stall.count, 'iteration')} (same files, no event); one more and the loop stops.`;
}

/** The pause before the next iteration, if there is one. */
export function pauseBefore(state: LoopState, at: number): Wait | undefined {
  const { settings, current, failures, last } = state;
  if (current && inOutage(state)) return outageWait(state, state.outage!, at);
  if (current?.limit) return { until: limitEnd(state, at), why: current.limit.message, kind: 'limit' };
  if (current || !last || last.settled) return undefined;
  if (failures.count > 0) {
    const backoff = Math.min(LONGEST_BACKOFF_MS, settings.backoffMs * 2 ** Math.min(30, failures.count - 1));
    const why = `after failure ${failures.count} in a row`;
    return { until: at + settings.cooldownMs + backoff, why, kind: 'backoff' };
  }
  return settings.cooldownMs > 0 ? { until: at + settings.cooldownMs, why: 'cooldown', kind: 'cooldown' } : undefined;
}

/** The iteration that will run again was ended by an outage, and by nothing else since. */
const inOutage = ({ outage, current }: LoopState): boolean => outage !== undefined && current?.unreached === true;

function limitEnd(state: LoopState, at: number): number {
  const again = Math.min(30, Math.max(0, state.limitsInRow - 1));
  const stated = state.current?.limit?.until;
  // A time to come is believed the first time it is said.
  const believed = again === 0 && stated !== undefined && stated > at;
  const least = believed ? 0 : Math.min(LONGEST_LIMIT_STEP_MS, SHORTEST_LIMIT_MS * 2 ** again);
  const wanted = stated === undefined ? Math.max(least, UNSTATED_LIMIT_MS) : Math.max(least, stated - at);
  return at + Math.min(wanted, LONGEST_LIMIT_MS);
}

/** When the loop next wants a `tick`; undefined: not by itself. */
export function nextWake(state: LoopState): number | undefined {
  if (!state.live || state.ended) return undefined;
  const { maxRuntimeMs } = state.settings;
  const { since, spentMs } = state.clock;
  const spent = maxRuntimeMs === undefined || since === undefined ? undefined : since + maxRuntimeMs - spentMs;
  if (state.phase === 'waiting' && state.wait) return Math.min(state.wait.until, spent ?? state.wait.until);
  return state.phase === 'working' ? spent : undefined;
}

/** So many again as it was given, as for the other limits. */
export function activationsAdvice({ activations }: LoopState, { id, maxActivations = 1 }: HatSettings): string {
  const name = /^[^."\s=]+$/.test(id) ? id : JSON.stringify(id);
  const set = `hats.${name}.max_activations=${(activations[id] ?? 0) + maxActivations}`;
  return raise(`--set ${shellWord(set)}`);
}

/** Whoever shows it puts the flag behind the command that goes on. */
const raise = (flag: string): string => `raise it and continue with ${flag}`;

const limit = (reason: string, advice: string): Finish => ({ outcome: 'limit', exitCode: 3, reason, advice });
const failed = (reason: string): Finish => ({ outcome: 'failed', exitCode: 1, reason });
const seconds = (ms: number): string => `${Math.round(ms / SECOND)} s`;

/** The words a person reads in the summary, in `ls` and in the journal alike. */
const UNANSWERED = 'denied because nobody was there to answer';

function completed(state: LoopState, reason: string): Finish {
  const denied = state.denied > 0 ? `; ${state.denied} ${UNANSWERED}` : '';
  return { outcome: 'completed', exitCode: 0, reason: `${reason}${denied}` };
}

const SAID = new RegExp(`; \\d+ ${UNANSWERED}$`);

/** An end in an iteration that lacked a person is that lack's doing, whatever counter it was that ran out. */
function orDenied(state: LoopState, finish: Finish): Finish {
  const count = state.last?.denied ?? 0;
  if (count === 0) return finish;
  return {
    outcome: 'denied',
    exitCode: 4,
    reason: `${count} ${UNANSWERED} (iteration ${state.last?.iteration}); ${finish.reason.replace(SAID, '')}`,
    advice: 'stay and answer',
  };
}
