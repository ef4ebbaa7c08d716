/**
 * What of an inquiry is put to a consultant: questions with options, by their ids. A permission is a question with the
 * options allow and deny. A question is shown whole or not asked: half of one may mean the opposite.
 */
import type { Inquiry, Question } from '../contract/index.js';
import { plainLines, visibleJson } from '../vt/plain.js';

export interface AskedQuestion {
  id: string;
  text: string;
  options: { id: string; label: string; description?: string }[];
  multi: boolean;
  /** It may be answered in one's own words. */
  ownWords: boolean;
}

/** Of all questions, with their options, as they are laid out. */
const LARGEST_QUESTION = 16 * 1024;
const VERDICT = 'verdict';

/** Before anything is done with it: what is this large is not even made plain. */
const LARGEST_RAW = 128 * 1024;

export const isHuge = (inquiry: Inquiry): boolean => {
  const json = JSON.stringify(inquiry);
  return json.length > LARGEST_RAW;
};

/** The same inquiry without secrets in what is shown of it; its ids are not touched. */
export function withoutSecretsIn(inquiry: Inquiry, hide: (text: string) => string): Inquiry {
  const clean = (text: string): string => hide(plain(text));
  const deep = (value: unknown): unknown => {
    if (typeof value === 'string') return clean(value);
    if (Array.isArray(value)) return value.map(deep);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [clean(key), deep(inner)]));
  };
  const { tool, input, result, reason, questions } = inquiry;
  return {
    ...inquiry,
    ...(tool === undefined ? {} : { tool: clean(tool) }),
    ...(input === undefined ? {} : { input: deep(input) }),
    ...(result === undefined ? {} : { result: { ...result, text: clean(result.text) } }),
    ...(reason === undefined ? {} : { reason: clean(reason) }),
    ...(questions === undefined ? {} : { questions: questions.map((question) => cleanQuestion(question, clean)) }),
  };
}

function cleanQuestion(question: Question, clean: (text: string) => string): Question {
  return {
    ...question,
    text: clean(question.text),
    ...(question.header === undefined ? {} : { header: clean(question.header) }),
    options: question.options.map(({ id, label, description }) => ({
      ...{ id, label: clean(label) },
      ...(description === undefined ? {} : { description: clean(description) }),
    })),
  };
}

/** Ids are shown as they are, or the question is not asked. */
export const hasSecretId = (inquiry: Inquiry, hide: (text: string) => string): boolean =>
  (inquiry.questions ?? [])
    .flatMap(({ id, options }) => [id, ...options.map((option) => option.id)])
    .some((id) => hide(id) !== id);

export function askedOf(inquiry: Inquiry, freeText: boolean): AskedQuestion[] {
  if (inquiry.kind !== 'question') return [permission(inquiry)];
  return (inquiry.questions ?? []).map(({ id, header, text, options, multi, free_text }) => ({
    id,
    text: plain(header ? `${header}: ${text}` : text),
    options: options.map((option) => ({
      id: option.id,
      label: plain(option.label),
      ...(option.description ? { description: plain(option.description) } : {}),
    })),
    multi,
    ownWords: free_text && (options.length === 0 || freeText),
  }));
}

/** Why nobody can be asked about it, or undefined. */
export function unaskable(inquiry: Inquiry, freeText: boolean): string | undefined {
  if (inquiry.exclusive) return 'only a person may answer it';
  if (inquiry.questions?.some(({ secret }) => secret)) return 'it asks for a secret';
  const asked = askedOf(inquiry, freeText);
  if (asked.length === 0) return 'it asks nothing';
  if (isTwice(asked)) return 'two of its questions have the same id';
  for (const { id, options, ownWords } of asked) {
    if (isTwice(options)) return `two options of question ${short(id)} have the same id`;
    if ([id, ...options.map((option) => option.id)].some((one) => one.trim() === '')) return 'an id in it is empty';
    if (options.length === 0 && !ownWords) return `question ${short(id)} has nothing to choose from`;
  }
  const bytes = Buffer.byteLength(layQuestions(inquiry, freeText).join('\n'));
  return bytes > LARGEST_QUESTION ? `it is too long to be shown whole (${bytes} bytes)` : undefined;
}

/** Every text of it inside a JSON string: none can pass for another option, or for our words. */
export function layQuestions(inquiry: Inquiry, freeText: boolean): string[] {
  const about = inquiry.kind === 'question' ? [] : [`about: ${visibleJson(subject(inquiry))}`];
  return [...about, ...askedOf(inquiry, freeText).flatMap(layQuestion)];
}

function layQuestion({ id, text, options, multi, ownWords }: AskedQuestion): string[] {
  const choose = options.length === 0 ? 'your own words' : multi ? 'one or more' : 'exactly one';
  const also = ownWords && options.length > 0 ? ' (or your own words)' : '';
  return [
    `question: ${visibleJson({ id, text })}`,
    `choose: ${choose}${also}`,
    ...options.map((option) => `option: ${visibleJson(option)}`),
  ];
}

function permission(inquiry: Inquiry): AskedQuestion {
  const what = inquiry.kind === 'deliver' ? 'May the agent have this result?' : 'May the agent do this?';
  const options = [
    { id: 'allow', label: 'Yes' },
    { id: 'deny', label: 'No' },
  ];
  return { id: VERDICT, text: what, options, multi: false, ownWords: false };
}

function subject({ kind, tool, input, result, reason }: Inquiry): Record<string, unknown> {
  return { kind, tool, input, result, reason: reason === undefined ? undefined : plain(reason) };
}

const plain = (text: string): string => plainLines(text).join('\n');
const short = (id: string): string => visibleJson(id.slice(0, 40));
const isTwice = (all: { id: string }[]): boolean => new Set(all.map(({ id }) => id)).size !== all.length;
