/** What the working tree looks like, by git. Nothing is written into the repository, and no lock is taken. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { commitOf, repositoryOf } from './git-folders.js';
import { withOwnGit } from './git-own.js';

export interface TreeStatus {
  /** The working tree's root: what the paths in `records` count from. */
  top: string;
  /** As `git status --porcelain=v2 -z` prints them, the commit in front. */
  records: string[];
}

const STATUS = [
  'status',
  '--porcelain=v2',
  '--no-renames',
  '--untracked-files=all',
  '--ignore-submodules=dirty',
  '-z',
  '--',
];

/** What the working tree around `cwd` looks like; undefined where there is none or git cannot say. Never throws. */
export async function gitStatus(cwd: string, pathspecs: readonly string[]): Promise<TreeStatus | undefined> {
  const repository = repositoryOf(cwd);
  const commit = repository && commitOf(repository);
  if (!repository || commit === undefined) return undefined;
  const { gitDir, commonDir, top } = repository;
  if (!existsSync(join(gitDir, 'index')) && !existsSync(join(commonDir, 'objects'))) return undefined;
  try {
    const said = await withOwnGit({ repository, commit, cwd }, (git) => git([...STATUS, ...pathspecs]));
    return said.ok ? { top, records: [commit, ...said.stdout.split('\0')] } : undefined;
  } catch {
    return undefined; // the disk is full, or the repository changed under our hands: there is no sign this time
  }
}

/** What is not committed: changed, or not known to git; our own records are nobody's work. Undefined where git cannot say. */
export async function uncommitted(cwd: string): Promise<string[] | undefined> {
  const status = await gitStatus(cwd, [':/', ':(exclude,top).reins', ':(exclude,top,glob)**/.agent/**']);
  return status?.records.filter((record) => /^[12u?] /.test(record));
}
