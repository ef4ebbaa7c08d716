/**
 * Claude's AskUserQuestion, in both directions: its tool input as questions, and a person's answers as the input that
 * answers them. Shared by the control protocol and the hooks, because Claude uses the same shape in both. Surprising:
 * answers are keyed by the question's full text; with the header as key Claude says "did not answer".
 */
import type { Question } from '../../contract/index.js';
import type { InquiryDraft, Settled } from '../adapter.js';
import { asList, asObject, asText, type Json } from './jsonl.js';

export const ASK_USER_QUESTION = 'AskUserQuestion';

/** Tools whose plain `allow` Claude does not accept: it wants the input back, as proof that someone looked. */
export const needsInputBack = (tool: string): boolean => tool === ASK_USER_QUESTION || tool === 'ExitPlanMode';

/** What one tool call asks for: a question, if it is one that can be read, else leave to run. */
export function draftOf(call: {
  tool: string;
  input: unknown;
  call?: string | undefined;
  parent?: string | undefined;
  reason?: string | undefined;
}): InquiryDraft {
  const common = {
    exclusive: false,
    ...(call.call === undefined ? {} : { call: call.call }),
    ...(call.parent === undefined ? {} : { parent: call.parent }),
    ...(call.reason === undefined ? {} : { reason: call.reason }),
  };
  const questions = call.tool === ASK_USER_QUESTION ? questionsOf(call.input) : [];
  return questions.length > 0
    ? { kind: 'question', tool: call.tool, input: call.input, questions, ...common }
    : { kind: 'run', tool: call.tool, input: call.input, editable: true, ...common };
}

export function questionsOf(input: unknown): Question[] {
  const seen = new Map<string, number>();
  return asList(asObject(input)?.questions).flatMap((entry, index) => {
    const text = asText(asObject(entry)?.question);
    if (text === undefined) return [];
    const header = asText(asObject(entry)?.header);
    const question: Question = {
      id: uniqueId(slug(header) || `q${index + 1}`, seen),
      text,
      options: optionsOf(asObject(entry)?.options),
      multi: asObject(entry)?.multiSelect === true,
      free_text: true,
      ...(header === undefined ? {} : { header }),
    };
    return [question];
  });
}

/** Option ids are their places, as the agent's own menu numbers them. */
export function optionsOf(options: unknown): Question['options'] {
  return asList(options)
    .flatMap((entry) => {
      const label = asText(asObject(entry)?.label);
      return label === undefined ? [] : [{ label, description: asText(asObject(entry)?.description) }];
    })
    .map(({ label, description }, index) => ({
      id: String(index + 1),
      label,
      ...(description === undefined ? {} : { description }),
    }));
}

/** Config names questions by this id (`tools.AskUserQuestion.questions.<id>`), so it has to read well in YAML. */
const slug = (text: string | undefined): string =>
  (text ?? '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40);

function uniqueId(id: string, seen: Map<string, number>): string {
  const times = (seen.get(id) ?? 0) + 1;
  seen.set(id, times);
  return times === 1 ? id : uniqueId(`${id}-${times}`, seen);
}

/** A value as the agent's own word: an option's id or label becomes the label, anything else is free text. */
function labelOf(question: Question, value: string): string {
  const option =
    question.options.find((candidate) => candidate.id === value) ??
    question.options.find((candidate) => candidate.label === value);
  return option?.label ?? value;
}

/** What was answered to one question, in the agent's own words; a text that only spells an option stays a text. */
export function wordsFor(question: Question, { verdict }: Settled): string[] {
  if (verdict.kind !== 'values' || !Object.hasOwn(verdict.values, question.id)) return [];
  const given = (verdict.values[question.id] ?? []).filter((value) => value !== '');
  const free = verdict.free?.includes(question.id) ? given.length - 1 : -1;
  return given.map((value, at) => (at === free ? value : labelOf(question, value)));
}

/** The input that carries the answers, or a reason why this verdict cannot be carried. */
export function answered(input: unknown, settled: Settled): { input: Json } | { refused: string } {
  if (settled.verdict.kind !== 'values') return { refused: 'The question was not answered.' };
  const pairs: [string, string][] = [];
  for (const question of questionsOf(input)) {
    const labels = wordsFor(question, settled);
    if (labels.length > 1 && !question.multi) return { refused: `"${question.text}" takes one answer.` };
    if (labels.length > 0) pairs.push([question.text, labels.join(', ')]);
  }
  if (pairs.length === 0) return { refused: 'The question was not answered.' };
  return { input: { ...asObject(input), answers: Object.fromEntries(pairs), ...notesTo(pairs, settled) } };
}

/** Claude writes such notes behind the answer: the one place where the model reads who gave it. */
function notesTo(pairs: [string, string][], { voice: notes }: Settled): Json {
  return notes === undefined ? {} : { annotations: Object.fromEntries(pairs.map(([text]) => [text, { notes }])) };
}
