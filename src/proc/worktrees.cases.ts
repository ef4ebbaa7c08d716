/** Worktrees for tests, in repositories made with the real git. Only tests import this. */
import { execFileSync } from 'node:child_process';
import { git, put, tempFolder } from './git.cases.js';
import { makeWorktree, repositoryWithRoot, worktreesOf } from './worktrees.js';

const NEVER = () => Promise.resolve(false);
export const said = (cwd: string, ...args: string[]) =>
  execFileSync('git', args, { cwd, encoding: 'utf8', env: { PATH: process.env.PATH, HOME: '/nonexistent' } }).trim();

export function plain(files: Record<string, string> = { 'a.txt': 'one\n', 'sub/b.txt': 'b\n' }): string {
  const dir = tempFolder();
  put(dir, files);
  git(dir, 'init', '-q', '-b', 'main');
  git(dir, 'add', '.');
  git(dir, 'commit', '-qm', 'x');
  return dir;
}

export const make = (dir: string, name = 'one', mayFilter: (runs: string[]) => Promise<boolean> = NEVER) =>
  makeWorktree({ ...repositoryWithRoot(dir), name, mayFilter });
export const list = (dir: string) => {
  const { repository, root } = repositoryWithRoot(dir);
  return worktreesOf(repository, root);
};
export const commitIn = (folder: string, files: Record<string, string>) => {
  put(folder, files);
  git(folder, 'add', '.');
  git(folder, 'commit', '-qm', 'work');
};
