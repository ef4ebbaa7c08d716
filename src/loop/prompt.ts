/**
 * The prompt of one iteration: the user's words first, then the hat's instructions, then what Reins adds, which never
 * takes more than `ADDED_BYTES`. What does not fit is cut with a note that names the file with the whole of it. The
 * text never shows the promise alone on a line nor a live event tag: an agent that echoes its prompt claims nothing.
 */
import { cutEnd, cutStart, share, sizeOf } from './budget.js';
import { findHat, type LoopSettings } from './settings.js';
import type { Current, GateResult, LoopEvent, LoopState } from './state.js';

/** In bytes of UTF-8, hat instructions not counted: a peer's users paid for 12.7 KB of boilerplate in every prompt. */
export const ADDED_BYTES = 1500;

/** A name or list in our own sentences; the promise is exempt, it must be told exactly. */
const LONGEST_WORD_BYTES = 120;

export interface PromptParts {
  words: string;
  iteration: number;
  attempt: number;
  maxIterations?: number;
  /** Absent when nothing has to be claimed: a single iteration. */
  promise?: string;
  hat?: { id: string; description?: string; instructions?: string; publishes: string[] };
  gates: string[];
  events: Pick<LoopEvent, 'topic' | 'payload'>[];
  guidance: { id: string; text: string }[];
  failedGates: GateResult[];
  notes: string[];
  /** Where the host keeps `promptDetails`; named in the prompt when something was cut. */
  detailsFile?: string;
}

interface ListItem {
  head: string;
  text: string;
  /** Which side is worth keeping: a gate says what went wrong at its end. */
  keep: 'start' | 'end';
}

export function promptParts(state: LoopState, current: Current): PromptParts {
  const { settings } = state;
  const hat = findHat(settings, current.hat);
  return {
    words: settings.prompt,
    iteration: current.iteration,
    attempt: current.attempt,
    ...(settings.maxIterations === undefined ? {} : { maxIterations: settings.maxIterations }),
    ...(settings.once ? {} : { promise: settings.promise }),
    ...(hat ? { hat: hatPart(hat) } : {}),
    gates: settings.gates,
    events: current.events.filter((event) => event.by !== 'loop'),
    guidance: current.guidance,
    failedGates: current.failedGates,
    notes: current.notes,
  };
}

function hatPart(hat: LoopSettings['hats'][number]): NonNullable<PromptParts['hat']> {
  return {
    id: hat.id,
    ...(hat.description ? { description: hat.description } : {}),
    ...(hat.instructions ? { instructions: hat.instructions } : {}),
    publishes: hat.publishes,
  };
}

export function buildPrompt(parts: PromptParts): string {
  const { words, instructions, added } = layOutPrompt(parts);
  return [words, instructions, added].filter((part) => part !== '').join('\n\n');
}

/** The three parts of the prompt, and whether something of ours had to be cut. */
export function layOutPrompt(parts: PromptParts): {
  words: string;
  instructions: string;
  added: string;
  cut: boolean;
} {
  const instructions = parts.hat?.instructions?.trim() ?? '';
  const fixed = [...frame(parts)];
  const items = itemsOf(parts);
  const where = parts.detailsFile ? `Cut to fit; all of it is in ${short(parts.detailsFile)}` : 'Cut to fit.';
  const room = ADDED_BYTES - sizeOf([...fixed, where].join('\n')) - 1;
  const whole = items.map((item) => `${item.head}${item.text}`);
  const cut = sizeOf(whole.join('\n')) > room;
  const shown = cut ? squeeze(items, room) : whole;
  const added = [...fixed, ...shown, ...(cut ? [where] : [])].join('\n');
  return { words: parts.words.trim(), instructions, added, cut };
}

/** Everything the prompt would say if there were no limit: what the host stores beside a prompt that was cut. */
export function promptDetails(parts: PromptParts): string {
  return itemsOf(parts)
    .map((item) => `${item.head}${item.text}\n`)
    .join('\n');
}

/** How to go about it: never cut. Empty when there is nothing to say. */
function frame(parts: PromptParts): string[] {
  const { hat, promise } = parts;
  if (promise === undefined && !hat) return itemsOf(parts).length > 0 ? ['---'] : [];
  const of = parts.maxIterations === undefined ? '' : ` of ${parts.maxIterations}`;
  const wearing = hat ? `, hat ${short(hat.id)}${hat.description ? ` (${short(hat.description)})` : ''}` : '';
  const lines = [
    `---\nIteration ${parts.iteration}${of}${wearing}; each starts fresh, files are the memory between them.`,
  ];
  if (parts.attempt > 1)
    lines.push('An earlier attempt at this iteration was interrupted; some work may be done already.');
  if (promise !== undefined) {
    lines.push(`Only when all of the above is done, end your last message with ${promise} alone on its own line.`);
    if (parts.gates.length > 0)
      lines.push(`It counts only if these checks pass then: ${short(parts.gates.join(', '))}.`);
  }
  if (hat && hat.publishes.length > 0) {
    lines.push(
      `Else hand over before you stop: write \`<event topic="TOPIC">message</event>\` (not in code), TOPIC one of: ${short(hat.publishes.join(', '))}.`,
    );
  }
  return lines;
}

function itemsOf(parts: PromptParts): ListItem[] {
  return [
    ...parts.guidance.map(
      ({ text }): ListItem => ({ head: 'Guidance from the user: ', text: text.trim(), keep: 'start' }),
    ),
    ...parts.failedGates.map(
      (gate): ListItem => ({ head: gateHead(gate), text: gate.tail?.trim() ?? '', keep: 'end' }),
    ),
    ...parts.events.map(({ topic, payload }): ListItem => {
      const text = payload.trim();
      return { head: `Event ${short(topic)}${text === '' ? '' : ': '}`, text, keep: 'start' };
    }),
    ...parts.notes.map((text): ListItem => ({ head: 'Note: ', text, keep: 'start' })),
  ];
}

function gateHead(gate: GateResult): string {
  const how = gate.exitCode === null ? 'did not finish' : `failed with exit code ${gate.exitCode}`;
  return `Completion was refused: check ${short(gate.gate)} ${how}${gate.tail?.trim() ? '; the end of its output:\n' : '.'}`;
}

/** As many items as have room for more than their head, each with a fair share of what there is. */
function squeeze(items: ListItem[], room: number): string[] {
  const overhead = (item: ListItem) => sizeOf(item.head) + 1;
  const kept: ListItem[] = [];
  let heads = 0;
  for (const item of items) {
    if (heads + overhead(item) > room / 2) break;
    heads += overhead(item);
    kept.push(item);
  }
  const sizes = share(
    kept.map((item) => sizeOf(item.text)),
    Math.max(0, room - heads),
  );
  return kept.map((item, index) => {
    const bytes = sizes[index] ?? 0;
    return `${item.head}${item.keep === 'end' ? cutStart(item.text, bytes) : cutEnd(item.text, bytes)}`;
  });
}

const short = (text: string): string => cutEnd(text.replace(/\s+/g, ' '), LONGEST_WORD_BYTES);
