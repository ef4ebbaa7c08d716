/** AskUserQuestion on Claude Code's screen: one question, several choices at once, and the page that sends them. */

import { type Body, type Found, isPointedAt } from './claude-body.js';
import {
  choiceDialog,
  chosen,
  ENTER,
  ESC,
  isFree,
  isRule,
  keyOf,
  type Menu,
  menuIn,
  questionOf,
  textBetween,
  valuesFor,
} from './screen-text.js';

const FREE_TEXT = /^(?:\[.\] )?Type something\.?$/;
const CHAT = 'Chat about this';

export function question({ lines, from, heading, screen }: Body, to: number): Found {
  // The submit line of a multiple choice and the inner rule belong to no option.
  const skip = (line: string) => /^ {5}(?:Submit|Next)$/.test(line) || isRule(line, screen.cols);
  const menu = menuIn(lines, { from, to, pointer: '❯', column: 0, skip });
  if (!menu) return { state: 'asking-question' };
  const typing = FREE_TEXT.test(menu.selected.label) || menu.selected.number === freeTextOf(menu)?.number;
  const settled = screen.cursor.y === menu.selected.row && (screen.cursor.x === menu.column || typing);
  if (!settled || !menu.options.some(({ label }) => label === CHAT)) return { state: 'asking-question' };
  const multi = /^\[.\] /.test(menu.options[0]?.label ?? '');
  const own = menu.options
    .filter((option) => option !== freeTextOf(menu) && option.label !== CHAT)
    .map((option) => ({
      ...option,
      label: option.label.replace(/^\[.\] /, ''),
      ticked: /^\[[^ ]\] /.test(option.label),
    }));
  const text = textBetween(lines, from + 1, menu.first - 1);
  const id = 'question';
  const free = freeTextOf(menu);
  const several = (heading.match(/[☐☒]/g) ?? []).length > 1;
  return {
    dialog: {
      key: keyOf(id, [text, ...own.map(({ label }) => label)]),
      page: keyOf('page', [text]),
      kind: 'question',
      ...(multi && !several ? { leadsTo: 'review-' } : {}),
      inquiry: {
        kind: 'question',
        tool: 'AskUserQuestion',
        questions: [questionOf({ id, text, options: own, multi, freeText: free !== undefined && !multi })],
        exclusive: false,
      },
      keys(answer) {
        if (answer.verdict.kind === 'deny' || answer.interrupt === true) return [ESC];
        const values = valuesFor(answer, id);
        if (values === undefined) return undefined;
        if (multi) {
          const wanted = values.map((value) => chosen(own, value));
          if (wanted.includes(undefined)) return undefined;
          const toggles = own.filter((option) => option.ticked !== wanted.includes(option));
          // Tab leads to the next page: the review, whose first option submits, or one more question.
          return [...toggles.map(({ number }) => String(number)), '\t', ...(several ? [] : ['1'])];
        }
        const [value = ''] = values;
        if (values.length > 1) return undefined;
        const option = isFree(answer, id) ? undefined : chosen(own, value);
        if (option) return [String(option.number)];
        return free && isPlainText(value) ? [String(free.number), value, ENTER] : undefined;
      },
    },
  };
}

/** The free text's label is replaced by what is typed, so its place counts: the last one before "Chat about this". */
function freeTextOf(menu: Menu): Menu['options'][number] | undefined {
  const chat = menu.options.findIndex(({ label }) => label === CHAT);
  return menu.options.find(({ label }) => FREE_TEXT.test(label)) ?? menu.options[chat - 1];
}

const isPlainText = (text: string): boolean => !/[\x00-\x1f\x7f-\x9f]/.test(text);

/** The last page of several questions. */
export function review({ lines, from, to, heading, screen }: Body): Found {
  if (!heading.startsWith('←') || !lines.slice(from, to).includes('Ready to submit your answers?')) return undefined;
  const menu = menuIn(lines, { from, to, pointer: '❯', column: 0 });
  if (!menu || !isPointedAt(menu, screen) || menu.options[0]?.label !== 'Submit answers') {
    return { state: 'asking-question' };
  }
  const text = textBetween(lines, from + 1, menu.first - 1);
  return { dialog: choiceDialog({ id: 'review', kind: 'question', text, menu }) };
}
