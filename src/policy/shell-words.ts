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
  /** Not exact, but whatever the shell makes of it begins with a plain character (`src/*.ts`): never an option. */
  operand?: boolean;
  /** An expansion outside quotes: it may become several words, or none. */
  splits?: boolean;
}

export interface Redirect {
  op: string;
  /** Absent for `>&2` and its like: they open no file. */
  target?: Word;
  writes: boolean;
}

/** A here-document or here-string: text that the command gets on its input. */
export interface Input {
  text: string;
  exact: boolean;
}

export interface SimpleCommand {
  /** Assignments in front (`FOO=1 npm test`) are words too: a rule that does not name them does not fit. */
  words: Word[];
  assignments: number;
  redirects: Redirect[];
  /** Redirections of a whole block (`{ …; } > x`): it has no words, and its inner commands stand for themselves. */
  block?: boolean;
  /** What comes in on its input is not seen here: a pipe, a file, the input of the block around it. */
  fed?: boolean;
  inputs?: Input[];
  /** It stands in a loop, so it may run more than once. */
  again?: boolean;
  /** Part of a word that is known all the same (`"$(cat <<'EOF' …)"`): it needs no rule. */
  known?: boolean;
}

export interface ParsedShell {
  /** Absent: understood. The commands are then all there are; otherwise they are what could still be seen. */
  problem?: string;
  /** It was read, but does something that is not judged: only a rule for every command covers it. */
  unclear?: string;
  /** It is unclear and holds text that looks like a command: a deny rule cannot be ruled out. */
  hidden?: boolean;
  commands: SimpleCommand[];
}

/** Text in, simple commands out; total. */
export type Shell = (text: string) => ParsedShell;

export const exactWord = (text: string): Word => ({ text, exact: true });
export const unknownWord: Word = { text: HOLE, exact: false, splits: true };

/** A list of words that no shell reads (an argument vector) as a parsed command. */
export function shellOfWords(words: string[]): ParsedShell {
  return { commands: [{ words: words.map(exactWord), assignments: 0, redirects: [] }] };
}
