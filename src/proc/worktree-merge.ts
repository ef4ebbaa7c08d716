/**
 * Merges a branch into the one a working tree is on. The merge is worked out among objects first (`git merge-tree`): where
 * it conflicts, nothing was touched. Then files and index are moved in one step that git refuses where changes of the
 * user's own are in the way, and the branch last. No hook runs, and no filter or merge driver: where one would have a say,
 * the merge is left to the user, with the line to type.
 */
import { lstatSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ReinsError, shellWord } from '../contract/index.js';
import { commitOf, isThere, type Repository } from './git-folders.js';
import { type GitSaid, type OwnGit, withOwnGit } from './git-own.js';
import { gitSettings, identityOf, lastLine } from './git-settings.js';
import { attributeOf, must } from './worktree-make.js';

const WRITE_TIMEOUT_MS = 600_000;
const MOST_NAMED = 10;

export interface MergedBranch {
  /** The branch that has it now. */
  into: string;
  /** `nothing`: it had it already. */
  how: 'nothing' | 'forward' | 'merge';
  commit: string;
  commits: number;
}

/** What stands in the way of any merge: something unfinished. */
const UNFINISHED = ['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'rebase-merge', 'rebase-apply'];

/** Contract: throws MERGE_REFUSED with everything as it was, or GIT_FAILED. */
export async function mergeBranch(here: Repository, branch: string): Promise<MergedBranch> {
  const no = refusal(here, branch);
  const head = headOf(here);
  if (head === undefined) throw no('HEAD is on no branch', 'git switch BRANCH first');
  const old = commitOf(here);
  if (!old) throw no(`${head.replace('refs/heads/', '')} has no commit yet`, 'commit something first');
  const unfinished = UNFINISHED.find((name) => isThere(join(here.gitDir, name)));
  if (unfinished) throw no(`something is unfinished here (${unfinished})`, 'see what `git status` says, and finish it');
  const settings = await gitSettings(here);
  const own = { repository: here, commit: old, head, branches: true, text: settings.text, timeoutMs: WRITE_TIMEOUT_MS };
  return withOwnGit(own, async (git, dir) => {
    const tip = must(
      'find the branch',
      await git(['rev-parse', '--verify', `refs/heads/${branch}^{commit}`]),
    ).stdout.trim();
    const into = head.replace('refs/heads/', '');
    const count = must('count commits', await git(['rev-list', '--count', tip, `^${old}`])).stdout;
    const merged = { into, commits: Number(count) };
    if (merged.commits === 0) return { ...merged, how: 'nothing', commit: old };
    const isForward = (await git(['merge-base', '--is-ancestor', old, tip])).ok;
    const tree = isForward ? tip : await mergedTree(git, { old, tip, no });
    await checkPrograms(git, { old, tree, dir, settings, no });
    const commit = isForward ? tip : await commitTree(git, { here, tree, parents: [old, tip], branch, no });
    await checkNew(git, { here, old, commit, no });
    await moveFiles(git, { old, commit, no });
    must('move the branch', await git(['update-ref', '-m', `reins worktree merge ${branch}`, head, commit, old]));
    return { ...merged, how: isForward ? 'forward' : 'merge', commit };
  });
}

type No = (reason: string, fix?: string) => ReinsError;

const refusal =
  ({ top }: Repository, branch: string): No =>
  (reason, fix = `do it by hand: git -C ${shellWord(top)} merge ${shellWord(branch)}`) =>
    new ReinsError('MERGE_REFUSED', { branch, reason, fix });

function headOf({ gitDir }: Repository): string | undefined {
  return /^ref: (refs\/heads\/.+)\n?$/.exec(readFileSync(join(gitDir, 'HEAD'), 'utf8'))?.[1];
}

async function mergedTree(git: OwnGit, { old, tip, no }: { old: string; tip: string; no: No }): Promise<string> {
  const said = await git(['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', old, tip]);
  const [tree = '', ...names] = said.stdout.split('\0');
  if (said.ok) return tree;
  if (said.code !== 1) throw no(lastLine(said.stderr));
  throw no(`both changed the same places: ${someOf(names.filter(Boolean))}`);
}

const someOf = (names: string[]): string => {
  const shown = names.slice(0, MOST_NAMED).join(', ');
  return names.length > MOST_NAMED ? `${shown} and ${names.length - MOST_NAMED} more` : shown;
};

interface ProgramsAsk {
  old: string;
  tree: string;
  dir: string;
  settings: Awaited<ReturnType<typeof gitSettings>>;
  no: No;
}

/** Contents that only come out right behind a program are not ours to write. */
async function checkPrograms(git: OwnGit, { old, tree, dir, settings, no }: ProgramsAsk): Promise<void> {
  const { filters, drivers } = settings;
  if (filters.size === 0 && drivers.size === 0) return;
  const env = { GIT_INDEX_FILE: join(dir, 'index') };
  must('read the merge', await git(['read-tree', tree], { env }));
  const changed = must('compare', await git(['diff-tree', '-r', '-z', '--name-only', '--no-renames', old, tree]));
  const ask = { input: changed.stdout, env };
  const named = [
    ...(await attributeOf(git, { ...ask, name: 'filter', known: (value) => filters.has(value) })).keys(),
    ...(await attributeOf(git, { ...ask, name: 'merge', known: (value) => drivers.has(value) })).keys(),
  ];
  if (named.length > 0) throw no(`git would run programs for what changes (${someOf(named)})`);
}

interface CommitAsk {
  here: Repository;
  tree: string;
  parents: string[];
  branch: string;
  no: No;
}

async function commitTree(git: OwnGit, { here, tree, parents, branch, no }: CommitAsk): Promise<string> {
  const env = await identityOf(here);
  if (!env) throw no('git does not know who you are', 'tell it: git config --global user.name NAME, and user.email');
  const args = ['commit-tree', tree, ...parents.flatMap((one) => ['-p', one]), '-m', `Merge branch '${branch}'`];
  return must('commit the merge', await git(args, { env })).stdout.trim();
}

interface NewAsk {
  here: Repository;
  old: string;
  commit: string;
  no: No;
}

/** git itself would write over a file that it ignores: it may be the only one of its kind. */
async function checkNew(git: OwnGit, { here, old, commit, no }: NewAsk): Promise<void> {
  const namesOf = async (which: 'A' | 'D') => {
    const args = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', `--diff-filter=${which}`, old, commit];
    return must('compare', await git(args))
      .stdout.split('\0')
      .filter(Boolean);
  };
  const goes = new Set(await namesOf('D'));
  const isInTheWay = (path: string): boolean => {
    const stat = lstatSync(join(here.top, path), { throwIfNoEntry: false });
    if (stat) return !stat.isDirectory() && !goes.has(path);
    return dirname(path) !== '.' && isInTheWay(dirname(path));
  };
  const names = (await namesOf('A')).filter(isInTheWay);
  if (names.length > 0) throw inTheWay(names, no);
}

const inTheWay = (names: string[], no: No): ReinsError =>
  no(`changes of your own are in the way: ${someOf(names)}`, 'commit, stash or move them first, then merge again');

/** All or nothing: git looks at every file before it writes the first. */
async function moveFiles(git: OwnGit, { old, commit, no }: { old: string; commit: string; no: No }): Promise<void> {
  // A file that was only touched is no change; git has to look once.
  await git(['update-index', '-q', '--refresh']);
  const said: GitSaid = await git(['read-tree', '-m', '-u', old, commit]);
  if (said.ok) return;
  const names = [...said.stderr.matchAll(/(?:Entry|file) '(.+?)' (?:not uptodate|would be)/g)].map(([, name]) => name!);
  throw names.length > 0 ? inTheWay(names, no) : no(lastLine(said.stderr));
}
