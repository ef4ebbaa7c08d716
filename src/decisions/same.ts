/**
 * Whether two questions are the same, or alike. *Same* is what an old answer may answer again, so it is strict: text,
 * options with what they say of themselves, and whether several may be chosen, all but case, spacing and invisible
 * characters. *Like* is what is worth showing beside a question; it answers nothing.
 */
import { createHash } from 'node:crypto';
import type { Question } from '../contract/index.js';
import type { Remembered } from './remembered.js';

type Wording = Pick<Question, 'text' | 'header' | 'options' | 'multi'>;

export function normal(text: string): string {
  return (
    text
      // Never by what signs are made of: 10² is not 102.
      .normalize('NFC')
      .replace(/[\p{Default_Ignorable_Code_Point}\p{Cc}\u2028\u2029]+/gu, (found) => (/\s/.test(found) ? ' ' : ''))
      .replace(/\s+/g, ' ')
      .trim()
      .toLowerCase()
  );
}

/** Of the whole question, however long: what is kept of it may be cut. The order of options is the agent's whim. */
export function keyOf({ text, header, options, multi }: Wording): string {
  const offered = options.map(({ label, description }) => [normal(label), normal(description ?? '')].join('\u0001'));
  const whole = JSON.stringify([normal(text), normal(header ?? ''), offered.sort(), multi]);
  return createHash('sha256').update(whole).digest('hex');
}

/**
 * The decision's answer in the words of this question: option ids of its own, by what they are called. Undefined where that
 * is not sure: an option that is not there, two of one name, a text of one's own where there are options to choose from.
 */
export function valuesFor(decision: Remembered, question: Question, freeText: boolean): string[] | undefined {
  const given = decision.correction?.values ?? decision.values;
  if (decision.cut || given.length === 0 || (given.length > 1 && !question.multi)) return undefined;
  const found = given.map((value) => {
    const old = decision.question.options.find(({ id }) => id === value);
    if (old) return only(question.options.filter(({ label }) => normal(label) === normal(old.label)))?.id;
    const isText = question.free_text && (question.options.length === 0 || freeText);
    return isText && !question.options.some(({ id, label }) => id === value || label === value) ? value : undefined;
  });
  return found.every((value) => value !== undefined) && new Set(found).size === found.length
    ? (found as string[])
    : undefined;
}

const only = <T>(found: T[]): T | undefined => (found.length === 1 ? found[0] : undefined);

/** What was answered, as a person calls it. */
export function answerWords(question: Pick<Question, 'options'>, values: string[]): string[] {
  return values.map((value) => question.options.find(({ id }) => id === value)?.label ?? value);
}

/** 0 to 1. */
export function likeness(a: Wording, b: Wording): number {
  const words = shared(wordsOf(`${a.header ?? ''} ${a.text}`), wordsOf(`${b.header ?? ''} ${b.text}`));
  if (a.options.length === 0 || b.options.length === 0) return words;
  const labels = ({ options }: Wording) => new Set(options.slice(0, 50).map(({ label }) => normal(label)));
  return (words + shared(labels(a), labels(b))) / 2;
}

function shared(a: Set<string>, b: Set<string>): number {
  if (a.size === 0 || b.size === 0) return 0;
  const both = [...a].filter((word) => b.has(word)).length;
  return (2 * both) / (a.size + b.size);
}

/** Words that every question has. */
const COMMON = new Set(
  'a an and any are be can could do does for from how i in is it me my of on or our shall should that the this to use want we what when where which who why will with would you your'.split(
    ' ',
  ),
);

const MOST_CHARACTERS = 4000;

/** Scripts without spaces between words are taken in pairs of characters. */
function wordsOf(text: string): Set<string> {
  const found = normal(text.slice(0, MOST_CHARACTERS)).match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(
    found.flatMap((word) => {
      if (!/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/u.test(word)) return COMMON.has(word) ? [] : [word];
      return word.length < 2 ? [word] : Array.from({ length: word.length - 1 }, (_, at) => word.slice(at, at + 2));
    }),
  );
}
