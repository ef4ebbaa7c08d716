/** Answers to questions that nobody has to be asked for: the user's own in advance, and the asker's defaults. */
import type { Question, RuleRef, Verdict } from '../contract/index.js';
import { questionSettings } from './cascade.js';
import type { InquiryFacts } from './judge.js';
import type { PolicySettings } from './settings.js';

type Values = Extract<Verdict, { kind: 'values' }>['values'];

/** The option ids for an answer written as ids or labels; free text where the question takes it; else undefined. */
function fitAnswer(question: Question, answer: string[]): string[] | undefined {
  const ids = answer.map((text) => {
    const option = question.options.find(({ id, label }) => id === text || label.toLowerCase() === text.toLowerCase());
    return option?.id ?? (question.free_text ? text : undefined);
  });
  const fits = ids.every((id) => id !== undefined) && (question.multi || ids.length === 1);
  return fits ? (ids as string[]) : undefined;
}

/** What the config answers; a text that does not fit the question is not used. */
function preset(settings: PolicySettings, tool: string | undefined, question: Question) {
  const set = questionSettings(settings, tool, question.id).answer;
  const values = set && fitAnswer(question, set.value);
  return values && { values, source: set.source };
}

/** The user answered every question of the inquiry in advance. */
export function presetAnswer(
  settings: PolicySettings,
  asked: InquiryFacts,
): { values: Values; rule: RuleRef } | undefined {
  const questions = asked.questions ?? [];
  const found = questions.map((question) => ({ question, answer: preset(settings, asked.tool, question) }));
  const first = found[0];
  if (!first?.answer || !found.every(({ answer }) => answer)) return undefined;
  const values = Object.fromEntries(found.map(({ question, answer }) => [question.id, answer!.values]));
  const text = `tools.${asked.tool ?? 'defaults'}.questions.${first.question.id}.answer`;
  return { values, rule: { text, source: first.answer.source } };
}

/** The asker's own defaults, with the user's answers in front of them; undefined unless every question has one. */
export function defaultAnswer(settings: PolicySettings, asked: InquiryFacts): Values | undefined {
  const questions = asked.questions ?? [];
  const values: Values = {};
  for (const question of questions) {
    const fallback = preset(settings, asked.tool, question)?.values ?? question.default;
    if (!fallback || (fallback.length === 0 && !question.multi)) return undefined;
    values[question.id] = fallback;
  }
  return questions.length > 0 ? values : undefined;
}
