/**
 * How the loop's own entries change the state. They are read back from disk, so their facts are checked before use; what
 * does not fit changes nothing. Journals of an older build have them as notices, under codes of their own.
 */
import type { LoopEntry, OwnType } from './entries.js';
import { withNote, without } from './evolve-parts.js';
import { type Current, type Finish, isNotOurs, type LoopState, type Wait } from './state.js';

type Facts = Record<string, unknown>;
type ToldNotice = { text: string; facts: Facts; at: number };

const CHANGES: Record<OwnType, (state: LoopState, told: ToldNotice) => LoopState> = {
  'loop.waiting': (state, { facts, at }) => {
    const wait: Wait = { until: num(facts.until) ?? at, why: text(facts.why) ?? '', kind: kindOf(facts.kind) };
    const next: LoopState = { ...state, phase: 'waiting', wait };
    return isNotOurs(wait) ? pauseClock(next, at) : next;
  },
  'loop.parked': (state, { at }) => pauseClock({ ...state, parked: true }, at),
  'loop.resumed': (state, { at }) => {
    // Waiting for a usage limit or an outage is no work either.
    const stands = state.phase === 'waiting' && state.wait !== undefined && isNotOurs(state.wait);
    const clock = stands ? state.clock : { ...state.clock, since: state.clock.since ?? at };
    return { ...state, parked: false, clock };
  },
  'loop.stopping': (state, { facts }) => {
    const goal: Finish = {
      outcome: (text(facts.outcome) as Finish['outcome'] | undefined) ?? 'stopped',
      exitCode: num(facts.exit_code) ?? 1,
      reason: text(facts.reason) ?? '',
    };
    const advice = text(facts.advice);
    return { ...state, phase: 'stopping', goal: advice === undefined ? goal : { ...goal, advice } };
  },
  'loop.judging': (state, { facts }) => ({
    ...inCurrent(state, () => {
      const tree = text(facts.tree);
      const claim = facts.claimed === true ? { claim: text(facts.how) ?? 'claimed' } : {};
      return tree === undefined ? claim : { ...claim, tree };
    }),
    phase: 'judging',
  }),
  'loop.limited': (state, { facts }) =>
    inCurrent(state, () => {
      const until = num(facts.until);
      return { limit: { message: text(facts.message) ?? '', ...(until === undefined ? {} : { until }) } };
    }),
  'loop.outage': (state, { facts, at }) => ({
    ...inCurrent(state, () => ({ unreached: true, cuts: num(facts.cuts) ?? 0 })),
    outage: { message: text(facts.message) ?? '', since: num(facts.since) ?? at, tries: num(facts.tries) ?? 1 },
  }),
  'loop.recovered': ({ outage: _, ...state }) => state,
  'loop.dropped': (state, { text: note, facts }) => {
    const ids = new Set<number>(Array.isArray(facts.events) ? facts.events : []);
    const next = inCurrent(state, ({ events }) => ({ events: events.filter(({ id }) => !ids.has(id)) }));
    return { ...next, ...without(ids, state), notes: withNote(state.notes, note) };
  },
  'loop.denied': (state) => ({
    ...inCurrent(state, (current) => ({ denied: current.denied + 1 })),
    denied: state.denied + 1,
  }),
  'loop.stalled': noted,
  'loop.garbled': noted,
};

/** What the codes of an older build's notices are called now, where they changed. */
const RENAMED: Record<string, OwnType> = {
  'loop.wait': 'loop.waiting',
  'loop.gates': 'loop.judging',
  'loop.stall': 'loop.stalled',
};

export function told(state: LoopState, { type, data, at }: LoopEntry<OwnType>): LoopState {
  return CHANGES[type](state, { text: String(data?.text ?? ''), facts: { ...data }, at });
}

export function noticed(state: LoopState, { data, at }: LoopEntry<'notice'>): LoopState {
  const code = data.code ?? '';
  const type = Object.hasOwn(RENAMED, code) ? RENAMED[code]! : code;
  if (!Object.hasOwn(CHANGES, type)) return state;
  return CHANGES[type as OwnType](state, { text: data.text, facts: data.facts ?? {}, at });
}

function noted(state: LoopState, { text: note }: ToldNotice): LoopState {
  return { ...state, notes: withNote(state.notes, note) };
}

function inCurrent(state: LoopState, change: (current: Current) => Partial<Current>): LoopState {
  return state.current ? { ...state, current: { ...state.current, ...change(state.current) } } : state;
}

function pauseClock(state: LoopState, at: number): LoopState {
  const { since, ...clock } = state.clock;
  return since === undefined
    ? state
    : { ...state, clock: { ...clock, spentMs: clock.spentMs + Math.max(0, at - since) } };
}

const num = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const KINDS = ['limit', 'outage', 'backoff'] as const;
const kindOf = (value: unknown): Wait['kind'] => KINDS.find((kind) => kind === value) ?? 'cooldown';
