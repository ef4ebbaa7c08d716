/**
 * The agent asks: one or several questions, one after the other, with a review before several answers leave together. A
 * pure state machine; how it looks is in question-view.ts.
 */
import type { Inquiry, Question, Suggestion } from '../../contract/index.js';
import { proposedWords, proposerOf } from '../suggestion-words.js';
import { type Choice, choiceInWords, isEmpty, presetOf, wordsOf } from './choices.js';
import type { Around, DialogStep, TypingMode } from './dialog.js';
import { roomOf, type SpanRow } from './draw.js';
import type { Key } from './keys.js';
import { type EditedLine, editLine, lineOf, textOf } from './line-editor.js';
import { type Page, turnPage } from './pager.js';
import { questionRows } from './question-text.js';
import { safe } from './text.js';

export interface QuestionState {
  of: 'question';
  inquiry: Inquiry;
  questions: Question[];
  /** Which question is shown. */
  index: number;
  choices: Choice[];
  /** Which line of the list is marked: an option, or the own text behind them. */
  marked: number;
  mode: 'choose' | 'type' | 'review' | 'details' | 'suggested';
  line: EditedLine;
  page: Page;
  /** The one that was shown when it was asked for: another that came since is not taken in its place. */
  suggestion?: Suggestion;
  note?: string;
}

export function question(inquiry: Inquiry): QuestionState {
  const questions = inquiry.questions ?? [];
  const state: QuestionState = {
    of: 'question',
    inquiry,
    questions,
    index: 0,
    choices: questions.map(presetOf),
    marked: 0,
    mode: 'choose',
    line: lineOf(''),
    page: { top: 0 },
  };
  return show(state, 0);
}

export const questionTypes = ({ mode }: QuestionState): TypingMode => (mode === 'type' ? 'says' : 'no');

/** Lines of the list: the options, and one for an own text where that is welcome. */
export const linesOfList = (asked: Question): number => asked.options.length + (asked.free_text ? 1 : 0);

export const askedNow = (state: QuestionState): Question => state.questions[state.index]!;

/** Shows a question as it was left; one without options is typed at once. */
function show(state: QuestionState, index: number): QuestionState {
  const asked = state.questions[index];
  if (!asked) return { ...state, mode: 'review' };
  const choice = state.choices[index]!;
  const own = asked.options.length;
  const marked = choice.chosen[0] ?? (choice.text !== undefined && asked.free_text ? own : 0);
  const next: QuestionState = { ...state, index, marked, mode: 'choose', line: lineOf(choice.text ?? '') };
  return own === 0 && asked.free_text ? { ...next, mode: 'type' } : next;
}

export function pressQuestion(before: QuestionState, key: Key, around: Around): DialogStep<QuestionState> {
  const { note: _, ...state } = before;
  switch (state.mode) {
    case 'choose':
      return wantsSuggestion(state, key, around) ?? choose(state, key);
    case 'suggested':
      return takeSuggestion(state, key);
    case 'type':
      return type(state, key);
    case 'review':
      return review(state, key);
    case 'details': {
      const count = questionRows(askedNow(state), roomOf(around.size)).length;
      const page = turnPage(state.page, key, { count, size: around.size });
      return { state: page ? { ...state, page } : { ...state, mode: 'choose' } };
    }
  }
}

function choose(state: QuestionState, key: Key): DialogStep<QuestionState> {
  const asked = askedNow(state);
  const count = linesOfList(asked);
  if (key.name === 'paste') return { state: { ...state, note: 'pasted text does not choose: press a key' } };
  if (key.name === 'up') return { state: { ...state, marked: (state.marked + count - 1) % Math.max(1, count) } };
  if (key.name === 'down') return { state: { ...state, marked: (state.marked + 1) % Math.max(1, count) } };
  if (key.name === 'escape') return { state: state.index > 0 ? show(state, state.index - 1) : state };
  if (key.name === 'enter') return accept(state, asked);
  if (key.name !== 'text') return { state };
  if (key.text === 'd') return noAnswer(state);
  if (key.text === '?') return { state: { ...state, mode: 'details', page: { top: 0 } } };
  if (key.text === ' ') return { state: asked.multi ? toggle(state, state.marked) : state };
  const digit = /^[1-9]$/.test(key.text) ? Number(key.text) - 1 : -1;
  if (digit < 0 || digit >= count) return { state };
  const moved = { ...state, marked: digit };
  return { state: asked.multi ? toggle(moved, digit) : moved };
}

/** Two keys, the second one behind the words it takes: neither alone answers anything. */
function wantsSuggestion(
  state: QuestionState,
  key: Key,
  { suggestion }: Around,
): DialogStep<QuestionState> | undefined {
  if (!suggestion?.mark || key.name !== 'text' || key.text !== 's') return undefined;
  return { state: { ...state, mode: 'suggested', suggestion } };
}

function takeSuggestion(before: QuestionState, key: Key): DialogStep<QuestionState> {
  const { suggestion, ...rest } = before;
  const state: QuestionState = { ...rest, mode: 'choose' };
  if (key.name !== 'enter' || !suggestion?.mark) return { state };
  const words = safe(proposedWords(state.inquiry, suggestion));
  const summary: SpanRow = [
    { text: `✓ answered as ${safe(proposerOf(suggestion))} suggested: ${words}`, style: 'good' },
    { text: ` · ${questionHeadline(state.inquiry)}` },
  ];
  return { state, does: { do: 'answer', given: { suggested: suggestion.mark }, summary } };
}

function toggle(state: QuestionState, at: number): QuestionState {
  if (at >= askedNow(state).options.length) return typeOwn(state);
  const { chosen, ...choice } = state.choices[state.index]!;
  const next = chosen.includes(at) ? chosen.filter((other) => other !== at) : [...chosen, at].sort((a, b) => a - b);
  return withChoice(state, { ...choice, chosen: next });
}

/** Enter on the list. */
function accept(state: QuestionState, asked: Question): DialogStep<QuestionState> {
  const choice = state.choices[state.index]!;
  const onOwn = asked.free_text && state.marked === asked.options.length;
  if (onOwn && !(asked.multi && !isEmpty(choice))) return { state: typeOwn(state) };
  if (!asked.multi) return onward(withChoice(state, { chosen: [state.marked] }));
  if (isEmpty(choice)) return { state: { ...state, note: 'choose at least one (Space), or d for no answer' } };
  return onward(state);
}

const typeOwn = (state: QuestionState): QuestionState => ({
  ...state,
  mode: 'type',
  line: lineOf(state.choices[state.index]!.text ?? ''),
});

function type(state: QuestionState, key: Key): DialogStep<QuestionState> {
  if (key.name === 'escape') return { state: { ...state, mode: 'choose' } };
  if (key.name !== 'enter') return { state: { ...state, line: editLine(state.line, key) } };
  const asked = askedNow(state);
  const text = textOf(state.line);
  const { chosen } = state.choices[state.index]!;
  if (text === '') {
    const emptied = withChoice(state, { chosen });
    if (asked.multi && chosen.length > 0) return { state: { ...emptied, mode: 'choose' } };
    return { state: { ...emptied, note: 'type an answer, or Esc and d for none' } };
  }
  if (!asked.multi) return onward(withChoice(state, { chosen: [], text }));
  const kept = withChoice(state, { chosen, text });
  // Beside options, a text is one more thing chosen; alone it is the answer.
  return asked.options.length > 0 ? { state: { ...kept, mode: 'choose' } } : onward(kept);
}

function review(state: QuestionState, key: Key): DialogStep<QuestionState> {
  if (key.name === 'enter') return send(state);
  if (key.name === 'escape') return { state: show(state, state.questions.length - 1) };
  return key.name === 'text' && key.text === 'd' ? noAnswer(state) : { state };
}

const withChoice = (state: QuestionState, choice: Choice): QuestionState => ({
  ...state,
  choices: state.choices.with(state.index, choice),
});

/** The next question; behind the last one the review, or off it goes when there was only one. */
function onward(state: QuestionState): DialogStep<QuestionState> {
  if (state.questions.length === 1) return send(state);
  return { state: show(state, state.index + 1) };
}

function send(state: QuestionState): DialogStep<QuestionState> {
  const words = state.questions.flatMap((asked, at) => wordsOf(asked, state.choices[at]!));
  const answers = state.questions.map((asked, at) => choiceInWords(asked, state.choices[at]!)).join(' · ');
  const summary: SpanRow = [
    { text: `✓ answered: ${answers}`, style: 'good' },
    { text: ` · ${questionHeadline(state.inquiry)}` },
  ];
  const texts = state.questions.flatMap((asked, at) => {
    const { text } = state.choices[at]!;
    if (!text) return [];
    return [state.questions.length === 1 ? text : `${asked.id}=${text}`];
  });
  const given = { words, ...(texts.length === 0 ? {} : { texts }) };
  return { state, does: { do: 'answer', given, summary } };
}

function noAnswer(state: QuestionState): DialogStep<QuestionState> {
  const summary: SpanRow = [{ text: '✗ no answer', style: 'warn' }, { text: ` · ${questionHeadline(state.inquiry)}` }];
  return { state, does: { do: 'answer', given: { words: ['deny'] }, summary } };
}

export function questionHeadline(inquiry: Inquiry): string {
  const [first, ...more] = inquiry.questions ?? [];
  const text = safe((first?.text ?? 'a question').split('\n')[0]!);
  return more.length === 0 ? text : `${text} (and ${more.length} more)`;
}
