/** Which project a folder belongs to: the repository's root, or the folder itself; by its real path, so that a link is no second one. */
import { createHash } from 'node:crypto';
import { realpathSync, statSync } from 'node:fs';
import { basename } from 'node:path';

export interface Project {
  /** The file's name: readable, and another one for each folder. */
  name: string;
  /** Real path. */
  root: string;
}

/** A worktree of ours lies inside the project it is of. */
const OWN_WORKTREE = /^(.+)\/\.reins\/worktrees\/[^/]+$/;

/** `topOf`: the root of the repository a folder is in. One that belongs to somebody else makes no project of ours. */
export function projectAt(cwd: string, topOf: (cwd: string) => string | undefined): Project {
  const folder = real(cwd);
  const top = topOf(folder);
  const found = top !== undefined && isOurs(top) ? real(top) : folder;
  const root = OWN_WORKTREE.exec(found)?.[1] ?? found;
  const readable =
    basename(root)
      .replace(/[^\w.-]+/g, '_')
      .replace(/^\.+/, '')
      .slice(0, 40) || 'root';
  return { root, name: `${readable}-${createHash('sha256').update(root).digest('hex').slice(0, 12)}` };
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path; // it is gone: what was decided there is still found by its name
  }
}

function isOurs(path: string): boolean {
  const uid = process.getuid?.();
  const owner = statSync(path, { throwIfNoEntry: false })?.uid;
  return uid === undefined || owner === uid;
}
