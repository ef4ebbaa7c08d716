/** Where a repository keeps what, by our own look: no git is started for it. Used before and after trust alike. */
import { lstatSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

export interface Repository {
  /** The working tree's root. */
  top: string;
  /** Where its index and HEAD are. */
  gitDir: string;
  /** Where its objects and branches are: another folder for a worktree. */
  commonDir: string;
}

/** Larger is no file that says where something is. */
const LARGEST = 8192;

/** Throws when that cannot be told: a folder we may not look into could hold anything. */
export function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** The nearest repository above; undefined if there is none that can be read. */
export function repositoryOf(cwd: string): Repository | undefined {
  try {
    for (let top = cwd; ; top = dirname(top)) {
      if (isThere(join(top, '.git'))) return repositoryAt(top);
      if (dirname(top) === top) return undefined;
    }
  } catch {
    return undefined; // a repository we cannot make sense of is none to work with
  }
}

/** `.git` is the folder, or a file that says where it is (worktrees, submodules). Throws on anything else. */
export function repositoryAt(top: string): Repository {
  const git = join(top, '.git');
  const gitDir = statSync(git).isDirectory() ? git : resolve(top, firstLine(git).replace(/^gitdir: /, ''));
  if (!statSync(gitDir).isDirectory()) throw new Error('not a repository we know');
  const common = join(gitDir, 'commondir');
  return { top, gitDir, commonDir: isThere(common) ? resolve(gitDir, firstLine(common)) : gitDir };
}

function firstLine(file: string): string {
  const stat = statSync(file);
  const text = stat.isFile() && stat.size <= LARGEST ? readFileSync(file, 'utf8') : '';
  if (!/^[^\0\r\n]+\r?\n?$/.test(text)) throw new Error(`${file} is not what it should be`);
  return text.trimEnd();
}

/** The same, where it is one to git too: a folder that is only called `.git` has no HEAD. */
export function workingTreeOf(cwd: string): Repository | undefined {
  const found = repositoryOf(cwd);
  return found && commitOf(found) !== undefined ? found : undefined;
}

const COMMIT = /^([0-9a-f]{40}|[0-9a-f]{64})$/;

/** The commit HEAD stands on; empty where there is none yet (or none we can find), undefined without a HEAD. */
export function commitOf({ gitDir, commonDir }: Repository): string | undefined {
  try {
    const head = firstLine(join(gitDir, 'HEAD'));
    if (COMMIT.test(head)) return head;
    const ref = /^ref: (refs\/.+)$/.exec(head)?.[1];
    if (ref === undefined || /(^|\/)\.\.?(\/|$)/.test(ref)) return undefined;
    return loose(join(gitDir, ref)) ?? loose(join(commonDir, ref)) ?? packed(join(commonDir, 'packed-refs'), ref) ?? '';
  } catch {
    return undefined; // no HEAD: no repository to work with
  }
}

function loose(file: string): string | undefined {
  try {
    const text = firstLine(file);
    return COMMIT.test(text) ? text : undefined;
  } catch {
    return undefined; // not there: it may be packed
  }
}

function packed(file: string, ref: string): string | undefined {
  try {
    const line = readFileSync(file, 'utf8')
      .split('\n')
      .find((each) => each.endsWith(` ${ref}`));
    const commit = line?.split(' ', 1)[0] ?? '';
    return COMMIT.test(commit) ? commit : undefined;
  } catch {
    return undefined; // nothing was packed yet
  }
}
