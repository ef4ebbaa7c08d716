/**
 * Whether a verdict fits its inquiry, whoever gave it, and what of an answer may be written down and shown. What a person's
 * words mean is read in `answer-words.ts`.
 */
import type { Answer, Inquiry, Progress, Verdict, WaitingInquiry } from '../contract/index.js';
import type { OpenCase } from './open-case.js';

/** Longest text a person may give as an answer; larger things are files. */
const LONGEST_ANSWER = 64 * 1024;

/** A page or dialog that stands on the agent's screen and that nobody here can read (`otherDialog` in the adapters). */
const isUnreadDialog = ({ kind, tool, exclusive }: Inquiry): boolean =>
  kind === 'run' && tool === 'dialog' && exclusive;
const UNREAD_DIALOG =
  'Reins cannot read this dialog; answer it in the agent’s own terminal (`reins attach`), or press its keys (`reins send --keys`)';

/** A line for a plain program, which is typed at its terminal (`prompts.ts` in the adapters). */
const isTyped = ({ kind, tool }: Inquiry): boolean => kind === 'question' && tool === 'terminal';
const NO_LINE = 'it is typed at a terminal: one line of at most 4000 bytes, without control characters';
const isLine = (text: string): boolean => !/[\x00-\x1f\x7f-\x9f]/.test(text) && Buffer.byteLength(text) <= 4000;

/** Why a verdict does not fit an inquiry, or undefined. */
export function verdictFits(inquiry: Inquiry, verdict: Verdict): string | undefined {
  if (isUnreadDialog(inquiry)) return UNREAD_DIALOG;
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
    if (isTyped(inquiry) && !given.every(isLine)) return NO_LINE;
    if (!question.free_text && verdict.free?.includes(question.id)) return `question ${question.id} takes no text`;
    const unknown = given.find((value) => !question.free_text && !question.options.some((o) => o.id === value));
    if (unknown !== undefined) return `"${unknown.slice(0, 80)}" is no option of question ${question.id}`;
  }
  const strange = Object.keys(verdict.values).find((id) => !inquiry.questions?.some((question) => question.id === id));
  return strange === undefined ? undefined : `there is no question ${strange}`;
}

/** What was typed into secret questions. */
export function secretsOf(inquiry: Inquiry, { verdict }: Answer): string[] {
  if (verdict.kind !== 'values') return [];
  const secret = inquiry.questions?.filter((question) => question.secret) ?? [];
  return secret.flatMap(({ id }) => (Object.hasOwn(verdict.values, id) ? (verdict.values[id] ?? []) : []));
}

/** The answer as it may be written down: what was typed into a secret question never is. */
export function publicAnswer(inquiry: Inquiry, answer: Answer): Answer {
  if (answer.verdict.kind !== 'values') return answer;
  const secret = new Set(inquiry.questions?.filter((question) => question.secret).map((question) => question.id));
  const values = Object.entries(answer.verdict.values).map(([id, given]) => [
    id,
    secret.has(id) ? ['(secret)'] : given,
  ]);
  return { ...answer, verdict: { ...answer.verdict, values: Object.fromEntries(values) as Record<string, string[]> } };
}

/** An open inquiry for whoever looks: where it stands, what is suggested, and an answer the agent was not told yet. */
export function shownCase(
  { inquiry, suggestion, answer, tell }: Pick<OpenCase, 'inquiry' | 'suggestion' | 'answer' | 'tell'>,
  progress: Progress | undefined,
): WaitingInquiry {
  const given = tell && answer ? { answer: publicAnswer(inquiry, answer) } : {};
  return { ...inquiry, ...progress, ...(suggestion ? { suggestion } : {}), ...given };
}
