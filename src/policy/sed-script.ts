/**
 * sed's arguments, read in one pass: a script is understood only if it is made of commands that edit the stream. `e` runs
 * a command, `w` and `r` name files, and any character may be the delimiter of `s`, so nothing here is guessed: what does
 * not fit the grammar below is not understood.
 */
import type { Word } from './shell-words.js';
import { tick } from './steps.js';

const FLAGS = /^[nErsuz]$/;

/** Whether every script among the arguments only edits what passes through. */
export function isPlainSed(args: Word[]): boolean {
  const scripts: Word[] = [];
  const operands: Word[] = [];
  let at = 0;
  /** What the option before it takes: the rest of its own word, or the next one. */
  const value = (rest: string | undefined, word: Word): Word => {
    if (rest !== undefined && rest !== '') return { text: rest, exact: true };
    at += 1;
    return args[at] ?? word;
  };
  for (; at < args.length; at += 1) {
    const word = args[at]!;
    const { text } = word;
    tick();
    if (!word.exact || !/^-./.test(text)) operands.push(word);
    else if (text === '--') {
      operands.push(...args.slice(at + 1));
      break;
    } else if (text.startsWith('--')) {
      const [name, rest] = [text.split('=', 1)[0]!, text.slice(text.split('=', 1)[0]!.length + 1)];
      if (name === '--expression') scripts.push(text === name ? value(undefined, word) : { text: rest, exact: true });
      else if (text === '--line-length') value(undefined, word);
    } else {
      const end = [...text.slice(1)].findIndex((letter) => !FLAGS.test(letter)) + 1;
      if (end === 0) continue;
      if (text[end] === 'e') scripts.push(value(text.slice(end + 1), word));
      else if (text[end] === 'l') value(text.slice(end + 1), word);
      else return false;
    }
  }
  if (scripts.length === 0) scripts.push(...operands.slice(0, 1));
  return scripts.length > 0 && scripts.every((script) => script.exact && isPlainScript(script.text));
}

/** One pass over the script; every function moves `at` forward. */
class SedScript {
  at = 0;
  depth = 0;
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }

  get char(): string {
    return this.text[this.at] ?? '';
  }

  /** Takes what fits at this place; the expression is sticky, so nothing is searched for. */
  eat(pattern: RegExp): boolean {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (!found) return false;
    tick(found[0].length + 1);
    this.at += found[0].length;
    return true;
  }

  /** Up to the next delimiter that is not escaped. A set of characters must not hold it: seds differ there. */
  part(delimiter: string): boolean {
    let open = false;
    for (; this.at < this.text.length; this.at += 1) {
      tick();
      const { char } = this;
      if (char === delimiter) {
        this.at += 1;
        return !open;
      }
      if (char === '\n') return false;
      if (char === '\\') this.at += 1;
      else if (char === '[') open = true;
      else if (char === ']') open = false;
    }
    return false;
  }
}

function isPlainScript(text: string): boolean {
  // A script that ends in a backslash goes on in the next one.
  if (/\\$/.test(text)) return false;
  const script = new SedScript(text);
  while (script.at < text.length) {
    script.eat(/[\s;]*/y);
    if (script.at >= text.length) break;
    if (!address(script) || !command(script)) return false;
  }
  return script.depth === 0;
}

function oneAddress(script: SedScript): boolean | undefined {
  if (script.eat(/\d+(?:~\d+)?|\$/y)) return true;
  if (script.char === '/') script.at += 1;
  else if (script.eat(/\\(?=[^\n\\])/y)) script.at += 1;
  else return undefined;
  const delimiter = script.text[script.at - 1]!;
  return script.part(delimiter) && script.eat(/[IM]*/y);
}

function address(script: SedScript): boolean {
  const first = oneAddress(script);
  if (first === false) return false;
  if (first) {
    script.eat(/[ \t]*/y);
    if (script.eat(/,[ \t]*/y) && !script.eat(/[+~]\d+/y) && !oneAddress(script)) return false;
  }
  script.eat(/[ \t]*/y);
  script.eat(/![ \t]*/y);
  return true;
}

const END = /[ \t]*(?:$|(?=[;\n}#]))/y;

function command(script: SedScript): boolean {
  const name = script.char;
  script.at += 1;
  switch (name) {
    case '{':
      script.depth += 1;
      return true;
    case '}':
      script.depth -= 1;
      return script.depth >= 0 && script.eat(END);
    case '#':
      return script.eat(/[^\n]*/y);
    case ':':
      return script.eat(/[ \t]*\w+/y) && script.eat(END);
    case 'b':
    case 't':
    case 'T':
      return script.eat(/[ \t]*\w*/y) && script.eat(END);
    case 'q':
    case 'Q':
    case 'l':
    case 'L':
      return script.eat(/[ \t]*\d*/y) && script.eat(END);
    case 'a':
    case 'i':
    case 'c':
      return script.eat(/(?:[^\n\\]|\\[\s\S])*/y);
    case 's':
      return substitution(script) && script.eat(/[gpiImM\d]*/y) && script.eat(END);
    case 'y':
      return substitution(script) && script.eat(END);
    default:
      return /^[=dDgGhHnNpPxzF]$/.test(name) && script.eat(END);
  }
}

function substitution(script: SedScript): boolean {
  const delimiter = script.char;
  if (delimiter === '' || /[\n\\\s;\w]/.test(delimiter)) return false;
  script.at += 1;
  return script.part(delimiter) && replacement(script, delimiter);
}

function replacement(script: SedScript, delimiter: string): boolean {
  for (; script.at < script.text.length; script.at += 1) {
    tick();
    if (script.char === delimiter) {
      script.at += 1;
      return true;
    }
    if (script.char === '\n') return false;
    if (script.char === '\\') script.at += 1;
  }
  return false;
}
