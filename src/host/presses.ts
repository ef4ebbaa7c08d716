/**
 * Keys that reached the agent's terminal, as evidence that somebody answered in the agent's own dialog. A key counts for
 * one dialog only; what a terminal says by itself, arrows, Esc and Ctrl keys answer nothing with a yes. Bounded.
 */
import type { Clock, Inquiry, ViewerId } from '../contract/index.js';
import { spoken, type Token } from '../vt/index.js';

/** A person presses a few keys per dialog; what is older than this many belongs to dialogs long gone. */
const MOST = 256;

/** A screen is read a moment after it was painted, and the key may be faster. */
const PAINTED_MS = 2_000;

/** Enter, Ctrl-C, Ctrl-D and Ctrl-U. */
const ENDS_LINE = new Set([0x0d, 0x0a, 0x03, 0x04, 0x15]);

export interface Press {
  viewer?: ViewerId;
}

export class Presses {
  readonly #clock: Clock;
  #keys: { at: number; order: number; press: Press }[] = [];
  #order = 0;
  #isLineBegun = false;
  readonly #left = new Map<string, number>();
  /** Keys that were found to have answered an inquiry, by its id. */
  readonly #answered = new Map<string, Press>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Bytes on their way to the agent's terminal, from somebody's keyboard or `send --keys`. */
  pressed(bytes: Uint8Array, viewer?: ViewerId): void {
    const rest = bytes.subarray(bytes.findLastIndex((byte) => ENDS_LINE.has(byte)) + 1);
    if (rest.length < bytes.length) this.#isLineBegun = false;
    this.#isLineBegun ||= keysIn(rest, 1) > 0;
    const count = keysIn(bytes);
    for (let key = 0; key < count; key += 1) {
      this.#order += 1;
      this.#keys.push({ at: this.#clock.now(), order: this.#order, press: viewer === undefined ? {} : { viewer } });
    }
    if (this.#keys.length > MOST) this.#keys.splice(0, this.#keys.length - MOST);
  }

  /** Somebody has typed at the terminal and not yet finished or thrown away the line. What was erased by hand counts. */
  get isLineBegun(): boolean {
    return this.#isLineBegun;
  }

  /** No rule settles this call, so the agent shows its own dialog about it: from now on a key may answer it. */
  left(draft: AskedCall): void {
    // The gate that asks beside the dialog may not know the call's id.
    this.#left.set(likeness(draft), this.#order);
    if (draft.call !== undefined && !this.#left.has(draft.call)) this.#left.set(draft.call, this.#order);
    while (this.#left.size > MOST) this.#left.delete(this.#left.keys().next().value!);
  }

  /** Whether the agent was left to show its own dialog about this call, and since which key. */
  leftSince(draft: AskedCall): number | undefined {
    return this.#left.get(draft.call ?? likeness(draft));
  }

  /** Only keys behind this one can answer a dialog about this call. */
  since(draft: AskedCall): number {
    const left = this.leftSince(draft);
    const isRead = typeof (draft.input as { screen?: unknown } | undefined)?.screen === 'string';
    if (left !== undefined || !isRead) return left ?? this.#order;
    const painted = this.#clock.now() - PAINTED_MS;
    return (this.#keys.find(({ at }) => at >= painted)?.order ?? this.#order + 1) - 1;
  }

  /**
   * The first key since then that no other dialog had; it is this one's from now on. Of one inquiry it is the same key for
   * whoever asks: the tripwire and the desk hear of its end in either order.
   */
  take(mark: number, inquiry?: string): Press | undefined {
    const before = inquiry === undefined ? undefined : this.#answered.get(inquiry);
    if (before) return before;
    const at = this.#keys.findIndex(({ order }) => order > mark);
    const press = at < 0 ? undefined : this.#keys.splice(at, 1)[0]!.press;
    if (press && inquiry !== undefined) this.#answered.set(inquiry, press);
    if (this.#answered.size > MOST) this.#answered.delete(this.#answered.keys().next().value!);
    return press;
  }
}

type AskedCall = Pick<Inquiry, 'call' | 'tool' | 'input'>;
const likeness = ({ tool, input }: AskedCall): string => JSON.stringify([tool, input]);

/** At most as many as are kept. */
function keysIn(bytes: Uint8Array, most = MOST): number {
  let count = 0;
  // A paste is long, and its end says nothing more.
  for (const token of spoken(bytes)) if (isPress(token) && ++count === most) break;
  return count;
}

/** Not arrows, function keys, Esc or Ctrl keys. What is cut between two reads is none. */
function isPress({ kind, text, params, final }: Token): boolean {
  if (kind === 'char') return true;
  if (kind === 'control') return text === '\r' || text === '\n';
  // Alt with a character is that character to a dialog.
  if (kind === 'escape') return /^\x1b[^\x00-\x1f\x7f]$/.test(text);
  // A key as newer keyboards send it: one key, however many characters.
  return kind === 'csi' && final === 'u' && /^[\d;:]+$/.test(params) && !/^27(?:[;:]|$)/.test(params);
}
