/**
 * From the bytes of a terminal to keys, with state: a character or an escape sequence may be cut between two reads. Text
 * that comes together with other keys in one read was pasted (or typed ahead), not pressed: it is one `paste`, and an
 * Enter inside it is a line break, never a key.
 */
import { StringDecoder } from 'node:string_decoder';

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
  | 'unknown';

export type Key = { name: NamedKey } | { name: 'text' | 'paste'; text: string };

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

const CSI = /^\x1b\[([0-?]*)[ -/]*([@-~])/;
const SS3 = /^\x1bO([ -~])/;
/** A terminal's answer to someone's query: not typed by anyone. */
const REPORT = /^\x1b[\]P_^X][^\x07\x1b]*(?:\x07|\x1b\\)/;
const UNFINISHED = /^\x1b(?:\[[0-?]*[ -/]*|O|[\]P_^X][^\x07\x1b]*\x1b?)?$/;

/** An unfinished sequence longer than this is none. */
const LONGEST_SEQUENCE = 4096;

export class KeyDecoder {
  #characters = new StringDecoder('utf8');
  #held = '';

  /** The keys that are complete now. */
  feed(bytes: Uint8Array): Key[] {
    let text = this.#held + this.#characters.write(Buffer.from(bytes));
    this.#held = '';
    const keys: Key[] = [];
    while (text !== '') {
      if (UNFINISHED.test(text) && text.length < LONGEST_SEQUENCE) {
        this.#held = text;
        break;
      }
      const { key, length } = first(text);
      keys.push(key);
      text = text.slice(length);
    }
    return keys.length > 1 ? pastes(keys) : keys;
  }

  /** An escape has come and it is not known yet whether it is the key or the begin of a sequence. */
  get waiting(): boolean {
    return this.#held !== '';
  }

  /** Nothing more came: the escape was the key. */
  flush(): Key[] {
    const held = this.#held;
    this.#held = '';
    return held === '' ? [] : [{ name: held === '\x1b' ? 'escape' : 'unknown' }];
  }
}

function first(text: string): { key: Key; length: number } {
  const csi = CSI.exec(text);
  if (csi) return { key: { name: csiKey(csi[1]!, csi[2]!) }, length: csi[0].length };
  const ss3 = SS3.exec(text);
  if (ss3) return { key: { name: FINAL[ss3[1]!] ?? 'unknown' }, length: ss3[0].length };
  const report = REPORT.exec(text);
  if (report) return { key: { name: 'unknown' }, length: report[0].length };
  const char = String.fromCodePoint(text.codePointAt(0)!);
  if (char === '\x1b') {
    // Esc before another sequence is Esc; before a character it is that character with Alt.
    const next = text.codePointAt(1);
    if (next === undefined || next === 0x1b) return { key: { name: 'escape' }, length: 1 };
    return { key: { name: 'unknown' }, length: 1 + String.fromCodePoint(next).length };
  }
  const control = Object.hasOwn(CONTROL, char) ? CONTROL[char]! : undefined;
  if (control) return { key: { name: control }, length: char.length };
  const key: Key = /^\p{Cc}$/u.test(char) ? { name: 'unknown' } : { name: 'text', text: char };
  return { key, length: char.length };
}

function csiKey(parameters: string, final: string): NamedKey {
  if (final === '~') return TILDE[parameters.split(';')[0]!] ?? 'unknown';
  return FINAL[final] ?? 'unknown';
}

/** Runs of text, breaks and tabs become one paste each; other keys stay what they are. */
function pastes(keys: Key[]): Key[] {
  const out: Key[] = [];
  for (const key of keys) {
    const text = typed(key);
    const last = out.at(-1);
    if (text === undefined) out.push(key);
    else if (last?.name === 'paste') out[out.length - 1] = { name: 'paste', text: last.text + text };
    else out.push({ name: 'paste', text });
  }
  return out.flatMap((key) => (key.name === 'paste' ? withoutLastBreak(key.text) : [key]));
}

/** What a key puts into a text, if it does. */
export function typed(key: Key): string | undefined {
  if (key.name === 'text' || key.name === 'paste') return key.text;
  if (key.name === 'enter') return '\n';
  return key.name === 'tab' ? '\t' : undefined;
}

/** Copying a whole line takes its end along: nobody means it. */
function withoutLastBreak(text: string): Key[] {
  return [{ name: 'paste', text: text.replace(/\n+$/, '') }];
}
