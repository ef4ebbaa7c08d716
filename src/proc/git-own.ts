/**
 * The one place where Reins starts git. A repository's configuration names programs (fsmonitor, hooks, filters, pagers,
 * helpers), and so does the user's; none of them may run because we look or write. So git does not get the repository's own
 * folder: it gets an empty one of ours that borrows index, objects and commit of the real one, and an environment of our
 * own. Borrowing the branches too makes it one that can be written through; configuration and hooks are never borrowed.
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
import type { Repository } from './git-folders.js';

const MOST_OUTPUT = 64 * 1024 * 1024;
const GIT_TIMEOUT_MS = 20_000;
const LARGEST_COPY = 1024 * 1024;

/** What is not asked of a file is not looked for outside either. */
const OPTIONS = [
  ...['--no-pager', '--no-optional-locks', '--no-replace-objects'],
  ...['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', '-c', 'core.untrackedCache=false'],
  ...['-c', 'core.attributesFile=/dev/null', '-c', 'submodule.recurse=false', '-c', 'protocol.allow=never'],
];

export interface Borrowed {
  repository: Repository;
  /** What HEAD stands on; empty where there is none yet. */
  commit: string;
  /** The branch HEAD is on, by its whole name. */
  head?: string;
  /** Another index than the repository's. */
  index?: string;
  /** Another working tree than the repository's. */
  tree?: string;
  /** Where it stands; paths without a root count from there. */
  cwd?: string;
  /** Branches too, to read and to write. */
  branches?: boolean;
  /** `core.*` settings that say how text is written, and nothing else. */
  text?: Record<string, string>;
  timeoutMs?: number;
}

export interface GitSaid {
  ok: boolean;
  code: number;
  stdout: string;
  stderr: string;
}

export interface GitCall {
  input?: string;
  env?: Record<string, string>;
}

/** Contract: never rejects; what git could not do is in what it said. */
export type OwnGit = (args: string[], call?: GitCall) => Promise<GitSaid>;

/** Throws where the folder cannot be made: a full disk, a repository that changed under our hands. */
export async function withOwnGit<T>(borrowed: Borrowed, call: (git: OwnGit, own: string) => Promise<T>): Promise<T> {
  const own = mkdtempSync(join(tmpdir(), 'reins-git-'));
  try {
    furnish(own, borrowed);
    const env = environment(own, borrowed);
    const cwd = borrowed.cwd ?? borrowed.tree ?? borrowed.repository.top;
    const timeout = borrowed.timeoutMs ?? GIT_TIMEOUT_MS;
    return await call(
      (args, { input, env: more } = {}) =>
        runGit({ args: [...OPTIONS, ...args], cwd, env: { ...env, ...more }, timeout, input }),
      own,
    );
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}

/** A repository of ours without any configuration; only what is plain data comes from the real one. */
function furnish(own: string, { repository, commit, head, branches, text = {} }: Borrowed): void {
  const { gitDir, commonDir } = repository;
  for (const folder of ['objects', 'info', ...(branches ? ['logs'] : ['refs'])]) mkdirSync(join(own, folder));
  writeFileSync(join(own, 'HEAD'), head ? `ref: ${head}\n` : commit === '' ? 'ref: refs/heads/none\n' : `${commit}\n`);
  const core = Object.entries(text).map(([key, value]) => `${key} = ${value}\n`);
  const isLong = commit.length === 64;
  const format = isLong ? 'repositoryformatversion = 1\n[extensions]\nobjectformat = sha256\n' : '';
  writeFileSync(join(own, 'config'), `[core]\n${core.join('')}${format}`);
  for (const name of ['exclude', 'attributes']) {
    const file = join(commonDir, 'info', name);
    const stat = statSync(file, { throwIfNoEntry: false });
    if (stat?.isFile() && stat.size <= LARGEST_COPY) copyFileSync(file, join(own, 'info', name));
  }
  // Part of an index may be kept beside it.
  const shared = readdirSync(gitDir).filter((name) => /^sharedindex\.[0-9a-f]+$/.test(name));
  for (const name of shared) symlinkSync(join(gitDir, name), join(own, name));
  if (!branches) return;
  const lent = { refs: 'refs', 'packed-refs': 'packed-refs', shallow: 'shallow', 'logs/refs': 'logs/refs' };
  for (const [name, from] of Object.entries(lent))
    if (existsSync(join(commonDir, from))) symlinkSync(join(commonDir, from), join(own, name));
  if (existsSync(join(gitDir, 'logs/HEAD'))) symlinkSync(join(gitDir, 'logs/HEAD'), join(own, 'logs/HEAD'));
}

function environment(own: string, { repository, index, tree }: Borrowed): Record<string, string> {
  const { top, gitDir, commonDir } = repository;
  return {
    PATH: safePath(process.env.PATH ?? '', top),
    HOME: own,
    XDG_CONFIG_HOME: own,
    LC_ALL: 'C',
    GIT_DIR: own,
    GIT_WORK_TREE: tree ?? top,
    GIT_INDEX_FILE: index ?? join(gitDir, 'index'),
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
export function safePath(path: string, top: string): string {
  const inTree = (folder: string) => folder === top || folder.startsWith(`${top}/`);
  return path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !inTree(folder))
    .join(delimiter);
}

interface GitRun {
  args: string[];
  cwd: string;
  env: Record<string, string>;
  timeout: number;
  input?: string | undefined;
}

export function runGit({ args, cwd, env, timeout, input }: GitRun): Promise<GitSaid> {
  return new Promise((resolve) => {
    const child = execFile('git', args, { cwd, env, maxBuffer: MOST_OUTPUT, timeout }, (error, stdout, stderr) => {
      const code = typeof error?.code === 'number' ? error.code : error ? -1 : 0;
      const killed = error?.killed ? `git took longer than ${timeout / 1000} s\n` : '';
      resolve({ ok: !error, code, stdout, stderr: `${killed}${stderr || (error?.message ?? '')}` });
    });
    child.stdin?.on('error', () => undefined); // it did not want all of it: its exit says what became of that
    child.stdin?.end(input ?? '');
  });
}
