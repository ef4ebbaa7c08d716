/**
 * Claude Code's pages that only a person may answer: those of the first start, and a few that confirm something later.
 * Surprising: since 2.1.325 most have no numbers and the refusing answer is first and pointed at, so the way to an answer
 * is counted from where the pointer stands.
 */
import type { ScreenShot } from '../../contract/index.js';
import { type Body, type Found, isPointedAt, isStarting } from './claude-body.js';
import {
  choiceDialog,
  choicesIn,
  chosen,
  DOWN,
  ENTER,
  ESC,
  keyOf,
  type Lines,
  type Menu,
  menuIn,
  questionOf,
  textBetween,
  UP,
  valuesFor,
} from './screen-text.js';

type PageKind = 'first-run' | 'question';

/** By the paragraph under the rule. */
const PAGES: [heading: RegExp, id: string, kind: PageKind][] = [
  [/^Accessing workspace:/, 'trust-folder', 'first-run'],
  [/^Detected a custom API key in your environment\b/, 'api-key', 'first-run'],
  [/^WARNING: Claude Code running in Bypass Permissions mode\b/, 'bypass-warning', 'first-run'],
  [/^Settings Error\b/, 'settings-error', 'first-run'],
  [/^Configuration error\b/, 'configuration-error', 'first-run'],
  [/^(?:\d+ )?[Nn]ew MCP servers? found\b/, 'mcp-server', 'first-run'],
  [/^Allow external CLAUDE\.md file imports\?/, 'external-imports', 'first-run'],
  [/^Switch model\?/, 'switch-model', 'question'],
  [/^Change effort level\?/, 'change-effort', 'question'],
  [/^Background work is running\b/, 'background-work', 'question'],
];

/** By an option that no other page has, where a small screen has lost the heading; only before the first conversation. */
const BY_OPTION: Record<string, string> = {
  'Yes, I trust this folder': 'trust-folder',
  'No (recommended)': 'api-key',
  'Yes, I accept': 'bypass-warning',
  'Yes, allow external imports': 'external-imports',
  'Fix with Claude': 'settings-error',
  'Reset with default configuration': 'configuration-error',
};

const SEVERAL_FOOTER = /^ Space to select · (?:Enter to confirm · )?Esc to reject all$/;
export const CONFIRM_FOOTER = /^ {1,3}Enter to confirm · Esc to cancel$/;

export function confirmPage(body: Body, footer: string): Found {
  const { lines, from, to, screen } = body;
  const page = PAGES.find(([pattern]) => from > 0 && pattern.test(body.paragraph));
  if (page?.[1] === 'mcp-server' && SEVERAL_FOOTER.test(footer)) return severalServers(body);
  const hasFooter = CONFIRM_FOOTER.test(footer);
  if (page ? !hasFooter && page[2] === 'first-run' : from > 0 || !hasFooter) return undefined;
  const menu = menuOn(lines, from, hasFooter ? to - 1 : to);
  // Without a footer, a menu on the last row may go on below it.
  if (!menu || !isPointedAt(menu, screen) || (!hasFooter && menu.last >= screen.rows - 1)) {
    return hasFooter ? { state: 'asking-question' } : undefined;
  }
  const known = menu.options.map(({ label }) => BY_OPTION[label]).find((id) => id !== undefined);
  const [, id, kind] = page ?? [undefined, known, 'first-run' as const];
  if (id === undefined) return { state: 'asking-question' };
  return { dialog: choiceDialog({ id, kind, text: textBetween(lines, from, menu.first - 1), menu }) };
}

/** Numbered or not, wherever its pointer stands. */
function menuOn(lines: string[], from: number, to: number): Menu | undefined {
  const menus = [1, 2, 3].flatMap((column) => {
    const where = { from, to, pointer: '❯', column };
    return [menuIn(lines, where) ?? choicesIn(lines, where)];
  });
  return menus.find((menu) => menu !== undefined && menu.options.length > 1);
}

export const UNCHECKED_FOOTER = /^ {1,3}Enter to stay in auto mode · .{1,80} · Esc to cancel$/;

/** Auto mode without its check on the server. "Leave for accept edits" stops the asking: only a person may press that. */
export function uncheckedPage({ lines, from, to, heading }: Body, footer: string): Found {
  if (!heading.startsWith("Auto mode can't check actions") || !UNCHECKED_FOOTER.test(footer)) return undefined;
  const id = 'auto-mode-unchecked';
  const options = [
    { number: 1, label: 'Stay, and be asked about each action', detail: [], keys: [ENTER] },
    { number: 2, label: 'Cancel', detail: [], keys: [ESC] },
  ];
  const text = textBetween(lines, from, to - 1);
  return {
    dialog: {
      key: keyOf(id, [text]),
      kind: 'question',
      inquiry: { kind: 'question', tool: id, questions: [questionOf({ id, text, options })], exclusive: true },
      keys: (settled) =>
        settled.verdict.kind === 'deny' || settled.interrupt === true
          ? [ESC]
          : chosen(options, valuesFor(settled, id)?.[0] ?? '')?.keys,
    },
  };
}

/**
 * Several servers of the project at once: boxes without numbers, all ticked. Only what the person names stays ticked.
 * Since 2.1.325 Enter confirms on a line of its own below the boxes.
 */
function severalServers({ lines, from, to, heading, screen }: Body): Found {
  const rows = lines.slice(from, to).map((line, at) => ({ line, row: from + at }));
  const boxes = rows.flatMap(({ line, row }) => {
    const match = /^ {2}([❯ ]) \[([✔ ])\] (.+)$/.exec(line);
    return match ? [{ row, pointed: match[1] === '❯', ticked: match[2] === '✔', label: match[3]! }] : [];
  });
  const confirm = rows.find(({ line }) => /^ {2}[❯ ] {4}Enable selected$/.test(line));
  const pointed = confirm?.line.includes('❯') ? boxes.length : boxes.findIndex((box) => box.pointed);
  const first = boxes[0]?.row ?? 0;
  // A long list scrolls; boxes that are not all in sight are not operated.
  const whole = boxes.length === Number(/^\d+/.exec(heading)?.[0] ?? 0);
  const settled = pointed === boxes.length || screen.cursor.y === boxes[pointed]?.row;
  if (pointed < 0 || !whole || !settled) return { state: 'asking-question' };
  const id = 'mcp-server';
  const options = boxes.map(({ label }, at) => ({ number: at + 1, label, detail: [] }));
  const text = textBetween(lines, from, first - 1);
  return {
    dialog: {
      key: keyOf(id, [text, ...options.map(({ label }) => label)]),
      kind: 'first-run',
      inquiry: {
        kind: 'question',
        tool: id,
        questions: [questionOf({ id, text, options, multi: true })],
        exclusive: true,
      },
      keys(answer) {
        if (answer.verdict.kind === 'deny' && answer.interrupt !== true) return [ESC];
        const wanted = valuesFor(answer, id)?.map((value) => chosen(options, value));
        if (!wanted || wanted.includes(undefined)) return undefined;
        const wrong = boxes.flatMap((box, at) => (box.ticked === wanted.includes(options[at]) ? [] : [at]));
        const { keys, at } = toggles(pointed, wrong);
        return [...keys, ...(confirm ? walk(at, boxes.length) : []), ENTER];
      },
    },
  };
}

const walk = (from: number, to: number): string[] =>
  Array.from({ length: Math.abs(to - from) }, () => (to > from ? DOWN : UP));

/** To the nearest box each time: then every step makes the way shorter, which is how it is known that it was taken. */
function toggles(at: number, boxes: readonly number[]): { keys: string[]; at: number } {
  const [next, ...others] = boxes.toSorted((a, b) => Math.abs(a - at) - Math.abs(b - at));
  if (next === undefined) return { keys: [], at };
  const rest = toggles(next, others);
  return { keys: [...walk(at, next), ' ', ...rest.keys], at: rest.at };
}

const PICKS_THEME = 'Choose the text style that looks best with your terminal';

/** Theme and security notes stand under the welcome picture, the only thing ever painted from the screen's first row. */
export function onboardingPage({ text: lines, last }: Lines, screen: ScreenShot): Found {
  const welcome = /^Welcome to Claude Code v[\d.]+$/.test(lines[0] ?? '');
  const pictured = welcome && /^…?\.{20,}$/.test(lines[1] ?? '');
  // A small screen has no picture and may have lost the first row; before the first conversation nobody else can paint.
  if (!pictured && !isStarting(screen)) return undefined;
  return themePage(lines, last, screen) ?? notesPage(lines, last);
}

function themePage(lines: string[], last: number, screen: ScreenShot): Found {
  const theme = lines.findIndex((line, row) =>
    `${line} ${(lines[row + 1] ?? '').trim()}`.startsWith(` ${PICKS_THEME}`),
  );
  if (theme < 0) return undefined;
  const where = { from: theme, to: last, pointer: '❯', column: 1 };
  const menu = menuIn(lines, where) ?? choicesIn(lines, { ...where, marked: true });
  if (!menu || !isPointedAt(menu, screen)) return undefined;
  return { dialog: choiceDialog({ id: 'theme', kind: 'first-run', text: PICKS_THEME, menu }) };
}

function notesPage(lines: string[], last: number): Found {
  const notes = lines.indexOf(' Security notes:');
  if (notes < 0 || lines[last] !== ' Press Enter to continue…') return undefined;
  const text = textBetween(lines, notes, last - 1);
  const go = { number: 1, label: 'Continue', detail: [] };
  const id = 'security-notes';
  return {
    dialog: {
      key: keyOf(id, [text]),
      kind: 'first-run',
      inquiry: { kind: 'question', tool: id, questions: [questionOf({ id, text, options: [go] })], exclusive: true },
      keys: (settled) => (chosen([go], valuesFor(settled, id)?.[0] ?? '') ? [ENTER] : undefined),
    },
  };
}
