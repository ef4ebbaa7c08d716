/**
 * Claude Code's own terminal program, read from its rendered screen (checked with 2.1.197). What anchors a sign here:
 * the live part is always the last thing on the screen and starts with a rule from edge to edge at column 0, while
 * everything the model, a tool or a prompt says is indented (`● `, `  ⎿  `, `❯ `); the terminal's cursor stands in the
 * input box or on the option pointed at; and the title's first sign is Claude's own (`✳` rests, `⠂ ⠐` works).
 * Surprising: the title rests (`✳`) in every dialog, so the title alone never means ready.
 */
import type { AgentState, ScreenShot } from '../../contract/index.js';
import type { ScreenReading, Transcript, Tui } from '../adapter.js';
import { claudeHooks } from '../hooks/claude-hooks.js';
import { claudeDialog } from './claude-dialogs.js';
import { ASKS, ESC, isBraille, isRule, type Lines, LONGEST_SIGN, linesOf } from './screen-text.js';

const RESTING = '✳';
const CTRL_C = '\x03';

export function claudeTui({ configDir, transcript }: { configDir: string; transcript?: Transcript }): Tui {
  return {
    read,
    osc: (code, text) => ((code === 0 || code === 2) && signOf(text) === 'working' ? 'working' : undefined),
    hook: claudeHooks,
    statusFile: (pid) => `${configDir.replace(/\/+$/, '')}/sessions/${pid}.json`,
    status,
    ...(transcript ? { transcript } : {}),
    // A paste is taken at once, but Enter in its own write is what the program reads as Enter whatever the length.
    submit: { pasteSettleMs: 100, slash: 'typed', defuse: ['!', '/'] },
    interruptKeys: ESC,
    // Interrupted before a word of the answer came, it puts the prompt back. Ctrl-C empties a box of any length.
    draft: { read: draftIn, clear: CTRL_C },
  };
}

function read(screen: ScreenShot): ScreenReading {
  if (screen.alternate) return {};
  const lines = linesOf(screen);
  const sign = signOf(screen.title);
  const box = inputBox(lines, screen);
  if (box) {
    // The cursor comes back into the box when the frame is complete; before that, what stands below is still moving.
    const complete = screen.cursor.y > box.top && screen.cursor.y < box.bottom;
    const state = complete ? boxState(lines, box, sign) : sign === 'working' ? sign : undefined;
    return state === undefined ? {} : { state };
  }
  // While it works no dialog can be open: whatever looks like one is text on its way past.
  if (sign === 'working') return { state: 'working' };
  const found = claudeDialog(lines, screen);
  if (found === undefined) return {};
  return 'dialog' in found ? { state: ASKS[found.dialog.kind], dialog: found.dialog } : { state: found.state };
}

function signOf(title: string): 'resting' | 'working' | undefined {
  if (title.length > LONGEST_SIGN || title.charAt(1) !== ' ') return undefined;
  if (title.startsWith(RESTING)) return 'resting';
  return isBraille(title.charAt(0)) ? 'working' : undefined;
}

interface Box {
  top: number;
  bottom: number;
}

/** The input box: a rule, `❯` (or `!`) at column 0, a rule; below it only the footer. */
function inputBox({ text, last }: Lines, { cols }: ScreenShot): Box | undefined {
  const bottom = text.findLastIndex((line, row) => row <= last && isRule(line, cols));
  const top = text.findLastIndex((line, row) => row < bottom && isRule(line, cols));
  if (top < 0 || bottom - top < 2) return undefined;
  const inside = text.slice(top + 1, bottom);
  const isBox =
    /^[❯!](?: |$)/.test(inside[0] ?? '') && inside.slice(1).every((line) => line === '' || line.startsWith('  '));
  return isBox ? { top, bottom } : undefined;
}

/** The text in the input box, wrapped as it stands there. */
function draftIn(screen: ScreenShot): string | undefined {
  const lines = linesOf(screen);
  const box = screen.alternate ? undefined : inputBox(lines, screen);
  return (
    box &&
    lines.text
      .slice(box.top + 1, box.bottom)
      .join('\n')
      .replace(/^❯ ?/, '')
  );
}

function boxState({ text }: Lines, box: Box, sign: 'resting' | 'working' | undefined): AgentState | undefined {
  const footer = (text[box.bottom + 1] ?? '').split(/ · | {2,}/);
  const above = text[box.top - 1] ?? '';
  // A dialog is due, and waits until the person stops typing.
  if (above === '  Waiting for permission…') return 'working';
  if (sign === 'working' || footer.includes('esc to interrupt')) return isRetrying(text, box) ? 'retrying' : 'working';
  return sign === 'resting' ? 'ready' : undefined;
}

/** `✻ API error · Retrying in 3s · attempt 4/10` in the place of the spinner: column 0, the last thing above the box. */
function isRetrying(text: string[], box: Box): boolean {
  const row = text.findLastIndex((line, index) => index < box.top && line !== '' && !line.startsWith('  '));
  return /^[·✢✳✶✻✽*] .{1,80} · Retrying in \d+m?s? ?\d*s? · attempt \d+\/\d+$/.test(text[row] ?? '');
}

/** What Claude writes about itself: `{"status":"waiting","waitingFor":"permission prompt",…}`. */
function status(content: string): AgentState | undefined {
  let file: { status?: unknown; waitingFor?: unknown } | null;
  try {
    file = JSON.parse(content) as { status?: unknown; waitingFor?: unknown } | null;
  } catch {
    return undefined; // It is rewritten in place; half a file says nothing.
  }
  switch (file?.status) {
    case 'idle':
    case 'shell':
      // A shell left running in the background does not keep it from taking the next prompt.
      return 'idle';
    case 'busy':
      return 'working';
    case 'waiting':
      // Questions say "permission prompt" too; the hook and the screen know better.
      return file.waitingFor === 'input needed' ? 'asking-question' : 'asking-permission';
    default:
      return undefined;
  }
}
