/**
 * Whether the hats can work together, before anything is started: who gets each topic, who is never worn, what is said
 * to nobody. Errors are what the loop could only guess about; warnings are what it can live with. Each has its fix.
 */
import { hatsFor } from './hats.js';
import type { HatSettings, LoopSettings } from './settings.js';
import { isGlob, matchesTopic, overlaps, specificity } from './topics.js';

export interface HatFinding {
  /** Where in the config: `hats.builder.triggers`. */
  path: string;
  text: string;
  fix: string;
}

export interface HatCheck {
  errors: HatFinding[];
  warnings: HatFinding[];
}

const KNOWN: string[] = [
  ...['id', 'name', 'description', 'triggers', 'publishes', 'instructions', 'backend', 'maxActivations'],
  ...['defaultPublishes', 'timeoutMs', 'deny'],
];

export function checkHats(settings: LoopSettings): HatCheck {
  if (settings.hats.length === 0) return { errors: [], warnings: [] };
  return {
    errors: [...unknownFields(settings), ...onPromise(settings), ...ambiguous(settings)],
    warnings: [...noStart(settings), ...unhandled(settings), ...unreachable(settings)],
  };
}

function unknownFields({ hats }: LoopSettings): HatFinding[] {
  return hats.flatMap((hat) =>
    Object.keys(hat)
      .filter((key) => !KNOWN.includes(key))
      .map((key) => ({
        path: `hats.${hat.id}.${key}`,
        text: `hat ${hat.id} has an unknown field ${key}`,
        fix: 'remove it, or correct its spelling',
      })),
  );
}

function onPromise({ hats, promise }: LoopSettings): HatFinding[] {
  const takes = (hat: HatSettings) => hat.triggers.find((trigger) => trigger === promise);
  return hats.filter(takes).map((hat) => ({
    path: `hats.${hat.id}.triggers`,
    text: `hat ${hat.id} is triggered by the completion promise ${promise}, which ends the loop instead`,
    fix: 'trigger it by a topic of its own, or use event_loop.gates for what must happen before the end',
  }));
}

/** Two hats with an equal claim to a topic: to the same pattern, or to a topic that is really published. */
function ambiguous(settings: LoopSettings): HatFinding[] {
  const patterns = new Set([...settings.hats.flatMap((hat) => hat.triggers), ...exactTopics(settings)]);
  const seen = new Set<string>();
  return [...patterns].flatMap((topic) => {
    const rivals = rivalsFor(settings, topic);
    const key = rivals.map((hat) => hat.id).join();
    if (rivals.length < 2 || seen.has(`${key} ${topic}`)) return [];
    seen.add(`${key} ${topic}`);
    const names = rivals.map((hat) => hat.id).join(' and ');
    return [
      {
        path: `hats.${rivals[1]?.id}.triggers`,
        text: `hats ${names} are both triggered by ${topic}, and neither is more specific`,
        fix: `let only one of them listen to ${topic}, or publish two topics`,
      },
    ];
  });
}

function rivalsFor({ hats }: LoopSettings, topic: string): HatSettings[] {
  const fits = (trigger: string) => (isGlob(topic) ? trigger === topic : matchesTopic(trigger, topic));
  const ranked = hats
    .filter((hat) => hat.triggers.some(fits))
    .map((hat) => ({ hat, rank: Math.max(...hat.triggers.filter(fits).map(specificity)) }));
  const best = Math.max(...ranked.map(({ rank }) => rank));
  return ranked.filter(({ rank }) => rank === best).map(({ hat }) => hat);
}

function noStart(settings: LoopSettings): HatFinding[] {
  if (hatsFor(settings, settings.startingEvent).length > 0) return [];
  return [
    {
      path: 'event_loop.starting_event',
      text: `no hat is triggered by the starting event ${settings.startingEvent}: the coordinator begins`,
      fix: `that takes one more iteration; to save it, add ${settings.startingEvent} to the triggers of a hat`,
    },
  ];
}

function unhandled(settings: LoopSettings): HatFinding[] {
  return settings.hats.flatMap((hat) =>
    hat.publishes
      .filter((topic) => topic !== settings.promise && takersOf(settings, topic).length === 0)
      .map((topic) => ({
        path: `hats.${hat.id}.publishes`,
        text: `hat ${hat.id} publishes ${topic}, and no hat is triggered by it`,
        fix: `the coordinator takes it; to save its iteration, add ${topic} to the triggers of a hat`,
      })),
  );
}

function unreachable(settings: LoopSettings): HatFinding[] {
  const reached = reachableHats(settings);
  return settings.hats
    .filter((hat) => !reached.has(hat.id))
    .map((hat) => ({
      path: `hats.${hat.id}.triggers`,
      text: `hat ${hat.id} is never worn: nothing that leads there from ${settings.startingEvent} triggers it`,
      fix:
        hat.triggers.length === 0
          ? 'give it triggers'
          : `let a hat that is worn publish ${hat.triggers.join(' or ')}, or remove the hat`,
    }));
}

function reachableHats(settings: LoopSettings): Set<string> {
  const reached = new Set<string>();
  const coordinated = () => settings.hats.filter((hat) => hat.triggers.length > 0);
  // What nobody takes goes to the coordinator, who may hand the work to any hat that has a trigger.
  const after = (topic: string) => {
    const takers = takersOf(settings, topic);
    return takers.length > 0 || topic === settings.promise ? takers : coordinated();
  };
  const next = after(settings.startingEvent);
  for (let hat = next.pop(); hat; hat = next.pop()) {
    if (reached.has(hat.id)) continue;
    reached.add(hat.id);
    next.push(...[...hat.publishes, ...(hat.defaultPublishes ? [hat.defaultPublishes] : [])].flatMap(after));
  }
  return reached;
}

/** Hats that an event of this topic can put on: for a glob all that some topic of it could reach. */
export function takersOf(settings: LoopSettings, topic: string): HatSettings[] {
  if (isGlob(topic)) return settings.hats.filter((hat) => hat.triggers.some((trigger) => overlaps(trigger, topic)));
  const [first, ...others] = hatsFor(settings, topic);
  if (!first) return [];
  // A hat that may be worn only so often leaves the topic to the next one.
  const rest = first.maxActivations === undefined ? [] : others;
  return [first, ...rest];
}

function exactTopics({ hats, startingEvent, events }: LoopSettings): string[] {
  const published = hats.flatMap((hat) => hat.publishes);
  return [startingEvent, ...Object.keys(events), ...published].filter((topic) => !isGlob(topic));
}
