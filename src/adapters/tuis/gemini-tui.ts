/**
 * Gemini CLI's own terminal program, read from its rendered screen (checked with 0.61). What anchors a sign here: the
 * title's first sign is Gemini's own (`◇` rests, `✦` works, `✋` waits for a person); dialogs are boxes from edge to edge
 * (tool boxes in the transcript are narrower, the model's words are indented by `✦ `), the last box on the screen, with no
 * composer below; the composer follows a rule from edge to edge and holds the cursor.
 * Surprising: the title says "Ready" over the trust and sign-in pages too.
 */
import type { AgentState, ScreenShot } from '../../contract/index.js';
import type { ScreenReading, Transcript, Tui } from '../adapter.js';
import { geminiDialog, geminiPage } from './gemini-dialogs.js';
import { ASKS, ESC, isRule, type Lines, LONGEST_SIGN, linesOf, textBetween } from './screen-text.js';
import { Windows } from './windows.js';

/** Contract: one per launch; it remembers that start-up is over, and a start page that is still open. */
export function geminiTui({ transcript }: { transcript?: Transcript | undefined } = {}): Tui {
  let started = false;
  let page = false;
  const windows = new Windows();
  return {
    read(screen) {
      const lines = linesOf(screen);
      started ||= hasBanner(lines, screen);
      const reading = read(screen, { started, windows });
      if (reading.state === undefined || !reading.state.startsWith('asking')) windows.forget();
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

function read(screen: ScreenShot, { started, windows }: { started: boolean; windows: Windows }): ScreenReading {
  const lines = linesOf(screen);
  if (lines.last < 0 || screen.alternate) return {};
  const known = titleState(screen.title);
  const box = lastBox(lines, screen.cols);
  if (known === 'working') {
    // It may begin its first prompt behind the trust page, which stands there all the same and waits.
    const page = box?.whole ? geminiPage(box.lines) : undefined;
    if (page) return { state: known, dialog: page };
    return { state: known, ...prompt(lines, screen) };
  }
  if (hasComposer(lines, screen)) {
    // With a title that waits for a person, one of the two is from the frame before.
    if (known !== undefined) return {};
    const ready = screen.title.startsWith('◇  ') && started;
    return { ...prompt(lines, screen), ...(ready ? { state: 'ready' as const } : {}) };
  }
  const dialog = box?.whole ? geminiDialog(box.lines, known, windows) : undefined;
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

/** After `!` the box is a shell's: what is typed there runs. */
function prompt(lines: Lines, screen: ScreenShot): { composer?: true } {
  const row = composerRow(lines, screen);
  return row === undefined || lines.text[row]?.startsWith(' !') ? {} : { composer: true };
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
