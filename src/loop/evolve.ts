/**
 * One entry of the journal in, the next state out: the only place where the loop's state changes, for a running loop
 * and for one folded from its journal alike. Decides nothing; never throws; entries of other rooms only move the time.
 */
import { ALREADY_COUNTED, type LoopEntry, TO_NOBODY } from './entries.js';
import { iterationEnded, iterationStarted } from './evolve-iteration.js';
import { noticed, told } from './evolve-notice.js';
import { atLeast, type Figures, idsOf, interrupt, withNote, without } from './evolve-parts.js';
import { hatsFor } from './hats.js';
import { freshStall } from './rounds.js';
import { isNotOurs, type LastIteration, type LoopState } from './state.js';
import { matchesTopic } from './topics.js';

export function evolve(state: LoopState, entry: LoopEntry): LoopState {
  const next = apply(state, entry);
  return { ...next, clock: { ...next.clock, lastAt: Math.max(next.clock.lastAt, entry.at) } };
}

function apply(state: LoopState, entry: LoopEntry): LoopState {
  switch (entry.type) {
    case 'session.started':
      return sessionStarted(state, entry.at);
    case 'session.ended':
      return sessionEnded(state, entry);
    case 'iteration.started':
      return iterationStarted(state, entry);
    case 'iteration.ended':
      return iterationEnded(state, entry);
    case 'hat.worn':
      return { ...state, hat: entry.data.hat };
    case 'agent.ended':
    case 'state.changed':
      return used(state, entry.data);
    case 'event.published':
      return published(state, entry);
    case 'gate.ran':
      return gateRan(state, entry);
    case 'guidance.given':
      return guided(state, entry);
    case 'notice':
      return noticed(state, entry);
    case 'loop.waiting':
    case 'loop.parked':
    case 'loop.resumed':
    case 'loop.stopping':
    case 'loop.judging':
    case 'loop.limited':
    case 'loop.outage':
    case 'loop.recovered':
    case 'loop.dropped':
    case 'loop.denied':
    case 'loop.stalled':
    case 'loop.garbled':
      return told(state, entry);
    default:
      return state;
  }
}

function sessionStarted(state: LoopState, at: number): LoopState {
  const { ended, goal: _, ...rest } = state;
  const paused = state.phase === 'waiting' && state.wait !== undefined && isNotOurs(state.wait);
  const { since, ...clock } = state.clock;
  const before = since === undefined ? 0 : Math.max(0, state.clock.lastAt - since);
  const next: LoopState = {
    ...rest,
    live: true,
    parked: false,
    clock: { ...clock, spentMs: clock.spentMs + before, ...(paused ? {} : { since: at }) },
  };
  if (state.phase === 'working' || state.phase === 'stopping') {
    next.phase = 'between';
    if (state.current) next.current = interrupt(state.current);
  }
  // Nobody tried while nothing ran: an outage that goes on has all of its time before it.
  if (state.outage) next.outage = { ...state.outage, since: at, tries: 0 };
  if (!ended) return next;
  // Someone looked at how it ended and asked for more: what led to that end is not counted again.
  next.failures = { count: 0, timedOut: 0 };
  next.stall = freshStall(state.stall);
  next.deniedInRow = 0;
  if (next.last) next.last = { ...next.last, accepted: false, settled: true };
  return next;
}

function sessionEnded(state: LoopState, { data, at }: LoopEntry<'session.ended'>): LoopState {
  const { since, ...clock } = state.clock;
  const spentMs = clock.spentMs + (since === undefined ? 0 : Math.max(0, at - since));
  const ended = { outcome: data.outcome, exitCode: data.exit_code, reason: data.reason };
  return { ...state, ended, clock: { ...clock, spentMs } };
}

function used(state: LoopState, data: Figures): LoopState {
  const { current } = state;
  return current ? { ...state, current: { ...current, usage: atLeast(current.usage, data) } } : state;
}

function published(state: LoopState, { data }: LoopEntry<'event.published'>): LoopState {
  const { topic, payload, by } = data;
  const { current } = state;
  if (!data.accepted) {
    if (data.reason === ALREADY_COUNTED) return uncarry(state, { topic, payload });
    return data.reason === undefined ? state : { ...state, notes: withNote(state.notes, data.reason) };
  }
  const next = { ...state, eventCount: state.eventCount + 1, begun: state.begun || by === 'loop', seen: seenNow() };
  // What it was then, whatever the promise is now; journals of before that was said are read by the promise of now.
  if (data.claims ?? topic === state.settings.promise) {
    return current ? { ...next, current: { ...current, claim: 'claimed by an event' } } : next;
  }
  if (current && by !== 'loop') next.current = { ...current, kept: [...current.kept, { topic, payload }] };
  if (by === 'loop' && state.last && isDue(state.last, data)) {
    const { due: _, ...last } = state.last;
    Object.assign(next, without(idsOf(last.events), state));
    next.last = { ...last, handedOver: true };
  }
  const goesSomewhere = data.unrouted === true || state.settings.hats.length === 0 || !wentToNobody(state, data);
  return goesSomewhere ? { ...next, pending: [...next.pending, { id: next.eventCount, topic, payload, by }] } : next;

  function seenNow(): string[] {
    const news = state.settings.requiredEvents.filter((one) => !state.seen.includes(one) && matchesTopic(one, topic));
    return news.length === 0 ? state.seen : [...state.seen, ...news];
  }
}

/** For the hat of the last iteration (`default_publishes`), whatever that hat is now; only the starting event is of none. */
function isDue(last: LastIteration, { iteration }: LoopEntry<'event.published'>['data']): boolean {
  return iteration === last.iteration;
}

/**
 * Only in journals of before there was a coordinator, which did not even say so of the starting event. Not asked of the
 * hats of today: they may have changed since, and what waited for the old ones waits on.
 */
function wentToNobody({ settings }: LoopState, data: LoopEntry<'event.published'>['data']): boolean {
  const { topic, by, reason, claims } = data;
  if (by === 'loop' && reason === undefined) return claims === undefined && hatsFor(settings, topic).length === 0;
  return reason === TO_NOBODY;
}

function uncarry(state: LoopState, event: { topic: string; payload: string }): LoopState {
  if (!state.current) return state;
  const { carried } = state.current;
  const index = carried.findIndex((other) => other.topic === event.topic && other.payload === event.payload);
  return index < 0 ? state : { ...state, current: { ...state.current, carried: carried.toSpliced(index, 1) } };
}

function gateRan(state: LoopState, { data }: LoopEntry<'gate.ran'>): LoopState {
  if (!state.current) return state;
  const { exit_code: exitCode, tail, gate, ok, seconds, output_file: outputFile } = data;
  const said = { ...(tail === undefined ? {} : { tail }), ...(outputFile === undefined ? {} : { outputFile }) };
  const result = { gate, ok, exitCode, seconds, ...said };
  const gates = [...state.current.gates.filter((other) => other.gate !== gate), result];
  return { ...state, current: { ...state.current, gates } };
}

function guided(state: LoopState, { data }: LoopEntry<'guidance.given'>): LoopState {
  const { id, text } = data;
  const rest = state.guidance.filter((other) => other.id !== id);
  if (data.delivered_in === undefined) return { ...state, guidance: [...rest, { id, text }] };
  const { current } = state;
  if (current?.iteration !== data.delivered_in) return { ...state, guidance: rest };
  const shown = [...current.guidance.filter((other) => other.id !== id), { id, text }];
  return { ...state, guidance: rest, current: { ...current, guidance: shown } };
}
