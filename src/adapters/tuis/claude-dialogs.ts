/**
 * Claude Code's dialogs as they stand on the screen: permission, question, review, first-run pages, and "some other
 * widget". Labels are read, keys follow from them; only the digits and arrows measured to work are ever sent.
 * Surprising: a permission dialog may lack the middle option, so "No" is 2 or 3; plain digits act at once.
 */
import type { AgentState, ScreenShot } from '../../contract/index.js';
import type { InquiryDraft, ScreenDialog } from '../adapter.js';
import {
  choiceDialog,
  chosen,
  DOWN,
  ENTER,
  ESC,
  isFree,
  isRule,
  keyOf,
  type Lines,
  type Menu,
  menuIn,
  otherDialog,
  questionOf,
  textBetween,
  UP,
  valuesFor,
} from './screen-text.js';

type Found = { dialog: ScreenDialog } | { state: AgentState } | undefined;

interface Body {
  lines: string[];
  /** First and last row below the rule. */
  from: number;
  to: number;
  heading: string;
  screen: ScreenShot;
}

/** Pages that only a person may answer, by the first line under the rule. */
type ConfirmPage = [heading: RegExp, id: string, kind: 'first-run' | 'question'];

const CONFIRM_PAGES: ConfirmPage[] = [
  [/^Accessing workspace:$/, 'trust-folder', 'first-run'],
  [/^Detected a custom API key in your environment$/, 'api-key', 'first-run'],
  [/^WARNING: Claude Code running in Bypass Permissions mode$/, 'bypass-warning', 'first-run'],
  [/^Settings Error$/, 'settings-error', 'first-run'],
  [/^Configuration error$/, 'configuration-error', 'first-run'],
  [/^(?:\d+ )?[Nn]ew MCP servers? found\b/, 'mcp-server', 'first-run'],
  [/^Allow external CLAUDE\.md file imports\?$/, 'external-imports', 'first-run'],
  [/^Switch model\?$/, 'switch-model', 'question'],
  [/^Change effort level\?$/, 'change-effort', 'question'],
];

const SEVERAL_FOOTER = ' Space to select · Enter to confirm · Esc to reject all';
const CONFIRM_FOOTER = /^ {1,2}Enter to confirm · Esc to cancel$/;
/** `Tab to amend` is gone while the person amends: then the dialog is theirs and not to be operated. */
const PERMISSION_FOOTER = /^ Esc to cancel(?: · Tab to amend)?(?: · ctrl\+e to \w+)?$/;
const QUESTION_FOOTER = /^Enter to select · (?:[^·]+ · ){1,3}Esc to cancel$/;
/** Widgets that say how to leave them; only below a rule at column 0. */
const SOME_FOOTER = /(?:^ {0,3}| · )Esc to \w+$/;

export function claudeDialog({ text, last }: Lines, screen: ScreenShot): Found {
  if (last < 0) return undefined;
  const onboarding = onboardingPage(text, last, screen);
  if (onboarding) return onboarding;
  // A program that ended clears its title and leaves its last picture behind, with the cursor below it.
  if (screen.cursor.y > last && screen.title === '') return undefined;
  // Still painting: the cursor is where the last character went. Done, it is parked elsewhere.
  if (screen.cursor.y === last && screen.cursor.x >= (text[last] ?? '').length) return undefined;
  const from = bodyStart(text, last, screen.cols);
  const heading = (text.slice(from, last + 1).find((line) => line !== '') ?? '').trim();
  const body: Body = { lines: text, from, to: last, heading, screen };
  const footer = text[last] ?? '';
  if (PERMISSION_FOOTER.test(footer)) return permission(body);
  if (QUESTION_FOOTER.test(footer)) return question(body);
  if (from === 0) return undefined;
  const page = CONFIRM_PAGES.find(([pattern]) => pattern.test(heading));
  if (page?.[1] === 'mcp-server' && footer === SEVERAL_FOOTER) return severalServers(body);
  if (page) return confirm(body, page, footer);
  return /^[←☐☒]/.test(heading) ? review(body) : other(body, footer);
}

/** The row after the rule that begins the dialog; 0 if the rule has scrolled off the top. */
function bodyStart(text: string[], last: number, cols: number): number {
  const rule = text.findLastIndex((line, row) => row <= last && isRule(line, cols));
  if (!/^ {2}\d+\. Chat about this$/.test((text[rule + 1] ?? '').replace('❯ ', '  '))) return rule + 1;
  return text.findLastIndex((line, row) => row < rule && isRule(line, cols)) + 1;
}

/** Ink parks the cursor on the pointer once a frame is complete; elsewhere the frame is half painted or text is typed. */
const isPointedAt = (menu: Menu, { cursor }: ScreenShot): boolean =>
  cursor.y === menu.selected.row && cursor.x === menu.column;

function permission({ lines, from, to, heading, screen }: Body): Found {
  const menu = menuIn(lines, { from, to: to - 1, pointer: '❯', column: 1 });
  const allow = menu?.options.find(({ label }) => label === 'Yes');
  const deny = menu?.options.find(({ label }) => label === 'No' || label.startsWith('No, '));
  // `…` stands where the change will be painted in a moment; nobody should be asked about a change not yet shown.
  const unpainted = lines.slice(from, menu?.first).includes('…');
  if (!menu || !isPointedAt(menu, screen) || unpainted) return { state: 'asking-permission' };
  const shown = textBetween(lines, from, menu.first - 1);
  const [title = '', agent] = heading.split(' · from the ');
  const inquiry: InquiryDraft = {
    kind: 'run',
    tool: TOOLS[title] ?? title,
    // The screen wraps and shortens: good for people to read, not for rules to match a command against.
    input: { screen: shown },
    exclusive: false,
    ...(agent === undefined ? {} : { parent: agent.replace(/ agent$/, '') }),
  };
  return {
    dialog: {
      key: keyOf('permission', [shown, ...menu.options.flatMap(({ label, detail }) => [label, ...detail])]),
      kind: 'permission',
      inquiry,
      keys({ verdict, interrupt }) {
        if (verdict.kind === 'allow' && interrupt !== true) {
          return allow && verdict.input === undefined ? [String(allow.number)] : undefined;
        }
        return deny && interrupt !== true ? [String(deny.number)] : [ESC];
      },
    },
  };
}

const TOOLS: Record<string, string> = { 'Bash command': 'Bash', 'Create file': 'Write', 'Edit file': 'Edit' };

const FREE_TEXT = /^(?:\[.\] )?Type something\.?$/;
const CHAT = 'Chat about this';

function question({ lines, from, to, heading, screen }: Body): Found {
  // The submit line of a multiple choice and the inner rule belong to no option.
  const skip = (line: string) => /^ {5}(?:Submit|Next)$/.test(line) || isRule(line, screen.cols);
  const menu = menuIn(lines, { from, to: to - 1, pointer: '❯', column: 0, skip });
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
      kind: 'question',
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
function review({ lines, from, to, heading, screen }: Body): Found {
  if (!heading.startsWith('←') || !lines.slice(from, to).includes('Ready to submit your answers?')) return undefined;
  const menu = menuIn(lines, { from, to, pointer: '❯', column: 0 });
  if (!menu || !isPointedAt(menu, screen) || menu.options[0]?.label !== 'Submit answers') {
    return { state: 'asking-question' };
  }
  const text = textBetween(lines, from + 1, menu.first - 1);
  return { dialog: choiceDialog({ id: 'review', kind: 'question', text, menu }) };
}

function confirm({ lines, from, to, screen }: Body, [, id, kind]: ConfirmPage, footer: string): Found {
  const hasFooter = CONFIRM_FOOTER.test(footer);
  if (!hasFooter && kind === 'first-run') return undefined;
  for (const column of [1, 2]) {
    const menu = menuIn(lines, { from, to: hasFooter ? to - 1 : to, pointer: '❯', column });
    if (!menu || menu.options.length < 2 || !isPointedAt(menu, screen)) continue;
    return { dialog: choiceDialog({ id, kind, text: textBetween(lines, from, menu.first - 1), menu }) };
  }
  return hasFooter ? { state: 'asking-question' } : undefined;
}

/** Several servers of the project at once: boxes without numbers, all ticked. Only what the person names stays ticked. */
function severalServers({ lines, from, to, heading, screen }: Body): Found {
  const boxes = lines.slice(from, to).flatMap((line, at) => {
    const match = /^ {2}([❯ ]) \[([✔ ])\] (.+)$/.exec(line);
    return match ? [{ row: from + at, pointed: match[1] === '❯', ticked: match[2] === '✔', label: match[3]! }] : [];
  });
  const pointed = boxes.findIndex((box) => box.pointed);
  const first = boxes[0]?.row ?? 0;
  // A long list scrolls; boxes that are not all in sight are not operated.
  const whole = boxes.length === Number(/^\d+/.exec(heading)?.[0] ?? 0);
  if (pointed < 0 || !whole || screen.cursor.y !== boxes[pointed]!.row) return { state: 'asking-question' };
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
      keys(settled) {
        if (settled.verdict.kind === 'deny' && settled.interrupt !== true) return [ESC];
        const wanted = valuesFor(settled, id)?.map((value) => chosen(options, value));
        if (!wanted || wanted.includes(undefined)) return undefined;
        const wrong = boxes.flatMap((box, at) => (box.ticked === wanted.includes(options[at]) ? [] : [at]));
        return [...toggles(pointed, wrong), ENTER];
      },
    },
  };
}

/** To the nearest box each time: then every step makes the way shorter, which is how it is known that it was taken. */
function toggles(at: number, boxes: readonly number[]): string[] {
  const [next, ...others] = boxes.toSorted((a, b) => Math.abs(a - at) - Math.abs(b - at));
  if (next === undefined) return [];
  const walk = Array.from({ length: Math.abs(next - at) }, () => (next > at ? DOWN : UP));
  return [...walk, ' ', ...toggles(next, others)];
}

/** Theme and security notes stand under the welcome picture, the only thing ever painted from the screen's first row. */
function onboardingPage(lines: string[], last: number, screen: ScreenShot): Found {
  if (!/^Welcome to Claude Code v[\d.]+$/.test(lines[0] ?? '') || !/^…?\.{20,}$/.test(lines[1] ?? '')) return undefined;
  const theme = lines.indexOf(' Choose the text style that looks best with your terminal');
  const menu = theme < 0 ? undefined : menuIn(lines, { from: theme, to: last, pointer: '❯', column: 1 });
  if (menu && isPointedAt(menu, screen)) {
    return { dialog: choiceDialog({ id: 'theme', kind: 'first-run', text: (lines[theme] ?? '').trim(), menu }) };
  }
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

function other({ lines, from, to, screen }: Body, footer: string): Found {
  // No dialog begins at column 0: this is the input box, half painted.
  if (/^[❯!]/.test(lines[from] ?? '')) return undefined;
  const menu = [0, 1, 2]
    .map((column) => menuIn(lines, { from, to, pointer: '❯', column }))
    .find((found) => found !== undefined);
  const pointed = menu !== undefined && menu.options.length > 1 && isPointedAt(menu, screen);
  // A confirm page that is being painted over keeps its footer for a moment, but no longer the cursor.
  if (!pointed && (!SOME_FOOTER.test(footer) || CONFIRM_FOOTER.test(footer))) return undefined;
  return { dialog: otherDialog(textBetween(lines, from, to)) };
}
