/** What a prompt is made of, from the state: the settings' words about the hat at work, and what the iteration was given. */
import { cutEnd, sizeOf } from './budget.js';
import { cleanedLine } from './clean.js';
import { hatsFor } from './hats.js';
import { findHat, type HatSettings, type LoopSettings, type TopicSettings } from './settings.js';
import type { Current, GateResult, LoopEvent, LoopState } from './state.js';
import { matchesTopic } from './topics.js';

/** In bytes of UTF-8. They are the user's own words and come with every prompt; what is longer belongs into a file. */
const GUARDRAILS_BYTES = 4096;
const TOPICS_BYTES = 2048;
const HATS_BYTES = 8192;

export interface PromptParts {
  words: string;
  iteration: number;
  attempt: number;
  maxIterations?: number;
  /** Absent when nothing has to be claimed: a single iteration. */
  promise?: string;
  hat?: { id: string; description?: string; instructions?: string; publishes: string[]; defaultPublishes?: string };
  /** All hats, one line each: for the iteration that wears none and hands the work to one. */
  coordinator?: string[];
  guardrails: string[];
  /** What the settings tell of the topics that matter here, one line each. */
  topics: string[];
  scratchpad?: string;
  specsDir?: string;
  requiredEvents: string[];
  gates: string[];
  events: Pick<LoopEvent, 'topic' | 'payload' | 'by'>[];
  guidance: { id: string; text: string }[];
  failedGates: GateResult[];
  notes: string[];
  /** Where the host keeps `promptDetails`; named in the prompt when something was cut. */
  detailsFile?: string;
}

export function promptParts(state: LoopState, current: Current): PromptParts {
  const { settings } = state;
  const hat = findHat(settings, current.hat);
  const { scratchpad, specsDir } = settings;
  return {
    words: settings.prompt,
    iteration: current.iteration,
    attempt: current.attempt,
    ...(settings.maxIterations === undefined ? {} : { maxIterations: settings.maxIterations }),
    ...(settings.once ? {} : { promise: settings.promise }),
    ...(hat ? { hat: hatPart(hat) } : {}),
    ...(current.coordinator ? { coordinator: withinBytes(settings.hats.map(hatLine), HATS_BYTES) } : {}),
    guardrails: withinBytes(settings.guardrails.map(cleanedLine), GUARDRAILS_BYTES),
    topics: withinBytes(topicLines(settings, current), TOPICS_BYTES),
    ...(scratchpad === undefined ? {} : { scratchpad }),
    ...(specsDir === undefined ? {} : { specsDir }),
    requiredEvents: settings.requiredEvents.filter((topic) => !state.seen.includes(topic)),
    gates: settings.gates,
    // That the session began is no news; its topic is among the topics.
    events: current.events.filter((event) => event.by !== 'loop' || event.topic !== settings.startingEvent),
    guidance: current.guidance,
    failedGates: current.failedGates,
    notes: current.notes,
  };
}

function hatPart(hat: HatSettings): NonNullable<PromptParts['hat']> {
  return {
    id: hat.id,
    ...(hat.description ? { description: hat.description } : {}),
    ...(hat.instructions ? { instructions: hat.instructions } : {}),
    publishes: hat.publishes,
    ...(hat.defaultPublishes === undefined ? {} : { defaultPublishes: hat.defaultPublishes }),
  };
}

function hatLine(hat: HatSettings): string {
  const name = hat.name === undefined || hat.name === hat.id ? '' : ` (${hat.name})`;
  const about = hat.description ? `: ${hat.description}` : '';
  const list = (topics: string[]) => (topics.length === 0 ? 'nothing' : topics.join(', '));
  return cleanedLine(`${hat.id}${name}${about}; triggered by ${list(hat.triggers)}; publishes ${list(hat.publishes)}`);
}

/** What it was given means this, and what it may publish means that. */
function topicLines(settings: LoopSettings, current: Current): string[] {
  const hat = findHat(settings, current.hat);
  const given = current.events.map((event) => event.topic);
  const may = (topic: string) =>
    current.coordinator ? hatsFor(settings, topic).length > 0 : hat?.publishes.some((one) => matchesTopic(one, topic));
  return Object.entries(settings.events).flatMap(([topic, told]) => {
    const isGiven = given.some((one) => matchesTopic(topic, one));
    const mayPublish = may(topic) === true;
    return isGiven || mayPublish ? topicLine(topic, told, { isGiven, mayPublish }) : [];
  });
}

function topicLine(
  topic: string,
  { description, onTrigger, onPublish }: TopicSettings,
  { isGiven, mayPublish }: { isGiven: boolean; mayPublish: boolean },
): string[] {
  const words = [
    description,
    isGiven && onTrigger ? `you were given it: ${onTrigger}` : undefined,
    mayPublish && onPublish ? `when you publish it: ${onPublish}` : undefined,
  ].filter((part) => part !== undefined && part.trim() !== '');
  return words.length === 0
    ? []
    : [cleanedLine(`${topic}: ${words.map((part) => part!.trim().replace(/[.;]$/, '')).join('; ')}`)];
}

/** As many lines as have room, the last of them cut. */
function withinBytes(lines: string[], bytes: number): string[] {
  const kept: string[] = [];
  let left = bytes;
  for (const line of lines) {
    if (left < 8) return [...kept.slice(0, -1), '… (more than fits here)'];
    kept.push(cutEnd(line, left));
    left -= sizeOf(line) + 1;
  }
  return kept;
}
