/**
 * Files of the project that may be shown to a consulted model: what the question names, and what the user chose
 * (`consult.context`). Read once, carefully: inside the folder, no link out of it, no secrets, no second names, text only.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { neverShown, type PackFile } from '../../consult/index.js';

/** More of one than this is not looked at; the pack shows less. */
const MOST_READ = 32 * 1024;
const MOST_NAMED = 5;
const MOST_CONTEXT = 10;
/** The clock that stamps files may be this much behind. */
const CLOCK_STEP_MS = 20;

export interface ProjectFiles {
  files: PackFile[];
  /** What was not shown, and why. */
  leftOut: string[];
}

export interface ProjectAsk {
  cwd: string;
  /** Words of the question that look like paths. */
  named: readonly string[];
  context: readonly string[];
  /** When the session began, in milliseconds: what changed since may be the asking agent's work. */
  since: number;
  home?: string;
}

export function projectFiles({ cwd, named, context, since, home = homedir() }: ProjectAsk): ProjectFiles {
  const found: ProjectFiles = { files: [], leftOut: [] };
  const seen = new Set<string>();
  const root = realOf(cwd);
  if (root === undefined) return found;
  const add = (name: string, isContext: boolean) => {
    const path = resolve(root, name.replace(/^~(?=\/)/, home));
    // The user may have chosen a file elsewhere; a question may not, and neither may a link in the project.
    const isInside = within(root, path);
    if (!isInside && !isContext) return;
    const read = readShown(path, isInside ? root : undefined);
    if (typeof read === 'string') {
      if (read !== '') found.leftOut.push(`${name}: ${read}`);
      return;
    }
    if (seen.has(read.real)) return;
    seen.add(read.real);
    const changed = changedSince({ root, path, since, read });
    const marks = { ...(changed ? { changed } : {}), ...(read.cut ? { cut: true } : {}) };
    found.files.push({ name, text: read.text, context: isContext, ...marks });
  };
  for (const name of context.slice(0, MOST_CONTEXT)) add(name, true);
  const own = found.files.length;
  for (const name of named) if (found.files.length - own < MOST_NAMED) add(name, false);
  return found;
}

interface ShownFile {
  text: string;
  real: string;
  ctimeMs: number;
  cut: boolean;
}

/** Or why not; empty where there is no such file. */
function readShown(path: string, root: string | undefined): ShownFile | string {
  const real = realOf(path);
  if (real === undefined) return '';
  if (/^\/(?:proc|sys|dev)(?:\/|$)/.test(real)) return 'it is no file of a disk';
  if (root !== undefined && !within(root, real)) return 'it leads out of the folder';
  const below = (base: string) => neverShown(root === undefined ? base : relative(root, base));
  const never = below(path) ?? below(real);
  if (never !== undefined) return never;
  let fd: number;
  try {
    // A pipe must not keep us waiting, and what is a link by now is none of what was looked at.
    fd = openSync(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return statSync(real, { throwIfNoEntry: false })?.isFile() ? 'it cannot be read' : '';
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) return '';
    if (stat.nlink > 1) return 'it has a second name';
    // A folder on the way may have become a link after we looked.
    const again = realOf(path);
    const now = again === undefined ? undefined : statSync(again, { throwIfNoEntry: false });
    if (again !== real || now?.ino !== stat.ino || now.dev !== stat.dev) return 'it changed while it was read';
    const room = Buffer.alloc(Math.min(MOST_READ, stat.size));
    const bytes = room.subarray(0, readSync(fd, room, 0, room.length, 0));
    const cut = stat.size > bytes.length;
    const text = textOf(bytes, cut);
    return text === undefined ? 'it is not text' : { text, real, ctimeMs: stat.ctimeMs, cut };
  } catch {
    return 'it cannot be read';
  } finally {
    closeSync(fd);
  }
}

/** UTF-8 without zeros; where it was cut, half a character may stand at the end. */
function textOf(bytes: Buffer, cut: boolean): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: cut });
  } catch {
    return undefined;
  }
}

/**
 * Whoever changed it: a change by the user counts as the agent's, which costs an answer at most. The time of the last change
 * of the file itself cannot be set by a program; links and folders on the way may be new as well.
 */
function changedSince(of: { root: string; path: string; since: number; read: ShownFile }): boolean {
  const least = of.since - CLOCK_STEP_MS;
  if (of.read.ctimeMs >= least) return true;
  return [of.path, of.read.real].some((path) => onTheWay(of.root, path).some((one) => isNewer(one, least)));
}

/** Every name below the root that leads to it. */
function onTheWay(root: string, path: string): string[] {
  if (!within(root, path)) return [path];
  const parts = relative(root, path).split(sep);
  return parts.map((_, index) => join(root, ...parts.slice(0, index + 1)));
}

function isNewer(path: string, least: number): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat === undefined || stat.ctimeMs >= least;
}

function within(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== '' && !isAbsolute(way) && way !== '..' && !way.startsWith(`..${sep}`);
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
