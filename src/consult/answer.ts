/**
 * What a consultant said, read strictly: options of this question by their exact ids, or nothing. There is no nearest
 * option, no second try, no reading between the lines; whatever does not fit is no answer, with the reason.
 */
import type { Cite, Inquiry, Verdict } from '../contract/index.js';
import { plainLine, plainLines } from '../vt/plain.js';
import { type AskedQuestion, askedOf, unaskable } from './asked.js';
import { checkedCites } from './cites.js';
import { type Pack, proves } from './facts.js';
import { type AnswerObject, isObject, oneObject } from './one-object.js';

export interface AnswerContext {
  inquiry: Inquiry;
  pack: Pack;
  /** `consult.free_text`. */
  freeText: boolean;
  /** `consult.min_confidence`. */
  minConfidence: number;
}

export type ReadAnswer =
  | { verdict: Verdict; confidence: number; reason: string; cites: Cite[] }
  /** `garbage`: it is no answer to what was asked at all; else an honest one that does not suffice. */
  | { none: string; garbage?: true };

const KEYS = ['answers', 'texts', 'confidence', 'reason', 'cites'];
const MOST_CITES = 20;
const LONGEST_REASON = 1_000;
const LONGEST_TEXT = 4_000;

/** Contract: never throws, whatever was said. */
export function readAnswer(said: string | Uint8Array, context: AnswerContext): ReadAnswer {
  const { inquiry, pack, freeText, minConfidence } = context;
  const refused = pack.refused ?? unaskable(inquiry, freeText);
  if (refused !== undefined) return { none: refused };
  const one = oneObject(said);
  if (isNone(one)) return garbage(one);
  const { object } = one;
  if (Object.keys(object).length === 1 && typeof object.none === 'string')
    return { none: `the consultant gives no answer: ${shortened(object.none, LONGEST_REASON) || 'no reason'}` };
  const shape = shapeOf(object);
  if (isNone(shape)) return garbage(shape);
  const verdict = verdictOf(inquiry, askedOf(inquiry, freeText), shape);
  if (isNone(verdict)) return garbage(verdict);
  const cites = checkedCites(shape.cites, pack.sources);
  const rests = cites.some(({ source }) => pack.sources.some((one) => one.id === source && proves(one)));
  if (cites.length === 0) return { none: 'it cites nothing that is in the pack' };
  if (!rests)
    return { none: 'it rests only on what the asking agent wrote or changed itself, or on what is unverified' };
  const { confidence } = shape;
  if (!(confidence >= minConfidence)) return { none: `it is not sure enough (${confidence} of ${minConfidence})` };
  return { verdict, confidence, reason: shortened(shape.reason, LONGEST_REASON), cites };
}

interface AnswerShape {
  answers: AnswerObject;
  texts: AnswerObject;
  confidence: number;
  reason: string;
  cites: { source: string; quote: string }[];
}

function shapeOf(object: AnswerObject): AnswerShape | { none: string } {
  const strange = Object.keys(object).find((key) => !KEYS.includes(key));
  if (strange !== undefined) return { none: `its answer has a key nobody asked for: ${shortened(strange, 40)}` };
  const { answers = {}, texts = {}, confidence, reason, cites } = object;
  if (!isObject(answers) || !isObject(texts)) return { none: 'its answers are not given by question' };
  if (typeof confidence !== 'number' || !(confidence >= 0 && confidence <= 1))
    return { none: 'its confidence is no number from 0 to 1' };
  if (typeof reason !== 'string' || plainLine(reason) === '') return { none: 'it gives no reason' };
  if (!Array.isArray(cites) || cites.length > MOST_CITES || !cites.every(isCite))
    return { none: 'its cites are not a list of source and quote' };
  return { answers, texts, confidence, reason, cites };
}

const isCite = (cite: unknown): cite is { source: string; quote: string } =>
  isObject(cite) && Object.keys(cite).length === 2 && typeof cite.source === 'string' && typeof cite.quote === 'string';

function verdictOf(
  inquiry: Inquiry,
  asked: AskedQuestion[],
  { answers, texts }: AnswerShape,
): Verdict | { none: string } {
  const strange = [...Object.keys(answers), ...Object.keys(texts)].find((id) => !asked.some((one) => one.id === id));
  if (strange !== undefined) return { none: `it answers a question nobody asked: ${shortened(strange, 40)}` };
  const values: [string, string[]][] = [];
  const free: string[] = [];
  for (const question of asked) {
    const inOptions = Object.hasOwn(answers, question.id);
    const inTexts = Object.hasOwn(texts, question.id);
    const id = shortened(question.id, 40);
    if (inOptions === inTexts) return { none: `question ${id} ${inOptions ? 'is answered twice' : 'has no answer'}` };
    const given = inOptions ? chosen(question, answers[question.id]) : ownWords(question, texts[question.id]);
    if (isNone(given)) return given;
    values.push([question.id, given]);
    if (inTexts && question.options.some((option) => option.id === given[0])) free.push(question.id);
  }
  if (inquiry.kind !== 'question') return { kind: values[0]![1][0] === 'allow' ? 'allow' : 'deny' };
  return { kind: 'values', values: Object.fromEntries(values), ...(free.length === 0 ? {} : { free }) };
}

function chosen({ id, options, multi }: AskedQuestion, given: unknown): string[] | { none: string } {
  const question = shortened(id, 40);
  if (!Array.isArray(given) || given.length === 0) return { none: `question ${question} has no answer` };
  for (const one of given) {
    if (typeof one !== 'string' || !options.some((option) => option.id === one))
      return { none: `it chose something that is no option of question ${question}` };
  }
  if (new Set(given).size !== given.length) return { none: `it chose an option of question ${question} twice` };
  if (given.length > 1 && !multi)
    return { none: `question ${question} takes one answer, and it chose ${given.length}` };
  return given as string[];
}

function ownWords({ id, ownWords }: AskedQuestion, given: unknown): string[] | { none: string } {
  const question = shortened(id, 40);
  if (!ownWords) return { none: `question ${question} takes no words of its own` };
  const text = typeof given === 'string' ? plainLines(given).join('\n').trim() : '';
  if (text === '') return { none: `question ${question} has no answer` };
  if (text.length > LONGEST_TEXT) return { none: `its answer to question ${question} is too long` };
  return [text];
}

const garbage = ({ none }: { none: string }): ReadAnswer => ({ none, garbage: true });

const isNone = (value: object): value is { none: string } => Object.hasOwn(value, 'none');

const shortened = (text: string, most: number): string => {
  const line = plainLine(text);
  return line.length > most ? `${line.slice(0, most).replace(/\p{Cs}$/u, '')}…` : line;
};
