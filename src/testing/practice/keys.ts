/** Bytes of a terminal in raw mode, as keys. Keeps what a chunk cut in half: a character, a sequence, a paste. */
import { StringDecoder } from 'node:string_decoder';

export type KeyName =
  | 'enter'
  | 'newline'
  | 'escape'
  | 'backspace'
  | 'delete'
  | 'tab'
  | 'up'
  | 'down'
  | 'left'
  | 'right'
  | 'home'
  | 'end'
  | 'ctrl-c'
  | 'ctrl-d'
  | 'ctrl-u'
  | 'ctrl-w'
  | 'unknown';

export type PracticeKey = { name: KeyName } | { name: 'text' | 'paste'; text: string };

const PASTE_START = '\x1b[200~';
const PASTE_END = '\x1b[201~';
const CONTROLS: Record<string, KeyName> = {
  '\r': 'enter',
  '\n': 'newline',
  '\t': 'tab',
  '\x7f': 'backspace',
  '\b': 'backspace',
  '\x01': 'home',
  '\x05': 'end',
  '\x03': 'ctrl-c',
  '\x04': 'ctrl-d',
  '\x15': 'ctrl-u',
  '\x17': 'ctrl-w',
};
const SEQUENCES: Record<string, KeyName> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  H: 'home',
  F: 'end',
  '1~': 'home',
  '4~': 'end',
  '3~': 'delete',
};

export class KeyReader {
  readonly #decoder = new StringDecoder('utf8');
  #held = '';
  #paste: string[] | undefined;

  feed(chunk: Buffer): PracticeKey[] {
    this.#held += this.#decoder.write(chunk);
    const keys: PracticeKey[] = [];
    for (;;) {
      const key = this.#paste ? this.#pasted() : this.#next();
      if (!key) return keys;
      keys.push(key);
    }
  }

  /** An ESC that nothing followed: the caller waits a moment, then asks for it. */
  get loneEscape(): boolean {
    return !this.#paste && this.#held === '\x1b';
  }

  flush(): PracticeKey[] {
    this.#held = '';
    return [{ name: 'escape' }];
  }

  #next(): PracticeKey | undefined {
    const text = this.#held;
    if (text === '') return undefined;
    if (text[0] !== '\x1b') return this.#plain(text);
    if (text.startsWith(PASTE_START)) {
      this.#held = text.slice(PASTE_START.length);
      this.#paste = [];
      return this.#pasted();
    }
    const match = /^\x1b(?:\[([0-9;?<>=]*[@-~])|O([A-Z])|([^[O]))/.exec(text);
    if (!match) {
      // Cut off in the middle, or something endless that is no key.
      if (text.length < 64) return undefined;
      this.#held = text.slice(1);
      return { name: 'escape' };
    }
    if (match[3] === '\r') return this.#took(2, { name: 'newline' });
    if (match[3] !== undefined) return this.#took(1, { name: 'escape' });
    return this.#took(match[0].length, { name: SEQUENCES[match[1] ?? match[2] ?? ''] ?? 'unknown' });
  }

  #plain(text: string): PracticeKey {
    const control = CONTROLS[text[0]!];
    if (control) return this.#took(1, { name: control });
    if (text[0]! < ' ') return this.#took(1, { name: 'unknown' });
    const run = /^[^\x00-\x1f\x7f]+/.exec(text)![0];
    return this.#took(run.length, { name: 'text', text: run });
  }

  #pasted(): PracticeKey | undefined {
    const end = this.#held.indexOf(PASTE_END);
    if (end < 0) {
      // The end marker itself may be cut: keep as much as could be its beginning.
      const keep = Math.min(this.#held.length, PASTE_END.length - 1);
      this.#paste?.push(this.#held.slice(0, this.#held.length - keep));
      this.#held = this.#held.slice(this.#held.length - keep);
      return undefined;
    }
    const text = [...(this.#paste ?? []), this.#held.slice(0, end)].join('');
    this.#held = this.#held.slice(end + PASTE_END.length);
    this.#paste = undefined;
    return { name: 'paste', text: text.replace(/\r\n?/g, '\n') };
  }

  #took(length: number, key: PracticeKey): PracticeKey {
    this.#held = this.#held.slice(length);
    return key;
  }
}
