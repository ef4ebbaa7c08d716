/**
 * Gemini CLI's own terminal program, read from its rendered screen (checked with 0.61). What anchors a sign here: the
 * title's first sign is Gemini's own (`◇` rests, `✦` works, `✋` waits for a person); dialogs are boxes from edge to edge
 * (tool boxes in the transcript are narrower, the model's words are indented by `✦ `), the last box on the screen, with no
 * composer below; the composer follows a rule from edge to edge and holds the cursor.
 * Surprising: the title says "Ready" over the trust and sign-in pages too.
 */
import type { AgentState, ScreenShot } from '../../contract/index.js';
import type { ScreenDialog, ScreenReading, Transcript, Tui } from '../adapter.js';
import {
  ASKS,
  choiceDialog,
  chosen,
  ENTER,
  ESC,
  isFree,
  isRule,
  keyOf,
  type Lines,
  LONGEST_SIGN,
  linesOf,
  type Menu,
  menuIn,
  otherDialog,
  questionOf,
  textBetween,
  valuesFor,
} from './screen-text.js';

/** Contract: one per launch; it remembers that start-up is over, and a start page that is still open. */
export function geminiTui({ transcript }: { transcript?: Transcript | undefined } = {}): Tui {
  let started = false;
  let page = false;
  return {
    read(screen) {
      const lines = linesOf(screen);
      started ||= hasBanner(lines, screen);
      const reading = read(screen, started);
      // Every repaint takes it away for a moment; it is gone when the composer stands in its place.
      if (reading.dialog?.kind === 'first-run') page = true;
      else if (hasComposer(lines, screen)) page = false;
      return page && !reading.dialog ? {} : reading;
    },
    queues: true,
    osc: (code, text) => (code === 0 || code === 2 ? titleState(text) : undefined),
    ...(transcript ? { transcript } : {}),
    // Enter sooner than 60 ms after it has taken a paste becomes a newline; on a busy machine taking it takes time too.
    submit: { pasteSettleMs: 300, slash: 'typed', defuse: ['!', '/'] },
    interruptKeys: ESC,
    draft: { read: draftIn },
  };
}

/** "Ready" proves nothing (see above), so it is no state. */
function titleState(title: string): AgentState | undefined {
  if (title.length > LONGEST_SIGN) return undefined;
  if (title.startsWith('✦  ')) return 'working';
  return title.startsWith('✋  ') ? 'asking-permission' : undefined;
}

function read(screen: ScreenShot, started: boolean): ScreenReading {
  const lines = linesOf(screen);
  if (lines.last < 0 || screen.alternate) return {};
  const known = titleState(screen.title);
  const box = lastBox(lines, screen.cols);
  if (known === 'working') {
    // It may begin its first prompt behind the trust page, which stands there all the same and waits.
    const page = box?.whole ? startPage(box.lines) : undefined;
    if (page) return { state: known, dialog: page };
    return { state: known, ...(hasComposer(lines, screen) ? { composer: true } : {}) };
  }
  if (hasComposer(lines, screen)) {
    // With a title that waits for a person, one of the two is from the frame before.
    if (known !== undefined) return {};
    return { composer: true, ...(screen.title.startsWith('◇  ') && started ? { state: 'ready' as const } : {}) };
  }
  const dialog = box?.whole ? dialogIn(box, known) : undefined;
  if (dialog) return { state: ASKS[dialog.kind], dialog };
  // Cut off at the top, or new: whoever answers it has to see it.
  const unread = box ? { unread: textBetween(box.lines, 0, box.lines.length - 1) } : {};
  return { ...(known === undefined ? {} : { state: known }), ...unread };
}

/**
 * An empty composer is painted before start-up has decided whether to ask for trust; the banner comes after that, and
 * scrolls away in time. It stands at the left edge, where nothing the model says can stand.
 */
function hasBanner({ text, last }: Lines, { rows }: ScreenShot): boolean {
  const banner = /^(?: (?:\S{1,4} +)?Gemini CLI v\d.*|Tips for getting started:|4\. Be specific for the best results)$/;
  return last >= rows - 2 || text.some((line) => banner.test(line));
}

/** A rule from edge to edge, and below it the line ` > ` (or ` * `, ` ! `, ` r `) with the cursor in or under it. */
const hasComposer = (lines: Lines, screen: ScreenShot): boolean => composerRow(lines, screen) !== undefined;

function composerRow({ text, last }: Lines, { cols, cursor }: ScreenShot): number | undefined {
  const rule = text.findLastIndex((line, row) => row <= last && isRule(line, cols));
  if (rule < 0) return undefined;
  const prompt = text.findIndex((line, row) => row > rule && /^ [>*!] /.test(line));
  return prompt > 0 && cursor.y >= prompt && cursor.y <= last ? prompt : undefined;
}

/** The text in the composer, or the hint that stands in an empty one. */
function draftIn(screen: ScreenShot): string | undefined {
  const lines = linesOf(screen);
  const row = composerRow(lines, screen);
  return row === undefined
    ? undefined
    : lines.text
        .slice(row, screen.cursor.y + 1)
        .join('\n')
        .slice(3);
}

interface BoxText {
  /** What stands inside, without the border. */
  lines: string[];
  /** From its first line on: nothing of it is above the screen's top. */
  whole: boolean;
}

/** The last box that reaches from edge to edge (some pages leave one column on one side or on both). */
function lastBox({ text, last }: Lines, cols: number): BoxText | undefined {
  const bottom = text.findLastIndex((line) => /^ ?╰─+╯$/.test(line) && line.length >= cols - 1);
  if (bottom < 0 || !onlyNotesBelow(text.slice(bottom + 1, last + 1))) return undefined;
  const border = text[bottom] ?? '';
  const margin = border.length - border.trimStart().length;
  const top = text.lastIndexOf(border.replace('╰', '╭').replace('╯', '╮'), bottom);
  const inside = text.slice(top + 1, bottom);
  const isInside = (row: string) =>
    row.startsWith(`${' '.repeat(margin)}│ `) && row.endsWith(' │') && row.length === border.length;
  if (inside.length === 0 || !inside.every(isInside)) return undefined;
  const lines = inside.map((row) => row.slice(margin + 2, -2).trimEnd());
  // On a small screen the border is the first to go, and the heading is still there.
  return { lines, whole: top >= 0 || /^\? +\S|^Answer Questions$/.test(lines[0] ?? '') };
}

/** Warnings and "Press Ctrl+C again" may stand under a dialog; the model's words (`✦`) and prompts (` > `) do not. */
const onlyNotesBelow = (lines: string[]): boolean =>
  lines.every((line) => line === '' || /^(?:[⚠ℹ] | {3}\S|Press Ctrl\+[CD] again)/.test(line));

function dialogIn({ lines }: BoxText, known: AgentState | undefined): ScreenDialog | undefined {
  const to = lines.length - 1;
  const menu = menuOf(lines);
  const waits = known === 'asking-permission';
  const page = waits ? undefined : startPage(lines);
  if (page) return page;
  if (!waits && !menu) return undefined;
  if (menu && waits && lines[0]?.startsWith('? ')) return approval(lines, menu);
  if (menu && waits && lines[0] === 'Answer Questions') return question(lines, menu);
  if (waits && lines[0] === 'Answer Questions' && lines[to]?.startsWith('Enter to submit · '))
    return lines.includes('Review your answers:') ? review(textBetween(lines, 1, to - 1)) : freeText(lines);
  return otherDialog(textBetween(lines, 0, to));
}

const menuOf = (lines: string[]): Menu | undefined =>
  [0, 2].map((column) => menuIn(lines, { from: 0, to: lines.length - 1, pointer: '●', column })).find((found) => found);

function startPage(lines: string[]): ScreenDialog | undefined {
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

function approval(lines: string[], menu: Menu): ScreenDialog {
  const [, tool = 'tool'] = /^\? (\S+)/.exec(lines[0] ?? '') ?? [];
  const shown = textBetween(lines, 0, menu.first - 1);
  const allow = menu.options.find(({ label }) => label === 'Allow once');
  const deny = menu.options.find(({ label }) => label.startsWith('No') && label.endsWith('(esc)'));
  return {
    // A large change is a window on its end, and the window grows and shrinks: what stays is heading, end and labels.
    key: keyOf('approval', [
      lines[0] ?? '',
      ...endOf(lines.slice(1, menu.first)),
      ...menu.options.map(({ label }) => label),
    ]),
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

/** The last line of what would be done, and the question below it. */
const endOf = (lines: string[]): string[] =>
  lines.filter((line) => line !== '' && !/^[╭╰]─+[╮╯]$/.test(line)).slice(-ENDS_WITH);
const ENDS_WITH = 2;

const CUSTOM = 'Enter a custom value';

/** `1. [ ] Doors`: a window of three lines on a longer list, which ends in "All of the above", a custom value and Done. */
const BOX = /^\[([ x])\] (.*)$/;
const ALL = 'All of the above';
const UP = '\x1b[A';

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

function question(lines: string[], menu: Menu): ScreenDialog {
  if (menu.options.every(({ label }) => BOX.test(label))) return manyAnswers(lines, menu);
  const id = 'question';
  const text = textBetween(lines, 1, menu.first - 1);
  const custom = menu.options.find(({ label }) => label === CUSTOM);
  const options = menu.options.filter((option) => option !== custom);
  return {
    key: keyOf(id, [text, ...options.map(({ label }) => label)]),
    kind: 'question',
    inquiry: {
      kind: 'question',
      tool: 'ask_user',
      questions: [questionOf({ id, text, options, freeText: custom !== undefined })],
      exclusive: false,
    },
    keys(answer) {
      if (answer.verdict.kind === 'deny' || answer.interrupt === true) return [ESC];
      const values = valuesFor(answer, id);
      const [value = ''] = values ?? [];
      if (values?.length !== 1) return undefined;
      const option = isFree(answer, id) ? undefined : chosen(options, value);
      if (option) return [String(option.number)];
      return custom && !/[\x00-\x1f\x7f-\x9f]/.test(value) ? [String(custom.number), value, ENTER] : undefined;
    },
  };
}
