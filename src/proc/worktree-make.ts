/**
 * Makes a worktree: a branch and a folder of its own, from the commit HEAD stands on. git writes the branch and the files
 * through a folder of ours (git-own.ts), so no hook, no fsmonitor and no alias of the repository runs; what makes a worktree
 * of it for git are four small files, written here. A filter is a program too, and some contents are only right behind one
 * (LFS, git-crypt): those run if the user agreed to each of them, else no worktree is made.
 *
 * Killed at any line it leaves one that is listed as unfinished and can be removed: its folder is made first, its lock
 * taken away last.
 */
import { lstatSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ReinsError, shellWord } from '../contract/index.js';
import { commitOf, type Repository } from './git-folders.js';
import { type GitSaid, type OwnGit, runGit, safePath, withOwnGit } from './git-own.js';
import { type GitSettings, gitSettings, lastLine } from './git-settings.js';
import { BEING_MADE, branchOf, folderOf, type Worktree } from './worktree-names.js';

/** Large repositories take minutes to be written. */
const WRITE_TIMEOUT_MS = 600_000;

export interface MakeAsk {
  repository: Repository;
  root: string;
  name: string;
  /** May these programs of the repository's or the user's configuration run, to write its files? Each as `name: command`. */
  mayFilter(runs: string[]): Promise<boolean>;
}

/** Contract: throws WORKTREE_REFUSED before anything is written, GIT_FAILED where git could not; then nothing is left. */
export async function makeWorktree(ask: MakeAsk): Promise<Worktree & { commit: string }> {
  const { repository, root, name } = ask;
  const folder = folderOf(root, name);
  const commit = commitToStart(repository);
  checkPlain(repository);
  const settings = await gitSettings(repository);
  const own = { repository, commit, text: settings.text, branches: true, timeoutMs: WRITE_TIMEOUT_MS };
  const filtered = await withOwnGit(own, async (git, dir) => {
    await checkBranch(git, name);
    return filteredPaths({ git, dir, commit, settings });
  });
  await agreeTo(filtered, settings, ask);
  ensureFolder(root, folder);
  const made: Worktree = { name, branch: branchOf(name), folder, state: 'unfinished' };
  let start: string | undefined;
  try {
    const gitDir = register(repository, made);
    made.gitDir = gitDir;
    await withOwnGit({ ...own, index: join(gitDir, 'index'), tree: folder }, async (git) => {
      const none = '0'.repeat(commit.length);
      const ref = `refs/heads/${made.branch}`;
      must('make its branch', await git(['update-ref', '--create-reflog', '-m', 'reins: worktree', ref, commit, none]));
      start = commit;
      must('write its files', await git(['read-tree', '--reset', '-u', commit]));
    });
    await writeFiltered({ repository, folder, gitDir, filtered });
    rmSync(join(gitDir, 'locked'));
    return { ...made, state: 'ready', commit };
  } catch (error) {
    await undoMake(repository, made, start);
    throw failed('make it', error);
  }
}

function commitToStart(repository: Repository): string {
  const commit = commitOf(repository);
  if (commit) return commit;
  throw new ReinsError('WORKTREE_REFUSED', {
    reason: 'this repository has no commit yet, and a worktree starts from one',
    fix: 'make one first: git add . && git commit',
  });
}

async function checkBranch(git: OwnGit, name: string): Promise<void> {
  const branch = branchOf(name);
  if (!(await git(['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`])).ok) return;
  throw new ReinsError('WORKTREE_REFUSED', {
    reason: `the branch ${branch} is there, and no worktree of that name`,
    fix: `choose another name, or remove the branch if you do not need it: git branch -d ${branch}`,
  });
}

/** What is written by name must not lead elsewhere. */
function checkPlain({ commonDir }: Repository): void {
  for (const name of ['refs', 'refs/heads', 'refs/heads/reins', 'worktrees', 'logs']) {
    const stat = lstatSync(join(commonDir, name), { throwIfNoEntry: false });
    if (!stat || stat.isDirectory()) continue;
    const isBranch = name === 'refs/heads/reins' && stat.isFile();
    throw new ReinsError('WORKTREE_REFUSED', {
      reason: isBranch ? 'a branch called reins stands in the way of reins/…' : `${join(commonDir, name)} is no folder`,
      fix: isBranch ? 'rename it: git branch -m reins NAME' : 'Reins writes into plain repositories only',
    });
  }
}

/** Paths whose contents are written by a filter that is defined, per filter. */
async function filteredPaths({
  git,
  dir,
  commit,
  settings,
}: {
  git: OwnGit;
  dir: string;
  commit: string;
  settings: GitSettings;
}): Promise<Map<string, string[]>> {
  if (settings.filters.size === 0) return new Map();
  const env = { GIT_INDEX_FILE: join(dir, 'index') };
  must('read the commit', await git(['read-tree', commit], { env }));
  const { stdout: input } = must('list its files', await git(['ls-files', '-z'], { env }));
  return attributeOf(git, { name: 'filter', input, env, known: (value) => settings.filters.has(value) });
}

interface AttributeAsk {
  name: string;
  /** Paths, each with a zero behind it. */
  input: string;
  env: Record<string, string>;
  known(value: string): boolean;
}

/** Value → paths, by what `.gitattributes` says in the index. */
export async function attributeOf(
  git: OwnGit,
  { name, input, env, known }: AttributeAsk,
): Promise<Map<string, string[]>> {
  const said = must(
    'read .gitattributes',
    await git(['check-attr', '--cached', '-z', '--stdin', name], { input, env }),
  );
  const words = said.stdout.split('\0');
  const found = new Map<string, string[]>();
  for (let at = 0; at + 2 < words.length; at += 3) {
    const value = words[at + 2]!;
    if (known(value)) found.set(value, [...(found.get(value) ?? []), words[at]!]);
  }
  return found;
}

async function agreeTo(filtered: Map<string, string[]>, { filters }: GitSettings, ask: MakeAsk): Promise<void> {
  if (filtered.size === 0) return;
  const runs = [...filtered.keys()].map((name) => `filter ${name}: ${filters.get(name)}`);
  if (await ask.mayFilter(runs)) return;
  throw new ReinsError('WORKTREE_REFUSED', {
    reason: `git would run programs to write its files:\n${runs.map((line) => `  ${line}`).join('\n')}`,
    fix: `if you know them, pass --trust-folder; or make it by hand: git worktree add ${shellWord(`${ask.root}/.reins/worktrees/${ask.name}`)} -b ${branchOf(ask.name)}`,
  });
}

/** With the folder itself: made by us, or it is somebody's. */
function ensureFolder(root: string, folder: string): void {
  try {
    mkdirSync(dirname(folder), { recursive: true });
    folderOf(root, 'x'); // still no link on the way
    // It hides itself and everything beside it from git, and nothing else.
    writeFileSync(join(dirname(folder), '.gitignore'), '*\n', { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw failed('make its folder', error);
  }
  try {
    mkdirSync(folder);
  } catch (error) {
    throw failed('make its folder', error);
  }
}

const failed = (what: string, error: unknown) =>
  error instanceof ReinsError ? error : new ReinsError('GIT_FAILED', { what, reason: (error as Error).message });

const MOST_SAME = 100;

/** What git knows a worktree by (gitrepository-layout): a folder of its own below `worktrees/`. */
function register({ commonDir }: Repository, { name, branch, folder }: Worktree): string {
  mkdirSync(join(commonDir, 'worktrees'), { recursive: true });
  const gitDir = freeFolder(join(commonDir, 'worktrees', name));
  writeFileSync(join(gitDir, 'locked'), `${BEING_MADE}\n`);
  writeFileSync(join(gitDir, 'gitdir'), `${join(folder, '.git')}\n`);
  writeFileSync(join(gitDir, 'commondir'), '../..\n');
  writeFileSync(join(gitDir, 'HEAD'), `ref: refs/heads/${branch}\n`);
  writeFileSync(join(folder, '.git'), `gitdir: ${gitDir}\n`);
  return gitDir;
}

/** Another worktree, elsewhere, may be called the same. */
function freeFolder(wanted: string): string {
  for (let count = 0; ; count += 1) {
    const folder = `${wanted}${count || ''}`;
    try {
      mkdirSync(folder);
      return folder;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || count === MOST_SAME) throw failed('register it', error);
    }
  }
}

/** With the real configuration, for exactly these files: their filters were agreed to, and nothing else is asked of git. */
async function writeFiltered(made: {
  repository: Repository;
  folder: string;
  gitDir: string;
  filtered: Map<string, string[]>;
}): Promise<void> {
  const { repository, folder, gitDir, filtered } = made;
  const paths = [...new Set([...filtered.values()].flat())];
  if (paths.length === 0) return;
  for (const path of paths) rmSync(join(folder, path), { force: true });
  const said = await runGit({
    args: [
      ...['--no-pager', '-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null'],
      ...['checkout-index', '--force', '--index', '-z', '--stdin'],
    ],
    cwd: folder,
    env: {
      ...(process.env as Record<string, string>),
      PATH: safePath(process.env.PATH ?? '', repository.top),
      GIT_DIR: gitDir,
      GIT_WORK_TREE: folder,
      GIT_NO_LAZY_FETCH: '1',
    },
    timeout: WRITE_TIMEOUT_MS,
    input: paths.map((path) => `${path}\0`).join(''),
  });
  must('write its files through their filters', said);
}

/** What was just made holds nobody's work. `start`: where its branch was begun, if it was; one that has moved since stays. */
export async function undoMake(repository: Repository, made: Worktree, start: string | undefined): Promise<void> {
  rmSync(made.folder, { recursive: true, force: true });
  const ref = `refs/heads/${made.branch}`;
  if (start !== undefined)
    await withOwnGit({ repository, commit: start, branches: true }, (git) => git(['update-ref', '-d', ref, start]));
  if (made.gitDir !== undefined) rmSync(made.gitDir, { recursive: true, force: true });
}

export function must(what: string, said: GitSaid): GitSaid {
  if (said.ok) return said;
  throw new ReinsError('GIT_FAILED', { what, reason: lastLine(said.stderr) });
}
