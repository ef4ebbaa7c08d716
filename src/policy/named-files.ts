/**
 * Files that a command names in its arguments, against rules that forbid to read or to change a path. A word fits as it is
 * written, and where the program surely opens it the answer is yes; a program nobody knows may open it, and a word that is
 * only known when it runs may become it: a doubt. Programs that look at names alone (`ls`, `test -f`) are left out.
 */
import { allCommands, bareWords, baseName, type Unfolded } from './commands.js';
import { type Fit, surest } from './match-command.js';
import { under } from './moves.js';
import { onceFor } from './once-for.js';
import { LONGEST_PATH, mayBeNamed, mayFitPath, mayReach, type SeenPath, seePath } from './paths.js';
import { HOLE, type Word } from './shell-words.js';
import { tick } from './steps.js';
import type { Subject } from './subject.js';
import { type Touched, touchedBy } from './touched-files.js';

/** More paths than this in one call are not looked at one by one: a doubt. */
const MOST_PATHS = 1000;

export interface PathRule {
  /** What the rule forbids. */
  does: 'read' | 'write';
  pattern: string;
}

/** Contract: `no` only where no word of any command can be a file of the rule's. */
export function forbidsNamed(rule: PathRule, subject: Subject): Fit {
  const named = namedIn(subject)[rule.does];
  if (named.length * subject.moves.folders.length > MOST_PATHS) return 'maybe';
  return surest(named.map((one) => fitOf(rule, one)));
}

type Named = Record<PathRule['does'], NamedWord[]>;

/** The same word twice is one. */
const namedIn = onceFor((subject: Subject): Named => {
  const all = allCommands(subject.commands);
  return { read: wordsOf(all, 'read', subject), write: wordsOf(all, 'write', subject) };
});

function wordsOf(commands: Unfolded[], does: PathRule['does'], subject: Subject): NamedWord[] {
  const found = new Map<string, NamedWord>();
  for (const { command, innerAt } of commands) {
    const [name, ...args] = bareWords(command);
    if (!name) continue;
    // Words of the command inside are judged with that one.
    const own = innerAt === undefined ? args : args.slice(0, Math.max(0, innerAt - command.assignments - 1));
    const touched = touchedBy(baseName(name), own, does);
    for (const word of touched?.words ?? []) {
      tick();
      const key = JSON.stringify([word, touched!.surely.has(word), touched!.opens, touched!.below]);
      found.set(key, { word, touched: touched!, subject });
    }
  }
  return [...found.values()];
}

interface NamedWord {
  word: Word;
  touched: Touched;
  subject: Subject;
}

function fitOf({ pattern }: PathRule, { word, touched, subject }: NamedWord): Fit {
  const { place, moves } = subject;
  const sure: Fit = touched.surely.has(word) ? 'yes' : 'maybe';
  const fits = textsIn(word).map((text): Fit => {
    tick();
    if (text.includes(HOLE))
      return touched.opens && mayBeNamed(pattern, text.slice(text.lastIndexOf(HOLE) + 1)) ? 'maybe' : tailFit(text);
    if (moves.unknown && touched.opens && !/^[/~]/.test(text) && mayBeNamed(pattern, `/${text}`)) return 'maybe';
    const folders = under({ ...word, text }, moves.folders, place);
    if (isWild(word)) return surest(folders.map((path) => wildFit(path)));
    const seen = folders.map((path) => seePath(path, place));
    if (seen.some((path) => mayFitPath(pattern, path, place) === 'yes')) return sure;
    // `/proc/self/cwd/.env`: where that leads is the program's own, and nobody else's to say.
    if (seen.some((path) => leadsAnywhere(path, text)) && mayBeNamed(pattern, `/${text}`)) return 'maybe';
    const hidden = touched.below?.seen && HIDDEN.test(pattern);
    return touched.below && !hidden
      ? surest(folders.map((path) => mayReach(pattern, { folder: seePath(path, place), ...touched.below }, place)))
      : 'no';
  });
  /** `$PWD/.env`: whatever stands in front, the end is known. */
  function tailFit(text: string): Fit {
    const tail = text.slice(text.lastIndexOf(HOLE) + 1);
    if (!tail.startsWith('/')) return 'no';
    return mayFitPath(pattern, seePath(`.${tail}`, place), place) === 'yes' ? 'maybe' : 'no';
  }
  function wildFit(path: string): Fit {
    if (/(^|\/)\.\.(\/|$)/.test(path)) return 'maybe';
    const slash = path.slice(0, path.search(/[*?[{]/)).lastIndexOf('/');
    const names = path.slice(slash + 1);
    // No shell puts a hidden name in the place of `*`.
    if (/^[*?[]/.test(names.slice(names.lastIndexOf('/') + 1)) && HIDDEN.test(pattern)) return 'no';
    return mayReach(pattern, { folder: seePath(path.slice(0, slash) || '/', place), names, flat: true }, place);
  }
  return surest(fits);
}

/**
 * It could not be followed. What the kernel tells under `/proc` leads nowhere else, but for a process's folder, root and open files; as it
 * is written: `cwd/..` is not where it was before.
 */
const leadsAnywhere = ({ written, real }: SeenPath, text: string): boolean =>
  real === undefined && !(written.startsWith('/proc/') && text.startsWith('/') && !/\/(cwd|root|fd)(\/|$)/.test(text));

/** A rule for a name that begins with a dot. */
const HIDDEN = /(^|\/)\.[^/*?[{]*$/;

const isWild = (word: Word) => !word.exact && /[*?[{]/.test(word.text) && !word.text.includes(HOLE);

/** `.env`, `--env-file=.env`, `@.env`, `f=@.env`, `HEAD:.env`, `-F.env`. */
function textsIn({ text }: Word): string[] {
  const behind = ['=', '@', ':'].flatMap((sign) => (text.includes(sign) ? [text.slice(text.indexOf(sign) + 1)] : []));
  const glued = /^-[a-zA-Z][^-]/.test(text) ? [text.slice(2)] : [];
  return [...new Set([text, ...glued, ...behind])].filter(
    (one) => one !== '' && one !== '-' && one.length <= LONGEST_PATH,
  );
}
