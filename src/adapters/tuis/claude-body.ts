/**
 * Where a dialog of Claude Code stands on the screen: under the last rule at column 0, the lowest thing there is. What the
 * model, a tool or a prompt says is indented, so it cannot draw such a rule.
 */
import type { AgentState, ScreenShot } from '../../contract/index.js';
import type { ScreenDialog } from '../adapter.js';
import { isRule, type Lines, type Menu } from './screen-text.js';

export type Found = { dialog: ScreenDialog } | { state: AgentState } | undefined;

export interface Body {
  lines: string[];
  /** First and last row below the rule; `from` is 0 if the rule has scrolled off the top. */
  from: number;
  to: number;
  /** The first line with words, and the paragraph it begins: narrow screens wrap. */
  heading: string;
  paragraph: string;
  screen: ScreenShot;
}

/** Since 2.1.325 a dialog that covers the input box has a heavier rule, into which a word about effort may be set. */
const isUpperRule = (line: string, cols: number): boolean =>
  line.length === cols && /^▔+(?: \S[^▔]{0,40} ▔+)?$/.test(line);

export function bodyOf({ text, last }: Lines, screen: ScreenShot): Body {
  const from = bodyStart(text, last, screen.cols);
  const shown = text.slice(from, last + 1);
  const first = shown.findIndex((line) => line !== '' && !/^ *[─╌]+$/.test(line));
  const end = shown.findIndex((line, row) => row > first && line === '');
  const paragraph = first < 0 ? [] : shown.slice(first, end < 0 ? undefined : end).map((line) => line.trim());
  return { lines: text, from, to: last, heading: paragraph[0] ?? '', paragraph: paragraph.join(' '), screen };
}

function bodyStart(text: string[], last: number, cols: number): number {
  const isAny = (line: string) => isRule(line, cols) || isUpperRule(line, cols);
  const rule = text.findLastIndex((line, row) => row <= last && isAny(line));
  if (!/^ {2}\d+\. Chat about this$/.test((text[rule + 1] ?? '').replace('❯ ', '  '))) return rule + 1;
  return text.findLastIndex((line, row) => row < rule && isAny(line)) + 1;
}

/** Ink parks the cursor on the pointer once a frame is complete; elsewhere the frame is half painted or text is typed. */
export const isPointedAt = (menu: Menu, { cursor }: ScreenShot): boolean =>
  cursor.y === menu.selected.row && cursor.x === menu.column;

/** The program has not named its window yet: nothing of a conversation can be on the screen. */
export const isStarting = ({ title, alternate }: ScreenShot): boolean => title === '' && !alternate;
