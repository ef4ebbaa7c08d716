/**
 * An answer from outside, read. It is data: bounded, in whole UTF-8, without control characters, about the one inquiry it was
 * asked for. What it means for that inquiry, and whether it fits, is decided where every answer is (`host/answer-words.ts`).
 */
import { hasKeyTwice, type Inquiry, type Question } from '../contract/index.js';

/** As `reins answer` takes it: words for options, texts as they stand. */
export interface OutsideAnswer {
  words: string[];
  texts: string[];
  reason?: string;
}

export type ReadGiven = { given: OutsideAnswer } | { none: true } | { wrong: string };

/** Bytes of an answer; whoever sends more means something else. */
export const MOST_ANSWER = 64 * 1024;
const MOST_REASON = 500;
const KEYS = new Set(['answer', 'text', 'reason', 'inquiry', 'ticket']);

/**
 * What a program printed: JSON if it begins with a brace, else one word per line. Plain words choose among options; a text of
 * one's own is wanted as JSON there, because programs print all kinds of things.
 */
export function readPrinted(bytes: Uint8Array, inquiry: Inquiry): ReadGiven {
  const text = decoded(bytes)?.trim();
  if (text === undefined) return { wrong: 'it is no UTF-8, or too long' };
  if (text === '') return { none: true };
  if (text.startsWith('{')) return readObject(text, inquiry);
  const words = text
    .split(/\r\n|\r|\n/)
    .map(clean)
    .filter((word) => word !== '');
  const questions = inquiry.questions ?? [];
  const [only] = questions;
  const chosen = questions.length === 1 && !only!.multi ? [words.join(' ')] : words;
  if (chosen.some((word) => !chooses(questions, word)))
    return { wrong: 'what it printed is no option; a text of one’s own is printed as {"text": "…"}' };
  return { given: { words, texts: [] } };
}

function chooses(questions: Question[], word: string): boolean {
  const [, id, value] = /^([^=\s]+)=([\s\S]*)$/.exec(word) ?? [];
  const named = questions.find((question) => question.id === id);
  const fits = ({ options }: Question, text: string): boolean =>
    options.length === 0 ||
    (/^\d{1,2}$/.test(text) && Number(text) >= 1 && Number(text) <= options.length) ||
    options.some((option) => option.id === text || option.label.toLowerCase() === text.toLowerCase());
  if (questions.length === 0 || word === 'deny') return true;
  return (named !== undefined && fits(named, value!)) || (questions.length === 1 && fits(questions[0]!, word));
}

/** The body of a response: an object with an answer in it, or none. */
export function readBody(bytes: Uint8Array, inquiry: Inquiry): ReadGiven {
  const text = decoded(bytes)?.trim();
  if (text === undefined) return { wrong: 'it is no UTF-8, or too long' };
  // Most servers say "ok", or nothing: that is no attempt at an answer.
  if (!text.startsWith('{') || !/"(?:answer|text)"\s*:/.test(text)) return { none: true };
  return readObject(text, inquiry);
}

/** The ticket it was given for, if it says one; before anything else is believed. */
export function ticketIn(bytes: Uint8Array): unknown {
  const value = parsed(decoded(bytes) ?? '');
  return isMap(value) ? value.ticket : undefined;
}

function readObject(text: string, inquiry: Inquiry): ReadGiven {
  const value = parsed(text);
  if (!isMap(value)) return { wrong: 'it is no JSON object' };
  if (hasKeyTwice(text)) return { wrong: 'a key stands twice in it' };
  const strange = Object.keys(value).find((key) => !KEYS.has(key));
  if (strange !== undefined) return { wrong: `it has a key that nobody knows (${clean(strange).slice(0, 40)})` };
  if (value.inquiry !== undefined && value.inquiry !== inquiry.id) return { wrong: 'it is for another inquiry' };
  const words = value.answer === undefined ? [] : wordsOf(value.answer, inquiry);
  const texts = value.text === undefined ? [] : wordsOf(value.text, inquiry);
  if (!words || !texts) return { wrong: 'its answer is neither a text, nor a list of them, nor a map by question' };
  if (words.length + texts.length === 0) return { none: true };
  const { reason } = value;
  if (reason !== undefined && typeof reason !== 'string') return { wrong: 'its reason is no text' };
  return { given: { words, texts, ...(reason ? { reason: clean(reason).slice(0, MOST_REASON) } : {}) } };
}

function wordsOf(value: unknown, inquiry: Inquiry): string[] | undefined {
  const list = typeof value === 'string' ? [value] : value;
  if (isTexts(list)) return list.map(clean);
  if (!isMap(list)) return undefined;
  const named = Object.entries(list).map(([id, given]) => ({ id, given: typeof given === 'string' ? [given] : given }));
  if (!named.every((one): one is { id: string; given: string[] } => isTexts(one.given))) return undefined;
  const [only] = inquiry.questions ?? [];
  // One question, by its own name: its id may hold what `ID=VALUE` could not.
  if (only && inquiry.questions?.length === 1 && named.length === 1 && named[0]!.id === only.id)
    return named[0]!.given.map(clean);
  return named.flatMap(({ id, given }) => given.map((word) => `${id}=${clean(word)}`));
}

/** One line without anything a terminal would act on, or that makes a text look like another. */
export function clean(text: string): string {
  // Through bytes and back: half a character is none.
  return Buffer.from(text)
    .toString()
    .replace(/[\t\n\r\u0085\u2028\u2029]+/g, ' ')
    .replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '')
    .trim();
}

function decoded(bytes: Uint8Array): string | undefined {
  if (bytes.length > MOST_ANSWER) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length <= 100 && value.every((one) => typeof one === 'string');
const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
