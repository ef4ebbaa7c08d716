/**
 * The arguments of one command against what is known of its program: which words are not understood. A rule covers a
 * command only if it names those words itself.
 */
import { judgeAwk } from './awk-program.js';
import { HARMLESS, PROGRAMS, type Program, SAME_AS } from './programs.js';
import { isPlainSed } from './sed-script.js';
import { isOwnName } from './shell-names.js';
import { isPlainTest } from './shell-test.js';
import type { Word } from './shell-words.js';
import { tick } from './steps.js';

const entry = (name: string): Program | undefined => {
  const known = Object.hasOwn(SAME_AS, name) ? SAME_AS[name]! : name.replace(/^(python|pip)3(\.\d+)?$/, '$1');
  return Object.hasOwn(PROGRAMS, known) ? PROGRAMS[known] : undefined;
};

/** Whether something is known of the program's arguments. */
export const isListed = (name: string): boolean => entry(name) !== undefined;

interface Safe {
  letters: Set<string>;
  /** Letters that may have a value in their own word. */
  valued: Set<string>;
  names: Set<string>;
  /** Long names that may have a value. */
  withValue: Set<string>;
  numbers: boolean;
}

const read = new WeakMap<Program, Safe>();

function safeOptions(program: Program): Safe {
  const known = read.get(program);
  if (known) return known;
  const safe: Safe = { letters: new Set(), valued: new Set(), names: new Set(), withValue: new Set(), numbers: false };
  for (const option of (program.safe ?? '').split(/\s+/).filter(Boolean)) {
    if (option === '-#') safe.numbers = true;
    else if (program.words || option.startsWith('--')) {
      (option.endsWith('=') ? safe.withValue : safe.names).add(option.replace(/=$/, ''));
    } else if (option.endsWith(':')) safe.valued.add(option[1]!);
    else safe.letters.add(option[1]!);
  }
  read.set(program, safe);
  return safe;
}

interface Judgement {
  /** Indexes (0 is the name) of words that are not understood. */
  unjudged: number[];
  /** Indexes of words that are files it writes. */
  writes: number[];
  /** What comes in on its input is data to it. */
  data: boolean;
}

/** Contract: total; `words` begins with the name. */
export function judgeArguments(name: string, words: Word[]): Judgement {
  const program = entry(name);
  const found: Judgement = { unjudged: [], writes: [], data: HARMLESS.has(name) || program?.data === true };
  tick(words.length);
  if (HARMLESS.has(name)) return found;
  if (program?.code !== undefined && program.code !== 'find') judgeCode(program, words, found);
  if (!program || program.code === undefined || program.safe !== undefined) judgeWords(program, words, found, 1);
  // What is not understood may be `-f -`: then its input is code.
  if (found.unjudged.length > 0) found.data = false;
  return found;
}

/** A word that the shell still changes is understood only as a plain operand. */
const isKnown = (word: Word) => word.exact || word.operand === true;

function judgeWords(program: Program | undefined, words: Word[], found: Judgement, from: number): void {
  if (!program) {
    for (let at = from; at < words.length; at += 1) if (!isKnown(words[at]!)) found.unjudged.push(at);
    return;
  }
  if (program.data) found.data = true;
  let operands = 0;
  let free = false;
  let named = program.needs === undefined;
  for (let at = from; at < words.length; at += 1) {
    const word = words[at]!;
    tick();
    if (program.needs && word.exact && program.needs.test(word.text)) named = true;
    if (!isKnown(word)) found.unjudged.push(at);
    else if (free) continue;
    else if (word.exact && word.text === '--') free = program.rest === true && !mayTakeValue(program, words[at - 1]!);
    else if (word.exact && /^-./.test(word.text)) {
      if (isSafeOption(program, word.text)) continue;
      found.unjudged.push(at);
      if (!program.takes?.includes(word.text) || !words[at + 1]) continue;
      at += 1;
      found.unjudged.push(at);
    } else if (program.subs && operands === 0) {
      const sub = word.exact && Object.hasOwn(program.subs, word.text) ? program.subs[word.text]! : undefined;
      if (sub) judgeWords(sub, words, found, at + 1);
      else unknownSub(words, found, at);
      return;
    } else {
      operands += 1;
      if (program.operand && !(word.exact && program.operand(word.text))) found.unjudged.push(at);
      if (program.most !== undefined && operands > program.most) found.unjudged.push(at);
      if (program.writes) found.writes.push(at);
      if (program.script) free = true;
    }
  }
  if (!named) found.unjudged.push(Math.min(from, words.length));
}

/** What a sub-command does that is not listed is not known: it must be named, and so must each of its options. */
function unknownSub(words: Word[], found: Judgement, at: number): void {
  found.unjudged.push(at);
  for (let index = at + 1; index < words.length; index += 1) {
    if (!isKnown(words[index]!) || /^-./.test(words[index]!.text)) found.unjudged.push(index);
  }
}

/** `-S --`: there the dashes are the value, and what follows is read as options again. */
function mayTakeValue(program: Program, before: Word): boolean {
  const { text } = before;
  if (!/^-./.test(text)) return false;
  const { valued, withValue } = safeOptions(program);
  return text.startsWith('--') ? withValue.has(text) : program.words === true || valued.has(text.at(-1)!);
}

function isSafeOption(program: Program, text: string): boolean {
  const { letters, valued, names, withValue, numbers } = safeOptions(program);
  const isPlain = (value: string) => program.operand === undefined || program.operand(value);
  if (program.words || text.startsWith('--')) {
    const equals = text.indexOf('=');
    const name = (equals < 0 ? text : text.slice(0, equals)).replace(program.words ? /^--/ : /^(?!)/, '-');
    if (names.has(text)) return true;
    if (equals < 0) return withValue.has(name) || names.has(name);
    return withValue.has(name) && isPlain(text.slice(equals + 1));
  }
  if (numbers && /^-\d+$/.test(text)) return true;
  for (let at = 1; at < text.length; at += 1) {
    tick();
    if (valued.has(text[at]!)) return isPlain(text.slice(at + 1));
    if (!letters.has(text[at]!)) return false;
  }
  return true;
}

function judgeCode(program: Program, words: Word[], found: Judgement): void {
  const args = words.slice(1);
  const all = () => found.unjudged.push(...args.map((_, at) => at + 1), ...(args.length === 0 ? [1] : []));
  switch (program.code) {
    case 'test': {
      const inside = words[0]!.text.endsWith('[') ? args.slice(0, -1) : args;
      if (!isPlainTest(inside)) all();
      return;
    }
    case 'printf':
      if (!isPlainPrintf(args)) all();
      return;
    case 'read':
      if (!isPlainRead(args)) all();
      return;
    case 'sed':
      if (!isPlainSed(args)) all();
      return;
    case 'awk':
      if (!judgeAwk(args)) all();
      return;
    default:
      all();
  }
}

/** `-v` sets a variable, `%n` too, and zsh takes a number for arithmetic. */
function isPlainPrintf(args: Word[]): boolean {
  const [format, ...values] = args[0]?.exact && args[0].text === '--' ? args.slice(1) : args;
  if (!format?.exact || format.text.startsWith('-')) return false;
  const rest = format.text.replace(/%%|%-?\d*(?:\.\d+)?([sbqcd])/g, (_, kind?: string) => (kind === 'd' ? '\x01' : ''));
  if (rest.includes('%')) return false;
  return !rest.includes('\x01') || values.every((word) => word.exact && /^-?\d{1,18}$/.test(word.text));
}

/** Its names are variables it sets. */
function isPlainRead(args: Word[]): boolean {
  let at = 0;
  for (; at < args.length && args[at]!.exact && args[at]!.text.startsWith('-'); at += 1) {
    if (!/^-[rs]+$/.test(args[at]!.text)) return false;
  }
  const names = args.slice(at);
  return names.length > 0 && names.every((word) => word.exact && isOwnName(word.text));
}
