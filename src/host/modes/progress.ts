/**
 * What the working tree looks like, as one hash: the loop's sign of progress. Asked of git once and without touching
 * anything (no index refresh is written, no lock taken); what git calls changed is read by us. Outside a repository
 * there is no sign, no process is started, and the loop does without.
 */
import { execFile } from 'node:child_process';
import { createHash, type Hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { lstat, readFile, readlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const MOST_OUTPUT = 64 * 1024 * 1024;
const GIT_TIMEOUT_MS = 20_000;

/** Of so many changed files the content is read; of the others, and of larger ones, size and time tell enough. */
const MOST_READ = 1000;
const LARGEST_READ = 1024 * 1024;

const STATUS = ['status', '--porcelain=v2', '--branch', '--no-ahead-behind', '--no-renames', '--untracked-files=all'];
/** Our own records change with every iteration; they are no progress. */
const BUT_OURS = [':/', ':(exclude,top).agent', ':(exclude,top).reins', ':(exclude).agent', ':(exclude).reins'];

export async function treeHash(cwd: string): Promise<string | undefined> {
  const top = repositoryOf(cwd);
  if (top === undefined) return undefined;
  const status = await git(cwd, [...STATUS, '-z', '--', ...BUT_OURS]);
  if (status === undefined) return undefined;
  const hash = createHash('sha256').update(status);
  const changed = status.split('\0').flatMap(pathOf);
  for (const [index, path] of changed.entries()) {
    await addFile(hash, { file: join(top, path), content: index < MOST_READ });
  }
  return hash.digest('hex').slice(0, 16);
}

/** Looked for by ourselves: a folder without a repository costs no process. */
function repositoryOf(cwd: string): string | undefined {
  for (let dir = cwd; ; dir = dirname(dir)) {
    if (existsSync(join(dir, '.git'))) return dir;
    if (dirname(dir) === dir) return undefined;
  }
}

function git(cwd: string, args: string[]): Promise<string | undefined> {
  const env = { ...process.env, GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0' };
  return new Promise((resolve) => {
    execFile('git', args, { cwd, env, maxBuffer: MOST_OUTPUT, timeout: GIT_TIMEOUT_MS }, (error, stdout) => {
      resolve(error ? undefined : stdout);
    });
  });
}

/** `1 .M N... 100644 100644 100644 7898… 7898… src/a.ts`, `u UU …` (10 fields before the path), `? new.txt`. */
function pathOf(record: string): string[] {
  const fields = { '1': 8, u: 10, '?': 1 }[record[0] ?? ''];
  return fields === undefined ? [] : [record.split(' ').slice(fields).join(' ')];
}

async function addFile(hash: Hash, { file, content }: { file: string; content: boolean }): Promise<void> {
  try {
    const stat = await lstat(file);
    if (stat.isSymbolicLink()) hash.update(await readlink(file));
    else if (content && stat.isFile() && stat.size <= LARGEST_READ) hash.update(await readFile(file));
    else hash.update(`${stat.size} ${stat.mtimeMs}`);
  } catch {
    hash.update('gone'); // deleted, or not ours to read: git's own words about it are in the hash already
  }
  hash.update('\0');
}
