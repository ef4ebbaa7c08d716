/**
 * Whether a file may have come with a repository. Asked before the user trusted anything, so no program is started: we
 * look for `.git` ourselves, in every folder above (an inner repository must not hide an outer one), and read the index.
 * Contract: false only where it is certain; whatever cannot be found out counts as committed.
 */
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { isThere, repositoryAt } from './git-folders.js';
import { readIndex } from './git-index.js';

/** Bytes; the largest repositories stay below. */
const LARGEST_INDEX = 512 * 1024 * 1024;
/** Others keep their files in ways we do not read: what lies in such a tree counts as committed. */
const OTHER_TREES = ['.hg', '.svn', '.jj', '.sl', '.bzr', '.fslckout', '_FOSSIL_', '_darcs', '.pijul', 'CVS'];

/** Whether the file is, or could be, one that somebody committed. */
export function mayBeCommitted(file: string): boolean {
  try {
    const real = realpathSync(file);
    // Where it is named and where it lies: a committed link may lead to any file, and a file may lie in any repository.
    const ways = new Set([resolve(file), join(realpathSync(dirname(file)), basename(file)), real]);
    return [...ways].some(isInTree);
  } catch {
    return true;
  }
}

function isInTree(file: string): boolean {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    if (OTHER_TREES.some((name) => isThere(join(folder, name)))) return true;
    if (isThere(join(folder, '.git')) && isTracked(file, folder)) return true;
    if (folder === dirname(folder)) return false;
  }
}

function isTracked(file: string, top: string): boolean {
  const index = join(repositoryAt(top).gitDir, 'index');
  // Nothing was ever added or checked out here.
  if (!isThere(index)) return false;
  if (statSync(index).size > LARGEST_INDEX) return true;
  const wanted = folded(relative(top, file));
  return readIndex(readFileSync(index)).some(({ path, isLink }) => {
    const known = folded(path);
    return known === wanted || (isLink && wanted.startsWith(`${known}/`));
  });
}

/** Disks may ignore the case of letters and how an accent is written. */
const folded = (text: string) => text.normalize('NFC').toLowerCase();
