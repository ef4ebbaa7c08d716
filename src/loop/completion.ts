/**
 * Whether the agent claims to be done: its last non-empty line is the promise and nothing else (bold or backticks around
 * it are allowed), outside a code fence. Every verdict has a reason, because "seen, but not counted" without one is what
 * makes people distrust a loop. Whether the claim is accepted is decided later, by the gates.
 */
import type { Claim } from './facts.js';
import { type Line, LineReader } from './lines.js';

export const NOT_CLAIMED = 'not claimed';

const WRAPPERS = ['**', '__', '`'];

/** The line without whitespace and markdown emphasis around it. */
function bare(line: string): string {
  let text = line.trim();
  for (;;) {
    const mark = WRAPPERS.find((w) => text.length > 2 * w.length && text.startsWith(w) && text.endsWith(w));
    if (mark === undefined) return text;
    text = text.slice(mark.length, -mark.length).trim();
  }
}

type Sighting = 'alone' | 'fenced' | 'with other words' | 'no';

/** Watches one iteration's assistant text, in whatever pieces it comes. */
export class PromiseWatch {
  readonly #promise: string;
  readonly #lines = new LineReader();
  /** What the last non-empty line is, and the best sight of the promise before it. */
  #last: Sighting = 'no';
  #earlier: Sighting = 'no';

  constructor(promise: string) {
    this.#promise = promise.trim();
  }

  feed(text: string): void {
    for (const line of this.#lines.feed(text)) this.#see(line);
  }

  /** The verdict on the text so far; may be asked at any time. */
  verdict(): Claim {
    if (this.#promise === '') return { claimed: false, reason: 'no completion promise is set' };
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
    if (this.#promise === '' || !line.text.includes(this.#promise)) return 'no';
    if (line.fenced) return 'fenced';
    return bare(line.text) === this.#promise || line.text.trim() === this.#promise ? 'alone' : 'with other words';
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
export function judgeText(text: string, promise: string): Claim {
  const watch = new PromiseWatch(promise);
  watch.feed(text);
  return watch.verdict();
}
