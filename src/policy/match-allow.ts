/**
 * Whether rules together cover one command: every word is named by the rule or understood, what comes in on its input is
 * data or named, what it writes stays inside, and what it runs is covered too.
 */
import { bareWords, baseName, type Unfolded } from './commands.js';
import { staysInRepository, withoutGlobals } from './git-folder.js';
import { hasInput, inputName } from './inputs.js';
import { all, type ListedRule } from './listed.js';
import { type Allowance, allowsWords, type CommandSpec } from './match-command.js';
import { isMove, targetOf, under } from './moves.js';
import { isInCwd, seePath } from './paths.js';
import { NEEDS_NO_RULE } from './programs.js';
import type { Redirect } from './shell-words.js';
import type { Subject } from './subject.js';
import { argumentsCovered, HARMLESS, isDeciding, redirectsCovered } from './writes.js';

interface MatchedBy {
  subject: Subject;
  /** Also those for other tools: what a command writes may need one of its own. */
  rules: ListedRule[];
}

export function allowingCommand(fitting: ListedRule[], unfolded: Unfolded, by: MatchedBy): ListedRule[] | undefined {
  const { command } = unfolded;
  if (!redirectsCovered(unfolded, by.rules, by.subject)) return undefined;
  if (command.block) return command.words.length === 0 ? [] : undefined;
  if (command.known) return [];
  for (const listed of fitting) {
    const { spec } = listed.rule;
    const found = spec?.kind === 'command' && allowingBy({ listed, spec, fitting, by }, unfolded);
    if (found) return found;
  }
  return needsNoRule(unfolded) ? [] : undefined;
}

/** They change nothing, or only a variable that nobody else reads (the reader has seen to the name). */
export function needsNoRule({ command, unjudged, unclear }: Unfolded): boolean {
  const [name] = bareWords(command);
  if (command.redirects.some(({ target }) => target && !HARMLESS.has(target.text))) return false;
  if (!name) return command.words.length > 0;
  return (
    command.assignments === 0 &&
    unclear === undefined &&
    unjudged.length === 0 &&
    name.exact &&
    NEEDS_NO_RULE.has(name.text)
  );
}

interface RuleTry {
  listed: ListedRule;
  spec: CommandSpec;
  fitting: ListedRule[];
  by: MatchedBy;
}

function allowingBy(one: RuleTry, unfolded: Unfolded): ListedRule[] | undefined {
  const { listed, spec, fitting, by } = one;
  const { command, inner } = unfolded;
  if ((listed.grant || spec.redirects) && !sameRedirects(spec, command.redirects)) return undefined;
  if (!inputFits(spec, unfolded)) return undefined;
  const given = allowsWords(spec, command.words);
  if (given && !isSameElsewhere(unfolded, given, by.subject)) return undefined;
  if (given && covers(given, unfolded, by)) {
    if (given.whole || inner.length === 0 || namesInner(given, unfolded)) return [listed];
    const within = all(inner, (each) => allowingCommand(fitting, each, by));
    if (within) return [listed, ...within];
  }
  return plainGit(one, unfolded);
}

/** `git --no-pager diff` is `git diff`; `git -C sub diff` too where the folder is part of this one. */
function plainGit({ listed, spec, by }: RuleTry, unfolded: Unfolded): ListedRule[] | undefined {
  const plain = withoutGlobals(unfolded.command, by.subject);
  const given = plain && allowsWords(spec, plain.command.words);
  return given && covers(given, plain, by) ? [listed] : undefined;
}

/** Programs that are told which file to run. */
const TOLD_A_FILE = new Set(
  'node python python3 perl ruby php lua tsx ts-node deno bun bash sh zsh dash . source'.split(' '),
);

/** After `cd`, and where the call works elsewhere, a relative name is another file, and git may be in another repository. */
function isSameElsewhere({ command }: Unfolded, { literal }: Allowance, subject: Subject): boolean {
  const { moves, place } = subject;
  const [name] = bareWords(command);
  const root = seePath(place.cwd, place).real;
  if (!name || (!moves.unknown && moves.folders.every((folder) => seePath(folder, place).real === root))) return true;
  if (name.text.includes('/') && !name.text.startsWith('/')) return false;
  if (baseName(name) === 'git') return staysInRepository(subject);
  return literal <= command.assignments + 1 || !TOLD_A_FILE.has(baseName(name));
}

function covers({ whole, literal }: Allowance, unfolded: Unfolded, { subject, rules }: MatchedBy): boolean {
  const { command, unclear, unjudged } = unfolded;
  // A variable in front must be named, never swallowed by a `*`.
  if (command.assignments > literal && !whole) return false;
  if (whole) return true;
  if (unclear !== undefined || unjudged.some((index) => index >= literal)) return false;
  if (!argumentsCovered(unfolded, literal, { rules, subject })) return false;
  return literal > command.assignments + 1 || staysHere(command, subject);
}

/** `cd` elsewhere makes every later command another one: the rule must name the place. */
function staysHere(command: Unfolded['command'], { place, moves }: Subject): boolean {
  if (!isMove(bareWords(command)[0])) return true;
  const target = targetOf(command);
  if (!target) return false;
  return under(target, moves.folders, place).every(
    (path) => isInCwd(path, place) && !isDeciding(seePath(path, place), 'edit', place),
  );
}

/** The rule goes on into the command inside (`npx eslint:*`): it answers for that one too, as far as it is understood. */
function namesInner({ literal, whole }: Allowance, unfolded: Unfolded): boolean {
  const { innerAt, inner } = unfolded;
  const [only] = inner;
  if (innerAt === undefined || !only) return false;
  const left = literal - innerAt;
  const { command, unclear, unjudged } = only;
  if (whole) return true;
  if (left <= command.assignments || unclear !== undefined || unjudged.some((index) => index >= left)) return false;
  return only.inner.length === 0 || namesInner({ literal: left, whole }, only);
}

/** Data for a program that only reads it, what the wrapped command is judged with, or exactly what the rule names. */
function inputFits(spec: CommandSpec, { command, data, inner, unclear }: Unfolded): boolean {
  if (!hasInput(command)) return spec.input === undefined;
  if (spec.input !== undefined) return spec.input === inputName(command);
  return data || (inner.length > 0 && unclear === undefined);
}

function sameRedirects(spec: CommandSpec, redirects: Redirect[]): boolean {
  const written = redirects.filter(({ target }) => target && !HARMLESS.has(target.text));
  const named = spec.redirects ?? [];
  return (
    written.length === named.length &&
    written.every(({ op, target }, at) => op === named[at]!.op && target!.text === named[at]!.target)
  );
}
