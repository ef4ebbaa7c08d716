/**
 * The prompt of one iteration: the user's words first, then the hat's instructions (or all hats, for the coordinator) and
 * the user's rules, then what Reins adds, which never takes more than `ADDED_BYTES`. What does not fit is cut with a note
 * that names the file with the whole of it. What we add never shows the promise alone on a line nor a live event tag,
 * wherever its words came from: an agent that echoes its prompt claims nothing.
 */
import { cutEnd, cutStart, share, sizeOf } from './budget.js';
import { cleaned, cleanedLine } from './clean.js';
import { GARBLED } from './entries.js';
import type { PromptParts } from './prompt-parts.js';
import type { GateResult } from './state.js';

/** In bytes of UTF-8, hat instructions not counted: a peer's users paid for 12.7 KB of boilerplate in every prompt. */
export const ADDED_BYTES = 1500;

/** An agent reads it in pieces; a hundred payloads of 64 KB are not one message. */
const DETAILS_BYTES = 1024 * 1024;

/** A name or list in our own sentences; the promise is exempt, it must be told exactly. */
const LONGEST_WORD_BYTES = 120;
/** In code, so that an agent that repeats it publishes nothing. */
const EVENT_FORM = '`<event topic="TOPIC">message</event>`';
/** A list that is too long for that and has to be known whole. */
const LONGEST_LIST_BYTES = 2048;

interface ListItem {
  head: string;
  text: string;
  /** Which side is worth keeping: a gate says what went wrong at its end. */
  keep: 'start' | 'end';
}

export function buildPrompt(parts: PromptParts): string {
  const { words, instructions, rules, added } = layOutPrompt(parts);
  return [words, instructions, rules, added].filter((part) => part !== '').join('\n\n');
}

/** The parts of the prompt, and whether something of ours had to be cut. */
export function layOutPrompt(parts: PromptParts): {
  words: string;
  instructions: string;
  rules: string;
  added: string;
  cut: boolean;
} {
  const instructions = (parts.coordinator ? coordination(parts.coordinator) : parts.hat?.instructions?.trim()) ?? '';
  const rules = standing(parts);
  const fixed = [...frame(parts)];
  const items = itemsOf(parts);
  const where = parts.detailsFile ? `Cut to fit; all of it is in ${short(parts.detailsFile)}` : 'Cut to fit.';
  const room = ADDED_BYTES - sizeOf([...fixed, where].join('\n')) - 1;
  const whole = items.map((item) => `${item.head}${item.text}`);
  const over = sizeOf(whole.join('\n')) > room;
  const shown = over ? squeeze(items, room) : whole;
  const cut = over || parts.failedGates.some((gate) => gate.outputFile !== undefined);
  const added = [...fixed, ...shown, ...(cut ? [where] : [])].join('\n');
  return { words: parts.words.trim(), instructions, rules, added, cut };
}

/** What the prompt would say if there were (nearly) no limit: what the host stores beside a prompt that was cut. */
export function promptDetails(parts: PromptParts): string {
  return squeeze(itemsOf(parts), DETAILS_BYTES)
    .map((item) => `${item}\n`)
    .join('\n');
}

function coordination(hats: string[]): string {
  return [
    'This iteration wears no hat: you are the coordinator. Do not do the work yourself. Choose the hat that should go on',
    'and publish an event that triggers it, with what it has to know.',
    list('Hats:', hats),
  ].join('\n');
}

const list = (title: string, lines: string[]): string =>
  lines.length === 0 ? '' : [title, ...lines.map((line) => `- ${line}`)].join('\n');

/** How to go about it: never cut. Empty when there is nothing to say. */
function frame(parts: PromptParts): string[] {
  const { hat, promise } = parts;
  if (promise === undefined && !hat && !parts.coordinator) return itemsOf(parts).length > 0 ? ['---'] : [];
  const of = parts.maxIterations === undefined ? '' : ` of ${parts.maxIterations}`;
  const who = parts.coordinator ? ', coordinator' : '';
  const wearing = hat ? `, hat ${short(hat.id)}${hat.description ? ` (${short(hat.description)})` : ''}` : who;
  const lines = [
    `---\nIteration ${parts.iteration}${of}${wearing}; each starts fresh, files are the memory between them.`,
  ];
  if (parts.attempt > 1)
    lines.push('An earlier attempt at this iteration was interrupted; some work may be done already.');
  if (promise !== undefined) lines.push(...finishing(parts, promise));
  const publishes = parts.coordinator ? 'a topic that triggers a hat' : hat && oneOf(hat.publishes);
  if (publishes) {
    lines.push(`Else hand over before you stop: write ${EVENT_FORM} (not in code), TOPIC ${publishes}.`);
  }
  return lines;
}

const isLong = (topics: string[]): boolean => sizeOf(topics.join(', ')) > LONGEST_WORD_BYTES;

function oneOf(topics: string[]): string | undefined {
  if (topics.length === 0) return undefined;
  return isLong(topics) ? 'one of those above' : `one of: ${short(topics.join(', '))}`;
}

function finishing({ gates }: PromptParts, promise: string): string[] {
  const lines = [`Only when all of the above is done, end your last message with ${promise} alone on its own line.`];
  if (gates.length > 0) lines.push(`It counts only if these checks pass then: ${short(gates.join(', '))}.`);
  return lines;
}

/** What the settings ask of every iteration like this one: the user's words, bounded, and not counted as ours. */
function standing({ hat, promise, guardrails, topics, ...parts }: PromptParts): string {
  const { scratchpad, specsDir, requiredEvents } = parts;
  const lines = [
    scratchpad === undefined ? '' : `Notes are kept in ${short(scratchpad)}.`,
    specsDir === undefined ? '' : `Specs are in ${short(specsDir)}.`,
    hat && isLong(hat.publishes)
      ? `You may publish: ${cutEnd(cleanedLine(hat.publishes.join(', ')), LONGEST_LIST_BYTES)}.`
      : '',
    hat?.defaultPublishes === undefined || hat.defaultPublishes === promise
      ? ''
      : `If you publish no event, ${short(hat.defaultPublishes)} is published for you.`,
    promise === undefined || requiredEvents.length === 0
      ? ''
      : `Being done counts only after these events were published: ${cutEnd(cleanedLine(requiredEvents.join(', ')), LONGEST_LIST_BYTES)}.`,
  ].filter((line) => line !== '');
  return [list('Rules:', guardrails), list('Topics:', topics), lines.join('\n')]
    .filter((part) => part !== '')
    .join('\n\n');
}

function itemsOf(parts: PromptParts): ListItem[] {
  const clean = (text: string) => cleaned(text, parts.promise).trim();
  return [
    ...parts.guidance.map(
      ({ text }): ListItem => ({ head: 'Guidance from the user: ', text: clean(text), keep: 'start' }),
    ),
    ...parts.failedGates.map(
      (gate): ListItem => ({ head: gateHead(gate), text: quoted(`\n${clean(gate.tail ?? '')}`).trim(), keep: 'end' }),
    ),
    ...parts.events.map(({ topic, payload, by }): ListItem => {
      const text = quoted(clean(payload));
      const whose = by === 'loop' ? ' (published for a hat that published none)' : '';
      return { head: `Event ${short(topic)}${whose}${text === '' ? '' : ': '}`, text, keep: 'start' };
    }),
    ...parts.notes.map((text): ListItem => ({ head: noteHead(text), text: quoted(clean(text)), keep: 'start' })),
  ];
}

/** What came from an agent or a program: a line of it must not pass for one of ours, such as the user's guidance. */
const quoted = (text: string): string => text.replace(/\n(?!$)/g, '\n> ');

/** The right form is ours, in code and never cut; cleaned with the note it would no longer be one. */
const noteHead = (text: string): string =>
  text.startsWith(GARBLED) ? `Note (an event is written so, but not in code: ${EVENT_FORM}): ` : 'Note: ';

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

const short = (text: string): string => cutEnd(cleanedLine(text), LONGEST_WORD_BYTES);
