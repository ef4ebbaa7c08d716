/** What a worktree holds that is nowhere else, and its end. Asked before anything is removed or merged. */
import { existsSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import { uncommitted } from './git.js';
import { commitOf, type Repository } from './git-folders.js';
import { type OwnGit, withOwnGit } from './git-own.js';
import { must } from './worktree-make.js';
import type { Worktree } from './worktree-names.js';
import { submodulesAtWork } from './worktree-submodules.js';

export interface WorktreeFacts {
  /** The commit its branch is on; absent where it has none. */
  commit?: string;
  /** Commits that the branch here does not have, and the other way round. */
  ahead: number;
  behind: number;
  /** Commits that are neither on its branch nor here: whoever worked in it had left the branch. */
  strays: number;
  /** Commits that are on no other branch, tag or remote: lost with it. */
  unmerged: number;
  /** Files that are changed or new and not committed; absent where git cannot say. */
  dirty?: number;
  /** Submodules in it that hold work nobody else has. */
  submodules: string[];
}

/** Where commits are kept for good. A stash holds them too, until somebody drops it. */
const KEPT = ['--branches', '--tags', '--remotes'];

/** `here`: the working tree they are compared with. Throws GIT_FAILED. */
export async function factsOf(here: Repository, { branch, gitDir, folder, state }: Worktree): Promise<WorktreeFacts> {
  const commit = commitOf(here) ?? '';
  const counted = await withOwnGit({ repository: here, commit, branches: true }, async (git) => {
    const tip = await tipOf(git, branch);
    // An agent may have left the branch: what HEAD is on counts too.
    const head =
      gitDir === undefined ? undefined : commitOf({ top: folder, gitDir, commonDir: here.commonDir }) || undefined;
    const tips = [...new Set([tip, head].filter((one) => one !== undefined))];
    if (tips.length === 0) return { ahead: 0, behind: 0, strays: 0, unmerged: 0 };
    const count = async (args: string[]) =>
      Number(must('count commits', await git(['rev-list', '--count', ...args])).stdout);
    return {
      ...(tip === undefined ? {} : { commit: tip }),
      ahead: tip === undefined || commit === '' ? 0 : await count([tip, `^${commit}`]),
      behind: tip === undefined || commit === '' ? 0 : await count([commit, `^${tip}`]),
      strays:
        head === undefined ? 0 : await count([head, ...[tip, commit].filter(Boolean).map((known) => `^${known}`)]),
      unmerged: await count([...tips, '--not', ...(commit === '' ? [] : [commit]), `--exclude=${branch}`, ...KEPT]),
    };
  });
  const dirty = await dirtyIn({ folder, state });
  const tree = gitDir === undefined ? undefined : { top: folder, gitDir, commonDir: here.commonDir };
  const submodules = tree && state === 'ready' ? await submodulesAtWork(tree) : [];
  return { ...counted, ...(dirty === undefined ? {} : { dirty }), submodules };
}

const tipOf = async (git: OwnGit, branch: string): Promise<string | undefined> => {
  const said = await git(['rev-parse', '--verify', '--quiet', `refs/heads/${branch}^{commit}`]);
  return said.ok ? said.stdout.trim() : undefined;
};

/** In one that was never finished nobody has worked, unless there is something git did not put there. */
async function dirtyIn({ folder, state }: Pick<Worktree, 'folder' | 'state'>): Promise<number | undefined> {
  if (state === 'gone') return 0;
  if (state === 'ready') return (await uncommitted(folder))?.length;
  if (lstatSync(folder).isSymbolicLink() || existsSync(`${folder}/.git`)) return 0;
  return readdirSync(folder).length;
}

/**
 * Folder, branch, and last what git knows of it: killed in between, it is still listed, and can be removed again. Contract:
 * the caller has asked what would be lost; throws GIT_FAILED, or what the disk says.
 */
export async function removeWorktree(here: Repository, { branch, gitDir, folder }: Worktree): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  await withOwnGit({ repository: here, commit: commitOf(here) ?? '', branches: true }, async (git) => {
    const tip = await tipOf(git, branch);
    if (tip !== undefined) must('remove its branch', await git(['update-ref', '-d', `refs/heads/${branch}`, tip]));
  });
  if (gitDir !== undefined) rmSync(gitDir, { recursive: true, force: true });
}
