/**
 * What a call would write, and whether rules cover that. Two things are asked of every place that is written: a command
 * stays in the working directory, and files that decide what runs next are named by an `Edit` rule, whatever else allows
 * the call.
 */
import { allCommands, bareWords, baseName, type Unfolded } from './commands.js';
import { type ChangeKind, decidingNames, sameName } from './decides-next.js';
import type { ListedRule } from './listed.js';
import { isMove, under } from './moves.js';
import { fitsPath, isInCwd, namesPath, type PathBase, type SeenPath, seePath } from './paths.js';
import { HOLE, type Redirect, type Word } from './shell-words.js';
import type { Subject } from './subject.js';
import { type Landing, landsOn } from './touched-files.js';

/** Programs that write what their arguments name; what others do with theirs is their own business. */
const WRITERS = new Set(
  'cp mv install ln tee dd truncate rsync touch rm unlink shred chmod chown sed perl patch sponge mkdir mkfifo scp curl wget zip tar unzip cpio ed ex vim vi nvim nano'.split(
    ' ',
  ),
);
/** Of these the last argument is what is written, the others only read. */
const TO_THE_LAST = new Set(['cp', 'mv', 'install', 'ln', 'rsync', 'scp', 'tee', 'dd', 'sponge', 'truncate']);
/** These only print, unless they are told to change the file in place. */
const IN_PLACE = new Set(['sed', 'perl']);

/** Whether an `Edit` rule may be the one that speaks for this path: it fits, and names what decides. */
export function coversWrite({ rule }: ListedRule, write: Write): boolean {
  const { spec, tool } = rule;
  if (tool !== 'Edit' || spec?.kind !== 'path' || !fitsPath(spec.pattern, write.path, write.place)) return false;
  return !isDeciding(write.path, write.how, write.place) || namesDeciding(spec.pattern, write);
}

interface Write {
  path: SeenPath;
  place: PathBase;
  how: ChangeKind;
}

/** Contract: a path nobody can place counts as deciding. */
export function isDeciding(path: SeenPath, how: ChangeKind, place: PathBase): boolean {
  return path.real === undefined || allDeciding(path, how, place).length > 0;
}

function allDeciding({ real = '', written }: SeenPath, how: ChangeKind, place: PathBase): string[] {
  const cwd = seePath(place.cwd, place);
  return [...decidingNames(real, how, cwd.real), ...decidingNames(written, how, cwd.written)];
}

function namesDeciding(pattern: string, { path, place, how }: Write): boolean {
  if (path.real === undefined) return false;
  if (namesPath(pattern, path, place)) return true;
  const literal = pattern
    .split('/')
    .filter((name) => name !== '' && name !== '.' && !/[*?[\]{}\\]/.test(name))
    .map(sameName);
  // What an editor may not change in general, a command may not either: each list has to be satisfied by itself.
  return (how === 'edit' ? (['edit'] as const) : (['edit', 'command'] as const)).every((list) => {
    const names = allDeciding(path, list, place);
    // A folder that was named takes along what lies in it, but a repository in it is git's again.
    const named = names.length === 0 || names.some((name) => literal.includes(name));
    return named && (!names.includes('.git') || literal.includes('.git'));
  });
}

export const HARMLESS = new Set(['/dev/null', '/dev/stdout', '/dev/stderr', '/dev/stdin']);

/** The path of a word; undefined when only the running shell knows it. A quoted `~` is a folder of that name. */
function pathOf(word: Word): string | undefined {
  if (!word.exact || word.text === '' || word.text.startsWith('!')) return undefined;
  return word.tilde || word.text.startsWith('/') ? word.text : `./${word.text}`;
}

/** Whether everything this one command redirects stays inside, and what decides is named. */
export function redirectsCovered(unfolded: Unfolded, rules: ListedRule[], subject: Subject): boolean {
  const all = [...unfolded.command.redirects, ...unfolded.writes];
  return all.every((redirect) => redirectCovered(redirect, rules, subject));
}

function redirectCovered({ target, writes }: Redirect, rules: ListedRule[], { place, moves }: Subject): boolean {
  if (!target) return true;
  const path = pathOf(target);
  if (path === undefined) return false;
  if (HARMLESS.has(path)) return true;
  if (moves.unknown && !path.startsWith('/')) return false;
  return under({ ...target, text: path }, moves.folders, place).every(
    (one) => isInCwd(one, place) && (!writes || mayWrite(one, 'command', { rules, place })),
  );
}

function mayWrite(path: string, how: ChangeKind, { rules, place }: { rules: ListedRule[]; place: PathBase }): boolean {
  const seen = seePath(path, place);
  return !isDeciding(seen, how, place) || rules.some((rule) => coversWrite(rule, { path: seen, place, how }));
}

/** Whether the arguments behind the first `literal` words name nothing that decides, where the program writes them. */
export function argumentsCovered(
  { command }: Unfolded,
  literal: number,
  { rules, subject }: { rules: ListedRule[]; subject: Pick<Subject, 'place' | 'moves'> },
): boolean {
  const { place, moves } = subject;
  const name = command.words[command.assignments];
  if (!name || !(WRITERS.has(baseName(name)) || bringsFiles(command.words.slice(command.assignments)))) return true;
  const isInPlace = (word: Word) => /^-[a-zA-Z]*i|^--in/.test(word.text);
  if (IN_PLACE.has(baseName(name)) && !command.words.some(isInPlace)) return true;
  const words = command.words.slice(Math.max(literal, command.assignments + 1));
  const landings = landsOn(baseName(name), bareWords(command).slice(1));
  if (!landings.every((landing) => landsWell(landing, { rules, subject }))) return false;
  return words.every((word, index) => {
    if (!word.exact && mayHide(word.text)) return false;
    const last = index === words.length - 1 && (TO_THE_LAST.has(baseName(name)) || isGitMove(command.words));
    const how = last ? 'command' : 'edit';
    // After a `cd` that nobody can follow, a name alone says nothing.
    if (moves.unknown && pathsIn(word).some((path) => !/^[-/]/.test(path))) return false;
    const paths = pathsIn(word).flatMap((text) => [text, ...under({ ...word, text }, moves.folders, place)]);
    return paths.every((path) => mayWrite(path, how, { rules, place }));
  });
}

/** `cp evil/package.json .` writes package.json; `cp -r evil/. .` writes whatever evil holds. */
function landsWell(
  { folder, name }: Landing,
  { rules, subject }: { rules: ListedRule[]; subject: Pick<Subject, 'place' | 'moves'> },
): boolean {
  const { place, moves } = subject;
  const root = seePath(place.cwd, place).real;
  const isRoot = (path: string) => isAbove(seePath(path, place).real, root);
  const isFolder = (path: string) =>
    /(^|\/)\.{0,2}$/.test(folder.text) || isRoot(path) || (place.exists?.(`${path}/.`) ?? true);
  return under(folder, moves.folders, place).every((path) => {
    if (!isFolder(path)) return true;
    if (name === undefined) return !isRoot(path);
    return mayWrite(`${path}/${name}`, 'command', { rules, place });
  });
}

/** A folder that holds the session's, or is it: what decides may lie right there. */
const isAbove = (path: string | undefined, root: string | undefined) =>
  path === undefined || root === undefined || `${root}/`.startsWith(path === '/' ? path : `${path}/`);

/** Once it ran, a name that lay here may lead elsewhere: what the same text then writes cannot be placed. */
const makesLinks = ({ command }: Unfolded) => {
  const [name, ...args] = bareWords(command);
  if (!name) return false;
  return (
    /^(ln|link)$/.test(baseName(name)) ||
    (baseName(name) === 'cp' && args.some(({ text }) => /^-[a-zA-Z]*s|^--sym/.test(text)))
  );
};

export function goesThroughNewLinks({ commands }: Subject): boolean {
  const all = allCommands(commands);
  if (!all.some(makesLinks)) return false;
  return all.some((one) => {
    const [name] = bareWords(one.command);
    const opens = [...one.command.redirects, ...one.writes].some(({ target }) => target && !HARMLESS.has(target.text));
    return opens || (name !== undefined && !makesLinks(one) && (isMove(name) || WRITERS.has(baseName(name))));
  });
}

const isGitMove = (words: Word[]) =>
  words.some(({ text }) => text === 'mv') && words.some(({ text }) => text === 'git');

/** `git checkout BRANCH -- FILE` and its kind put another version of a file in its place. */
const bringsFiles = ([name, ...words]: Word[]): boolean =>
  name !== undefined &&
  baseName(name) === 'git' &&
  words.some(({ text, exact }) => exact && /^(checkout|restore|mv|rm|checkout-index|read-tree|clone|init)$/.test(text));

/** A word the shell still works on: `*.log` becomes no hidden name, `.g?t`, `{.git,x}` and `$X` may. */
function mayHide(text: string): boolean {
  const isWild = (name: string) => /[*?[{]/.test(name);
  return text.includes(HOLE) || text.split('/').some((name) => isWild(name) && /^[.{[]/.test(name));
}

/** `.git/config`, `--target-directory=.git/hooks`, `-t.git/hooks`, `of=.git/config`. */
function pathsIn(word: Word): string[] {
  if (!word.exact || word.text === '') return [];
  const { text } = word;
  const value = text.includes('=') ? [text.slice(text.indexOf('=') + 1)] : [];
  const glued = /^-[a-zA-Z]./.test(text) ? [text.slice(2)] : [];
  return [text, ...value, ...glued].filter((path) => path !== '');
}

/** For a rule that allows every use of the shell: wherever it writes, what decides must be named. */
export function shellCovered(rules: ListedRule[], subject: Subject): boolean {
  const { commands, place, moves } = subject;
  const by = { rules, place };
  const isCovered = ({ target, writes }: Redirect) => {
    const path = target && writes ? pathOf(target) : '/dev/null';
    if (path === undefined || (moves.unknown && !path.startsWith('/'))) return false;
    if (!target || HARMLESS.has(path)) return true;
    return under({ ...target, text: path }, moves.folders, place).every((one) => mayWrite(one, 'command', by));
  };
  return allCommands(commands).every(
    (one) => [...one.command.redirects, ...one.writes].every(isCovered) && argumentsCovered(one, 0, { rules, subject }),
  );
}

/** For a rule that allows every use of a tool nobody knows: it may write whatever path it is given. */
export function mentionsCovered(mentions: string[], rules: ListedRule[], place: PathBase): boolean {
  return mentions.every((text) => decidingNames(text, 'edit').length === 0 || mayWrite(text, 'edit', { rules, place }));
}

/** Paths of a patch that is handed to the shell: inside, and what decides is named. */
export function patchCovered(paths: string[], rules: ListedRule[], place: PathBase): boolean {
  return paths.every((path) => isInCwd(path, place) && mayWrite(path, 'edit', { rules, place }));
}
