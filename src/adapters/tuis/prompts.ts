/**
 * Prompts of programs nobody knows: a line at the bottom of a terminal, with the cursor behind it. Pure: that the program
 * waits there for a line, and whether it is shown, is for the caller to prove. Only closed questions of well-known shapes
 * are read, and everything must fit; what is left over is no question.
 */
import type { Question, ScreenShot } from '../../contract/index.js';
import type { ScreenDialog, Settled } from '../adapter.js';
import { chosen, ENTER, keyOf, linesOf, textBetween, valuesFor } from './screen-text.js';

/** The word for such inquiries in policy and journal. */
export const TERMINAL = 'terminal';

/** Lines above a prompt that belong to what is asked. */
const CONTEXT_ROWS = 12;

/** Entries of a list that is read. */
const MOST_CHOICES = 40;

/** A terminal's line takes 4095 bytes; what is longer would be cut, unseen. */
const LONGEST_LINE = 4000;

const UNSEEN = 'The program waits for a line that is not shown: its terminal does not echo.';

/** What stands before the cursor, from the beginning of its line; undefined where anything stands behind or below it. */
interface Prompt {
  text: string;
  row: number;
  lines: string[];
}

function promptOf(screen: ScreenShot, typed: string): Prompt | undefined {
  const { text: lines, last } = linesOf(screen);
  const { x, y } = screen.cursor;
  const line = lines[y] ?? '';
  if (last > y || line.length > x) return undefined;
  // A line that fills its row goes on in the next.
  let row = y;
  while (row > 0 && (lines[row - 1] ?? '').length === screen.cols) row -= 1;
  const whole = lines.slice(row, y + 1).join('');
  if (!whole.endsWith(typed)) return undefined;
  return { text: whole.slice(0, whole.length - typed.length).trim(), row, lines };
}

/** A line that is typed unseen: a password, a passphrase, a code. `number` tells one prompt from the next like it. */
export function secretPrompt(screen: ScreenShot, number: number): ScreenDialog & { isBare: boolean } {
  const prompt = promptOf(screen, '');
  // Some ask on a line of its own.
  const above = prompt?.text === '' ? (prompt.lines[prompt.row - 1]?.trim() ?? '') : '';
  const text = prompt?.text || above;
  const question = ask('password', text || UNSEEN, { secret: true });
  return {
    ...dialogOf(question, { key: keyOf('password', [text]), number, exclusive: true, screen: text }),
    line: 'unseen',
    isBare: text === '',
    keys: (settled) => lineOf(settled, question, (value) => value),
  };
}

/** A question with a closed set of answers, or undefined. `typed`: what we have typed behind it so far. */
export function plainQuestion(screen: ScreenShot, number: number, typed = ''): ScreenDialog | undefined {
  const prompt = promptOf(screen, typed);
  return prompt && (yesOrNo(prompt, number) ?? numbered(prompt, number));
}

/** Whether the end of some output may be such a question: cheap, before a screen is drawn for it. */
export const mayBeQuestion = (tail: string): boolean =>
  /(?:[:>?\])])\s*$/.test(tail.replace(/\x1b\[[\d;?]*[A-Za-z]/g, ''));

const YES_NO =
  /^(?:(?<said>.*\S)\s*)?(?<open>[[(])(?<yes>y|yes)\/(?<no>n|no)(?<host>\/\[fingerprint\])?(?<close>[\])])\s?[?:>]?$/i;

function yesOrNo(prompt: Prompt, number: number): ScreenDialog | undefined {
  const found = YES_NO.exec(prompt.text)?.groups;
  if (!found?.yes || !found.no || (found.open === '[') !== (found.close === ']')) return undefined;
  const above = contextOf(prompt, prompt.row);
  if (!found.said && above === '') return undefined;
  const options = [found.yes, found.no].map((word) => ({ id: word.toLowerCase(), label: word.toLowerCase() }));
  // One of them in capitals is what a mere Enter would mean.
  const [marked, ...more] = [found.yes, found.no].filter((word) => /^[A-Z]/.test(word));
  const question = ask('confirm', `${above}\n${prompt.text}`.trim(), {
    options,
    ...(marked && more.length === 0 ? { default: [marked.toLowerCase()] } : {}),
  });
  // Whether a machine is the one it says it is: that is trust, and a person's.
  const exclusive = found.host !== undefined;
  return {
    ...dialogOf(question, { key: keyOf('confirm', [prompt.text]), number, exclusive, screen: question.text }),
    keys: (settled) => lineOf(settled, question, (value) => options.find(({ id }) => id === value)?.id),
  };
}

const ENTRY = /^\s*[[(]?(\d{1,2})[\])]?[.):]?\s+(\S.*)$/;
const CHOOSE =
  /^(?:#\?|.*\b(?:choice|choose|select|selection|option|number|pick)\b.*[:>?]|.*[[(]1[-–](\d{1,2})[\])]\s?[:>?]?)$/i;

function numbered(prompt: Prompt, number: number): ScreenDialog | undefined {
  const asked = CHOOSE.exec(prompt.text);
  if (!asked) return undefined;
  const { lines } = prompt;
  const end = (lines[prompt.row - 1] ?? '') === '' ? prompt.row - 2 : prompt.row - 1;
  const entries: { number: number; label: string }[] = [];
  let first = end + 1;
  for (let row = end; row >= 0 && entries.length < MOST_CHOICES; row -= 1) {
    const found = ENTRY.exec(lines[row] ?? '');
    if (!found || (entries[0] && Number(found[1]) !== entries[0].number - 1)) break;
    entries.unshift({ number: Number(found[1]), label: (found[2] ?? '').trim() });
    first = row;
    if (Number(found[1]) === 1) break;
  }
  // Several in one line, a list that begins above the screen, or another range than the prompt says: not read whole.
  if (entries.length < 2 || entries[0]?.number !== 1 || entries.some(({ label }) => /\s{2,}\d{1,2}[.)]/.test(label)))
    return undefined;
  const range = /[[(]1[-–](\d{1,2})[\])]/.exec(prompt.text)?.[1];
  if (range !== undefined && Number(range) !== entries.length) return undefined;
  const question = ask('choice', `${contextOf(prompt, first)}\n${prompt.text}`.trim(), {
    options: entries.map((entry) => ({ id: String(entry.number), label: entry.label })),
  });
  const parts = [prompt.text, ...entries.map(({ label }) => label)];
  return {
    ...dialogOf(question, { key: keyOf('choice', parts), number, exclusive: false, screen: question.text }),
    keys: (settled) => lineOf(settled, question, (value) => String(chosen(entries, value)?.number ?? '') || undefined),
  };
}

/** The lines right above a row, up to a gap. */
function contextOf({ lines }: Prompt, row: number): string {
  let from = row;
  while (from > 0 && row - from < CONTEXT_ROWS && (lines[from - 1] ?? '').trim() !== '') from -= 1;
  return from === row ? '' : textBetween(lines, from, row - 1);
}

const ask = (id: string, text: string, more: Partial<Question>): Question => ({
  id,
  text,
  options: [],
  multi: false,
  free_text: more.options === undefined,
  ...more,
});

function dialogOf(
  question: Question,
  { key, number, exclusive, screen }: { key: string; number: number; exclusive: boolean; screen: string },
): Omit<ScreenDialog, 'keys'> {
  return {
    key: `${key}-${number}`,
    kind: 'question',
    line: 'shown',
    inquiry: { kind: 'question', tool: TERMINAL, input: { screen }, questions: [question], exclusive },
  };
}

/** One line and its Enter. There is no key for a refusal: a plain program waits on. */
function lineOf(
  settled: Settled,
  question: Question,
  wordFor: (value: string) => string | undefined,
): string[] | undefined {
  const [value, ...more] = valuesFor(settled, question.id) ?? [];
  const word = value === undefined || more.length > 0 ? undefined : wordFor(value);
  const fits = word !== undefined && !/[\x00-\x1f\x7f-\x9f]/.test(word) && Buffer.byteLength(word) <= LONGEST_LINE;
  return fits ? [word, ENTER] : undefined;
}
