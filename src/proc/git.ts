/** What the working tree looks like, by git. Nothing is written into the repository, and no lock is taken. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { commitOf, repositoryOf } from './git-folders.js';
import { withOwnGit } from './git-own.js';

export interface TreeStatus {
  /** The working tree's root: what the paths in `records` count from. */
  top: string;
  /** What HEAD stands on; empty where there is nothing yet. */
  commit: string;
  /** As `git status --porcelain=v2 -z` prints them. */
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
    return said.ok ? { top, commit, records: said.stdout.split('\0') } : undefined;
  } catch {
    return undefined; // the disk is full, or the repository changed under our hands: there is no sign this time
  }
}

/** What is not committed: changed, or not known to git; our own records are nobody's work. Undefined where git cannot say. */
export async function uncommitted(cwd: string): Promise<string[] | undefined> {
  const status = await gitStatus(cwd, [':/', ':(exclude,top).reins', ':(exclude,top,glob)**/.agent/**']);
  return status?.records.filter((record) => record !== '');
}

export interface TreeDiff {
  /** Tracked files that differ from that commit; of binary ones no lines are counted. */
  files: { path: string; added: number; removed: number }[];
  /** How many commits have been made since. */
  commits: number;
}

const NUMSTAT = [
  ...['diff', '--numstat', '-z', '--no-renames'],
  ...['--no-ext-diff', '--no-textconv', '--ignore-submodules=all'],
];

/** How the working tree differs from a commit (empty: from nothing); undefined where git cannot say. Never throws. */
export async function gitDiff(cwd: string, since: string, pathspecs: readonly string[]): Promise<TreeDiff | undefined> {
  const repository = repositoryOf(cwd);
  const commit = repository && commitOf(repository);
  if (!repository || commit === undefined || !/^[0-9a-f]*$/.test(since)) return undefined;
  const from = since === '' ? (commit.length === 64 ? EMPTY_TREE_256 : EMPTY_TREE) : since;
  const made = since === '' ? ['HEAD'] : ['HEAD', `^${since}`];
  try {
    return await withOwnGit({ repository, commit, cwd }, async (git) => {
      const stat = await git([...NUMSTAT, from, '--', ...pathspecs]);
      const isSame = commit === '' || commit === since;
      const count = isSame ? undefined : await git(['rev-list', '--count', ...made]);
      if (!stat.ok) return undefined;
      return { files: stat.stdout.split('\0').flatMap(numbers), commits: Number(count?.stdout ?? 0) || 0 };
    });
  } catch {
    return undefined; // as above: there is nothing to say this time
  }
}

/** git knows them without their being stored. */
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
const EMPTY_TREE_256 = '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321';

/** `12\t3\tsrc/a.ts`; `-` stands for binary. */
function numbers(record: string): TreeDiff['files'] {
  const match = /^(\d+|-)\t(\d+|-)\t(.+)$/s.exec(record);
  return match ? [{ path: match[3]!, added: Number(match[1]) || 0, removed: Number(match[2]) || 0 }] : [];
}
