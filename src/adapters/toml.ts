/**
 * Reads as much TOML as it takes to know which tables and keys a file holds: tables, dotted keys, inline tables, lists and
 * strings are read, other values kept as their text. Whatever is not understood makes the whole file unreadable, with the line.
 */
export type TomlTable = Map<string, TomlValue>;
export type TomlValue = TomlTable | string | TomlOther;
/** A number, a date, a list, a boolean: as it stands in the file. */
export interface TomlOther {
  raw: string;
  /** Of a list. */
  items?: TomlValue[];
}

export type TomlRead = { table: TomlTable } | { unreadable: string };

export const isTable = (value: unknown): value is TomlTable => value instanceof Map;

export function readToml(text: string): TomlRead {
  const reader = new TomlReader(text);
  try {
    return { table: reader.file() };
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return { unreadable: `line ${reader.line}: ${error.message}` };
  }
}

class Unreadable extends Error {}

const BARE = /[A-Za-z0-9_-]/;
const ESCAPES: Record<string, string> = {
  b: '\b',
  t: '\t',
  n: '\n',
  f: '\f',
  r: '\r',
  e: '\x1b',
  '"': '"',
  '\\': '\\',
};

class TomlReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text.replace(/^\uFEFF/, '');
  }

  get line(): number {
    return this.#text.slice(0, this.#at).split('\n').length;
  }

  file(): TomlTable {
    const root: TomlTable = new Map();
    let here = root;
    for (;;) {
      this.#skip(' \t\r\n');
      if (this.#at >= this.#text.length) return root;
      if (this.#peek('[')) {
        const isList = this.#take('[[');
        if (!isList) this.#expect('[');
        const path = this.#key();
        here = isList ? nextOf(root, path) : tableAt(root, path);
        this.#skip(' \t');
        this.#expect(isList ? ']]' : ']');
      } else this.#pair(here);
      this.#endOfLine();
    }
  }

  #pair(into: TomlTable): void {
    const path = this.#key();
    this.#expect('=');
    this.#skip(' \t');
    const table = tableAt(into, path.slice(0, -1));
    const name = path.at(-1)!;
    const value = this.#value();
    const known = table.get(name);
    if (isTable(known) && isTable(value)) for (const [key, one] of value) known.set(key, one);
    else if (known !== undefined) throw new Unreadable(`${name} is there twice`);
    else table.set(name, value);
  }

  #key(): string[] {
    const path: string[] = [];
    do {
      this.#skip(' \t');
      path.push(this.#peek('"') || this.#peek("'") ? this.#string() : this.#bare());
      this.#skip(' \t');
    } while (this.#take('.'));
    return path;
  }

  #bare(): string {
    const from = this.#at;
    while (BARE.test(this.#text[this.#at] ?? '')) this.#at += 1;
    if (this.#at === from) throw new Unreadable('a key was expected');
    return this.#text.slice(from, this.#at);
  }

  #value(): TomlValue {
    if (this.#peek('"') || this.#peek("'")) return this.#string();
    if (this.#peek('{')) return this.#inline();
    const from = this.#at;
    if (this.#peek('[')) {
      const items = this.#list();
      return { raw: this.#text.slice(from, this.#at), items };
    }
    while (!/[,\]}\s#]/.test(this.#text[this.#at] ?? '\n')) this.#at += 1;
    if (this.#at === from) throw new Unreadable('a value was expected');
    return { raw: this.#text.slice(from, this.#at) };
  }

  #inline(): TomlTable {
    const table: TomlTable = new Map();
    this.#expect('{');
    for (this.#blank(); !this.#take('}'); this.#blank()) {
      this.#pair(table);
      this.#blank();
      if (!this.#take(',') && !this.#peek('}')) throw new Unreadable('a comma or } was expected');
    }
    return table;
  }

  #list(): TomlValue[] {
    const items: TomlValue[] = [];
    this.#expect('[');
    for (this.#blank(); !this.#take(']'); this.#blank()) {
      items.push(this.#value());
      this.#blank();
      if (!this.#take(',') && !this.#peek(']')) throw new Unreadable('a comma or ] was expected');
    }
    return items;
  }

  #string(): string {
    const quote = this.#text[this.#at]!;
    const isLong = this.#take(quote.repeat(3));
    const end = isLong ? quote.repeat(3) : quote;
    if (!isLong) this.#expect(quote);
    else if (!this.#take('\r\n')) this.#take('\n');
    let said = '';
    for (;;) {
      const next = this.#text[this.#at];
      if (next === undefined || (!isLong && next === '\n')) throw new Unreadable('a string does not end');
      if (this.#take(end)) {
        // Up to two quotes may stand right before the closing ones.
        for (let more = 0; isLong && more < 2 && this.#take(quote); more += 1) said += quote;
        return said;
      }
      if (quote === '"' && this.#take('\\')) said += this.#escape();
      else {
        said += next;
        this.#at += 1;
      }
    }
  }

  #escape(): string {
    const word = this.#text[this.#at++] ?? '';
    if (Object.hasOwn(ESCAPES, word)) return ESCAPES[word]!;
    const digits = { u: 4, U: 8, x: 2 }[word];
    if (digits === undefined) {
      if (!/\s/.test(word)) throw new Unreadable(`\\${word} is no escape`);
      this.#skip(' \t\r\n');
      return '';
    }
    const hex = this.#text.slice(this.#at, this.#at + digits);
    const code = /^[0-9a-fA-F]+$/.test(hex) && hex.length === digits ? Number.parseInt(hex, 16) : Number.NaN;
    if (!(code <= 0x10ffff)) throw new Unreadable(`\\${word}${hex} is no character`);
    this.#at += digits;
    return String.fromCodePoint(code);
  }

  #endOfLine(): void {
    this.#skip(' \t\r');
    this.#comment();
    if (this.#at < this.#text.length && !this.#take('\n')) throw new Unreadable('the line should end here');
  }

  #comment(): void {
    if (!this.#peek('#')) return;
    const end = this.#text.indexOf('\n', this.#at);
    this.#at = end < 0 ? this.#text.length : end;
  }

  /** Space, line ends and comments. */
  #blank(): void {
    for (;;) {
      this.#skip(' \t\r\n');
      if (!this.#peek('#')) return;
      this.#comment();
    }
  }

  #skip(characters: string): void {
    while (this.#at < this.#text.length && characters.includes(this.#text[this.#at]!)) this.#at += 1;
  }

  #peek(text: string): boolean {
    return this.#text.startsWith(text, this.#at);
  }

  #take(text: string): boolean {
    if (!this.#peek(text)) return false;
    this.#at += text.length;
    return true;
  }

  #expect(text: string): void {
    if (!this.#take(text)) throw new Unreadable(`${text} was expected`);
  }
}

/** What a list of tables (`[[name]]`) has for its text; it has no other. */
const TABLES = '[[]]';

/** The next of a list of tables. */
function nextOf(root: TomlTable, path: string[]): TomlTable {
  const next: TomlTable = new Map();
  const table = tableAt(root, path.slice(0, -1));
  const name = path.at(-1)!;
  const known = table.get(name) ?? { raw: TABLES, items: [] };
  if (typeof known === 'string' || isTable(known) || known.raw !== TABLES)
    throw new Unreadable(`${name} is no list of tables`);
  known.items?.push(next);
  table.set(name, known);
  return next;
}

function tableAt(root: TomlTable, path: string[]): TomlTable {
  let table = root;
  for (const name of path) {
    let next = table.get(name);
    if (next === undefined) {
      next = new Map();
      table.set(name, next);
    }
    if (typeof next !== 'string' && !isTable(next) && next.raw === TABLES) next = next.items?.at(-1);
    if (!isTable(next)) throw new Unreadable(`${name} is no table`);
    table = next;
  }
  return table;
}
