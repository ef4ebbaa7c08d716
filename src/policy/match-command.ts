/**
 * One command rule against one simple command. Allowing is narrow: word for word, as written. Forbidding is broad: any
 * path to the program, options in any order and cluster, values of options skipped; and a word that only the running
 * shell knows makes the result `maybe`, never `no`.
 */
import { fitsParts } from './about.js';
import type { RuleSpec, RuleWord } from './rules.js';
import { HOLE, type Word } from './shell-words.js';
import { tick } from './steps.js';

export type CommandSpec = Extract<RuleSpec, { kind: 'command' }>;
export type Fit = 'yes' | 'maybe' | 'no';

const ORDER: Fit[] = ['no', 'maybe', 'yes'];
export const surest = (fits: Fit[]): Fit => ORDER[Math.max(0, ...fits.map((fit) => ORDER.indexOf(fit)))]!;

export interface Allowance {
  /** How many words the rule names outright, counted from the front. */
  literal: number;
  /** The rule names every word: it answers for whatever the command runs. */
  whole: boolean;
}

const isPlain = (word: RuleWord): boolean => word.kind === 'text' && word.parts.length === 1;

export function allowsWords(spec: CommandSpec, words: Word[]): Allowance | undefined {
  const fits = (expected: RuleWord, word: Word) =>
    word.exact && expected.kind === 'text' && fitsParts(expected.parts, word.text);
  if (!fitsSequence({ spec, expected: spec.words, words, fits })) return undefined;
  const wild = spec.words.findIndex((word) => !isPlain(word));
  const literal = wild < 0 ? spec.words.length : wild;
  return { literal, whole: wild < 0 && !spec.rest };
}

interface Sequence {
  spec: CommandSpec;
  expected: RuleWord[];
  words: Word[];
  fits(expected: RuleWord, word: Word): boolean;
}

/** Words one behind the other; `*` takes one or more. On a mismatch only the last `*` is widened, so time stays bounded. */
function fitsSequence({ spec, expected, words, fits }: Sequence): boolean {
  const open = spec.rest || spec.glued;
  let rule = 0;
  let word = 0;
  let retry: { rule: number; word: number } | undefined;
  for (;;) {
    tick();
    if (rule === expected.length && (open || word === words.length)) return true;
    const next = expected[rule];
    if (next && word < words.length && next.kind === 'words') {
      retry = { rule: rule + 1, word: word + 1 };
      rule += 1;
      word += 1;
    } else if (next && word < words.length && fits(next, words[word]!)) {
      rule += 1;
      word += 1;
    } else if (retry && retry.word < words.length) {
      retry = { rule: retry.rule, word: retry.word + 1 };
      ({ rule, word } = retry);
    } else return false;
  }
}

/** Whether a text holds the name of the program that a rule is about, as a word of its own. */
export const mentions = ({ words: [name] }: CommandSpec, text: string): boolean => holds(name, text);

/** Whether it holds every word that the rule names. */
export const mentionsAll = ({ words }: CommandSpec, text: string): boolean => words.every((word) => holds(word, text));

function holds(name: RuleWord | undefined, text: string): boolean {
  if (name?.kind !== 'text') return true;
  const longest = name.parts.reduce((one, other) => (other.length > one.length ? other : one), '');
  for (let at = text.indexOf(longest); longest !== '' && at >= 0; at = text.indexOf(longest, at + 1)) {
    if (!/[\w-]/.test(text[at - 1] ?? ' ') && !/[\w-]/.test(text[at + longest.length] ?? ' ')) return true;
  }
  return false;
}

const lastPart = (text: string) => text.slice(text.lastIndexOf('/') + 1);

function fitsName(expected: RuleWord, name: Word): Fit {
  if (expected.kind === 'words') return 'yes';
  const parts = expected.parts.length === 1 ? [lastPart(expected.parts[0]!)] : expected.parts;
  // Disks may ignore the case of a program's name.
  const last = lastPart(name.text);
  const texts = [name.text, last, last.toLowerCase(), last.toLowerCase().replace(/\.exe$/, '')];
  if (texts.some((text) => fitsParts(parts, text))) return 'yes';
  return name.exact ? 'no' : 'maybe';
}

function fitsWord(expected: RuleWord, word: Word): Fit {
  if (expected.kind === 'words' || fitsParts(expected.parts, word.text))
    return word.text.includes(HOLE) ? 'maybe' : 'yes';
  return word.exact ? 'no' : 'maybe';
}

/** Contract: `no` only when the command certainly is not what the rule forbids. */
export function forbidsWords(spec: CommandSpec, words: Word[]): Fit {
  const [expectedName, ...expected] = spec.words;
  const [name, ...args] = words;
  if (!expectedName || !name) return 'no';
  const named = fitsName(expectedName, name);
  if (named === 'no') return 'no';
  if (spec.glued && expected.length === 0) return named;
  const fits = surest([inOrder(spec, expected, args), inAnyOrder(spec, expected, args)]);
  return named === 'maybe' && fits === 'yes' ? 'maybe' : fits;
}

function inOrder(spec: CommandSpec, expected: RuleWord[], args: Word[]): Fit {
  const sure = (rule: RuleWord, word: Word) => fitsWord(rule, word) === 'yes';
  if (fitsSequence({ spec, expected, words: args, fits: sure })) return 'yes';
  const unknown = args.findIndex((word) => !word.exact);
  if (unknown < 0) return 'no';
  for (const [index, rule] of expected.slice(0, unknown).entries()) {
    if (rule.kind === 'words') return 'maybe';
    if (fitsWord(rule, args[index]!) === 'no') return 'no';
  }
  // A word that is not known may become several or none: nothing behind it can be relied on.
  return 'maybe';
}

const isOption = (text: string) => text.length > 1 && text.startsWith('-');
const letters = (text: string) => (/^-[a-zA-Z]+$/.test(text) ? [...text.slice(1)] : []);

function inAnyOrder(spec: CommandSpec, expected: RuleWord[], args: Word[]): Fit {
  const wanted = expected.flatMap((word) => (word.kind === 'text' && isOption(word.parts[0]!) ? [word] : []));
  const places = expected.filter((word) => !(word.kind === 'text' && isOption(word.parts[0]!)));
  if (places.some((word) => word.kind === 'words')) return 'no';
  const given = new Set(args.flatMap((word) => letters(word.text)));
  const hasOption = (parts: string[]) => {
    const cluster = parts.length === 1 ? letters(parts[0]!) : [];
    if (cluster.length > 0 && cluster.every((letter) => given.has(letter))) return true;
    return args.some(({ text }) => fitsParts(parts, text) || fitsParts(parts, text.split('=', 1)[0]!));
  };
  const doubtful = args.some((word) => !word.exact && !/^[\w./]/.test(word.text));
  if (!wanted.every((word) => hasOption(word.parts))) return doubtful && wanted.length > 0 ? 'maybe' : 'no';
  return inPlace(spec, places, args);
}

/** The words that are no options, in order; a word right behind an option may be its value. */
function inPlace(spec: CommandSpec, places: RuleWord[], args: Word[]): Fit {
  let next = 0;
  let free = 0;
  for (const [index, word] of args.entries()) {
    if (word.exact && isOption(word.text)) continue;
    const expected = places[next];
    const fit = expected ? fitsWord(expected, word) : 'no';
    if (fit === 'yes') next += 1;
    else if (fit === 'maybe') return 'maybe';
    else if (index > 0 && isOption(args[index - 1]!.text)) continue;
    else if (expected) return 'no';
    else free += 1;
  }
  if (next < places.length) return 'no';
  return spec.rest || spec.glued || free === 0 ? 'yes' : 'no';
}
