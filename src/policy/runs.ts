/** What a wrapper says it runs, and how its own options are read. */
import type { Word } from './shell-words.js';

export interface Runs {
  /** Commands given as words. */
  commands?: Word[][];
  /** The words of the only command are the wrapper's own from this argument on. */
  from?: number;
  /** Commands given as text for a shell. */
  texts?: Word[];
  /** What it might run, for deny rules alone. */
  guesses?: Word[][];
  guessedTexts?: Word[];
  /** It runs what comes in on its input: a here-document is a command. */
  script?: boolean;
  unclear?: string;
}

export type Wrapper = (args: Word[], name: string) => Runs;

export interface OptionShape {
  /** Letters and long names that stand alone. */
  flags?: string;
  /** Letters and long names that take the next word (or the rest of their own). */
  values?: string;
  /** Words between the options and the command (`timeout 5 npm test`). */
  operands?: number;
}

export const UNLISTED = 'an option that is not understood';

/** The words behind a wrapper's own options, or undefined when the options cannot be read. */
export function afterOptions(args: Word[], shape: OptionShape): Word[] | undefined {
  const values = new Set((shape.values ?? '').split(' ').filter(Boolean));
  const flags = new Set((shape.flags ?? '').split(' ').filter(Boolean));
  let index = 0;
  for (; index < args.length; index += 1) {
    const { text, exact } = args[index]!;
    if (!exact) return undefined;
    if (text === '--') {
      index += 1;
      break;
    }
    if (!text.startsWith('-') || text === '-') break;
    const long = text.startsWith('--');
    const name = long ? text.slice(2).split('=', 1)[0]! : text.slice(1);
    if (values.has(name)) index += long && text.includes('=') ? 0 : 1;
    else if (flags.has(name) || (!long && [...name].every((letter) => flags.has(letter)))) continue;
    else if (!long && values.has(name[0]!)) continue;
    else if (!long && values.has(name.at(-1)!) && [...name.slice(0, -1)].every((letter) => flags.has(letter)))
      index += 1;
    else return undefined;
  }
  const rest = args.slice(index);
  return shape.operands ? rest.slice(shape.operands) : rest;
}

export function prefix(shape: OptionShape): Wrapper {
  return (args) => {
    const rest = afterOptions(args, shape);
    if (!rest) return { unclear: UNLISTED, ...guessed(args) };
    return rest.length > 0 ? { commands: [rest], from: args.length - rest.length } : {};
  };
}

/** Words looked at when nobody can say where the command begins. */
const MOST_GUESSES = 12;

/** For deny rules: where options cannot be read, every word could begin the command, or be one as text. */
export function guessed(args: Word[]): Pick<Runs, 'guesses' | 'guessedTexts'> {
  const first = args.slice(0, MOST_GUESSES);
  return {
    guesses: first.flatMap((word, index) => (/^-/.test(word.text) ? [] : [args.slice(index)])),
    guessedTexts: first.flatMap((word) => {
      const text = word.text.replace(/^--?[\w-]+=/, '');
      return /\s/.test(text) ? [{ ...word, text }] : [];
    }),
  };
}

export const joinedText = (words: Word[]): Word => ({
  text: words.map((word) => word.text).join(' '),
  exact: words.every((word) => word.exact),
});

/** Words in which the wrapper puts something in place of `mark`. */
export const filledIn = (words: Word[], mark: string, filled: Partial<Word>): Word[] =>
  words.map((word) => {
    if (!word.text.includes(mark)) return word;
    const begins = word.text.startsWith(mark);
    return { text: word.text.replaceAll(mark, '\0'), exact: false, ...(begins ? filled : {}) };
  });
