/**
 * Commands that run other commands. Unfolding shows what a wrapper would run, so that `sudo rm x`, `xargs rm` or
 * `bash -c 'rm x'` is judged by `rm` as well: a rule for the wrapper alone never covers what is inside. What a program
 * does on its own (a script file, `node -e`) is out of sight here: the rule that allows it answers for it.
 */

import { escapeOption } from './escape-options.js';
import { HOLE, type Shell, type SimpleCommand, type Word } from './shell-words.js';
import { WRAPPERS } from './wrappers.js';

export interface Unfolded {
  command: SimpleCommand;
  /** What it would run, as far as it can be seen. */
  inner: Unfolded[];
  /** It runs something that cannot be seen: a rule fits only if it names the whole command. */
  unclear?: string;
  /** Index of the first word that makes the command do more than its name says; a rule must name it literally. */
  opaqueAt?: number;
}

/** `bash -c "bash -c '…'"`: deeper than this nobody follows, so it is unclear. */
const DEEPEST = 5;

/** Behind the assignments in front: the name and its arguments. */
export const bareWords = (command: SimpleCommand): Word[] => command.words.slice(command.assignments);

/** `/bin/rm` and `\rm` are rm. */
export const baseName = (word: Word): string => word.text.slice(word.text.lastIndexOf('/') + 1);

export function unfold(command: SimpleCommand, shell: Shell, depth = 0): Unfolded {
  const words = bareWords(command);
  const unfolded: Unfolded = { command, inner: [] };
  const at = opaqueIndex(command, words);
  if (at !== undefined) unfolded.opaqueAt = at;
  const [name, ...args] = words;
  if (!name) return unfolded;
  if (!name.exact) unfolded.unclear = 'the name of the command is only known when it runs';
  const wrapper = WRAPPERS.get(baseName(name));
  if (!wrapper) return unfolded;
  if (depth >= DEEPEST) return { ...unfolded, unclear: 'wrapped too often' };
  const runs = wrapper(args, baseName(name));
  if (runs.unclear !== undefined) unfolded.unclear = runs.unclear;
  for (const inner of runs.commands ?? []) {
    if (inner.length === 0) unfolded.unclear ??= 'what it runs is not named';
    else unfolded.inner.push(unfold(commandOf(inner), shell, depth + 1));
  }
  for (const text of runs.texts ?? []) {
    if (!text.exact || text.text.includes(HOLE)) unfolded.unclear ??= 'the command inside is only known when it runs';
    const parsed = shell(text.text.replaceAll(HOLE, '$_'));
    if (parsed.problem !== undefined) unfolded.unclear ??= `the command inside: ${parsed.problem}`;
    unfolded.inner.push(...parsed.commands.map((one) => unfold(one, shell, depth + 1)));
  }
  return unfolded;
}

/** Words handed on by a wrapper such as env: assignments in front stay what they are. */
function commandOf(words: Word[]): SimpleCommand {
  const first = words.findIndex((word) => !/^\w+=/.test(word.text));
  return { words, assignments: first < 0 ? words.length : first, redirects: [] };
}

function opaqueIndex(command: SimpleCommand, words: Word[]): number | undefined {
  const inWord = command.words.findIndex((word) => word.opaque);
  const option = words.length > 0 ? escapeOption(baseName(words[0]!), words) : -1;
  const found = [inWord, option < 0 ? -1 : option + command.assignments].filter((index) => index >= 0);
  return found.length > 0 ? Math.min(...found) : undefined;
}

/** Every command that would run, outermost first. */
export function everyCommand(unfolded: Unfolded): Unfolded[] {
  return [unfolded, ...unfolded.inner.flatMap(everyCommand)];
}
