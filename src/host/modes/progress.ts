/**
 * What the working tree looks like, as one hash: the loop's sign of progress. Asked of git without touching anything
 * (no index refresh is written, no lock taken); outside a repository there is no sign, and the loop does without.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';

const MOST_OUTPUT = 64 * 1024 * 1024;
const GIT_TIMEOUT_MS = 20_000;

function git(cwd: string, args: string[]): Promise<string | undefined> {
  const env = { ...process.env, GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0' };
  return new Promise((resolve) => {
    execFile('git', args, { cwd, env, maxBuffer: MOST_OUTPUT, timeout: GIT_TIMEOUT_MS }, (error, stdout) => {
      resolve(error ? undefined : stdout);
    });
  });
}

export async function treeHash(cwd: string): Promise<string | undefined> {
  const head = await git(cwd, ['rev-parse', 'HEAD']);
  const [changes, fresh] = await Promise.all([
    git(cwd, head === undefined ? ['status', '--porcelain'] : ['diff', 'HEAD']),
    git(cwd, ['ls-files', '--others', '--exclude-standard', '-z']),
  ]);
  if (changes === undefined || fresh === undefined) return undefined;
  // Our own records change with every iteration; they are no progress.
  const files = fresh.split('\0').filter((file) => !file.startsWith('.agent/') && !file.startsWith('.reins/'));
  const contents = files.length > 0 ? await git(cwd, ['hash-object', '--', ...files.slice(0, 1000)]) : '';
  const hash = createHash('sha256');
  for (const part of [head ?? '', changes, files.join('\0'), contents ?? '']) hash.update(part).update('\0\0');
  return hash.digest('hex').slice(0, 16);
}
