/**
 * The one place where Reins starts git. A repository's configuration names programs (fsmonitor, hooks, filters, pagers,
 * helpers), and so does the user's; none of them may run because we look. So git does not get the repository's own folder:
 * it gets an empty one of ours that borrows index, objects and commit of the real one, and an environment of our own.
 * Nothing is written into the repository, and no lock is taken.
 */
import { execFile } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import { commitOf, type Repository, repositoryOf } from './git-folders.js';

const MOST_OUTPUT = 64 * 1024 * 1024;
const GIT_TIMEOUT_MS = 20_000;
const LARGEST_EXCLUDE = 1024 * 1024;

/** What is not asked of a file is not looked for outside either. */
const OPTIONS = [
  ...['--no-pager', '--no-optional-locks', '--no-replace-objects'],
  ...['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', '-c', 'core.untrackedCache=false'],
  ...['-c', 'core.attributesFile=/dev/null', '-c', 'submodule.recurse=false', '-c', 'protocol.allow=never'],
];

export interface TreeStatus {
  /** The working tree's root: what the paths in `records` count from. */
  top: string;
  /** As `git status --porcelain=v2 -z` prints them, the commit in front. */
  records: string[];
}

/** What the working tree around `cwd` looks like; undefined where there is none or git cannot say. Never throws. */
export async function gitStatus(cwd: string, pathspecs: readonly string[]): Promise<TreeStatus | undefined> {
  const repository = repositoryOf(cwd);
  const commit = repository && commitOf(repository);
  if (!repository || commit === undefined) return undefined;
  let own: string | undefined;
  try {
    own = mkdtempSync(join(tmpdir(), 'reins-git-'));
    furnish(own, repository, commit);
    const status = [
      'status',
      '--porcelain=v2',
      '--no-renames',
      '--untracked-files=all',
      '--ignore-submodules=dirty',
      '-z',
    ];
    const output = await run(cwd, [...OPTIONS, ...status, '--', ...pathspecs], environment(own, repository));
    return output === undefined ? undefined : { top: repository.top, records: [commit, ...output.split('\0')] };
  } catch {
    return undefined; // the disk is full, or the repository changed under our hands: there is no sign this time
  } finally {
    if (own !== undefined) rmSync(own, { recursive: true, force: true });
  }
}

/** A repository of ours without any configuration; only what is plain data comes from the real one. */
function furnish(own: string, { gitDir, commonDir }: Repository, commit: string): void {
  for (const folder of ['objects', 'refs', 'info']) mkdirSync(join(own, folder));
  writeFileSync(join(own, 'HEAD'), commit === '' ? 'ref: refs/heads/none\n' : `${commit}\n`);
  const format =
    commit.length === 64 ? '[core]\nrepositoryformatversion = 1\n[extensions]\nobjectformat = sha256\n' : '';
  writeFileSync(join(own, 'config'), format);
  const exclude = join(commonDir, 'info/exclude');
  const stat = statSync(exclude, { throwIfNoEntry: false });
  if (stat?.isFile() && stat.size <= LARGEST_EXCLUDE) copyFileSync(exclude, join(own, 'info/exclude'));
  // Part of an index may be kept beside it.
  const shared = readdirSync(gitDir).filter((name) => /^sharedindex\.[0-9a-f]+$/.test(name));
  for (const name of shared) symlinkSync(join(gitDir, name), join(own, name));
}

function environment(own: string, { top, gitDir, commonDir }: Repository): Record<string, string> {
  return {
    PATH: safePath(process.env.PATH ?? '', top),
    HOME: own,
    XDG_CONFIG_HOME: own,
    LC_ALL: 'C',
    GIT_DIR: own,
    GIT_WORK_TREE: top,
    GIT_INDEX_FILE: join(gitDir, 'index'),
    GIT_OBJECT_DIRECTORY: join(commonDir, 'objects'),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
  };
}

/** Where git itself is looked for: never in the tree we look at, nor seen from it. */
function safePath(path: string, top: string): string {
  const inTree = (folder: string) => folder === top || folder.startsWith(`${top}/`);
  return path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !inTree(folder))
    .join(delimiter);
}

function run(cwd: string, args: string[], env: Record<string, string>): Promise<string | undefined> {
  if (!existsSync(env.GIT_INDEX_FILE!) && !existsSync(env.GIT_OBJECT_DIRECTORY!)) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    execFile('git', args, { cwd, env, maxBuffer: MOST_OUTPUT, timeout: GIT_TIMEOUT_MS }, (error, stdout) => {
      resolve(error ? undefined : stdout);
    });
  });
}
