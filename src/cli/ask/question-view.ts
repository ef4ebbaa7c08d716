/** How a question looks: its text, the list with a mark, or the line being typed. */
import type { Question, Suggestion } from '../../contract/index.js';
import { suggestionLine } from '../suggestion-words.js';
import { type Choice, choiceInWords } from './choices.js';
import type { Around } from './dialog.js';
import {
  cutRows,
  type DialogSize,
  type DialogView,
  flow,
  heightOf,
  isRoomy,
  keyItem,
  plain,
  roomOf,
  type SpanRow,
  wrap,
} from './draw.js';
import { lineView } from './line-editor.js';
import { pageView } from './pager.js';
import { askedNow, linesOfList, type QuestionState } from './question.js';
import { questionRows, textRows } from './question-text.js';
import { safe } from './text.js';

/** Rows of the question's text before "? shows all". */
const MOST_TEXT = 6;
/** Rows of one option in the list; `?` shows the rest. */
const MOST_OPTION = 2;

export function questionView(state: QuestionState, around: Around): DialogView {
  const { size, title, suggestion } = around;
  const stage = around.stage && isRoomy(size) ? [around.stage] : [];
  const width = roomOf(size);
  const note = state.note === undefined ? [] : wrap(plain(safe(state.note), 'warn'), { width }).slice(0, 2);
  if (state.mode === 'review') return reviewView(state, around);
  const asked = askedNow(state);
  if (state.mode === 'details') return pageView(state.page, { title, rows: questionRows(asked, width), size });
  const place = state.questions.length > 1 ? plain(` · question ${state.index + 1} of ${state.questions.length}`) : [];
  const earlier =
    around.earlier && isRoomy(size) ? wrap(around.earlier, { width, indent: 2 }).slice(0, MOST_OPTION) : [];
  const head = [
    [...title, ...place],
    ...stage,
    ...cutRows(textRows(asked, width), textRoom(size)),
    ...earlier,
    ...note,
  ];
  if (state.mode === 'type') {
    const { row, cursor } = lineView(state.line, { width, hidden: asked.secret === true });
    return { rows: [...head, plain('Type an answer.  Enter takes it · Esc goes back', 'dim'), row], cursor };
  }
  if (state.mode === 'suggested' && state.suggestion) {
    const whole = wrap(plain(safe(suggestionLine(state.inquiry, state.suggestion)), 'chosen'), { width, indent: 2 });
    const keys = flow([keyItem('Enter', 'answer so'), keyItem('Esc', 'back')], width);
    return { rows: [...head, ...whole.slice(0, heightOf(size) - head.length - keys.length), ...keys] };
  }
  const offered = suggestion?.mark ? suggestionRows(state, suggestion, width) : [];
  const foot = [...offered, ...flow([...keysFor(state, asked), ...(offered.length > 0 ? [TAKES] : [])], width)];
  const list = listRows(state, { asked, width, room: heightOf(size) - head.length - foot.length });
  return { rows: [...head, ...list, ...foot] };
}

const TAKES = keyItem('s', 'see and take what is suggested');

function suggestionRows(state: QuestionState, suggestion: Suggestion, width: number): SpanRow[] {
  return wrap(plain(safe(suggestionLine(state.inquiry, suggestion)), 'dim'), { width, indent: 2 }).slice(
    0,
    MOST_OPTION,
  );
}

const textRoom = (size: DialogSize): number => Math.max(1, Math.min(MOST_TEXT, Math.floor(heightOf(size) / 3)));

function listRows(state: QuestionState, options: { asked: Question; width: number; room: number }): SpanRow[] {
  const { asked, width, room } = options;
  const items = Array.from({ length: linesOfList(asked) }, (_, at) =>
    wrap(itemRow(state, asked, at), { width, indent: 5 }).slice(0, MOST_OPTION),
  );
  // The marked line is always in sight; around it as many as there is room for.
  let from = state.marked;
  let to = state.marked + 1;
  const used = () => items.slice(from, to).flat().length + (from > 0 ? 1 : 0) + (to < items.length ? 1 : 0);
  for (let grown = true; grown; ) {
    grown = false;
    if (to < items.length && used() + items[to]!.length <= room) [to, grown] = [to + 1, true];
    if (from > 0 && used() + items[from - 1]!.length <= room) [from, grown] = [from - 1, true];
  }
  const above = from > 0 ? [plain(`  ↑ ${from} more`, 'dim')] : [];
  const below = to < items.length ? [plain(`  ↓ ${items.length - to} more`, 'dim')] : [];
  return [...above, ...items.slice(from, to).flat(), ...below];
}

function itemRow(state: QuestionState, asked: Question, at: number): SpanRow {
  const choice = state.choices[state.index]!;
  const option = asked.options[at];
  const marked = at === state.marked;
  const on = option ? choice.chosen.includes(at) : choice.text !== undefined;
  const box = asked.multi ? (on ? '[x] ' : '[ ] ') : '';
  const lead: SpanRow = [
    {
      text: `${marked ? '❯' : ' '} ${box}${at + 1}. ${labelOf(asked, choice, at)}`,
      ...(marked ? { style: 'chosen' as const } : {}),
    },
  ];
  const preset = option && asked.default?.includes(option.id) ? plain(' (default)', 'good') : [];
  const more = option?.description ? plain(` – ${safe(option.description)}`, 'dim') : [];
  return [...lead, ...preset, ...more];
}

function labelOf(asked: Question, choice: Choice, at: number): string {
  const option = asked.options[at];
  if (option) return safe(option.label);
  return choice.text && !asked.secret ? `Type an answer… (${safe(choice.text)})` : 'Type an answer…';
}

function keysFor(state: QuestionState, asked: Question): SpanRow[] {
  const most = Math.min(9, linesOfList(asked));
  return [
    keyItem(most > 1 ? `↑↓ 1–${most}` : '↑↓', asked.multi ? 'move, toggle' : 'move'),
    ...(asked.multi ? [keyItem('Space', 'toggle')] : []),
    keyItem('Enter', state.questions.length > 1 ? 'next' : 'answer'),
    ...(state.index > 0 ? [keyItem('Esc', 'back')] : []),
    keyItem('d', 'no answer'),
    keyItem('?', 'details'),
  ];
}

function reviewView(state: QuestionState, { size, title }: Around): DialogView {
  const width = roomOf(size);
  const rows = state.questions.flatMap((asked, at) =>
    wrap(
      [
        ...plain(`  ${safe(asked.header ?? asked.text.split('\n')[0]!)}: `, 'dim'),
        ...plain(choiceInWords(asked, state.choices[at]!)),
      ],
      {
        width,
        indent: 4,
      },
    ),
  );
  const foot = flow([keyItem('Enter', 'send'), keyItem('Esc', 'back'), keyItem('d', 'no answer')], width);
  const note = state.note === undefined ? [] : wrap(plain(safe(state.note), 'warn'), { width }).slice(0, 2);
  const most = heightOf(size) - 1 - note.length - foot.length;
  const shown =
    rows.length <= most
      ? rows
      : [...rows.slice(0, most - 1), plain(`  … ${rows.length - most + 1} more lines`, 'warn')];
  return { rows: [[...title, ...plain(' · your answers')], ...shown, ...note, ...foot] };
}
