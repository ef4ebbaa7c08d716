/**
 * Commands that run other commands. Unfolding shows what a wrapper would run, so that `sudo rm x`, `xargs rm` or
 * `bash -c 'rm x'` is judged by `rm` as well: a rule for the wrapper alone never covers what is inside. What a program
 * does on its own (a script file) is out of sight here: the rule that allows it answers for it.
 */
import { isListed, judgeArguments } from './arguments.js';
import { onceFor } from './once-for.js';
import type { Runs } from './runs.js';
import { HOLE, type Redirect, type Shell, type SimpleCommand, type Word } from './shell-words.js';
import { tick } from './steps.js';
import { wrapperOf } from './wrappers.js';

export interface Unfolded {
  command: SimpleCommand;
  /** What it would run, as far as it can be seen. */
  inner: Unfolded[];
  /** The only inner command is the words of this one from here on. */
  innerAt?: number;
  /** What it might run besides, for deny rules alone. */
  guesses: Unfolded[];
  /** It runs something that cannot be seen: a rule fits only if it names the whole command. */
  unclear?: string;
  /** Indexes of words that are not understood; a rule must name each of them literally. */
  unjudged: number[];
  /** Files it writes, judged like redirections. */
  writes: Redirect[];
  /** What comes in on its input is data to it. */
  data: boolean;
}

/** `bash -c "bash -c '…'"`: deeper than this nobody follows, so it is unclear. */
const DEEPEST = 5;
/** Commands looked at for one text: wrappers in wrappers could make more of them than there are words. */
const MOST_COMMANDS = 500;
/** Words of one command. */
export const MOST_WORDS = 4000;

/** Guesses among them: each has nearly as many words as the command it was made from. */
const MOST_GUESSES = 64;

export interface Budget {
  left: number;
  guesses: number;
}

export const newBudget = (): Budget => ({ left: MOST_COMMANDS, guesses: MOST_GUESSES });

/** Behind the assignments in front: the name and its arguments. */
export const bareWords = (command: SimpleCommand): Word[] => command.words.slice(command.assignments);

/** `/bin/rm` and `\rm` are rm. */
export const baseName = (word: Word): string => word.text.slice(word.text.lastIndexOf('/') + 1);

interface UnfoldTask {
  shell: Shell;
  budget: Budget;
  depth: number;
}

export function unfold(command: SimpleCommand, shell: Shell, budget: Budget = newBudget()): Unfolded {
  return unfoldOne(command, { shell, budget, depth: 0 });
}

function unfoldOne(command: SimpleCommand, task: UnfoldTask): Unfolded {
  const words = bareWords(command);
  const unfolded: Unfolded = { command, inner: [], guesses: [], unjudged: [], writes: [], data: false };
  task.budget.left -= 1;
  tick(words.length + 1);
  const [name] = words;
  if (!name) return unfolded;
  if (task.budget.left < 0) return { ...unfolded, unclear: 'it holds too many commands' };
  if (words.length > MOST_WORDS) return { ...unfolded, unclear: `it has more than ${MOST_WORDS} words` };
  if (!name.exact) unfolded.unclear = 'the name of the command is only known when it runs';
  const wrapper = wrapperOf(baseName(name));
  if (wrapper) wrapped(unfolded, wrapper(words.slice(1), baseName(name)), task);
  if (unfolded.inner.length === 0 || isListed(baseName(name))) judgeOwn(unfolded, words);
  return unfolded;
}

function judgeOwn(unfolded: Unfolded, words: Word[]): void {
  const { assignments, redirects } = unfolded.command;
  const judged = judgeArguments(baseName(words[0]!), words);
  unfolded.unjudged = judged.unjudged.map((index) => index + assignments);
  unfolded.writes = judged.writes.map((index) => ({ op: '>', target: words[index]!, writes: true }));
  unfolded.data = judged.data;
  // `exec > file` is about everything behind it.
  if (words[0]!.text === 'exec' && words.length === 1 && redirects.length > 0)
    unfolded.unclear ??= 'it moves every later input or output';
}

function wrapped(unfolded: Unfolded, runs: Runs, task: UnfoldTask): void {
  const { command } = unfolded;
  const deeper = { ...task, depth: task.depth + 1 };
  if (task.depth >= DEEPEST) {
    unfolded.unclear = 'wrapped too often';
    return;
  }
  if (runs.unclear !== undefined) unfolded.unclear ??= runs.unclear;
  // What the wrapper gets on its input, the command inside gets.
  const input = { ...(command.fed || command.inputs ? { fed: true } : {}) };
  for (const inner of runs.commands ?? []) {
    if (inner.length === 0) unfolded.unclear ??= 'what it runs is not named';
    else unfolded.inner.push(unfoldOne({ ...commandOf(inner), ...input }, deeper));
  }
  if (runs.from !== undefined && unfolded.inner.length === 1) unfolded.innerAt = runs.from + 1 + command.assignments;
  for (const text of runs.texts ?? []) unfolded.inner.push(...ofText(unfolded, text, deeper, input));
  for (const guess of runs.guesses ?? []) {
    if (mayGuess(unfolded, task)) unfolded.guesses.push(unfoldOne(commandOf(guess), deeper));
  }
  const scripts = runs.script ? (command.inputs ?? []) : [];
  for (const text of [...(runs.guessedTexts ?? []), ...scripts]) {
    if (mayGuess(unfolded, task)) unfolded.guesses.push(...ofText(undefined, text, deeper, {}));
  }
}

/** What was not looked at may be what a rule forbids. */
function mayGuess(unfolded: Unfolded, { budget }: UnfoldTask): boolean {
  budget.guesses -= 1;
  if (budget.guesses < 0) unfolded.unclear ??= 'it may run too many things';
  return budget.guesses >= 0 && budget.left > 0;
}

function ofText(
  owner: Unfolded | undefined,
  text: Pick<Word, 'text' | 'exact'>,
  task: UnfoldTask,
  input: { fed?: boolean },
): Unfolded[] {
  const doubt = (why: string) => {
    if (owner) owner.unclear ??= why;
  };
  if (!text.exact || text.text.includes(HOLE)) doubt('the command inside is only known when it runs');
  const parsed = task.shell(text.text.replaceAll(HOLE, '$_'));
  const problem = parsed.problem ?? parsed.unclear;
  if (problem !== undefined) doubt(`the command inside: ${problem}`);
  return parsed.commands.map((one) => unfoldOne({ ...one, ...input }, task));
}

/** Words handed on by a wrapper such as env: assignments in front stay what they are. */
function commandOf(words: Word[]): SimpleCommand {
  const first = words.findIndex((word) => !/^\w+=/.test(word.text));
  return { words, assignments: first < 0 ? words.length : first, redirects: [] };
}

/** Every command that would run or might, outermost first. */
export function everyCommand(unfolded: Unfolded): Unfolded[] {
  return [unfolded, ...unfolded.inner.flatMap(everyCommand), ...unfolded.guesses.flatMap(everyCommand)];
}

/** The same for all statements of a text. */
export const allCommands = onceFor((commands: Unfolded[]): Unfolded[] => commands.flatMap(everyCommand));
