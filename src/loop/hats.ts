/**
 * Which hat comes next: exactly one. The first waiting event that a hat can take decides; every other waiting event
 * for the same hat comes along, the rest keeps waiting. Without any event the same hat goes on, because an agent that
 * forgot to publish has not handed its work to anyone; what it was given stays with it. An event that no hat is triggered
 * by comes along with whoever is next; if nobody else has work, the coordinator takes it: an iteration that wears no hat
 * and hands the work to one.
 */
import { isRetry } from './evolve-iteration.js';
import { idsOf, onceEach, type Undone, without } from './evolve-parts.js';
import { findHat, type HatSettings, type LoopSettings } from './settings.js';
import type { LoopEvent, LoopState } from './state.js';
import { matchesAny, matchesTopic, specificity } from './topics.js';
import { counted } from './words.js';

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
  /** Absent: none, which is the coordinator where there are hats. */
  hat?: string;
  coordinator?: true;
  because: string;
  events: LoopEvent[];
  /** Waiting events that only hats without activations left could take. */
  dropped: LoopEvent[];
}

/** What the next iteration wears and gets, or why there is nothing left to wear. */
export function chooseNext(state: LoopState): HatChoice | { none: string; raise: HatSettings } {
  const { settings, last, activations } = state;
  const { held, pending } = takenBack(state);
  if (settings.hats.length === 0) return { because: 'no hats', events: pending, dropped: [] };

  const takers = pending.map((event) => ({
    event,
    hat: routeTopic(settings, event.topic, activations)?.id,
    unrouted: hatsFor(settings, event.topic).length === 0,
  }));
  const dropped = takers.filter(({ hat, unrouted }) => hat === undefined && !unrouted).map(({ event }) => event);
  const eventsFor = (hat: string | undefined) => [
    ...(held[hat ?? ''] ?? []),
    ...takers.filter((taker) => taker.unrouted || (hat !== undefined && taker.hat === hat)).map(({ event }) => event),
  ];
  const wear = (hat: string, because: string): HatChoice => ({ hat, because, events: eventsFor(hat), dropped });
  const coordinate = (because: string): HatChoice => ({
    coordinator: true,
    because,
    events: eventsFor(undefined),
    dropped,
  });

  const again = findHat(settings, last?.hat);
  if (last && isRetry(last, again?.id)) {
    const because = `iteration ${last.iteration} failed`;
    if (again) return wear(again.id, because);
    if (last.coordinator) return coordinate(because);
  }
  const first = takers.find(({ hat }) => hat !== undefined);
  if (first?.hat !== undefined) return wear(first.hat, `event ${first.event.topic}`);
  const orphan = takers.find(({ unrouted }) => unrouted);
  if (orphan) return coordinate(`no hat is triggered by ${orphan.event.topic}`);

  const start = again ?? (last?.coordinator ? undefined : hatsFor(settings, settings.startingEvent)[0]);
  if (start && !isSpent(start, activations)) return wear(start.id, 'no event is waiting');
  // What waits is for this one, so it is the one to be worn more often.
  const wanted = dropped[0] && hatsFor(settings, dropped[0].topic)[0];
  if (start) {
    const most = start.maxActivations;
    const none = `hat ${start.id} was worn ${counted(most ?? 0, 'time')}, its most, and no other hat has work`;
    return { none, raise: wanted ?? start };
  }
  if (settings.hats.some((hat) => !isSpent(hat, activations))) return coordinate('no event is waiting');
  return { none: 'every hat was worn as often as its max_activations allows', raise: wanted ?? settings.hats[0]! };
}

/**
 * What nobody of today would take up again waits for whoever is triggered by it now. Who was given an event is said by the
 * journal, the hats of today only say where it goes next: where they never changed, nothing is taken back.
 */
function takenBack({ settings, held, pending }: LoopState): Undone {
  const isKept = (owner: string, { topic }: LoopEvent): boolean => {
    const takers = hatsFor(settings, topic);
    if (owner === '') return settings.hats.length > 0 && takers.length === 0;
    return findHat(settings, owner) !== undefined && (takers.length === 0 || takers.some(({ id }) => id === owner));
  };
  const back = Object.entries(held).flatMap(([owner, events]) => events.filter((event) => !isKept(owner, event)));
  return { held: without(idsOf(back), { held, pending: [] }).held, pending: onceEach([...back, ...pending]) };
}

/** Why this topic may not be published now, or undefined if it may. */
export function publishRefusal(state: LoopState, topic: string): string | undefined {
  const { settings, current, activations } = state;
  if (topic === settings.promise) return undefined;
  if (current?.coordinator) {
    if (routeTopic(settings, topic, activations)) return undefined;
    const why =
      hatsFor(settings, topic).length === 0
        ? `no hat is triggered by it; hats are triggered by ${triggersOf(settings).join(', ')}`
        : 'the hat it triggers was worn its most (max_activations)';
    return `Event ${topic} was dropped: ${why}.`;
  }
  const hat = findHat(settings, current ? current.hat : state.hat);
  if (!hat || matchesAny(hat.publishes, topic)) return undefined;
  const may = hat.publishes.length === 0 ? 'it may publish nothing' : `it may publish ${hat.publishes.join(', ')}`;
  return `Event ${topic} was dropped: hat ${hat.id} does not publish it; ${may}.`;
}

const triggersOf = ({ hats }: LoopSettings): string[] => [...new Set(hats.flatMap((hat) => hat.triggers))];
