/**
 * One line being typed, as data: text before and behind the cursor. Line breaks that were pasted or were in the text
 * from the start are kept and shown as a sign, so that editing never changes what was not touched.
 */
import type { SpanRow } from './draw.js';
import type { Key } from './keys.js';
import { cells, safe } from './text.js';

export interface EditedLine {
  before: string;
  after: string;
}

/** Longest text an answer may have. */
const LONGEST = 64 * 1024;

/** Columns kept visible behind the cursor of a line that is longer than the screen. */
const LOOK_AHEAD = 8;

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const letters = (text: string): string[] => Array.from(graphemes.segment(text), ({ segment }) => segment);

export const lineOf = (text: string): EditedLine => ({ before: text, after: '' });
export const textOf = (line: EditedLine): string => line.before + line.after;

/** The line after a key; keys that mean nothing here leave it as it is. */
export function editLine(line: EditedLine, key: Key): EditedLine {
  const { before, after } = line;
  switch (key.name) {
    case 'text':
    case 'paste':
      return before.length + after.length + key.text.length > LONGEST ? line : { before: before + key.text, after };
    case 'backspace':
      return { before: letters(before).slice(0, -1).join(''), after };
    case 'delete':
      return { before, after: letters(after).slice(1).join('') };
    case 'erase-line':
      return { before: '', after };
    case 'erase-rest':
      return { before, after: '' };
    case 'erase-word':
      return { before: before.replace(/\S*\s*$/u, ''), after };
    case 'home':
      return { before: '', after: before + after };
    case 'end':
      return { before: before + after, after: '' };
    case 'left': {
      const last = letters(before).at(-1) ?? '';
      return { before: before.slice(0, before.length - last.length), after: last + after };
    }
    case 'right': {
      const next = letters(after)[0] ?? '';
      return { before: before + next, after: after.slice(next.length) };
    }
    default:
      return line;
  }
}

const shown = (text: string): string[] =>
  letters(text).map((letter) => (/^\r?\n$/.test(letter) ? '␤' : letter === '\t' ? '␉' : safe(letter)));

/** The line in one row of `width` columns, scrolled so that the cursor is in it. */
export function lineView(
  line: EditedLine,
  options: { width: number; hidden?: boolean },
): { row: SpanRow; cursor: number } {
  const { width, hidden = false } = options;
  const mark: SpanRow = [{ text: '› ', style: 'key' }];
  if (hidden) return { row: [...mark, { text: '(not shown while you type)', style: 'dim' }], cursor: 2 };
  const before = shown(line.before);
  const after = shown(line.after).join('');
  const room = width - 2 - Math.min(LOOK_AHEAD, cells(after) + 1);
  let from = before.length;
  let used = 0;
  while (from > 0 && used + cells(before[from - 1]!) < room) used += cells(before[--from]!);
  const cutHead = from > 0;
  const head = (cutHead ? '…' : '') + before.slice(from).join('');
  return { row: [...mark, { text: head + after }], cursor: 2 + cells(head) };
}
