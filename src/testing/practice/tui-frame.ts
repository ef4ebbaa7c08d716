/** What the terminal door shows, as lines: the welcome, a prompt in the conversation, the live area at the bottom. */
import type { Box } from './box.js';
import { type Painting, plain, visible, wrap } from './painter.js';
import { scenarios } from './scenarios.js';
import { type PracticeSession, VERSION } from './session.js';
import type { TuiFace } from './tui-face.js';

const SPINNER = '·✢✳✶✻✽';
/** A prompt is shown up to this; the agent gets all of it. */
const PROMPT_ROWS = 10;
const PROMPT_CHARS = 4000;

export function welcome(session: PracticeSession, columns: number): string[] {
  const lines = [
    `✳ practice agent ${VERSION}: a script, no model, no network, no key.`,
    '  Type "tour", "ask a question", "edit" or any scenario of /help. /exit leaves.',
    ...(session.resumed ? [`  resumed ${session.id}`] : []),
  ];
  return [
    ...lines.flatMap((line) => wrap(line, columns)),
    ...session.history().flatMap((prompt) => prompted(prompt, columns)),
  ];
}

/** A prompt as it stands in the conversation; long ones are cut. */
export function prompted(text: string, columns: number): string[] {
  const rows = wrap(visible(text.slice(0, PROMPT_CHARS)), columns - 3);
  const shown = rows.slice(0, PROMPT_ROWS).map((row, index) => `\x1b[1m${index === 0 ? '❯ ' : '  '}${row}\x1b[22m`);
  const cut = rows.length > PROMPT_ROWS || text.length > PROMPT_CHARS;
  return ['', ...shown, ...(cut ? [`  … ${text.length} characters`] : [])];
}

export function help(): string[] {
  return [
    '  /exit leaves · Esc interrupts · Ctrl-C clears, twice leaves · !command runs a shell command of yours',
    '  Scenarios, by name (some take a number):',
    ...scenarios.map(({ name, about }) => `    ${name.padEnd(17)} ${about}`),
  ];
}

export function frame(given: {
  face: TuiFace;
  box: Box;
  queue: string[];
  columns: number;
  /** Absent: nothing is being worked on. */
  working: { secs: number; spin: number } | undefined;
  hint: string;
}): Painting {
  const { face, columns, working } = given;
  const above = face.partial ? [face.partial] : [];
  if (face.dialog) return dialogFrame([...above, ...face.dialog.lines(columns)]);
  if (working) {
    const sign = SPINNER[working.spin % SPINNER.length];
    above.push('', `\x1b[35m${sign} ${face.note || 'Practising…'} (${working.secs}s)\x1b[39m`);
  }
  above.push('', ...given.queue.map((text) => `\x1b[2m  ❯ ${visible(text).replaceAll('\n', ' ')}\x1b[22m`));
  const rule = `\x1b[2m${'─'.repeat(columns)}\x1b[22m`;
  const { rows, caret } = given.box.view(columns - 3);
  const input = rows.map((row, index) => `${index === 0 ? '❯ ' : '  '}${row}`);
  const footer = given.hint || (working ? '  esc to interrupt' : '  ? /help · /exit');
  return {
    lines: [...above, rule, ...input, rule, `\x1b[2m${footer}\x1b[22m`],
    caret: { row: above.length + 1 + caret.row, column: caret.column + 2 },
  };
}

/** The cursor is parked on the option pointed at, as claude's is: that is how who reads its screen knows that it is all painted. */
function dialogFrame(lines: string[]): Painting {
  const row = lines.findLastIndex((line) => /^ ?❯/.test(plain(line)));
  return row < 0 ? { lines } : { lines, caret: { row, column: plain(lines[row]!).indexOf('❯') } };
}
