/**
 * Codex's own terminal program, read from its rendered screen (checked with 0.166). What anchors a sign here: the bottom
 * pane is always the last thing on the screen – the composer (`›` at column 0 with the cursor in it, a status line under
 * it) or, in its place, the dialog, whose last line says which keys it takes. Start-up pages own the whole screen, so
 * their heading is its first line. Above all that OSC 7501 must agree, which no text on a screen can forge.
 * Surprising: the composer is painted before the trust page comes up, and it stays as it was when a turn begins; so
 * this reader remembers what OSC 7501 said last. Versions that do not write it (0.150) are known by a title that spins
 * in a turn before any OSC; then the title counts, which says `[ ! ] Action Required` in a dialog. A title that names the
 * conversation could be the model's, so it counts only where the composer is gone.
 */
import type { AgentState, ScreenShot } from '../../contract/index.js';
import type { ScreenDialog, ScreenReading, Transcript, Tui } from '../adapter.js';
import {
  ASKS,
  choiceDialog,
  ENTER,
  ESC,
  isBraille,
  keyOf,
  type Lines,
  LONGEST_SIGN,
  linesOf,
  type Menu,
  menuIn,
  oneChoice,
  otherDialog,
  questionOf,
  textBetween,
} from './screen-text.js';

/** What OSC 7501 said last; `undefined` before the first one, that is on the start-up pages. */
type TitleSays = 'idle' | 'done' | 'working' | 'permission' | 'question' | undefined;

/** Contract: one per launch, and every OSC goes through `osc` before the screen it came with is read. */
export function codexTui({ transcript }: { transcript?: Transcript } = {}): Tui {
  let said: TitleSays;
  /** It began to work before it said anything: this version never will. */
  let mute = false;
  return {
    read(screen) {
      mute ||= said === undefined && isSpinning(screen.title) && linesOf(screen).text.some((line) => TURN.test(line));
      return read(screen, { said, mute });
    },
    queues: true,
    osc(code, text) {
      if (text.length > LONGEST_SIGN) return undefined;
      if (code === 0 || code === 2) return isSpinning(text) ? 'working' : undefined;
      if (code !== 7501) return undefined;
      mute = false;
      said = saidIn(text);
      return said === undefined ? undefined : STATES[said];
    },
    ...(transcript ? { transcript } : {}),
    // Enter sooner than 30 ms after typed text is taken as a pasted newline; a bracketed paste needs no pause.
    // Codex trims before it looks for `!`: only a letter that cannot be seen and is no space keeps it from running it.
    submit: { pasteSettleMs: 200, slash: 'typed', defuse: ['!', '/'], defuseWith: '\u200b' },
    interruptKeys: ESC,
    draft: { read: draftIn },
  };
}

/** The line over the composer while a turn runs; the title alone spins while codex starts, too. */
const TURN = /^[•◦] \S.* \(\d+\w*(?: \d+\w*)* • esc to interrupt\)/;

const STATES = {
  idle: 'ready',
  done: 'idle',
  working: 'working',
  permission: 'asking-permission',
  question: 'asking-question',
} as const satisfies Record<NonNullable<TitleSays>, AgentState>;

/** `state=blocked:app=codex:kind=question`. `clear` comes at the end, but also when it is only suspended: no state. */
function saidIn(text: string): TitleSays {
  const match = /^state=(idle|done|working|blocked):app=codex(?::kind=(permission|question))?$/.exec(text);
  if (match?.[1] === 'blocked') return match[2] === 'question' ? 'question' : 'permission';
  return match?.[1] as TitleSays;
}

const isSpinning = (title: string): boolean =>
  title.length <= LONGEST_SIGN && isBraille(title.charAt(0)) && title.charAt(1) === ' ';

function read(screen: ScreenShot, { said, mute }: { said: TitleSays; mute: boolean }): ScreenReading {
  const lines = linesOf(screen);
  if (lines.last < 0) return {};
  const composer = composerAt(lines, screen);
  const works = isSpinning(screen.title);
  if (!composer && (said === 'permission' || said === 'question' || isAction(screen.title))) return asks(lines, said);
  const box = composer ? { composer } : {};
  switch (said) {
    case undefined: {
      const page = startPage(lines);
      if (page) return { state: ASKS[page.kind], dialog: page };
      if (!mute) return box;
      // A title that waits for a person beside the composer: one of the two is from the frame before.
      if (isAction(screen.title)) return {};
      return works ? { state: 'working', ...box } : composer ? { state: 'ready', composer } : {};
    }
    case 'permission':
    case 'question':
      return { state: STATES[said] };
    case 'working':
      // After Esc a shell may live on, and with it the state; the composer under this line takes the next prompt.
      return { state: composer && wasInterrupted(lines) && !works ? 'ready' : 'working', ...box };
    default:
      return { ...(composer && !works ? { state: 'ready' as const } : {}), ...box };
  }
}

const isAction = (title: string): boolean =>
  title.length <= LONGEST_SIGN && /^\[ [!.] \] Action Required(?: \||$)/.test(title);

/** A dialog in the composer's place; one that is cut off, or new, is shown to a person and not operated. */
function asks(lines: Lines, said: TitleSays): ScreenReading {
  const dialog =
    (said === 'permission' ? undefined : question(lines)) ?? (said === 'question' ? undefined : approval(lines));
  const state = dialog ? ASKS[dialog.kind] : said === 'question' ? 'asking-question' : 'asking-permission';
  return dialog ? { state, dialog } : { state, unread: textBetween(lines.text, paneStart(lines), lines.last) };
}

/** The bottom pane follows what was said: two blank lines, or as much as the screen shows. */
function paneStart({ text, last }: Lines): number {
  return text.findLastIndex((line, row) => row < last - 1 && line === '' && text[row + 1] === '') + 1;
}

/** Pages before the first composer; the text above the menu is the question. */
const PAGES: [string, string, RegExp, string][] = [
  ['  Folder access', 'trust-folder', /^ {2}enter continue · esc (?:quit|back)$/, '›'],
  ['  Hooks need review', 'hooks-review', /^ {2}enter confirm · esc skip$/, '›'],
  ["  Welcome to Codex, OpenAI's command-line coding agent", 'sign-in', /^ {2}Press enter to continue$/, '>'],
];

function startPage({ text, last }: Lines): ScreenDialog | undefined {
  const first = text.findIndex((line) => line !== '');
  const page = PAGES.find(([heading]) => text[first] === heading);
  if (!page?.[2].test(text[last] ?? '')) return undefined;
  const menu = menuIn(text, { from: first, to: last - 1, pointer: page[3], column: 0 });
  if (!menu) return undefined;
  return choiceDialog({ id: page[1], kind: 'first-run', text: textBetween(text, first, menu.first - 1), menu });
}

const APPROVAL_TOOLS: [RegExp, string][] = [
  [/^ {2}Would you like to run the following command\?$/, 'shell'],
  [/^ {2}Would you like to make the following edits\?$/, 'apply_patch'],
  [/^ {2}Would you like to grant these permissions\?$/, 'permissions'],
];

function approval({ text, last }: Lines): ScreenDialog | undefined {
  if (text[last] !== '  Press enter to confirm or esc to cancel') return undefined;
  const menu = menuIn(text, { from: 0, to: last - 1, pointer: '›', column: 0 });
  const heading = text.findLastIndex(
    (line, row) => menu && row < menu.first && line.startsWith('  Would you like to '),
  );
  const tool = APPROVAL_TOOLS.find(([pattern]) => pattern.test(text[heading] ?? ''))?.[1];
  if (!menu || menu.last !== last - 2) return undefined;
  // Cut off at the top, nobody sees what is asked: not to be answered from here.
  if (heading < 0) return undefined;
  if (tool === undefined) return otherDialog(textBetween(text, heading, last));
  const shown = textBetween(text, heading, menu.first - 1);
  const allow = menu.options.find((option) => labelOf(option).startsWith('Yes') && hintOf(option) === 'y');
  const deny = menu.options.find((option) => labelOf(option).startsWith('No') && hintOf(option) === 'esc');
  return {
    key: keyOf('approval', [shown, ...menu.options.map(labelOf)]),
    kind: 'permission',
    // Wrapped and shortened by the screen: for people to read, not for rules to match a command against.
    inquiry: { kind: 'run', tool, input: { screen: shown }, exclusive: false },
    keys({ verdict, interrupt }) {
      if (verdict.kind === 'allow' && interrupt !== true) {
        return allow && verdict.input === undefined ? ['y'] : undefined;
      }
      return deny ? [ESC] : undefined;
    },
  };
}

/** The whole label, also where it was wrapped; its key stands in brackets at the end. */
const labelOf = (option: Menu['options'][number]): string => [option.label, ...option.detail].join(' ');
const hintOf = (option: Menu['options'][number]): string | undefined => /\((\w+)\)$/.exec(labelOf(option))?.[1];

const QUESTION_FOOTER =
  /^ {2}tab to add notes \| enter to submit (?:answer|all) \| (?:←\/→ to navigate questions \| )?esc to interrupt$/;
const NONE = 'None of the above';

function question({ text, last }: Lines): ScreenDialog | undefined {
  if (!QUESTION_FOOTER.test(text[last] ?? '')) return undefined;
  const heading = text.findLastIndex((line) => /^ {2}Question \d+\/\d+(?: \(\d+ unanswered\))?/.test(line));
  const menu = heading < 0 ? undefined : menuIn(text, { from: heading, to: last - 1, pointer: '›', column: 2 });
  if (!menu) return undefined;
  const id = 'question';
  const asked = textBetween(text, heading + 1, menu.first - 1);
  const own = menu.options.map((option) => {
    // Label and description share a line, parted by at least two spaces.
    const [label = '', ...detail] = option.label.split(/ {2,}/);
    return { ...option, label, detail: [...detail, ...option.detail] };
  });
  const none = own.find(({ label }) => label === NONE);
  const options = own.filter((option) => option !== none);
  return {
    key: keyOf(id, [asked, ...own.map(({ label }) => label)]),
    kind: 'question',
    inquiry: {
      kind: 'question',
      tool: 'request_user_input',
      questions: [questionOf({ id, text: asked, options, freeText: none !== undefined })],
      exclusive: false,
    },
    keys(answer) {
      const choice = oneChoice(answer, id, options);
      if (choice === 'leave') return [ESC];
      if (choice && 'option' in choice) return [String(choice.option.number)];
      if (!none || !choice) return undefined;
      // Free text is a note to "None of the above": walk there (a digit would submit at once), open the notes, type.
      const steps = none.number - menu.selected.number;
      return [...Array.from({ length: steps }, () => '\x1b[B'), '\t', choice.text, ENTER];
    },
  };
}

/** `›` at column 0, the cursor in it, then a blank line and the status line `  <model> … · <folder>`. */
function composerAt({ text, last }: Lines, { cursor }: ScreenShot): boolean {
  const row = composerRow(text);
  if (row < 0 || cursor.y < row || cursor.y > last || !cursor.visible) return false;
  // Prompts that were given stand in the transcript with the same sign; and after `!` the box is a shell's.
  if (!text.slice(row + 1, cursor.y + 1).every((line) => line === '' || line.startsWith('  '))) return false;
  const status = text.findIndex((line, at) => at > cursor.y && line.startsWith('  ') && / · \S/.test(line));
  return status > cursor.y + 1 && text[status - 1] === '' && status >= last - 1;
}

/** The text in the composer, or the hint that stands in an empty one. */
function draftIn(screen: ScreenShot): string | undefined {
  const lines = linesOf(screen);
  if (!composerAt(lines, screen)) return undefined;
  return lines.text
    .slice(composerRow(lines.text), screen.cursor.y + 1)
    .join('\n')
    .slice(1);
}

const composerRow = (text: string[]): number => text.findLastIndex((line) => /^›(?: |$)/.test(line));

/** `■` at column 0 is Codex's own: what the model says begins with `•` or is indented. */
function wasInterrupted({ text }: Lines): boolean {
  const above = text.slice(0, Math.max(0, composerRow(text))).filter((line) => line !== '');
  const background = /^ {2}\d+ background terminals? running · /.test(above.at(-1) ?? '');
  return (above.at(background ? -2 : -1) ?? '').startsWith('■ Conversation interrupted');
}
