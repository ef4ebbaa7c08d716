/** Small pieces that several parts of `evolve` share. */
import type { Current, LoopEvent, LoopState, Usage } from './state.js';

/** Its claim and its open limit are void; its events and its cost stay. */
export function interrupt(current: Current): Current {
  const { claim: _, limit: __, unreached: ___, ...rest } = current;
  return { ...rest, interrupted: true };
}

export interface Figures {
  cost_usd?: number | undefined;
  input_tokens?: number | undefined;
  output_tokens?: number | undefined;
}

/** Figures are totals, so the larger one is the newer one; what is no number counts as nothing. */
export function atLeast(usage: Usage, told: Figures): Usage {
  const larger = (had: number, now: number | undefined) => (Number.isFinite(now) ? Math.max(had, now ?? 0) : had);
  return {
    costUsd: larger(usage.costUsd, told.cost_usd),
    inputTokens: larger(usage.inputTokens, told.input_tokens),
    outputTokens: larger(usage.outputTokens, told.output_tokens),
  };
}

/** Each thing is said once, and the list cannot grow without end: the newest ten are kept. */
export function withNote(notes: string[], note: string): string[] {
  return notes.includes(note) ? notes : [...notes, note].slice(-10);
}

/** These are done with, or somebody has them now: they wait no longer, and nobody holds them. */
export function without(ids: Set<number>, { held, pending }: Undone): Undone {
  if (ids.size === 0) return { held, pending };
  const left = (events: LoopEvent[]) => events.filter(({ id }) => !ids.has(id));
  const owners = Object.entries(held).map(([owner, events]) => [owner, left(events)] as const);
  return { held: Object.fromEntries(owners.filter(([, events]) => events.length > 0)), pending: left(pending) };
}

/** What waits and what was given to somebody who has not handed it on. */
export type Undone = Pick<LoopState, 'held' | 'pending'>;

export const idsOf = (events: LoopEvent[]): Set<number> => new Set(events.map(({ id }) => id));

export function onceEach(events: LoopEvent[]): LoopEvent[] {
  const seen = new Set<number>();
  return events.filter(({ id }) => !seen.has(id) && seen.add(id));
}
