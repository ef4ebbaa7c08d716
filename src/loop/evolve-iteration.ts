/** How the start and the end of an iteration change the state. Part of `evolve`; decides nothing. */
import { NOT_CLAIMED } from './completion.js';
import type { LoopEntry } from './entries.js';
import { atLeast, interrupt, onceEach, type Undone, withNote, without } from './evolve-parts.js';
import { roundsNow } from './rounds.js';
import { findHat } from './settings.js';
import { addUsage, type Current, type LastIteration, type LoopEvent, type LoopState, noUsage } from './state.js';

/** A hat that is given events over and over and never hands on keeps the newest. */
const MOST_HELD = 100;

export function iterationStarted(state: LoopState, { data, at }: LoopEntry<'iteration.started'>): LoopState {
  const { wait: _, goal: __, ...rest } = state;
  const clock = { ...state.clock, since: state.clock.since ?? at };
  const again = state.current;
  const ids = new Set(data.events ?? []);
  if (again?.iteration === data.iteration) {
    const { limit: ___, claim: ____, unreached: _____, ...same } = again;
    const isSame = again.hat === data.hat && (again.coordinator ?? false) === (data.coordinator ?? false);
    const other = isSame ? { current: same, pending: state.pending } : wornAnew(state, same, data);
    const current: Current = {
      ...other.current,
      attempt: data.attempt ?? again.attempt + 1,
      startedAt: at,
      carried: [...again.kept],
      gates: [],
      usage: noUsage,
      denied: 0,
      interrupted: false,
    };
    return {
      ...withHat(rest, current),
      phase: 'working',
      usage: addUsage(state.usage, again.usage),
      current,
      activations: isSame ? state.activations : activated(state, data.hat),
      ...without(ids, { held: state.held, pending: other.pending }),
      clock,
    };
  }
  const events = given(state, ids);
  const current: Current = {
    iteration: data.iteration,
    attempt: data.attempt ?? 1,
    startedAt: at,
    ...(data.hat === undefined ? {} : { hat: data.hat }),
    ...(data.coordinator === true ? { coordinator: true as const } : {}),
    events,
    guidance: [],
    notes: state.notes,
    failedGates: state.failedGates,
    kept: [],
    carried: [],
    usage: noUsage,
    denied: 0,
    gates: [],
    interrupted: false,
  };
  return {
    ...withHat(rest, current),
    phase: 'working',
    iteration: data.iteration,
    current,
    activations: activated(state, data.hat),
    ...without(ids, state),
    notes: [],
    failedGates: [],
    clock,
  };
}

/** It goes on with another hat, because its own is no more: it has what the entry says, the rest of its events waits. */
function wornAnew(
  state: LoopState,
  { hat: _, coordinator: __, ...bare }: Current,
  { hat, coordinator, events = [] }: LoopEntry<'iteration.started'>['data'],
): { current: Current; pending: LoopEvent[] } {
  const who = {
    ...(hat === undefined ? {} : { hat }),
    ...(coordinator === true ? { coordinator: true as const } : {}),
  };
  const pending = onceEach([...bare.events, ...state.pending]);
  return { current: { ...bare, ...who, events: given({ ...state, pending }, new Set(events)) }, pending };
}

function given(state: LoopState, ids: Set<number>): LoopEvent[] {
  const known = [...Object.values(state.held).flat(), ...state.pending];
  return onceEach(known.filter((event) => ids.has(event.id)));
}

/** The coordinator wears none. */
function withHat({ hat, ...bare }: LoopState, current: Current): LoopState {
  return { ...bare, ...(hat === undefined || current.coordinator ? {} : { hat }) };
}

/** Trying the same work again after a failure is not another activation. */
function activated(state: LoopState, hat: string | undefined): Record<string, number> {
  if (hat === undefined || isRetry(state.last, hat)) return state.activations;
  return { ...state.activations, [hat]: (state.activations[hat] ?? 0) + 1 };
}

/** Whether wearing this hat (or none) now repeats the last iteration, which failed and handed nothing on. */
export function isRetry(last: LastIteration | undefined, hat: string | undefined): boolean {
  if (!last || last.hat !== hat || last.handedOver) return false;
  return last.outcome === 'failed' || last.outcome === 'timed-out';
}

export function iterationEnded(state: LoopState, { data }: LoopEntry<'iteration.ended'>): LoopState {
  const { current, goal: _, ...rest } = state;
  if (!current || current.iteration !== data.iteration) return state;
  const figures = atLeast(current.usage, { cost_usd: data.cost_usd });
  if (data.outcome === 'parked' || data.outcome === 'stopped') {
    const limit = data.outcome === 'parked' ? current.limit : undefined;
    const unreached = data.outcome === 'parked' && current.unreached ? { unreached: true } : {};
    const kept = { ...interrupt({ ...current, usage: figures }), ...(limit ? { limit } : {}), ...unreached };
    const limitsInRow = limit ? state.limitsInRow + 1 : state.limitsInRow;
    return { ...rest, phase: 'between', limitsInRow, current: kept };
  }
  const bad = data.outcome !== 'completed';
  const tree = data.tree ?? current.tree;
  const last: LastIteration = {
    iteration: current.iteration,
    outcome: data.outcome,
    ...(data.reason === undefined ? {} : { reason: data.reason }),
    ...(current.hat === undefined ? {} : { hat: current.hat }),
    ...(current.coordinator ? { coordinator: true as const } : {}),
    ...dueOf(state, current, data),
    events: current.events,
    accepted: data.completion?.accepted ?? false,
    claimed: data.completion?.claimed ?? false,
    handedOver: current.kept.length > 0,
    gatesFailed: current.gates.filter((gate) => !gate.ok).map((gate) => gate.gate),
    denied: current.denied,
    settled: false,
  };
  const sameTree = tree === undefined || tree === state.stall.tree;
  return {
    ...rest,
    phase: 'between',
    last,
    ...keptAfter(state, last),
    usage: addUsage(state.usage, figures),
    limitsInRow: 0,
    failures: bad ? failedAgain(state, data.outcome) : { count: 0, timedOut: 0 },
    stall: bad ? state.stall : stalled(state, { tree, current }),
    deniedInRow: current.denied > 0 && sameTree && !last.handedOver && !last.claimed ? state.deniedInRow + 1 : 0,
    failedGates: bad ? current.failedGates : current.gates.filter((gate) => !gate.ok),
    notes: noteFor(state, { data, last }),
  };
}

/** What its hat would have published; a hat that claimed to be done and met a gate has its own work to do again. */
function dueOf(state: LoopState, current: Current, data: LoopEntry<'iteration.ended'>['data']): { due?: string } {
  const topic = findHat(state.settings, current.hat)?.defaultPublishes;
  const silent = data.outcome === 'completed' && current.kept.length === 0 && data.completion?.accepted !== true;
  const due = topic !== undefined && topic !== state.settings.promise && silent && current.gates.every(({ ok }) => ok);
  return due ? { due: topic } : {};
}

/**
 * An event stays with the hat it was given to until that hat hands something on; without hats it is told once, and waits again
 * where that failed. Said by the entries alone: a journal is read under other hats than those it was written under.
 */
function keptAfter({ held, pending }: LoopState, last: LastIteration): Undone {
  // What is published for it is an entry of its own, and ends it then.
  const isDone = last.handedOver || last.accepted;
  if (last.hat === undefined && !last.coordinator) {
    return { held, pending: isRetry(last, undefined) ? [...last.events, ...pending] : pending };
  }
  const owner = last.hat ?? '';
  const keeps = isDone ? [] : [...(held[owner] ?? []), ...last.events].slice(-MOST_HELD);
  return { held: keeps.length === 0 ? held : { ...held, [owner]: keeps }, pending };
}

/** Required events that nobody has published yet. */
export function missingEvents({ settings, seen }: LoopState): string[] {
  return settings.requiredEvents.filter((topic) => !seen.includes(topic));
}

function failedAgain({ failures }: LoopState, outcome: string): LoopState['failures'] {
  return { count: failures.count + 1, timedOut: failures.timedOut + (outcome === 'timed-out' ? 1 : 0) };
}

/** An unknown tree is no proof of standing still. */
function stalled({ stall }: LoopState, now: { tree: string | undefined; current: Current }): LoopState['stall'] {
  const rounds = roundsNow(stall, now);
  if (now.tree === undefined) return { count: 0, rounds };
  const same = now.tree === stall.tree && now.current.kept.length === 0;
  return { tree: now.tree, count: same ? stall.count + 1 : 0, rounds };
}

/** What the next prompt must say about this end, beside failed gates. */
function noteFor(
  state: LoopState,
  { data, last }: { data: LoopEntry<'iteration.ended'>['data']; last: LastIteration },
): string[] {
  if (last.outcome !== 'completed') {
    const how = last.outcome === 'timed-out' ? 'timed out' : 'failed';
    return withNote(state.notes, `The previous iteration ${how}${last.reason ? `: ${last.reason}` : ''}.`);
  }
  let notes = state.notes;
  const completion = data.completion;
  if (completion && !completion.claimed && completion.reason !== NOT_CLAIMED) {
    notes = withNote(notes, `Completion in the previous iteration: ${completion.reason}.`);
  }
  const missing = last.claimed && !last.accepted ? missingEvents(state) : [];
  if (missing.length > 0) {
    const text = `Completion was refused: these events have to be published first: ${missing.join(', ')}.`;
    notes = withNote(notes, text);
  }
  if (state.settings.hats.length > 0 && !last.handedOver && !last.claimed && last.due === undefined) {
    const who = last.coordinator ? 'the work is still with the coordinator' : 'the same hat goes on';
    notes = withNote(notes, `The previous iteration published no event, so ${who}.`);
  }
  return notes;
}
