/**
 * What waits and what a hat holds, when the hats of today are not those of then. Part of `evolve`. Who was given an event
 * is said by the entry of its iteration; the hats of today only say where an event that is nobody's goes next. Where the
 * settings never changed, all of this changes nothing.
 */
import { isRetry } from './evolve-iteration.js';
import { heldWithout, idsOf, onceEach } from './evolve-parts.js';
import { hatsFor } from './hats.js';
import { findHat } from './settings.js';
import type { LoopEvent, LoopState } from './state.js';

/** What nobody of today would take up again waits for whoever is triggered by it now. */
export function takeBack(state: LoopState): LoopState {
  const { settings, held, last } = state;
  const isKept = (owner: string, { topic }: LoopEvent): boolean => {
    const takers = hatsFor(settings, topic);
    if (owner === '') return settings.hats.length > 0 && takers.length === 0;
    return findHat(settings, owner) !== undefined && (takers.length === 0 || takers.some(({ id }) => id === owner));
  };
  const back = Object.entries(held).flatMap(([owner, events]) => events.filter((event) => !isKept(owner, event)));
  // Without hats nothing is held: what the last one failed with would be given to the next one without a hat.
  const plain = settings.hats.length > 0 && last && !last.coordinator && isRetry(last, undefined) ? last.events : [];
  if (back.length === 0 && plain.length === 0) return state;
  return { ...state, held: heldWithout(held, idsOf(back)), pending: onceEach([...back, ...plain, ...state.pending]) };
}
