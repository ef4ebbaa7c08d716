/**
 * The loop's state from the entries of its journal: what `--continue` goes on from, also after the host was killed.
 * Counters, hat, waiting events, cost and undelivered guidance are what they were. An iteration that was started and
 * not ended will run again under the same number; events it had published are kept and count once.
 */
import type { Entry } from '../contract/index.js';
import type { LoopEntry } from './entries.js';
import { evolve } from './evolve.js';
import type { LoopSettings } from './settings.js';
import { initialState, type LoopState } from './state.js';

/** Contract: never throws on an entry of a type or shape it does not know. The result wants a `started` fact next. */
export function fold(entries: Iterable<Entry>, settings: LoopSettings): LoopState {
  let state = initialState(settings);
  for (const { type, data, ts } of entries) {
    const at = Date.parse(ts);
    state = evolve(state, { type, data, at: Number.isFinite(at) ? at : state.clock.lastAt } as LoopEntry);
  }
  return { ...state, live: false };
}
