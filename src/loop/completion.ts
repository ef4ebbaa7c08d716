/**
 * Whether the agent claims to be done: its last non-empty line is the promise and nothing else, outside a code fence. Bold
 * or backticks around it are allowed, and, unless the strict form is asked for, the little things that agents add to it:
 * a full stop, a check mark, a tag. A word, a question mark, quotes or a cross are not among them. Every verdict has a
 * reason, because "seen, but not counted" without one is what makes people distrust a loop. Whether the claim is accepted
 * is decided later, by the gates.
 */
import type { Claim } from './facts.js';
import { type Line, LineReader } from './lines.js';

export const NOT_CLAIMED = 'not claimed';

export interface PromiseRule {
  promise: string;
  /** Only bold and backticks may stand around it. */
  strict: boolean;
}

/** What may stand around it on both sides. */
const EMPHASIS: [string, string][] = [
  ['**', '**'],
  ['__', '__'],
  ['`', '`'],
];
const KINDER: [string, string][] = [
  ['*', '*'],
  ['_', '_'],
  ['<promise>', '</promise>'],
];
/** Marks of something finished; a cross, a clock or a warning is none. */
const MARK = '(?:[✅✔✓☑🎉🏁]\\uFE0F?)';
const MARK_BEFORE = new RegExp(`^${MARK}\\s*`, 'u');
const MARK_AFTER = new RegExp(`\\s*${MARK}$`, 'u');
/** No more than this stands around a promise, in characters: a longer line is not worth peeling. */
const MOST_AROUND = 64;
const FULL_STOP = /(?<![.!?…])(?:\.|!{1,3})$/;

/** Whether the line is the promise alone. */
export function isPromise(line: string, { promise, strict }: PromiseRule): boolean {
  let text = line.trim();
  let stops = 0;
  if (text.length > promise.length + MOST_AROUND) return false;
  while (text.length > promise.length) {
    const less = peeled(text, strict ? EMPHASIS : [...EMPHASIS, ...KINDER]);
    if (less !== undefined) text = less;
    else if (strict) return false;
    else if (MARK_BEFORE.test(text)) text = text.replace(MARK_BEFORE, '');
    else if (MARK_AFTER.test(text)) text = text.replace(MARK_AFTER, '');
    else if (FULL_STOP.test(text) && stops++ === 0) text = text.replace(FULL_STOP, '');
    else return false;
  }
  return text === promise;
}

function peeled(text: string, pairs: [string, string][]): string | undefined {
  for (const [open, close] of pairs) {
    const around = text.length > open.length + close.length && text.startsWith(open) && text.endsWith(close);
    if (around) return text.slice(open.length, -close.length).trim();
  }
  return undefined;
}

type Sighting = 'alone' | 'fenced' | 'with other words' | 'no';

/** Watches one iteration's assistant text, in whatever pieces it comes. */
export class PromiseWatch {
  readonly #rule: PromiseRule;
  readonly #lines = new LineReader();
  /** What the last non-empty line is, and the best sight of the promise before it. */
  #last: Sighting = 'no';
  #earlier: Sighting = 'no';

  constructor({ promise, strict }: PromiseRule) {
    this.#rule = { promise: promise.trim(), strict };
  }

  feed(text: string): void {
    for (const line of this.#lines.feed(text)) this.#see(line);
  }

  /** The verdict on the text so far; may be asked at any time. */
  verdict(): Claim {
    if (this.#rule.promise === '') return { claimed: false, reason: 'no completion promise is set' };
    const open = this.#lines.peek();
    if (open === undefined || open.text.trim() === '') return judge(this.#last, this.#earlier);
    return judge(this.#sight(open), this.#last === 'no' ? this.#earlier : this.#last);
  }

  #see(line: Line): void {
    if (line.text.trim() === '') return;
    if (this.#last !== 'no') this.#earlier = this.#last;
    this.#last = this.#sight(line);
  }

  #sight(line: Line): Sighting {
    const { promise } = this.#rule;
    if (promise === '' || !line.text.includes(promise)) return 'no';
    if (line.fenced) return 'fenced';
    return isPromise(line.text, this.#rule) ? 'alone' : 'with other words';
  }
}

function judge(last: Sighting, earlier: Sighting): Claim {
  if (last === 'alone') return { claimed: true, reason: 'claimed in the last line' };
  if (last === 'with other words') {
    return { claimed: false, reason: 'seen in the last line together with other words: not counted' };
  }
  if (last === 'fenced' || earlier === 'fenced') return { claimed: false, reason: 'inside a code fence: not counted' };
  if (earlier === 'no') return { claimed: false, reason: NOT_CLAIMED };
  return { claimed: false, reason: 'seen in the middle of the text, not the last line: not counted' };
}

/** The verdict on a whole text. */
export function judgeText(text: string, promise: string, strict = false): Claim {
  const watch = new PromiseWatch({ promise, strict });
  watch.feed(text);
  return watch.verdict();
}
