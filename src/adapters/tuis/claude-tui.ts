/**
 * Claude Code's own terminal program, read from its rendered screen (checked with 2.1.101 to 2.1.197 and 2.1.325, which
 * draws on the normal or on the alternate screen). What anchors a sign here: the live part is always the last thing on
 * the screen and starts with a rule from edge to edge at column 0, while everything the model, a tool or a prompt says is
 * indented (`● `, `  ⎿  `, `❯ `); the terminal's cursor stands in the input box or on the option pointed at; and whether
 * it works is said by OSC 7501 (2.1.325, once the terminal answered its query) or by the title's first sign (`✳` rests,
 * `⠂ ⠐` or `◐ ◑` works).
 * Surprising: both say that it rests while a dialog of its own is open, so neither alone ever means ready.
 */
import type { AgentState, ScreenShot } from '../../contract/index.js';
import type { ScreenReading, Transcript, Tui } from '../adapter.js';
import { claudeHooks } from '../hooks/claude-hooks.js';
import { bodyOf } from './claude-body.js';
import { claudeDialog } from './claude-dialogs.js';
import { ASKS, ESC, isBraille, isRule, type Lines, LONGEST_SIGN, linesOf, textBetween } from './screen-text.js';

const CTRL_C = '\x03';
/** A message with a state is as long as the command it is about. */
const LONGEST_STATE = 16 * 1024;

/** What it says about itself beside the screen. */
type TitleSign = 'resting' | 'working' | 'permission' | 'question' | undefined;

/** Contract: one per launch, and every OSC goes through `osc` before the screen it came with is read. */
export function claudeTui({ configDir, transcript }: { configDir: string; transcript?: Transcript }): Tui {
  let said: TitleSign;
  return {
    read: (screen) => read(screen, said ?? signOf(screen.title)),
    queues: true,
    osc(code, text) {
      if (code === 0 || code === 2) return said === undefined && signOf(text) === 'working' ? 'working' : undefined;
      if (code !== 7501 || text.startsWith('?')) return undefined;
      said = saidIn(text);
      // That it rests is no proof of an input box: the screen has to show one.
      return said === undefined || said === 'resting' ? undefined : STATES[said];
    },
    hook: claudeHooks,
    statusFile: (pid) => `${configDir.replace(/\/+$/, '')}/sessions/${pid}.json`,
    status,
    ...(transcript ? { transcript } : {}),
    // A paste is taken at once, but Enter in its own write is what the program reads as Enter whatever the length.
    submit: { pasteSettleMs: 100, slash: 'typed', defuse: ['!', '/'] },
    interruptKeys: ESC,
    model: (name) => `/model ${name}`,
    // Interrupted before a word of the answer came, it puts the prompt back. Ctrl-C empties a box of any length.
    draft: { read: draftIn, clear: CTRL_C },
  };
}

const STATES = {
  working: 'working',
  permission: 'asking-permission',
  question: 'asking-question',
} as const satisfies Record<string, AgentState>;

/** `state=blocked:app=claude-code:kind=permission:msg=<base64>`; `clear` comes at the end, and when it is suspended. */
function saidIn(text: string): TitleSign {
  if (text.length > LONGEST_STATE) return undefined;
  const [state, app, ...more] = text.split(':');
  if (app !== 'app=claude-code') return undefined;
  if (state === 'state=blocked') return more.includes('kind=question') ? 'question' : 'permission';
  if (state === 'state=working') return 'working';
  return state === 'state=idle' || state === 'state=done' ? 'resting' : undefined;
}

function read(screen: ScreenShot, sign: TitleSign): ScreenReading {
  const lines = linesOf(screen);
  const asks = sign === 'permission' || sign === 'question' ? STATES[sign] : undefined;
  const box = inputBox(lines, screen);
  if (box) {
    // The cursor comes back into the box when the frame is complete; before that, what stands below is still moving.
    const complete = screen.cursor.y > box.top && screen.cursor.y < box.bottom;
    const state = asks ?? (complete ? boxState(lines, box, sign) : sign === 'working' ? sign : undefined);
    if (state === undefined) return {};
    // A box in which nothing is known to rest or to work is not known to be the one for prompts.
    // After `!` the box is a shell's: what is typed there runs.
    const composer = complete && !state.startsWith('asking') && !(lines.text[box.top + 1] ?? '').startsWith('!');
    return { state, ...(composer ? { composer } : {}) };
  }
  // While it works no dialog can be open: whatever looks like one is text on its way past.
  if (sign === 'working') return { state: 'working' };
  const found = claudeDialog(lines, screen);
  if (found && 'dialog' in found) return { state: ASKS[found.dialog.kind], dialog: found.dialog };
  const state = found?.state ?? asks;
  if (state === undefined) return {};
  // Cut off, half painted or new: shown to a person, not operated.
  return { state, unread: textBetween(lines.text, bodyOf(lines, screen).from, lines.last) };
}

function signOf(title: string): TitleSign {
  if (title.length > LONGEST_SIGN || title.charAt(1) !== ' ') return undefined;
  if (title.startsWith('✳')) return 'resting';
  return isBraille(title.charAt(0)) || /^[◐◑]/.test(title) ? 'working' : undefined;
}

interface InputBox {
  top: number;
  bottom: number;
}

/** The input box: a rule, `❯` (or `!`) at column 0, a rule; below it only the footer. */
function inputBox({ text, last }: Lines, { cols }: ScreenShot): InputBox | undefined {
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
  const box = inputBox(lines, screen);
  return (
    box &&
    lines.text
      .slice(box.top + 1, box.bottom)
      .join('\n')
      .replace(/^❯ ?/, '')
  );
}

function boxState({ text }: Lines, box: InputBox, sign: TitleSign): AgentState | undefined {
  const footer = (text[box.bottom + 1] ?? '').split(/ · | {2,}/);
  const above = text[box.top - 1] ?? '';
  // A dialog is due, and waits until the person stops typing: an Enter now might be what answers it.
  if (above === '  Waiting for permission…') return 'asking-permission';
  // A box that says what else Enter does is not the one for prompts (the view of all agents has such a box).
  if (footer.some((words) => /^(?:enter|space) to /i.test(words.trim()))) return undefined;
  const line = lineAbove(text, box);
  if (RETRYING.test(line)) return sign === 'resting' && !footer.includes(INTERRUPT) ? undefined : 'retrying';
  // The title may rest a moment before the spinner is gone and what comes next is painted.
  if (sign === 'working' || footer.includes(INTERRUPT) || SPINNER.test(line)) return 'working';
  return sign === 'resting' ? 'ready' : undefined;
}

const INTERRUPT = 'esc to interrupt';
/** `✻ Percolating… (2s · thinking)`; once it is over it says `✻ Percolated for 2s`. */
const SPINNER = /^[·✢✳✶✻✽*] \S.{0,80}…(?: \(.{0,120}\))?$/;
/** `✻ API error · Retrying in 3s · attempt 4/10` in the place of the spinner. */
const RETRYING = /^[·✢✳✶✻✽*] .{1,80} · Retrying in \d+m?s? ?\d*s? · attempt \d+\/\d+$/;

/** The last thing at column 0 above the box: hints below it, and all that the model says, are indented. */
const lineAbove = (text: string[], box: InputBox): string =>
  text.findLast((line, row) => row < box.top && line !== '' && !line.startsWith('  ')) ?? '';

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
