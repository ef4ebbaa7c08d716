/**
 * From what a person said to a verdict that fits the inquiry. Words come from `reins answer`, from the phone, from
 * /dev/tty; all end here, so that "2", "PostgreSQL" and "db=PostgreSQL" mean the same everywhere. Nothing is guessed:
 * a word that fits no option of a closed question is refused.
 */
import { type Answer, type Inquiry, type Question, ReinsError, type Verdict } from '../contract/index.js';

/** Longest text a person may give as an answer; larger things are files. */
const LONGEST_ANSWER = 64 * 1024;

export function wordsToVerdict(inquiry: Inquiry, words: string[]): Verdict {
  if (inquiry.kind !== 'question') return permission(inquiry, words);
  const questions = inquiry.questions ?? [];
  if (words.length === 1 && words[0] === 'deny' && !isChoice(questions, 'deny')) return { kind: 'deny' };
  const pairs = [...assign(inquiry, questions, words)].map(([question, texts]): [string, string[]] => [
    question.id,
    texts.map((text) => resolve(inquiry, question, text)),
  ]);
  const verdict: Verdict = { kind: 'values', values: Object.fromEntries(pairs) };
  const wrong = verdictFits(inquiry, verdict);
  if (wrong) throw invalid(inquiry, wrong, choices(questions));
  return verdict;
}

/** Why a verdict does not fit an inquiry, or undefined. */
export function verdictFits(inquiry: Inquiry, verdict: Verdict): string | undefined {
  if (verdict.kind === 'deny') return undefined;
  if (verdict.kind === 'allow') {
    if (inquiry.kind === 'question') return 'a question wants a value, not allow';
    return verdict.input !== undefined && !inquiry.editable ? 'this agent does not take a changed input' : undefined;
  }
  if (inquiry.kind !== 'question') return 'allow or deny is wanted';
  for (const question of inquiry.questions ?? []) {
    const given = Object.hasOwn(verdict.values, question.id) ? verdict.values[question.id] : undefined;
    if (!given || given.length === 0) return `question ${question.id} has no answer`;
    if (given.length > 1 && !question.multi) return `question ${question.id} takes one answer`;
    if (given.some((value) => value.length > LONGEST_ANSWER)) return 'an answer is too long';
    const unknown = given.find((value) => !question.free_text && !question.options.some((o) => o.id === value));
    if (unknown !== undefined) return `"${unknown.slice(0, 80)}" is no option of question ${question.id}`;
  }
  const strange = Object.keys(verdict.values).find((id) => !inquiry.questions?.some((question) => question.id === id));
  return strange === undefined ? undefined : `there is no question ${strange}`;
}

/** The answer as it may be written down: what was typed into a secret question never is. */
export function publicAnswer(inquiry: Inquiry, answer: Answer): Answer {
  if (answer.verdict.kind !== 'values') return answer;
  const secret = new Set(inquiry.questions?.filter((question) => question.secret).map((question) => question.id));
  const values = Object.entries(answer.verdict.values).map(([id, given]) => [
    id,
    secret.has(id) ? ['(secret)'] : given,
  ]);
  return { ...answer, verdict: { kind: 'values', values: Object.fromEntries(values) as Record<string, string[]> } };
}

function permission(inquiry: Inquiry, words: string[]): Verdict {
  const word = words.join(' ').toLowerCase();
  if (['allow', 'yes', 'y'].includes(word)) return { kind: 'allow' };
  if (['deny', 'no', 'n'].includes(word)) return { kind: 'deny' };
  throw invalid(inquiry, 'allow or deny is wanted', `reins answer ${inquiry.id} allow|deny`);
}

/** Which words belong to which question: `id=value` when there are several, all of them when there is one. */
function assign(inquiry: Inquiry, questions: Question[], words: string[]): Map<Question, string[]> {
  const [only] = questions;
  const named = words.map((word) => /^([^=\s]+)=([\s\S]*)$/.exec(word));
  const byId = (id: string) => questions.find((question) => question.id === id);
  if (questions.length === 1 && only && !named.every((match) => match && byId(match[1]!))) {
    const whole = words.join(' ');
    const fits = only.options.some((option) => option.id === whole || option.label === whole);
    return new Map([[only, only.multi && !fits ? words : [whole]]]);
  }
  const assigned = new Map<Question, string[]>();
  for (const [index, match] of named.entries()) {
    const question = match ? byId(match[1]!) : undefined;
    if (!question) {
      throw invalid(inquiry, `"${words[index]!.slice(0, 80)}" names no question`, 'write QUESTION-ID=VALUE for each');
    }
    assigned.set(question, [...(assigned.get(question) ?? []), match![2]!]);
  }
  return assigned;
}

/** The word is one of the offered answers: then it means that one. */
function isChoice(questions: Question[], word: string): boolean {
  return questions.some(({ options }) => options.some(({ id, label }) => id === word || label === word));
}

/** An option by id, by label (case does not matter), by its number; else free text where that is welcome. */
function resolve(inquiry: Inquiry, question: Question, text: string): string {
  const loose = text.trim().toLowerCase();
  const byId = question.options.find((option) => option.id === text);
  const option =
    byId ??
    only(question.options.filter(({ label }) => label === text)) ??
    only(question.options.filter(({ label }) => label.toLowerCase() === loose)) ??
    (/^\d{1,2}$/.test(text) ? question.options[Number(text) - 1] : undefined);
  if (option) return option.id;
  if (question.free_text && text !== '') return text;
  throw invalid(inquiry, `"${text.slice(0, 80)}" is no option of question ${question.id}`, choices([question]));
}

/** Two options of one name cannot be told apart by it. */
function only<T>(found: T[]): T | undefined {
  return found.length === 1 ? found[0] : undefined;
}

function choices(questions: Question[]): string {
  return questions
    .map((question) => `${question.id}: ${question.options.map((option) => option.label).join(' | ') || 'any text'}`)
    .join('; ');
}

function invalid(inquiry: Inquiry, reason: string, fix: string): ReinsError {
  return new ReinsError('ANSWER_INVALID', { inquiry: inquiry.id, reason, fix });
}
