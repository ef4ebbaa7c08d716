/** Worktrees of ours: what they are called, where they lie, which there are. By our own look: no git is started for it. */
import { lstatSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ReinsError } from '../contract/index.js';
import { isThere, type Repository, workingTreeOf } from './git-folders.js';

/** Below the repository's root. */
const FOLDER = '.reins/worktrees';
const INSIDE = /^(.+)\/\.reins\/worktrees\/[^/]+$/;

/** What a folder and a branch may both be called. */
const NAME = /^(?!.*\.\.)(?!.*\.lock$)[A-Za-z0-9][A-Za-z0-9._-]{0,62}(?<!\.)$/;

/** What stands in the lock of one that is being made, so that git does not tidy it away meanwhile. */
export const BEING_MADE = 'being made by reins';

export const isWorktreeName = (name: string): boolean => NAME.test(name);
export const branchOf = (name: string): string => `reins/${name}`;

export interface Worktree {
  name: string;
  branch: string;
  folder: string;
  /** git's own folder about it; absent where that is not, or not yet, there. */
  gitDir?: string;
  /** `unfinished`: whoever made it did not come to its end. `gone`: its folder was removed by hand. */
  state: 'ready' | 'unfinished' | 'gone';
  /** The user locked it (`git worktree lock`), and why. */
  locked?: string;
}

/** The repository around `cwd`, and the root its worktrees lie below. Throws WORKTREE_REFUSED. */
export function repositoryWithRoot(cwd: string): { repository: Repository; root: string } {
  const no = (reason: string, fix: string) => new ReinsError('WORKTREE_REFUSED', { reason, fix });
  const real = realpathSync(cwd);
  const repository = workingTreeOf(real);
  if (!repository) {
    if (isBare(real))
      throw no('this is a bare repository, without files to work on', 'go to a clone or a worktree of it');
    throw no(`${real} is in no git repository`, 'go to one, or make one: git init');
  }
  const { gitDir, commonDir } = repository;
  if (commonDir === gitDir && /\/modules\//.test(gitDir))
    throw no(`${repository.top} is a submodule`, 'go to the repository around it, or work in a clone of its own');
  if (isThere(join(commonDir, 'reftable')))
    throw no('its branches are kept in a reftable', 'make it by hand with `git worktree add`, and start there with -C');
  return { repository, root: rootOf(repository) };
}

/** Of worktrees, the root is the main one's; where that has no files (a bare repository), the one we stand in. */
function rootOf({ top, gitDir, commonDir }: Repository): string {
  // Only a worktree that is known there: any folder may name another's repository as its own.
  const isKnown = commonDir !== gitDir && textOf(join(gitDir, 'gitdir')) === join(top, '.git');
  if (isKnown && basename(commonDir) === '.git') return dirname(commonDir);
  return INSIDE.exec(top)?.[1] ?? top;
}

function isBare(cwd: string): boolean {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (['HEAD', 'objects', 'refs'].every((name) => isThere(join(folder, name)))) return true;
    if (dirname(folder) === folder) return false;
  }
}

/** Throws WORKTREE_REFUSED where a link stands in the way: what lies behind it is not the repository's folder. */
export function folderOf(root: string, name: string): string {
  if (!isWorktreeName(name)) {
    throw new ReinsError('WORKTREE_REFUSED', {
      reason: `${JSON.stringify(name.slice(0, 80))} is no name for a worktree`,
      fix: 'letters, digits, dots, dashes and underscores: --worktree=NAME; a prompt stands before --worktree',
    });
  }
  for (const part of ['.reins', FOLDER]) {
    const stat = lstatSync(join(root, part), { throwIfNoEntry: false });
    if (stat && !stat.isDirectory()) {
      const reason = `${join(root, part)} is no folder of its own`;
      throw new ReinsError('WORKTREE_REFUSED', { reason, fix: 'remove it: a repository must not say where files go' });
    }
  }
  return join(root, FOLDER, name);
}

/** Those of the root, whatever became of them, by name. */
export function worktreesOf(repository: Repository, root: string): Worktree[] {
  const known = registered(repository, root);
  const names = new Set([...known.keys(), ...foldersIn(root)]);
  return [...names].sort().map((name) => stateOf(name, { root, gitDir: known.get(name) }));
}

function stateOf(name: string, { root, gitDir }: { root: string; gitDir: string | undefined }): Worktree {
  const folder = join(root, FOLDER, name);
  const lock = gitDir === undefined ? undefined : textOf(join(gitDir, 'locked'));
  const isHere = lstatSync(folder, { throwIfNoEntry: false }) !== undefined;
  // A link in its place leads elsewhere: nobody is to work there.
  const isFolder = lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  const isMade = isFolder && gitDir !== undefined && lock !== BEING_MADE && isThere(join(gitDir, 'HEAD'));
  return {
    name,
    branch: branchOf(name),
    folder,
    ...(gitDir === undefined ? {} : { gitDir }),
    state: !isHere ? 'gone' : isMade && isThere(join(folder, '.git')) ? 'ready' : 'unfinished',
    ...(lock !== undefined && lock !== BEING_MADE ? { locked: lock } : {}),
  };
}

/** Name → git's folder about it, for those whose files lie where ours do. */
function registered({ commonDir }: Repository, root: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const id of foldersAt(join(commonDir, 'worktrees'))) {
    const gitDir = join(commonDir, 'worktrees', id);
    const folder = dirname(textOf(join(gitDir, 'gitdir')) ?? '/');
    const name = basename(folder);
    if (isWorktreeName(name) && folder === join(root, FOLDER, name)) found.set(name, gitDir);
  }
  return found;
}

const foldersIn = (root: string): string[] =>
  lstatSync(join(root, '.reins'), { throwIfNoEntry: false })?.isDirectory() === true
    ? foldersAt(join(root, FOLDER)).filter(isWorktreeName)
    : [];

/** Links are none. */
function foldersAt(dir: string): string[] {
  try {
    if (!lstatSync(dir).isDirectory()) return [];
    return readdirSync(dir, { withFileTypes: true }).flatMap((one) => (one.isDirectory() ? [one.name] : []));
  } catch {
    return []; // none was ever made
  }
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').slice(0, 8192).trim();
  } catch {
    return undefined; // not there
  }
}
