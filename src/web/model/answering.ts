/**
 * What a person is about to answer, as data: what is chosen so far, which question is shown, and whether that can be sent; and
 * the arguments of the route `answer` it becomes. Every answer names the digest of what was shown. Pure: who sends is `answers.ts`.
 */
import type { Card, RouteArgs } from '../../contract/page.js';

export type CardInquiry = Card['inquiry'];
export type CardQuestion = NonNullable<Card['inquiry']['questions']>[number];
export type AnswerGiven = RouteArgs<'answer'>;

/** What one answers with. `stop`: deny, and the turn ends; `take`: the suggestion; `else`: no answer but words to the agent. */
export type Deed = 'allow' | 'allow-session' | 'edit' | 'deny' | 'stop' | 'answer' | 'take' | 'else';

export interface Picked {
  /** Ids of options. */
  options: string[];
  /** A text of one's own, kept also while it is not the answer. */
  text: string;
  /** The text is (part of) the answer. */
  own: boolean;
}

export interface AnswerDraft {
  digest: string;
  /** Which question is shown; behind the last of several is the review. */
  step: number;
  picked: Picked[];
  /** Told to the agent with a deny. */
  reason: string;
  /** The input as it is being edited. */
  edited?: string;
}

export const questionsOf = (card: Card): CardQuestion[] => card.inquiry.questions ?? [];

/** The default, chosen beforehand. A secret has none that could be shown. */
function presetOf({ options, multi, free_text, secret, default: preset = [] }: CardQuestion): Picked {
  const known = secret ? [] : preset.filter((id) => options.some((option) => option.id === id));
  const text = secret || !free_text ? undefined : preset.find((value) => !options.some(({ id }) => id === value));
  const chosen = multi ? known : known.slice(0, 1);
  return { options: chosen, text: text ?? '', own: text !== undefined || (options.length === 0 && free_text) };
}

export const draftOf = (card: Card): AnswerDraft => ({
  digest: card.digest,
  step: 0,
  picked: questionsOf(card).map(presetOf),
  reason: '',
});

const withPicked = (draft: AnswerDraft, at: number, next: Partial<Picked>): AnswerDraft => ({
  ...draft,
  picked: draft.picked.map((one, index) => (index === at ? { ...one, ...next } : one)),
});

/** A tap on an option: of one choice the only one, of several one more or one less. */
export function pick(
  draft: AnswerDraft,
  at: number,
  { question, option }: { question: CardQuestion; option: string },
): AnswerDraft {
  const { options } = draft.picked[at]!;
  if (!question.multi) return withPicked(draft, at, { options: [option], own: false });
  const has = options.includes(option);
  // In the order in which they are offered, however they were tapped.
  const next = question.options.map(({ id }) => id).filter((id) => (id === option ? !has : options.includes(id)));
  return withPicked(draft, at, { options: next });
}

/** One's own words: of one choice they are it, beside several they are one more. */
export function write(
  draft: AnswerDraft,
  at: number,
  { question, text }: { question: CardQuestion; text: string },
): AnswerDraft {
  return withPicked(draft, at, { text, own: true, ...(question.multi ? {} : { options: [] }) });
}

/** Whether one's own words are part of it: the row that is tapped. */
export function ownWords(
  draft: AnswerDraft,
  at: number,
  { question, own }: { question: CardQuestion; own: boolean },
): AnswerDraft {
  return withPicked(draft, at, { own, ...(own && !question.multi ? { options: [] } : {}) });
}

export const isAnswered = ({ options, text, own }: Picked): boolean =>
  options.length > 0 || (own && text.trim() !== '');

/** How many are chosen, one's own words being one. */
export const countPicked = ({ options, text, own }: Picked): number =>
  options.length + (own && text.trim() !== '' ? 1 : 0);

export function stepTo(draft: AnswerDraft, step: number): AnswerDraft {
  const last = draft.picked.length > 1 ? draft.picked.length : 0;
  return { ...draft, step: Math.max(0, Math.min(step, last)) };
}

/** Several questions are looked through once more before they leave together. */
export const isReview = (draft: AnswerDraft): boolean => draft.picked.length > 1 && draft.step === draft.picked.length;

/** What is chosen, in words for the review; a secret is never shown. */
export function pickedWords(question: CardQuestion, { options, text, own }: Picked): string[] {
  const labels = options.map((id) => question.options.find((option) => option.id === id)?.label ?? id);
  if (!own || text.trim() === '') return labels;
  return [...labels, question.secret ? '(not shown)' : text];
}

/** The host reads `ID=VALUE`; an id that would be read otherwise cannot be answered from afar. */
const isNameable = ({ id }: CardQuestion): boolean => /^[^=\s]+$/.test(id);

/** An option may be called `deny`: then the word would choose it, and there is no way to refuse. */
const hasOptionDeny = (card: Card): boolean =>
  questionsOf(card).some(({ options }) => options.some(({ id, label }) => id === 'deny' || label === 'deny'));

/** A page or dialog on the agent's screen that nobody here can read: it is answered there and nowhere else. */
export const isUnread = ({ inquiry }: Card): boolean =>
  inquiry.kind === 'run' && inquiry.tool === 'dialog' && inquiry.exclusive;

/** Too long to be shown whole: nobody can agree to what was not seen. */
export const isCut = ({ cut }: Card): boolean => cut === true;

export const isSecret = (card: Card): boolean => questionsOf(card).some(({ secret }) => secret);

/** What may be done with a card at all, in the order it is offered; who may not type has no words of their own in it. */
export function deedsOf(card: Card, types = true): ReadonlySet<Deed> {
  const { inquiry } = card;
  const stop: Deed[] = types ? ['stop'] : [];
  if (isUnread(card)) return new Set();
  if (isCut(card)) return new Set<Deed>(inquiry.kind === 'question' ? ['else'] : ['deny', ...stop]);
  const take: Deed[] = inquiry.suggestion?.mark === undefined || isSecret(card) ? [] : ['take'];
  if (inquiry.kind === 'question')
    return new Set<Deed>([...take, 'answer', ...(hasOptionDeny(card) ? [] : (['else'] as const))]);
  const session: Deed[] = (card.offer ?? []).length > 0 ? ['allow-session'] : [];
  const edit: Deed[] = types && inquiry.editable && inquiry.input !== undefined ? ['edit'] : [];
  return new Set<Deed>([...take, 'deny', ...stop, ...session, 'allow', ...edit]);
}

export type Sendable = { args: AnswerGiven } | { wrong: string };

/** The answer as it is sent, or why it is none yet. */
export function answerOf(card: Card, draft: AnswerDraft, deed: Deed): Sendable {
  const { digest } = draft;
  const reason = draft.reason.trim() === '' ? {} : { reason: draft.reason.trim() };
  switch (deed) {
    case 'allow':
      return { args: { digest, words: ['allow'] } };
    case 'allow-session':
      return { args: { digest, words: ['allow'], scope: 'session' } };
    case 'deny':
      return { args: { digest, words: ['deny'], ...reason } };
    case 'stop':
      return { args: { digest, words: ['deny'], ...reason, interrupt: true } };
    case 'else':
      return draft.reason.trim() === ''
        ? { wrong: 'Write what to tell the agent.' }
        : { args: { digest, words: ['deny'], ...reason } };
    case 'take': {
      const mark = card.inquiry.suggestion?.mark;
      return mark === undefined ? { wrong: 'Nothing is suggested any more.' } : { args: { digest, suggested: mark } };
    }
    case 'edit': {
      const read = editedInput(card, draft.edited ?? '');
      return 'wrong' in read ? read : { args: { digest, input: read.input } };
    }
    case 'answer':
      return chosen(card, draft);
  }
}

function chosen(card: Card, draft: AnswerDraft): Sendable {
  const questions = questionsOf(card);
  const words: string[] = [];
  const texts: string[] = [];
  for (const [at, question] of questions.entries()) {
    const picked = draft.picked[at] ?? { options: [], text: '', own: false };
    if (!isAnswered(picked)) {
      const which = questions.length > 1 ? `Question ${at + 1} has no answer yet.` : 'Choose an answer first.';
      return { wrong: question.options.length === 0 && questions.length === 1 ? 'Write an answer first.' : which };
    }
    if (!question.multi && countPicked(picked) > 1) return { wrong: 'Only one answer can be sent.' };
    if (!isNameable(question)) return { wrong: 'This question can only be answered in the terminal.' };
    words.push(...picked.options.map((id) => `${question.id}=${id}`));
    if (picked.own && picked.text.trim() !== '')
      texts.push(questions.length > 1 ? `${question.id}=${picked.text}` : picked.text);
  }
  return {
    args: { digest: draft.digest, ...(words.length > 0 ? { words } : {}), ...(texts.length > 0 ? { texts } : {}) },
  };
}

/** The one field most inputs are about, edited as it stands; else the whole as JSON. */
const commandOf = (input: unknown): string | undefined => {
  const command = (input as { command?: unknown } | null)?.command;
  return typeof command === 'string' ? command : undefined;
};

export const editableText = (card: Card): { text: string; json: boolean } => {
  const { input } = card.inquiry;
  const command = commandOf(input);
  return command === undefined ? { text: JSON.stringify(input, null, 2), json: true } : { text: command, json: false };
};

function editedInput(card: Card, text: string): { input: unknown } | { wrong: string } {
  const { input } = card.inquiry;
  if (text.trim() === '') return { wrong: 'Nothing is left of it: deny it instead.' };
  if (commandOf(input) !== undefined) return { input: { ...(input as object), command: text } };
  try {
    return { input: JSON.parse(text) };
  } catch (error) {
    return { wrong: `This is no JSON: ${(error as Error).message}` };
  }
}
