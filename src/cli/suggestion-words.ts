/** A suggestion in words: who proposes what, and why. All of it comes from a model: it is shown, and does nothing. */
import { type Inquiry, nameOf, type Suggestion } from '../contract/index.js';

const LONGEST_REASON = 400;

/** `PostgreSQL`, by the labels of the options; several questions with their ids. */
export function proposedWords(
  { questions = [] }: Pick<Inquiry, 'questions'>,
  { verdict }: Pick<Suggestion, 'verdict'>,
): string {
  if (verdict.kind !== 'values') return verdict.kind;
  const parts = questions.map(({ id, options }) => {
    const given = Object.hasOwn(verdict.values, id) ? verdict.values[id]! : [];
    const labels = given.map((value) => options.find((option) => option.id === value)?.label ?? value).join(', ');
    return questions.length > 1 ? `${id}: ${labels}` : labels;
  });
  return parts.join('; ');
}

export const proposerOf = ({ by }: Suggestion): string => (by.kind === 'consultant' ? by.adapter : nameOf(by));

/** `codex suggests PostgreSQL: it is what ROADMAP.md names (ROADMAP.md)` */
export function suggestionLine(inquiry: Pick<Inquiry, 'questions'>, suggestion: Suggestion): string {
  const { reason, cites = [] } = suggestion;
  const why = reason === undefined ? '' : `: ${reason.slice(0, LONGEST_REASON)}`;
  const names = [...new Set(cites.map(({ name }) => name))].join(', ');
  return `${proposerOf(suggestion)} suggests ${proposedWords(inquiry, suggestion)}${why}${names === '' ? '' : ` (${names})`}`;
}
