/**
 * Gemini CLI's dialogs as they stand on the screen: approvals, questions of every kind, and pages only a person may answer.
 * Labels are read, keys follow from them. Surprising: a large change is a window on its end, which grows and shrinks
 * while the dialog is the same.
 */
import type { AgentState } from '../../contract/index.js';
import type { ScreenDialog } from '../adapter.js';
import {
  choiceDialog,
  chosen,
  ENTER,
  ESC,
  keyOf,
  type Menu,
  menuIn,
  oneChoice,
  otherDialog,
  questionOf,
  textBetween,
  UP,
  valuesFor,
} from './screen-text.js';
import type { Windows } from './windows.js';

/** `lines`: what stands in the box. `known`: what the title says. */
export function geminiDialog(
  lines: string[],
  known: AgentState | undefined,
  windows: Windows,
): ScreenDialog | undefined {
  const to = lines.length - 1;
  const menu = menuOf(lines);
  const waits = known === 'asking-permission';
  const page = waits ? undefined : geminiPage(lines);
  if (page) return page;
  if (!waits && !menu) return undefined;
  if (menu && waits && lines[0]?.startsWith('? ')) return approval(lines, menu, windows);
  if (menu && waits && lines[0] === 'Answer Questions') return question(lines, menu);
  if (waits && lines[0] === 'Answer Questions' && lines[to]?.startsWith('Enter to submit · '))
    return lines.includes('Review your answers:') ? review(textBetween(lines, 1, to - 1)) : freeText(lines);
  return { ...otherDialog(textBetween(lines, 0, to)), ...(waits ? pageBelow(lines) : {}) };
}

/** A list of answers that was moved: its window no longer begins at 1, or the pointer stands on Done. What is asked stands above it. */
function pageBelow(lines: string[]): Pick<ScreenDialog, 'page'> {
  const list = lines.findIndex((line, row) => row > 1 && /^(?:▲$|● |\s+\d+\. )/.test(line));
  return lines[0] === 'Answer Questions' && list > 1 ? { page: pageOf(textBetween(lines, 1, list - 1)) } : {};
}

const menuOf = (lines: string[]): Menu | undefined =>
  [0, 2].map((column) => menuIn(lines, { from: 0, to: lines.length - 1, pointer: '●', column })).find((found) => found);

export function geminiPage(lines: string[]): ScreenDialog | undefined {
  const page = START_PAGES.find(([heading]) => lines.includes(heading));
  const menu = page && menuOf(lines);
  if (!menu) return undefined;
  const text = textBetween(lines, lines.indexOf(page[0]), menu.first - 1);
  return choiceDialog({ id: page[1], kind: page[2], text, menu });
}

/** The last page of several questions: nothing is sent before it is confirmed. */
function review(text: string): ScreenDialog {
  const id = 'review';
  const submit = { number: 1, label: 'Submit answers', detail: [] };
  return {
    key: keyOf(id, [text]),
    kind: 'question',
    inquiry: {
      kind: 'question',
      tool: 'ask_user',
      questions: [questionOf({ id, text, options: [submit] })],
      exclusive: false,
    },
    keys(answer) {
      if (answer.verdict.kind === 'deny' || answer.interrupt === true) return [ESC];
      const [value = ''] = valuesFor(answer, id) ?? [];
      return chosen([submit], value) ? [ENTER] : undefined;
    },
  };
}

/** A question to be answered in words: nothing but its own input box, which is not the composer. */
function freeText(lines: string[]): ScreenDialog | undefined {
  const to = lines.length - 1;
  const box = lines.findLastIndex((line) => /^> /.test(line));
  if (box < 1) return undefined;
  const id = 'question';
  const tabs = lines.findIndex((line) => line.startsWith('← '));
  const text = textBetween(lines, Math.max(1, tabs + 1), box - 1);
  const empty = lines[box] === '> Enter your response' && textBetween(lines, box + 1, to - 1) === '';
  return {
    key: keyOf('free-text', [text]),
    kind: 'question',
    inquiry: {
      kind: 'question',
      tool: 'ask_user',
      questions: [questionOf({ id, text, options: [], freeText: true })],
      exclusive: false,
    },
    keys(answer) {
      if (answer.verdict.kind === 'deny' || answer.interrupt === true) return [ESC];
      const [value = '', ...more] = valuesFor(answer, id) ?? [];
      // What somebody has begun to type there is theirs.
      const fits = value !== '' && more.length === 0 && empty && !/[\x00-\x1f\x7f-\x9f]/.test(value);
      return fits ? [value, ENTER] : undefined;
    },
  };
}

/** Pages that only a person may answer, also under a title that says "Ready". */
const START_PAGES: [heading: string, id: string, kind: 'first-run' | 'question'][] = [
  ['Do you trust the files in this folder?', 'trust-folder', 'first-run'],
  ['? Get started', 'sign-in', 'first-run'],
  ['?  A potential loop was detected', 'loop-detected', 'question'],
];

function approval(lines: string[], menu: Menu, windows: Windows): ScreenDialog {
  const [, tool = 'tool'] = /^\? (\S+)/.exec(lines[0] ?? '') ?? [];
  const shown = textBetween(lines, 0, menu.first - 1);
  const allow = menu.options.find(({ label }) => label === 'Allow once');
  const deny = menu.options.find(({ label }) => label.startsWith('No') && label.endsWith('(esc)'));
  return {
    key: windows.keyOf(
      [...frameOf(lines.slice(0, menu.first)), ...menu.options.map(({ label }) => label)],
      contentOf(lines),
    ),
    kind: 'permission',
    // Wrapped and shortened by the screen: for people to read, not for rules to match a command against.
    inquiry: { kind: 'run', tool, input: { screen: shown }, exclusive: false },
    keys({ verdict, interrupt }) {
      if (verdict.kind === 'allow' && interrupt !== true) {
        return allow && verdict.input === undefined ? [String(allow.number)] : undefined;
      }
      return deny ? [ESC] : undefined;
    },
  };
}

/** What would be done stands in a box of its own, as far as it is shown, with a note on how much is hidden. */
const contentOf = (lines: string[]): string[] =>
  lines.filter((line) => line.startsWith('│ ') && !/^│ \.\.\. (?:first|last) \d+ lines? hidden /.test(line));
const frameOf = (lines: string[]): string[] => lines.filter((line) => !line.startsWith('│ '));

const CUSTOM = 'Enter a custom value';

/** `1. [ ] Doors`: a window of three lines on a longer list, which ends in "All of the above", a custom value and Done. */
const BOX = /^\[([ x])\] (.*)$/;
const ALL = 'All of the above';

/** Several answers: digits tick, and up from the first line leads round to Done. */
function manyAnswers(lines: string[], menu: Menu): ScreenDialog {
  const id = 'question';
  const text = textBetween(lines, 1, menu.first - 1).replace(/\s*▲$/, '');
  const seen = menu.options.map((option) => {
    const [, ticked, label = option.label] = BOX.exec(option.label) ?? [];
    return { ...option, label, ticked: ticked === 'x' };
  });
  const options = seen.filter(({ label }) => label !== ALL && label !== CUSTOM);
  const whole = options.length < seen.length;
  const note = whole ? '' : '\n(The list may go on: the rest can be seen in the agent’s own terminal only.)';
  return {
    // What is ticked, and which part of the list is seen, changes while the question stays the same.
    key: keyOf('several', [text]),
    page: pageOf(text),
    follows: true,
    kind: 'question',
    inquiry: {
      kind: 'question',
      tool: 'ask_user',
      questions: [questionOf({ id, text: `${text}${note}`, options, multi: true })],
      exclusive: false,
    },
    keys(answer) {
      if (answer.verdict.kind === 'deny' || answer.interrupt === true) return [ESC];
      const wanted = (valuesFor(answer, id) ?? []).map((value) => chosen(options, value));
      if (wanted.length === 0 || wanted.includes(undefined) || seen[0]?.number !== 1) return undefined;
      const toggles = options.filter((option) => wanted.includes(option) !== option.ticked).map(({ number }) => number);
      const at = toggles.at(-1) ?? menu.selected.number;
      return [...toggles.map(String), ...Array.from({ length: at }, () => UP), ENTER];
    },
  };
}

/** A list that is longer than its window has a sign above it, and further down other labels. */
const pageOf = (text: string): string => keyOf('page', [text.replace(/\s*▲$/, '')]);

function question(lines: string[], menu: Menu): ScreenDialog {
  if (menu.options.every(({ label }) => BOX.test(label))) return manyAnswers(lines, menu);
  const id = 'question';
  const text = textBetween(lines, 1, menu.first - 1);
  const custom = menu.options.find(({ label }) => label === CUSTOM);
  const options = menu.options.filter((option) => option !== custom);
  return {
    key: keyOf(id, [text, ...options.map(({ label }) => label)]),
    page: pageOf(text),
    kind: 'question',
    inquiry: {
      kind: 'question',
      tool: 'ask_user',
      questions: [questionOf({ id, text, options, freeText: custom !== undefined })],
      exclusive: false,
    },
    keys(answer) {
      const choice = oneChoice(answer, id, options);
      if (choice === 'leave') return [ESC];
      if (choice && 'option' in choice) return [String(choice.option.number)];
      return custom && choice ? [String(custom.number), choice.text, ENTER] : undefined;
    },
  };
}
