/** How the start and the end of an iteration change the state. Part of `evolve`; decides nothing. */
import { NOT_CLAIMED } from './completion.js';
import type { LoopEntry } from './entries.js';
import { atLeast, interrupt, withNote } from './evolve-parts.js';
import { addUsage, type Current, type LastIteration, type LoopState, noUsage } from './state.js';

export function iterationStarted(state: LoopState, { data, at }: LoopEntry<'iteration.started'>): LoopState {
  const { wait: _, goal: __, ...rest } = state;
  const clock = { ...state.clock, since: state.clock.since ?? at };
  const again = state.current;
  if (again?.iteration === data.iteration) {
    const { limit: ___, claim: ____, unreached: _____, ...same } = again;
    const current: Current = {
      ...same,
      attempt: data.attempt ?? again.attempt + 1,
      startedAt: at,
      carried: [...again.kept],
      gates: [],
      usage: noUsage,
      denied: 0,
      interrupted: false,
    };
    return { ...rest, phase: 'working', usage: addUsage(state.usage, again.usage), current, clock };
  }
  const ids = new Set(data.events ?? []);
  const known = [...(state.last?.events ?? []), ...state.pending];
  const events = known.filter(
    (event, index) => ids.has(event.id) && known.findIndex((e) => e.id === event.id) === index,
  );
  const current: Current = {
    iteration: data.iteration,
    attempt: data.attempt ?? 1,
    startedAt: at,
    ...(data.hat === undefined ? {} : { hat: data.hat }),
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
    ...rest,
    phase: 'working',
    iteration: data.iteration,
    current,
    activations: activated(state, data.hat),
    pending: state.pending.filter((event) => !ids.has(event.id)),
    notes: [],
    failedGates: [],
    clock,
  };
}

/** Trying the same work again after a failure is not another activation. */
function activated(state: LoopState, hat: string | undefined): Record<string, number> {
  if (hat === undefined || isRetry(state.last, hat)) return state.activations;
  return { ...state.activations, [hat]: (state.activations[hat] ?? 0) + 1 };
}

/** Whether wearing this hat now repeats the last iteration, which failed and handed nothing on. */
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
    usage: addUsage(state.usage, figures),
    limitsInRow: 0,
    failures: bad ? failedAgain(state, data.outcome) : { count: 0, timedOut: 0 },
    stall: bad ? state.stall : stalled(state, { tree, moved: last.handedOver }),
    deniedInRow: current.denied > 0 && sameTree && !last.handedOver && !last.claimed ? state.deniedInRow + 1 : 0,
    failedGates: bad ? current.failedGates : current.gates.filter((gate) => !gate.ok),
    notes: noteFor(state, { data, last }),
  };
}

function failedAgain({ failures }: LoopState, outcome: string): LoopState['failures'] {
  return { count: failures.count + 1, timedOut: failures.timedOut + (outcome === 'timed-out' ? 1 : 0) };
}

/** An unknown tree is no proof of standing still. */
function stalled({ stall }: LoopState, now: { tree: string | undefined; moved: boolean }): LoopState['stall'] {
  if (now.tree === undefined) return { count: 0 };
  return { tree: now.tree, count: now.tree === stall.tree && !now.moved ? stall.count + 1 : 0 };
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
  if (state.settings.hats.length > 0 && !last.handedOver && !last.claimed) {
    notes = withNote(notes, 'The previous iteration published no event, so the same hat goes on.');
  }
  return notes;
}
