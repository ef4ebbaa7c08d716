/**
 * Paths and path rules. A path is resolved (symbolic links, `..`) before it is matched, by a function that comes in;
 * a relative rule never fits outside the working directory. Deny rules match what was written and what it resolves to.
 * Time is bounded whatever the path is: see glob.ts.
 */

import { fitsGlob, type Glob, globsMeet, readGlob, type Steps } from './glob.js';
import type { Fit } from './match-command.js';

/** Follows symbolic links and `..` of an absolute path, also when its end does not exist. May throw. */
export type ResolvePath = (path: string) => string;

/** As Linux: more links than this in one path are a loop. */
const MOST_LINKS = 40;
/** As Linux (PATH_MAX): no program could open a longer one. */
export const LONGEST_PATH = 4096;
/** Names on the way, those of links included: twice what the longest path has. */
const MOST_NAMES = 2 * LONGEST_PATH;
/** States looked at for one call, all its paths and all rules together; a tenth of a second at most. */
const MOST_STEPS = 4_000_000;
/** What asking about one path costs besides, so that many small questions have an end as well. */
const STEPS_EACH = 200;

/**
 * A resolver out of `readlink` (the target of a link, undefined for anything else, also for what does not exist). A link
 * to something that does not exist yet is followed as well: writing to it would create the target.
 */
export function makeResolver(readlink: (path: string) => string | undefined): ResolvePath {
  return walker((path) => {
    // What lies there is another thing for each process: ours says nothing about the agent's.
    if (path === '/proc') throw new Error('a path of this process');
    return readlink(path);
  });
}

function walker(readlink: (path: string) => string | undefined): ResolvePath {
  return (path) => {
    const left = path.split('/').reverse();
    let current = '';
    let links = 0;
    let names = 0;
    while (left.length > 0) {
      const name = left.pop()!;
      names += 1;
      if (names > MOST_NAMES || current.length > LONGEST_PATH) throw new Error('too long a way');
      if (name === '' || name === '.') continue;
      if (name === '..') {
        current = current.slice(0, Math.max(0, current.lastIndexOf('/')));
        continue;
      }
      const target = readlink(`${current}/${name}`);
      if (target === undefined) {
        current = `${current}/${name}`;
        continue;
      }
      links += 1;
      if (links > MOST_LINKS) throw new Error('too many symbolic links');
      if (target.startsWith('/')) current = '';
      left.push(...target.split('/').reverse());
    }
    return current === '' ? '/' : current;
  };
}

export interface PathBase {
  /** The session's: what rules are seen from, and what "inside" means. */
  cwd: string;
  home: string;
  resolvePath: ResolvePath;
  /** Whether something of this name is there; absent where no disk is looked at. */
  exists?(path: string): boolean;
  /** Where the call says it works, absolute; relative paths of the call count from here. `unknown`: it cannot be told. */
  from?: string | 'unknown';
}

/** Both readings of one path; `real` is absent when it could not be resolved. */
export interface SeenPath {
  written: string;
  real?: string;
}

/** What was found out about one call: nothing is resolved or read twice, and all of it has one budget. */
interface PathLook {
  seen: Map<string, SeenPath>;
  globs: Map<string, Glob>;
  steps: Steps;
}

const looks = new WeakMap<PathBase, PathLook>();

function lookOf(place: PathBase): PathLook {
  const look = looks.get(place) ?? { seen: new Map(), globs: new Map(), steps: { left: MOST_STEPS } };
  looks.set(place, look);
  return look;
}

/** Steps that judging in this place has cost so far. */
export const stepsSpent = (place: PathBase): number => MOST_STEPS - lookOf(place).steps.left;

/** False once the call's budget is used up: then nothing is ruled out any more. */
function spend(place: PathBase): boolean {
  const { steps } = lookOf(place);
  steps.left -= STEPS_EACH;
  return steps.left > 0;
}

/** Contract: whatever the path is, it is looked at once, and one that is too long not at all. */
export function seePath(path: string, place: PathBase): SeenPath {
  const { seen } = lookOf(place);
  const known = seen.get(path);
  if (known) return known;
  if (path.length > LONGEST_PATH) return { written: '' };
  const found = lookAt(path, place);
  seen.set(path, found);
  return found;
}

function lookAt(path: string, place: PathBase): SeenPath {
  const home = path === '~' || path.startsWith('~/');
  const relative = !home && !path.startsWith('/');
  const lost = relative && place.from === 'unknown';
  const base = place.from === undefined || lost ? place.cwd : place.from;
  const absolute = home ? place.home + path.slice(1) : relative ? `${base}/${path}` : path;
  const odd = lost || path.includes('\0') || /^~[^/]/.test(path);
  const real = odd ? undefined : resolved(absolute, place.resolvePath);
  const written = withoutDots(absolute.slice(0, LONGEST_PATH));
  return real === undefined ? { written } : { written, real };
}

function resolved(absolute: string, resolvePath: ResolvePath): string | undefined {
  try {
    const real: unknown = resolvePath(absolute);
    return typeof real === 'string' && real.startsWith('/') ? real : undefined;
  } catch {
    // A path that cannot be resolved is nowhere: no rule allows it, and a deny rule still sees how it is written.
    return undefined;
  }
}

const noLinks = walker(() => undefined);
const withoutDots = (path: string) => noLinks(path);

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);
}

/** Whether a path, resolved, lies in the working directory, resolved. */
export function isInCwd(path: string, place: PathBase): boolean {
  const { real } = seePath(path, place);
  const cwd = seePath(place.cwd, place).real;
  return real !== undefined && cwd !== undefined && isInside(real, cwd);
}

/** A rule's pattern as a base folder and the part that is matched below it. */
function anchor(pattern: string, place: PathBase): { base: string; below: string } {
  if (pattern.startsWith('//')) return { base: '', below: pattern.slice(1) };
  if (pattern === '~' || pattern.startsWith('~/')) return { base: place.home, below: pattern.slice(1) || '/' };
  const clean = pattern.replace(/^\.?\//, '/');
  if (clean.startsWith('/')) return { base: place.cwd, below: clean };
  if (pattern === '.') return { base: place.cwd, below: '/' };
  // As in .gitignore: a name without a slash fits at any depth.
  const deep = !pattern.replace(/\/$/, '').includes('/');
  return { base: place.cwd, below: deep ? `/**/${pattern}` : `/${pattern}` };
}

/** The folder of a pattern before its first wildcard, so that its links can be resolved. */
function literalHead(below: string): { head: string; tail: string } {
  const wild = below.search(/[*?[{\\]/);
  if (wild < 0) return { head: below.replace(/\/$/, ''), tail: '' };
  const slash = below.lastIndexOf('/', wild);
  return { head: below.slice(0, slash), tail: below.slice(slash) };
}

/** Narrow: the resolved path alone, and for a relative rule only inside the working directory. */
export function fitsPath(pattern: string, path: SeenPath, place: PathBase): boolean {
  if (path.real === undefined) return false;
  const { base, below } = anchor(pattern, place);
  const { head, tail } = literalHead(below);
  const { real: folder } = seePath(base + head || '/', place);
  if (folder === undefined) return false;
  const cwd = seePath(place.cwd, place).real;
  if (base === place.cwd && (cwd === undefined || !isInside(path.real, cwd))) return false;
  return fitsBelow({ folder, tail }, path.real, place) === true;
}

/** Whether the pattern is this one path and nothing else, wildcards and "at any depth" left aside. */
export function namesPath(pattern: string, path: SeenPath, place: PathBase): boolean {
  const { base, below } = anchor(pattern, place);
  const { head, tail } = literalHead(below);
  return tail === '' && path.real !== undefined && seePath(base + head || '/', place).real === path.real;
}

/** Only what comes behind the folder is matched: the folder is the same text or it is not. */
function fitsBelow(pattern: { folder: string; tail: string }, path: string, place: PathBase): boolean | undefined {
  const root = pattern.folder === '/' ? '' : pattern.folder;
  if (!path.startsWith(root)) return false;
  return fitsGlob(globOf({ folder: '', tail: pattern.tail }, place), path.slice(root.length), lookOf(place).steps);
}

function globOf(pattern: { folder: string; tail: string; what?: 'tree' | 'file' }, place: PathBase): Glob {
  const { folder, tail, what = 'tree' } = pattern;
  const { globs } = lookOf(place);
  const key = `${folder}\0${tail}\0${what}`;
  const glob = globs.get(key) ?? readGlob(folder, tail.replace(/\/$/, ''), what);
  globs.set(key, glob);
  return glob;
}

/** Disks may ignore the case of letters and how an accent is written. */
const folded = (text: string) => text.normalize('NFC').toLowerCase();

/** The ways to read a rule that forbids: as written, as resolved, and `/etc/x` also as the absolute path it looks like. */
function broadly(pattern: string, place: PathBase): { folder: string; tail: string }[] {
  const patterns = /^\/[^/]/.test(pattern) ? [pattern, `/${pattern}`] : [pattern];
  return patterns.flatMap((one) => {
    const { base, below } = anchor(one, place);
    const { head, tail } = literalHead(below);
    const { written, real } = seePath(base + head || '/', place);
    const folders = [...new Set([written, ...(real === undefined ? [] : [real])])];
    return folders.map((folder) => ({ folder: folded(folder), tail: folded(tail) }));
  });
}

const readings = ({ written, real }: SeenPath) => [...new Set([written, ...(real === undefined ? [] : [real])])];

/** Broad, for rules that forbid: as written or as resolved, in any case of letters. A path nobody can place is a maybe. */
export function mayFitPath(pattern: string, path: SeenPath, place: PathBase): Fit {
  if (!spend(place)) return 'maybe';
  const fits = broadly(pattern, place).flatMap((one) =>
    readings(path).map((text) => fitsBelow(one, folded(text), place)),
  );
  if (fits.includes(true)) return 'yes';
  return path.real === undefined || fits.includes(undefined) ? 'maybe' : 'no';
}

/** Names that are files and never folders, so that a search for other names leaves them alone. */
const FILE = /(^|\/)(\.env[^/]*|[^/]+\.(pem|key|crt|p12|pfx|json|ya?ml|toml|env|txt|md|ini|cfg|conf|sqlite|db|log))$/;

interface Reach {
  folder: SeenPath;
  names?: string;
  /** The names are in the folder itself, not somewhere below. */
  flat?: boolean;
}

/** Whether a path that ends so (`/package.json`, `.ts`) may fit: a rule for one file has an end of its own. */
export function mayBeNamed(pattern: string, end: string): boolean {
  const last = folded(pattern.slice(pattern.lastIndexOf('/') + 1));
  if (/[*?[{\\]/.test(last) || !FILE.test(last)) return true;
  const slash = end.lastIndexOf('/');
  return slash < 0 ? last.endsWith(folded(end)) : folded(end.slice(slash + 1)) === last;
}

/**
 * Whether something that a search below `folder` could open may be what the rule forbids. `names`: a pattern of the files
 * it looks at, all of them if absent.
 */
export function mayReach(pattern: string, search: Reach, place: PathBase): Fit {
  if (!spend(place)) return 'maybe';
  const { folder, names, flat } = search;
  if (folder.real === undefined) return 'maybe';
  const meets = broadly(pattern, place).flatMap((one) => {
    const what = FILE.test(one.folder + one.tail) ? 'file' : 'tree';
    const forbidden = globOf({ folder: rootless(one.folder), tail: one.tail, what }, place);
    return readings(folder).map((text) => {
      const root = rootless(folded(text));
      const searched =
        names === undefined
          ? globOf({ folder: root, tail: '' }, place)
          : globOf({ folder: root, tail: `${flat ? '' : '/**'}/${folded(names)}`, what: 'file' }, place);
      return globsMeet(forbidden, searched, lookOf(place).steps);
    });
  });
  return meets.every((meet) => meet === false) ? 'no' : 'maybe';
}

const rootless = (folder: string) => (folder === '/' ? '' : folder);
