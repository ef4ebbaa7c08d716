/**
 * What the working tree looks like, as one hash: the loop's sign of progress. Asked of git once, without touching anything
 * and without running anything of the repository's (proc/git.ts); what git calls changed is read by us. Outside a
 * repository there is no sign, no process is started, and the loop does without.
 */
import { createHash, type Hash } from 'node:crypto';
import { lstat, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { gitStatus } from '../../proc/repository.js';

/** Of so many changed files the content is read; of the others, and of larger ones, size and time tell enough. */
const MOST_READ = 1000;
const LARGEST_READ = 1024 * 1024;

/** Our own records change with every iteration; they are no progress. */
export const BUT_OURS = [':/', ':(exclude,top).agent', ':(exclude,top).reins', ':(exclude).agent', ':(exclude).reins'];

export async function treeHash(cwd: string): Promise<string | undefined> {
  const status = await gitStatus(cwd, BUT_OURS);
  if (status === undefined) return undefined;
  const hash = createHash('sha256').update([status.commit, ...status.records].join('\0'));
  const changed = status.records.flatMap(pathOf);
  for (const [index, path] of changed.entries()) {
    await addFile(hash, { file: join(status.top, path), content: index < MOST_READ });
  }
  return hash.digest('hex').slice(0, 16);
}

/** `1 .M N... 100644 100644 100644 7898… 7898… src/a.ts`, `u UU …` (10 fields before the path), `? new.txt`. */
export function pathOf(record: string): string[] {
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
