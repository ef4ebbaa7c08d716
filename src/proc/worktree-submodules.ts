/**
 * Submodules that were brought into a worktree. Git keeps their repositories in the worktree's own git folder, and they go
 * with it: a commit made there and never pushed is nowhere else, also where the worktree's branch that names it was merged.
 */
import { lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { uncommitted } from './git.js';
import { commitOf, type Repository } from './git-folders.js';
import { withOwnGit } from './git-own.js';

/** Folders of modules inside folders of modules; and a file that says more than a path is none to read. */
const DEEPEST = 8;
const LARGEST = 65_536;

interface Module {
  name: string;
  /** Its repository. */
  dir: string;
}

/** By their names: those with commits that no remote has, with changed files, or of which git cannot tell. */
export async function submodulesAtWork(tree: Repository): Promise<string[]> {
  const names: string[] = [];
  for (const { name, dir } of [...modulesIn(join(tree.gitDir, 'modules')), ...(await embedded(tree))])
    if (await isAtWork(dir)) names.push(name);
  return [...new Set(names)].sort();
}

/** Whose repository is not in the git folder but among its files, as old ones have it, and what somebody cloned there and added. */
async function embedded(tree: Repository): Promise<Module[]> {
  const said = await withOwnGit({ repository: tree, commit: commitOf(tree) ?? '' }, (git) =>
    git(['ls-files', '-s', '-z']),
  );
  const links = said.stdout.split('\0').filter((line) => line.startsWith('160000 '));
  return links
    .map((line) => line.slice(line.indexOf('\t') + 1))
    .map((name) => ({ name, dir: join(tree.top, name, '.git') }))
    .filter(({ dir }) => lstatSync(dir, { throwIfNoEntry: false })?.isDirectory());
}

function modulesIn(folder: string, prefix = '', depth = 0): Module[] {
  if (depth > DEEPEST) return [];
  return foldersIn(folder).flatMap((entry) => {
    const [dir, name] = [join(folder, entry), `${prefix}${entry}`];
    const isRepository = statSync(join(dir, 'HEAD'), { throwIfNoEntry: false })?.isFile() === true;
    // A name may have slashes in it, and a submodule submodules of its own.
    if (!isRepository) return modulesIn(dir, `${name}/`, depth + 1);
    return [{ name, dir }, ...modulesIn(join(dir, 'modules'), `${name}/`, depth + 1)];
  });
}

function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
  } catch {
    return []; // no submodule was ever brought in
  }
}

async function isAtWork(dir: string): Promise<boolean> {
  const top = workingTreeOf(dir);
  const repository: Repository = { top: top ?? dir, gitDir: dir, commonDir: dir };
  const commit = commitOf(repository);
  if (commit === undefined) return true;
  try {
    const said = await withOwnGit({ repository, commit, branches: true }, (git) =>
      git(['rev-list', '--count', ...(commit === '' ? [] : [commit]), '--branches', '--not', '--remotes']),
    );
    if (!said.ok || Number(said.stdout) !== 0) return true;
  } catch {
    return true; // what cannot be looked at may be work
  }
  return top !== undefined && (await uncommitted(top))?.length !== 0;
}

/** Where its files are, if they still are there: a submodule that was put away again has none. */
function workingTreeOf(dir: string): string | undefined {
  if (basename(dir) === '.git') return dirname(dir);
  const config = join(dir, 'config');
  const stat = statSync(config, { throwIfNoEntry: false });
  const text = stat?.isFile() && stat.size <= LARGEST ? readFileSync(config, 'utf8') : '';
  const told = /^\s*worktree\s*=\s*"?(.+?)"?\s*$/m.exec(text)?.[1];
  const top = told === undefined ? undefined : resolve(dir, told);
  return top !== undefined && statSync(join(top, '.git'), { throwIfNoEntry: false }) ? top : undefined;
}
