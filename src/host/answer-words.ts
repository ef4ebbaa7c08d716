/**
 * From what a person said to a verdict that fits the inquiry. Words come from `reins answer`, from the phone, from
 * /dev/tty; all end here, so that "2", "PostgreSQL" and "db=PostgreSQL" mean the same everywhere. Nothing is guessed:
 * a word that fits no option of a closed question is refused.
 */
import {
  type Inquiry,
  type InquiryId,
  type Question,
  ReinsError,
  type Suggestion,
  type Verdict,
} from '../contract/index.js';
import { verdictFits } from './verdict-fits.js';

/** `texts` are taken as they stand, never for an option: `id=text` when there are several questions. */
export function wordsToVerdict(inquiry: Inquiry, words: string[], texts: string[] = []): Verdict {
  if (inquiry.kind !== 'question') return permission(inquiry, [...words, ...texts]);
  const questions = inquiry.questions ?? [];
  if (texts.length === 0 && words.length === 1 && words[0] === 'deny' && !isChoice(questions, 'deny'))
    return { kind: 'deny' };
  const values = new Map<string, string[]>();
  // With a text and no word, nothing is said about options.
  const said = words.length === 0 && texts.length > 0 ? [] : assign(inquiry, questions, words);
  for (const [question, given] of said)
    values.set(
      question.id,
      given.map((text) => resolve(inquiry, question, text)),
    );
  const free: string[] = [];
  for (const [question, text] of ownTexts(inquiry, questions, texts)) {
    values.set(question.id, [...(values.get(question.id) ?? []), text]);
    if (question.options.some(({ id, label }) => id === text || label === text)) free.push(question.id);
  }
  const verdict: Verdict = {
    kind: 'values',
    values: Object.fromEntries(values),
    ...(free.length === 0 ? {} : { free }),
  };
  const wrong = verdictFits(inquiry, verdict);
  if (wrong) throw invalid(inquiry, wrong, choices(questions));
  return verdict;
}

/** The one somebody saw and takes. Throws what to tell them: another one is there by now, or none. */
export function takenSuggestion(inquiry: InquiryId, now: Suggestion | undefined, mark: string): Suggestion {
  if (now?.mark === mark) return now;
  const reason = now ? 'the suggestion has changed since you saw it' : 'nothing is suggested for it';
  const fix = `see \`reins inbox\`, and answer yourself or with \`reins answer ${inquiry} --suggested\``;
  throw new ReinsError('ANSWER_INVALID', { inquiry, reason, fix });
}

function permission(inquiry: Inquiry, words: string[]): Verdict {
  const word = words.join(' ').toLowerCase();
  if (['allow', 'yes', 'y'].includes(word)) return { kind: 'allow' };
  if (['deny', 'no', 'n'].includes(word)) return { kind: 'deny' };
  throw invalid(inquiry, 'allow or deny is wanted', `reins answer ${inquiry.id} allow, or deny`);
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

/** Which text belongs to which question; one each, because a question takes one text of one's own. */
function ownTexts(inquiry: Inquiry, questions: Question[], texts: string[]): Map<Question, string> {
  const own = new Map<Question, string>();
  for (const text of texts) {
    const at = text.indexOf('=');
    const question =
      questions.length === 1 ? questions[0] : questions.find(({ id }) => at >= 0 && id === text.slice(0, at));
    if (!question)
      throw invalid(inquiry, `"${text.slice(0, 80)}" names no question`, 'write QUESTION-ID=TEXT for each');
    if (own.has(question)) throw invalid(inquiry, `question ${question.id} takes one text`, 'give --text once for it');
    const whole = questions.length === 1 ? text : text.slice(at + 1);
    if (!question.free_text || whole === '')
      throw invalid(
        inquiry,
        `question ${question.id} takes no ${whole === '' ? 'empty ' : ''}text`,
        choices([question]),
      );
    own.set(question, whole);
  }
  return own;
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
