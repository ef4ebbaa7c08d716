/**
 * What a shell text comes to, as data: its simple commands with their words and redirections. `HOLE` stands in a word's
 * text for what only the running shell knows.
 */

/** Cannot occur in a command: control characters make a text unparsable. */
export const HOLE = '\0';

export interface Word {
  /** Quotes and escapes evaluated; unknown parts are HOLE. */
  text: string;
  /** The running shell makes exactly this text of it, in every shell. False: expansions, globs, braces, `$'…'`. */
  exact: boolean;
  /** An unquoted `~` leads: the shell puts a home directory in its place. */
  tilde?: boolean;
  /** Evaluating it can do more than give text (arithmetic, `${x@P}`, array subscripts). */
  opaque?: boolean;
}

export interface Redirect {
  op: string;
  /** Absent for `>&2` and its like: they open no file. */
  target?: Word;
  writes: boolean;
}

export interface SimpleCommand {
  /** Assignments in front (`FOO=1 npm test`) are words too: a rule that does not name them does not fit. */
  words: Word[];
  assignments: number;
  redirects: Redirect[];
  /** Redirections of a whole block (`{ …; } > x`): it has no words, and its inner commands stand for themselves. */
  block?: boolean;
}

export interface ParsedShell {
  /** Absent: understood. The commands are then all there are; otherwise they are what could still be seen. */
  problem?: string;
  commands: SimpleCommand[];
}

/** Text in, simple commands out; total. */
export type Shell = (text: string) => ParsedShell;

export const exactWord = (text: string): Word => ({ text, exact: true });
export const unknownWord: Word = { text: HOLE, exact: false };

/** A list of words that no shell reads (an argument vector) as a parsed command. */
export function shellOfWords(words: string[]): ParsedShell {
  return { commands: [{ words: words.map(exactWord), assignments: 0, redirects: [] }] };
}
