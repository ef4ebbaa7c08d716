/**
 * From the bytes of a terminal to keys, with state: a character, an escape sequence or a paste may be cut between two reads.
 * Text that comes together with other keys in one read was pasted (or typed ahead), not pressed: it is one `paste`, and an
 * Enter inside it is a line break, never a key. One line with one Enter at its very end is a `line`: a script, a fast
 * typist or a paste that nobody marked; what it means is for the reader to say.
 */
import { StringDecoder } from 'node:string_decoder';
import { type Token, tokenAt } from '../../vt/index.js';

export type NamedKey =
  | 'enter'
  | 'escape'
  | 'tab'
  | 'backspace'
  | 'delete'
  | 'left'
  | 'right'
  | 'up'
  | 'down'
  | 'home'
  | 'end'
  | 'page-up'
  | 'page-down'
  | 'erase-line'
  | 'erase-word'
  | 'erase-rest'
  | 'interrupt'
  | 'quit'
  | 'suspend'
  | 'unknown';

export type Key = { name: NamedKey } | { name: 'text' | 'line'; text: string } | Paste;

interface Paste {
  name: 'paste';
  text: string;
  /** The terminal said where it begins and ends: nothing of it comes later. */
  whole?: true;
}

const CONTROL: Record<string, NamedKey> = {
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  '\x7f': 'backspace',
  '\b': 'backspace',
  '\x01': 'home',
  '\x02': 'left',
  '\x03': 'interrupt',
  '\x05': 'end',
  '\x06': 'right',
  '\x0b': 'erase-rest',
  '\x0e': 'down',
  '\x10': 'up',
  '\x15': 'erase-line',
  '\x17': 'erase-word',
  '\x1a': 'suspend',
  '\x1c': 'quit',
};

const FINAL: Record<string, NamedKey> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  H: 'home',
  F: 'end',
};

const TILDE: Record<string, NamedKey> = {
  1: 'home',
  7: 'home',
  3: 'delete',
  4: 'end',
  8: 'end',
  5: 'page-up',
  6: 'page-down',
};

const PASTE_START = '\x1b[200~';
const PASTE_END = '\x1b[201~';
/** More than any answer takes: what is beyond it is not kept. */
const LONGEST_PASTE = 128 * 1024;

export class KeyDecoder {
  #characters = new StringDecoder('utf8');
  #held = '';
  /** What came of a paste whose end has not come yet. */
  #paste: string | undefined;

  /** The keys that are complete now. */
  feed(bytes: Uint8Array): Key[] {
    const read = this.#characters.write(Buffer.from(bytes));
    let text = this.#held + read;
    this.#held = '';
    const keys: Key[] = [];
    while (text !== '') {
      if (this.#paste !== undefined) {
        text = this.#pasted(text, keys);
        continue;
      }
      const token = tokenAt(text);
      if (!token) {
        this.#held = text;
        break;
      }
      text = text.slice(token.text.length);
      if (token.text === PASTE_START) this.#paste = '';
      else keys.push(keyOf(token));
    }
    return keys.length > 1 ? pastes(keys, read) : keys;
  }

  /** Takes what belongs to the paste; what is behind its end is left. */
  #pasted(text: string, keys: Key[]): string {
    const end = text.indexOf(PASTE_END);
    // Its last bytes may be the begin of its end.
    const held = end < 0 ? heldBack(text) : 0;
    const inside = text.slice(0, end < 0 ? text.length - held : end);
    if (this.#paste!.length < LONGEST_PASTE) this.#paste += inside;
    if (end >= 0) keys.push(this.#endPaste());
    else this.#held = text.slice(text.length - held);
    return end < 0 ? '' : text.slice(end + PASTE_END.length);
  }

  #endPaste(): Key {
    const text = this.#paste!.replace(/\r\n?/g, '\n').replace(/[^\P{Cc}\n\t]/gu, '');
    this.#paste = undefined;
    return { name: 'paste', text: withoutLastBreak(text), whole: true };
  }

  /** A paste has begun and its end has not come. */
  get isPasting(): boolean {
    return this.#paste !== undefined;
  }

  /** An escape has come and it is not known yet whether it is the key or the begin of a sequence. */
  get waiting(): boolean {
    return this.#held !== '';
  }

  /** Nothing more came: the escape was the key, a paste without an end was all of it. */
  flush(): Key[] {
    const held = this.#held;
    this.#held = '';
    if (this.#paste !== undefined) return [this.#endPaste()];
    return held === '' ? [] : [{ name: held === '\x1b' ? 'escape' : 'unknown' }];
  }
}

/** How many of the last characters could be the begin of a paste's end. */
function heldBack(text: string): number {
  for (let count = PASTE_END.length - 1; count > 0; count -= 1)
    if (text.endsWith(PASTE_END.slice(0, count))) return count;
  return 0;
}

function keyOf({ kind, text, params, final }: Token): Key {
  switch (kind) {
    case 'csi':
      return { name: csiKey(params, final) };
    case 'ss3':
      return { name: FINAL[final] ?? 'unknown' };
    case 'escape':
      // Esc before another sequence is Esc; before a character it is that character with Alt.
      return { name: text === '\x1b' ? 'escape' : 'unknown' };
    case 'control':
      return { name: Object.hasOwn(CONTROL, text) ? CONTROL[text]! : 'unknown' };
    case 'char':
      return { name: 'text', text };
    default:
      // A terminal's answer to someone's query: not typed by anyone.
      return { name: 'unknown' };
  }
}

function csiKey(parameters: string, final: string): NamedKey {
  if (final === '~') return TILDE[parameters.split(';')[0]!] ?? 'unknown';
  return FINAL[final] ?? 'unknown';
}

/** Runs of text, breaks and tabs become one paste each; other keys stay what they are. */
function pastes(keys: Key[], read: string): Key[] {
  if (isLine(keys, read)) return [{ name: 'line', text: keys.slice(0, -1).map(typed).join('') }];
  const out: Key[] = [];
  for (const key of keys) {
    const text = typed(key);
    const last = out.at(-1);
    if (text === undefined) out.push(key);
    else if (last?.name === 'paste') out[out.length - 1] = { name: 'paste', text: last.text + text };
    else out.push({ name: 'paste', text });
  }
  return out.map((key) => (key.name === 'paste' ? { name: 'paste', text: withoutLastBreak(key.text) } : key));
}

/** Characters (or a paste the terminal has marked), and one Enter as a keyboard sends it. */
const isLine = (keys: Key[], read: string): boolean =>
  read.endsWith('\r') &&
  keys.every(({ name }, at) => (at === keys.length - 1 ? name === 'enter' : name === 'text' || name === 'paste'));

/** What a key puts into a text, if it does. */
export function typed(key: Key): string | undefined {
  if (key.name === 'text' || key.name === 'paste' || key.name === 'line') return key.text;
  if (key.name === 'enter') return '\n';
  return key.name === 'tab' ? '\t' : undefined;
}

/** Copying a whole line takes its end along: nobody means it. */
const withoutLastBreak = (text: string): string => text.replace(/\n+$/, '');
