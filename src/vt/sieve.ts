/**
 * Between an agent's output and a person's own terminal: lets text and known sequences pass and drops the rest
 * (sieve-rules.ts), however they are cut into pieces, and keeps account of what must be put back (restore.ts). What is
 * not whole yet waits here. Text without sequences, which is most, passes as it is.
 */
import type { LeftModes } from '../contract/index.js';
import { Restore } from './restore.js';
import { csi, escapes, isPicture, MOST_COPIED, osc, type Rights } from './sieve-rules.js';

export type { Rights } from './sieve-rules.js';

const [ENQ, BEL, LF, CR, CAN, SUB, ESC, C2, BACKSLASH] = [0x05, 0x07, 0x0a, 0x0d, 0x18, 0x1a, 0x1b, 0xc2, 0x5c];

/** No sequence that draws is longer; what is, is text. */
const MOST_SEQUENCE = 256;
/** A string that has not ended after so much never was one. */
const MOST_STRING = 1024 * 1024;
const MOST_KEPT = MOST_COPIED + 64;

/** A string that has begun and not ended: kept for the rules, shown as a picture, or dropped. */
interface OpenSequence {
  how: 'osc' | 'dcs' | 'picture' | 'dropped';
  text: string;
  length: number;
}

export class Sieve {
  readonly #restore = new Restore();
  readonly #rights: () => Rights;
  #held: Uint8Array = new Uint8Array();
  #open: OpenSequence | undefined;
  #out: Uint8Array[] = [];
  #hasPassed = false;

  /** The rights are asked for at every sequence: the keys may have gone to someone else. */
  constructor(rights: () => Rights) {
    this.#rights = rights;
  }

  /** What was put on the terminal and must be taken off again, and what still waits here. */
  get left(): LeftModes {
    const { how, text } = this.#open ?? {};
    const begun = how === undefined ? '' : how === 'osc' ? `\x1b]${text}` : how === 'dcs' ? `\x1bP${text}` : '\x1bX';
    return { ...this.#restore.left, held: begun + latin1(this.#held) };
  }

  /** Grows whenever something is left that was not before, or taken back. */
  get changes(): number {
    return this.#restore.changes;
  }

  adopt(left: LeftModes): void {
    this.#restore.adopt(left);
    this.#open = undefined;
    this.#held = new Uint8Array();
    this.#out = [];
    this.#feed(Buffer.from(left.held, 'latin1'));
    this.#out = [];
  }

  /** Takes everything back; afterwards nothing is left. Not blindly: nothing is written if nothing but text has passed. */
  giveBack({ blindly } = { blindly: true }): string {
    const bytes = blindly || this.#hasPassed ? this.#restore.bytes() : '';
    this.#hasPassed = false;
    this.#restore.adopt({ away: [], keyboards: [0, 0], titles: 0 });
    this.#open = undefined;
    this.#held = new Uint8Array();
    return bytes;
  }

  /** Contract: the same, however the bytes are cut. Keeps nothing of the caller's. */
  pass(bytes: Uint8Array): Uint8Array {
    if (this.#held.length === 0 && !this.#open && next(bytes, 0) === bytes.length) {
      this.#hasPassed ||= bytes.includes(ESC);
      return bytes;
    }
    this.#feed(this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]));
    const out = this.#out;
    this.#out = [];
    return out.length === 1 ? out[0]! : Buffer.concat(out);
  }

  #feed(data: Uint8Array): void {
    this.#held = new Uint8Array();
    let at = 0;
    while (at < data.length) {
      if (this.#open) {
        at = this.#string(data, at, this.#open);
        continue;
      }
      const special = next(data, at);
      if (special > at) this.#out.push(data.subarray(at, special));
      at = special;
      if (at === data.length) return;
      const after = this.#sequence(data, at);
      if (after === undefined) {
        this.#held = new Uint8Array(data.subarray(at));
        return;
      }
      at = after;
    }
  }

  /** Where to go on behind what stands at `at`, or undefined if it is not whole. */
  #sequence(data: Uint8Array, at: number): number | undefined {
    if (data[at] === ENQ) return at + 1;
    if (at + 1 >= data.length) return undefined;
    const second = data[at + 1]!;
    // Half a character: what is left out behind it must not leave it beside another half.
    if (data[at] === C2 && (second < 0x80 || second > 0x9f)) return at + 1;
    // The controls of the eighth bit say in one character what ESC says with the next.
    const opener = data[at] === C2 ? second - 0x40 : second;
    const after = this.#begun(data, at + 2, opener);
    if (after !== 'short') return after;
    if (data[at] !== C2) return this.#escapes(data, at + 1);
    this.#say(escapes(String.fromCharCode(opener), this.#restore, this.#rights()));
    return at + 2;
  }

  /** What takes more than two bytes; `at` is behind them. */
  #begun(data: Uint8Array, at: number, opener: number): number | undefined | 'short' {
    switch (opener) {
      case 0x5b:
        return this.#csi(data, at);
      case 0x5d:
        this.#open = { how: 'osc', text: '', length: 0 };
        return at;
      case 0x50:
        this.#open = { how: 'dcs', text: '', length: 0 };
        return at;
      case 0x58:
      case 0x5e:
      case 0x5f:
      case 0x6b:
        this.#open = { how: 'dropped', text: '', length: 0 };
        return at;
    }
    return 'short';
  }

  #escapes(data: Uint8Array, at: number): number | undefined {
    let end = at;
    while (end < data.length && data[end]! >= 0x20 && data[end]! <= 0x2f) end += 1;
    if (end - at > MOST_SEQUENCE) return end;
    if (end === data.length) return undefined;
    // Broken off: without its ESC what follows is text.
    if (data[end]! < 0x30 || data[end]! > 0x7e) return end;
    this.#say(escapes(latin1(data.subarray(at, end + 1)), this.#restore, this.#rights()));
    return end + 1;
  }

  #csi(data: Uint8Array, at: number): number | undefined {
    let text = '';
    for (let end = at; end < data.length; end += 1) {
      const byte = data[end]!;
      if (byte === CAN || byte === SUB) return end + 1;
      if (byte === ESC || byte > 0x7f || end - at > MOST_SEQUENCE) return end;
      // Terminals carry out controls in the middle of a sequence; which of them, is not for us to try out.
      if (byte < 0x20 || byte === 0x7f) continue;
      text += String.fromCharCode(byte);
      if (byte < 0x40) continue;
      const parts = /^([<=>?]?)([0-9:;]*)([ -/]{0,2})([@-~])$/.exec(text);
      if (parts) {
        const [, prefix, params, more, final] = parts as unknown as [string, string, string, string, string];
        this.#say(csi({ prefix, params, more, final }, this.#restore, this.#rights()));
      }
      return end + 1;
    }
    return undefined;
  }

  #string(data: Uint8Array, from: number, open: OpenSequence): number {
    let at = from;
    while (at < data.length && !isEnd(data, at, open)) at += 1;
    this.#keep(open, data.subarray(from, at));
    if (open.length > MOST_STRING && open.how !== 'picture') this.#open = undefined;
    if (at === data.length) return at;
    const byte = data[at]!;
    const isTwo = byte === ESC || byte === C2;
    if (isTwo && at + 1 >= data.length) {
      this.#held = new Uint8Array([byte]);
      return data.length;
    }
    this.#open = undefined;
    const isWhole = byte === BEL || byte === C2 || (byte === ESC && data[at + 1] === BACKSLASH);
    if (open.how === 'picture') this.#say('\x1b\\');
    if (isWhole && open.how === 'osc') {
      const passed = osc(open.text, this.#restore, this.#rights());
      if (passed !== '') this.#say(`${passed}${byte === BEL ? '\x07' : '\x1b\\'}`);
    }
    if (byte === ESC && data[at + 1] !== BACKSLASH) return at;
    return at + (isTwo ? 2 : 1);
  }

  #keep(open: OpenSequence, bytes: Uint8Array): void {
    open.length += bytes.length;
    if (open.how === 'picture') {
      const shown = bytes.filter((byte) => (byte >= 0x20 && byte < 0x7f) || byte === LF || byte === CR);
      this.#out.push(shown);
      return;
    }
    if (open.how === 'dropped') return;
    // Controls in a string are ignored by terminals, or end it: here they are gone either way.
    open.text += latin1(bytes).replace(/[\x00-\x1f\x7f]/g, '');
    if (open.how === 'osc') {
      if (open.text.length > MOST_KEPT) open.how = 'dropped';
      return;
    }
    const head = /^[0-?]*[ -/]*[@-~]/.exec(open.text)?.[0];
    if (head === undefined) {
      if (open.text.length > MOST_SEQUENCE) open.how = 'dropped';
      return;
    }
    open.how = isPicture(head) ? 'picture' : 'dropped';
    if (open.how === 'picture') this.#say(`\x1bP${open.text}`);
    open.text = '';
  }

  #say(text: string): void {
    if (text === '') return;
    this.#hasPassed = true;
    this.#out.push(Buffer.from(text, 'latin1'));
  }
}

/** A string ends with ST in its two forms, an OSC with BEL too; a cancel or the beginning of another sequence breaks it off. */
function isEnd(data: Uint8Array, at: number, open: OpenSequence): boolean {
  const byte = data[at]!;
  if (byte === ESC || byte === CAN || byte === SUB) return true;
  if (byte === BEL) return open.how === 'osc';
  return byte === C2 && (at + 1 >= data.length || data[at + 1] === 0x9c);
}

/** Colours and cursor moves, by far the most: they pass as they are. */
const PLAIN_FINALS = new Uint8Array(128);
for (const final of 'mHABCDEFGJKXPLMd@f') PLAIN_FINALS[final.charCodeAt(0)] = 1;

/** The last byte of such a sequence that begins here, or -1. */
function plainEnd(data: Uint8Array, at: number): number {
  if (data[at + 1] !== 0x5b) return -1;
  for (let end = at + 2; end < data.length && end - at < MOST_PLAIN; end += 1) {
    const byte = data[end]!;
    if (byte >= 0x30 && byte <= 0x3b) continue;
    return byte < 128 && PLAIN_FINALS[byte] === 1 ? end : -1;
  }
  return -1;
}

const MOST_PLAIN = 64;

/** Where the next byte stands that may begin something: ESC, an enquiry, a control of the eighth bit in UTF-8. */
function next(data: Uint8Array, from: number): number {
  for (let at = from; at < data.length; at += 1) {
    const byte = data[at]!;
    if (byte === ESC) {
      const last = plainEnd(data, at);
      if (last < 0) return at;
      at = last;
      continue;
    }
    if (byte === ENQ) return at;
    if (byte !== C2) continue;
    const second = data[at + 1];
    if (second === undefined || second < 0xa0 || second > 0xbf) return at;
  }
  return data.length;
}

const latin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');

/** A redraw starts from nothing: colours off, screen cleared, cursor home. */
const NEW_SCREEN = Buffer.from('\x1b[0m\x1b[H\x1b[2J');
const CLEAR_SCROLLBACK = Buffer.from('\x1b[3J');

/** A snapshot's own beginning is shorter than this. */
const HEAD_BYTES = 512;

/** A snapshot for a person's own terminal: what they had above the screen stays theirs. */
export function redrawn(snapshot: Uint8Array): Uint8Array {
  const at = Buffer.from(snapshot.buffer, snapshot.byteOffset, Math.min(HEAD_BYTES, snapshot.length)).indexOf(
    CLEAR_SCROLLBACK,
  );
  const parts = at < 0 ? [snapshot] : [snapshot.subarray(0, at), snapshot.subarray(at + CLEAR_SCROLLBACK.length)];
  return Buffer.concat([NEW_SCREEN, ...parts]);
}
