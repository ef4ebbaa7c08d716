/**
 * Which hat comes next: exactly one. The first waiting event that a hat can take decides; every other waiting event
 * for the same hat comes along, the rest keeps waiting. Without any event the same hat goes on, because an agent that
 * forgot to publish has not handed its work to anyone.
 */
import { isRetry } from './evolve-iteration.js';
import { findHat, type HatSettings, type LoopSettings } from './settings.js';
import type { LoopEvent, LoopState } from './state.js';
import { matchesAny, matchesTopic, specificity } from './topics.js';

/** Every hat the topic triggers, the most specific first; equally specific ones in the order of the config. */
export function hatsFor(settings: LoopSettings, topic: string): HatSettings[] {
  const best = (hat: HatSettings) =>
    Math.max(...hat.triggers.filter((trigger) => matchesTopic(trigger, topic)).map(specificity));
  return settings.hats
    .filter((hat) => matchesAny(hat.triggers, topic))
    .map((hat, order) => ({ hat, order, rank: best(hat) }))
    .sort((a, b) => (a.rank === b.rank ? a.order - b.order : b.rank > a.rank ? 1 : -1))
    .map(({ hat }) => hat);
}

/** The hat the topic triggers; with `activations`, the best one that may still be worn. */
export function routeTopic(
  settings: LoopSettings,
  topic: string,
  activations: Record<string, number> = {},
): HatSettings | undefined {
  return hatsFor(settings, topic).find((hat) => !isSpent(hat, activations));
}

function isSpent(hat: HatSettings, activations: Record<string, number>): boolean {
  return hat.maxActivations !== undefined && (activations[hat.id] ?? 0) >= hat.maxActivations;
}

export interface HatChoice {
  hat?: string;
  because: string;
  events: LoopEvent[];
  /** Waiting events that only hats without activations left could take. */
  dropped: LoopEvent[];
}

/** What the next iteration wears and gets, or why there is nothing left to wear. */
export function chooseNext(state: LoopState): HatChoice | { none: string } {
  const { settings, pending, last, activations } = state;
  if (settings.hats.length === 0) {
    const events = last && isRetry(last, undefined) ? [...last.events, ...pending] : pending;
    return { because: 'no hats', events, dropped: [] };
  }

  const takers = pending.map((event) => ({ event, hat: routeTopic(settings, event.topic, activations)?.id }));
  const dropped = takers.filter(({ hat }) => hat === undefined).map(({ event }) => event);
  const forHat = (hat: string) => takers.filter((taker) => taker.hat === hat).map(({ event }) => event);

  const again = findHat(settings, last?.hat);
  if (last && again && isRetry(last, again.id)) {
    const events = [...last.events, ...forHat(again.id)];
    return { hat: again.id, because: `iteration ${last.iteration} failed`, events, dropped };
  }
  const first = takers.find(({ hat }) => hat !== undefined);
  if (first?.hat !== undefined) {
    return { hat: first.hat, because: `event ${first.event.topic}`, events: forHat(first.hat), dropped };
  }
  const start = again ?? hatsFor(settings, settings.startingEvent)[0] ?? settings.hats[0];
  if (start && !isSpent(start, activations))
    return { hat: start.id, because: 'no event is waiting', events: [], dropped };
  return { none: `hat ${start?.id} was worn ${start?.maxActivations} times, its most, and no other hat has work` };
}

/** Why the worn hat may not publish this topic, or undefined if it may. */
export function publishRefusal(settings: LoopSettings, worn: string | undefined, topic: string): string | undefined {
  const hat = findHat(settings, worn);
  if (!hat || topic === settings.promise || matchesAny(hat.publishes, topic)) return undefined;
  const may = hat.publishes.length === 0 ? 'it may publish nothing' : `it may publish ${hat.publishes.join(', ')}`;
  return `Event ${topic} was dropped: hat ${hat.id} does not publish it; ${may}.`;
}
