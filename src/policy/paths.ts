/**
 * Paths and path rules. A path is resolved (symbolic links, `..`) before it is matched, by a function that comes in;
 * a relative rule never fits outside the working directory. Deny rules match what was written and what it resolves to.
 */

/** Follows symbolic links and `..` of an absolute path, also when its end does not exist. May throw. */
export type ResolvePath = (path: string) => string;

/** As Linux: more links than this in one path are a loop. */
const MOST_LINKS = 40;

/**
 * A resolver out of `readlink` (the target of a link, undefined for anything else, also for what does not exist). A link
 * to something that does not exist yet is followed as well: writing to it would create the target.
 */
export function makeResolver(readlink: (path: string) => string | undefined): ResolvePath {
  return (path) => {
    const left = path.split('/').reverse();
    let current = '';
    let links = 0;
    while (left.length > 0) {
      const name = left.pop()!;
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

export interface Place {
  cwd: string;
  home: string;
  resolvePath: ResolvePath;
}

/** Both readings of one path; `real` is absent when it could not be resolved. */
export interface SeenPath {
  written: string;
  real?: string;
}

export function seePath(path: string, place: Place): SeenPath {
  const home = path === '~' || path.startsWith('~/');
  const absolute = home ? place.home + path.slice(1) : path.startsWith('/') ? path : `${place.cwd}/${path}`;
  const written = withoutDots(absolute);
  const real = path.includes('\0') || /^~[^/]/.test(path) ? undefined : resolved(absolute, place.resolvePath);
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

const noLinks = makeResolver(() => undefined);
const withoutDots = (path: string) => noLinks(path);

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);
}

/** Whether a path, resolved, lies in the working directory, resolved. */
export function isInCwd(path: string, place: Place): boolean {
  const { real } = seePath(path, place);
  const cwd = seePath(place.cwd, place).real;
  return real !== undefined && cwd !== undefined && isInside(real, cwd);
}

/** A rule's pattern as a base folder and the part that is matched below it. */
function anchor(pattern: string, place: Place): { base: string; below: string } {
  if (pattern.startsWith('//')) return { base: '', below: pattern.slice(1) };
  if (pattern === '~' || pattern.startsWith('~/')) return { base: place.home, below: pattern.slice(1) || '/' };
  const clean = pattern.replace(/^\.?\//, '/');
  if (clean.startsWith('/')) return { base: place.cwd, below: clean };
  if (pattern === '.') return { base: place.cwd, below: '/' };
  // As in .gitignore: a name without a slash fits at any depth.
  const deep = !pattern.replace(/\/$/, '').includes('/');
  return { base: place.cwd, below: deep ? `/**/${pattern}` : `/${pattern}` };
}

function globSource(glob: string): string {
  let source = '';
  for (let index = 0; index < glob.length; index += 1) {
    const char = glob[index]!;
    const rest = glob.slice(index);
    const stars = /^(\/\*\*)+(?=\/|$)/.exec(rest)?.[0];
    const set = /^\[(!|\^)?(\]?[^\]]*)\]/.exec(rest);
    const braces = /^\{([^{}]*,[^{}]*)\}/.exec(rest);
    if (stars) {
      // `/**/` is any number of folders, none included; `/**` at the end is everything below.
      source += '(?:/.*)?';
      index += stars.length - 1;
    } else if (char === '*') source += '[^/]*';
    else if (char === '?') source += '[^/]';
    else if (set) {
      source += `[${set[1] ? '^/' : ''}${set[2]!.replace(/[\\\]^[]/g, '\\$&')}]`;
      index += set[0].length - 1;
    } else if (braces) {
      source += `(?:${braces[1]!.split(',').map(globSource).join('|')})`;
      index += braces[0].length - 1;
    } else if (char === '\\' && index + 1 < glob.length) {
      index += 1;
      source += escapeSource(glob[index]!);
    } else source += escapeSource(char);
  }
  return source;
}

const escapeSource = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** The folder of a pattern before its first wildcard, so that its links can be resolved. */
function literalHead(below: string): { head: string; tail: string } {
  const wild = below.search(/[*?[{\\]/);
  if (wild < 0) return { head: below.replace(/\/$/, ''), tail: '' };
  const slash = below.lastIndexOf('/', wild);
  return { head: below.slice(0, slash), tail: below.slice(slash) };
}

function expression(folder: string, tail: string, flags: string): RegExp | undefined {
  try {
    const root = folder === '/' ? '' : folder;
    return new RegExp(`^${escapeSource(root)}${globSource(tail.replace(/\/$/, ''))}(?:/.*)?$`, flags);
  } catch {
    // A set such as [z-a]: the pattern fits nothing.
    return undefined;
  }
}

/** Narrow: the resolved path alone, and for a relative rule only inside the working directory. */
export function fitsPath(pattern: string, path: SeenPath, place: Place): boolean {
  if (path.real === undefined) return false;
  const { base, below } = anchor(pattern, place);
  const { head, tail } = literalHead(below);
  const { real: folder } = seePath(base + head || '/', place);
  if (folder === undefined) return false;
  const cwd = seePath(place.cwd, place).real;
  if (base === place.cwd && (cwd === undefined || !isInside(path.real, cwd))) return false;
  return expression(folder, tail, 's')?.test(path.real) ?? false;
}

/**
 * Broad, for rules that forbid: as written or as resolved, in any case of letters (disks may ignore it), and `/etc/x` is
 * also read as the absolute path its writer probably meant.
 */
export function mayFitPath(pattern: string, path: SeenPath, place: Place): boolean {
  const patterns = /^\/[^/]/.test(pattern) ? [pattern, `/${pattern}`] : [pattern];
  return patterns.some((one) => {
    const { base, below } = anchor(one, place);
    const { head, tail } = literalHead(below);
    const seen = seePath(base + head || '/', place);
    const folders = [seen.written, ...(seen.real === undefined ? [] : [seen.real])];
    const paths = [path.written, ...(path.real === undefined ? [] : [path.real])];
    return folders.some((folder) => paths.some((text) => expression(folder, tail, 'si')?.test(text)));
  });
}
