/**
 * Reading a rendered screen: lines, rules, numbered menus, and what a verdict means for a menu. Knows no agent. Columns
 * count: agents indent what the model says, so what stands further left than that was painted by the program itself.
 */
import type { AgentState, Question, ScreenShot } from '../../contract/index.js';
import type { InquiryDraft, ScreenDialog, Settled } from '../adapter.js';

export const ESC = '\x1b';
export const ENTER = '\r';
export const UP = '\x1b[A';
export const DOWN = '\x1b[B';

/** Characters of screen text that go into an inquiry. */
const KEPT_OF_SCREEN = 4000;

/** A title or a message longer than this is no sign of any agent we know. */
export const LONGEST_SIGN = 400;

export interface Lines {
  text: string[];
  /** Index of the last line with anything on it; -1 on an empty screen. */
  last: number;
}

/** The screen's lines without trailing blanks; some agents fill with no-break spaces. */
export function linesOf(screen: ScreenShot): Lines {
  const text = screen.lines.map((line) => line.replaceAll('\u00a0', ' ').trimEnd());
  return { text, last: text.findLastIndex((line) => line !== '') };
}

export const isRule = (line: string | undefined, cols: number): boolean => line === '─'.repeat(cols);

export interface MenuOption {
  number: number;
  label: string;
  /** What stands under the label, further in. */
  detail: string[];
  selected: boolean;
  row: number;
}

export interface Menu {
  options: MenuOption[];
  selected: MenuOption;
  /** Column of the pointer and, two further, of the numbers. */
  column: number;
  first: number;
  /** Row of the last line that belongs to the menu. */
  last: number;
}

/**
 * The menu whose first option is the last line `1.` between two rows: numbers from 1 without gaps, all in one column,
 * exactly one of them pointed at. `column` is where the pointer stands; anything else on the screen is no menu.
 */
export function menuIn(
  lines: string[],
  where: { from: number; to: number; pointer: string; column: number; skip?: (line: string) => boolean },
): Menu | undefined {
  const { from, to, pointer, column, skip } = where;
  const start = new RegExp(`^ {${column}}(${pointer}| ) (\\d{1,2})\\.(?: (.*))?$`);
  const inner = column + 2;
  const options: MenuOption[] = [];
  for (let row = from; row <= to; row += 1) {
    const line = lines[row] ?? '';
    const found = start.exec(line);
    const number = Number(found?.[2]);
    if (found && number === 1) options.length = 0;
    if (found && number === options.length + 1) {
      options.push({
        number,
        label: (found[3] ?? '').replace(/ ✔$/, '').trim(),
        detail: [],
        selected: found[1] !== ' ',
        row,
      });
      continue;
    }
    const open = options.at(-1);
    if (open === undefined || skip?.(line)) continue;
    if (line.startsWith(' '.repeat(inner)) && line.trim() !== '' && row === lastRow(open) + 1)
      open.detail.push(line.trim());
  }
  const selected = options.filter((option) => option.selected);
  const [only] = selected;
  const end = options.at(-1);
  if (selected.length !== 1 || !only || !end) return undefined;
  return { options, selected: only, column, first: options[0]?.row ?? 0, last: lastRow(end) };
}

/**
 * A menu without numbers: lines without a gap, all beginning in one column, exactly one of them pointed at. They are
 * numbered in their order, for people to name and for `walkTo`. `marked`: a tick or its space stands before each label.
 */
export function choicesIn(
  lines: string[],
  where: { from: number; to: number; pointer: string; column: number; marked?: boolean },
): Menu | undefined {
  const { from, to, pointer, column, marked = false } = where;
  const choice = new RegExp(`^ {${column}}(${pointer}| ) ${marked ? '(?:✔| ) ' : ''}(\\S.*)$`);
  const rows = lines.slice(0, to + 1).flatMap((line, row) => (row < from ? [] : [{ row, found: choice.exec(line) }]));
  const pointed = rows.filter(({ found }) => found && found[1] !== ' ');
  const [only] = pointed;
  if (pointed.length !== 1 || !only) return undefined;
  const isChoice = (row: number): boolean => row >= from && row <= to && choice.test(lines[row] ?? '');
  let first = only.row;
  while (isChoice(first - 1)) first -= 1;
  let last = only.row;
  while (isChoice(last + 1)) last += 1;
  // A label that was wrapped looks like one more choice, or like none: either way this is not the menu it seems to be.
  if (last === first || (lines[last + 1] ?? '').startsWith(' '.repeat(column + 2))) return undefined;
  const options = rows
    .filter(({ row }) => row >= first && row <= last)
    .map(({ row, found }, at) => ({
      number: at + 1,
      label: (found?.[2] ?? '').trim(),
      detail: [],
      selected: row === only.row,
      row,
    }));
  return { options, selected: options[only.row - first]!, column, first, last };
}

const lastRow = (option: MenuOption): number => option.row + option.detail.length;

/** The keys that move the pointer to an option and take it, for menus that do not listen to digits. */
export function walkTo(menu: Menu, option: MenuOption): string[] {
  const steps = option.number - menu.selected.number;
  return [...Array.from({ length: Math.abs(steps) }, () => (steps > 0 ? DOWN : UP)), ENTER];
}

/** A question made of a menu. The ids are the numbers on the screen. */
export function questionOf(asked: {
  id: string;
  text: string;
  options: readonly Pick<MenuOption, 'number' | 'label' | 'detail'>[];
  multi?: boolean;
  freeText?: boolean;
}): Question {
  return {
    id: asked.id,
    text: asked.text,
    options: asked.options.map(({ number, label, detail }) => ({
      id: String(number),
      label,
      ...(detail.length === 0 ? {} : { description: detail.join(' ') }),
    })),
    multi: asked.multi ?? false,
    free_text: asked.freeText ?? false,
  };
}

/** The option a single value means: by its label, or by the number the person saw. */
export function chosen<T extends Pick<MenuOption, 'number' | 'label'>>(
  options: readonly T[],
  value: string,
): T | undefined {
  return options.find(({ label }) => label === value) ?? options.find(({ number }) => String(number) === value);
}

/** The values given to one question, or undefined if the verdict holds none. */
export function valuesFor(settled: Settled, id: string): string[] | undefined {
  const { verdict } = settled;
  if (verdict.kind !== 'values' || !Object.hasOwn(verdict.values, id)) return undefined;
  const values = (verdict.values[id] ?? []).filter((value) => value !== '');
  return values.length === 0 ? undefined : values;
}

/** The one value is a text of the person's own, although it spells an option. */
export const isFree = ({ verdict }: Settled, id: string): boolean =>
  verdict.kind === 'values' && verdict.free?.includes(id) === true;

/** What an answer to a question with one choice asks for: to leave it, an option, or a text that can be typed. */
export function oneChoice<T extends Pick<MenuOption, 'number' | 'label'>>(
  answer: Settled,
  id: string,
  options: readonly T[],
): 'leave' | { option: T } | { text: string } | undefined {
  if (answer.verdict.kind === 'deny' || answer.interrupt === true) return 'leave';
  const [value, ...more] = valuesFor(answer, id) ?? [];
  if (value === undefined || more.length > 0) return undefined;
  const option = isFree(answer, id) ? undefined : chosen(options, value);
  if (option) return { option };
  return /[\x00-\x1f\x7f-\x9f]/.test(value) ? undefined : { text: value };
}

/** A page on which every choice is the person's own: trust, sign-in, settings. Never answered by a rule or a model. */
export function choiceDialog(page: {
  id: string;
  kind: 'first-run' | 'question';
  text: string;
  menu: Menu;
}): ScreenDialog {
  const { id, kind, text, menu } = page;
  const question = questionOf({ id, text, options: menu.options });
  return {
    key: keyOf(id, [text, ...menu.options.map(({ label }) => label)]),
    kind,
    inquiry: { kind: 'question', tool: id, questions: [question], exclusive: true },
    keys(settled) {
      const values = valuesFor(settled, id);
      const option = values?.length === 1 ? chosen(menu.options, values[0] ?? '') : undefined;
      return option ? walkTo(menu, option) : undefined;
    },
  };
}

/** A widget we see but do not know: it can be looked at, never operated. */
export function otherDialog(text: string): ScreenDialog {
  const inquiry: InquiryDraft = { kind: 'run', tool: 'dialog', input: { screen: bounded(text) }, exclusive: true };
  return { key: keyOf('other', [text.split('\n')[0] ?? '']), kind: 'other', inquiry, keys: () => undefined };
}

/** Text between two rows, without the indentation they share. */
export function textBetween(lines: string[], from: number, to: number): string {
  const part = lines.slice(from, to + 1);
  const filled = part.filter((line) => line !== '');
  const indent = Math.min(...filled.map((line) => line.length - line.trimStart().length), 80);
  return bounded(
    part
      .map((line) => line.slice(indent))
      .join('\n')
      .trim(),
  );
}

const bounded = (text: string): string => (text.length > KEPT_OF_SCREEN ? `${text.slice(0, KEPT_OF_SCREEN)}…` : text);

/** Stable while the same words stand on the screen, however wide it is. FNV-1a: short, and nothing depends on its strength. */
export function keyOf(kind: string, parts: readonly string[]): string {
  let hash = 0x811c9dc5;
  for (const char of parts.join('').replace(/\s+/g, '')) {
    hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  }
  return `${kind}-${hash.toString(16).padStart(8, '0')}`;
}

/** A braille pattern: what spinners in titles are made of. */
export const isBraille = (char: string | undefined): boolean => char !== undefined && char >= '⠀' && char <= '⣿';

export const ASKS: Record<ScreenDialog['kind'], AgentState> = {
  permission: 'asking-permission',
  question: 'asking-question',
  'first-run': 'asking-question',
  other: 'asking-permission',
};
