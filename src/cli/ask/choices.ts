/** What a person has chosen so far for one question, as data, and the words that tell the host. */
import type { Question } from '../../contract/index.js';
import { safe } from './text.js';

export interface Choice {
  /** Which options, by place. */
  chosen: number[];
  /** A text of one's own. */
  text?: string;
}

export const isOption = (question: Question, value: string): boolean =>
  question.options.some((option) => option.id === value);

/** The default, chosen beforehand. A secret has none that could be shown. */
export function presetOf(question: Question): Choice {
  const preset = question.secret ? [] : (question.default ?? []);
  const chosen = preset.map((id) => question.options.findIndex((option) => option.id === id)).filter((at) => at >= 0);
  const text = question.free_text ? preset.find((value) => !isOption(question, value)) : undefined;
  return { chosen: question.multi ? chosen : chosen.slice(0, 1), ...(text === undefined ? {} : { text }) };
}

export const isEmpty = (choice: Choice): boolean => choice.chosen.length === 0 && !choice.text;

/** In words of the host, with the question's name: so that an option like "deny" is never taken for something else. */
export const wordsOf = (question: Question, choice: Choice): string[] =>
  choice.chosen.map((at) => `${question.id}=${question.options[at]!.id}`);

/** For the review and the summary. */
export function choiceInWords(question: Question, choice: Choice): string {
  if (question.secret && choice.text) return '(not shown)';
  const labels = choice.chosen.map((at) => safe(question.options[at]!.label));
  return [...labels, ...(choice.text ? [safe(choice.text)] : [])].join(', ') || '(nothing)';
}
