/** The worktrees of the repository the caller stands in, with the sessions that work or worked in them: listed, merged, removed. */
import { ReinsError, shellWord } from '../contract/index.js';
import { places } from '../link/index.js';
import {
  factsOf,
  type MergedBranch,
  mergeBranch,
  removeWorktree,
  repositoryWithRoot,
  type Worktree,
  type WorktreeFacts,
  worktreesOf,
} from '../proc/worktrees.js';
import { treeOf, withFolder } from './beside.js';
import { livingPlaces } from './catalog.js';
import { specOf } from './spec-file.js';
import type { Where } from './where.js';

export interface WorktreeRow extends Omit<Worktree, 'gitDir' | 'locked'>, Omit<WorktreeFacts, 'dirty'> {
  /** Null where git cannot say. */
  dirty: number | null;
  /** Nothing of it is missing in the branch here. */
  merged: boolean;
  /** Those that were started with it and are on record; which of all sessions work in it now. */
  sessions: string[];
  live: string[];
}

/** Throws WORKTREE_REFUSED where there is no repository, GIT_FAILED. */
export async function worktreeRows(where: Where): Promise<WorktreeRow[]> {
  const { here, all } = found(where);
  const past = all.length > 0 ? sessionsByFolder(where) : new Map<string, string[]>();
  return Promise.all(
    all.map(async ({ gitDir, locked: _, ...tree }) => {
      const { dirty = null, ...facts } = await factsOf(here, { ...tree, ...(gitDir ? { gitDir } : {}) });
      const merged = facts.commit !== undefined && facts.ahead === 0 && facts.strays === 0;
      return { ...tree, ...facts, dirty, merged, sessions: past.get(tree.folder) ?? [], live: liveIn(where, tree) };
    }),
  );
}

export interface MergedWorktree extends MergedBranch {
  name: string;
  branch: string;
  /** Files in it that are not committed, and so not merged; null where git cannot say. */
  dirty: number | null;
}

/** Into the branch the caller's working tree is on; from inside the worktree, the main one's. Throws as it says. */
export async function mergeWorktree(where: Where, name: string): Promise<MergedWorktree> {
  const { here, tree } = named(where, name);
  return withFolder(where, tree.folder, async () => {
    checkIdle(where, tree);
    const { dirty = null, ahead, strays } = await factsOf(here, tree);
    const { branch, folder } = tree;
    if (strays > 0) {
      const git = `git -C ${shellWord(folder)}`;
      throw new ReinsError('MERGE_REFUSED', {
        branch,
        reason: `${strays === 1 ? '1 commit in its folder is' : `${strays} commits in its folder are`} not on it: whoever worked there left the branch`,
        fix: `look at them: ${git} log ${branch}..HEAD; where they are to be all of it: ${git} checkout -B ${branch}`,
      });
    }
    if (ahead === 0 && dirty !== 0) {
      throw new ReinsError('MERGE_REFUSED', {
        branch,
        reason: `it has no commit of its own, and ${dirty ?? 'some'} files in it are not committed`,
        fix: `look at them, then: git -C ${shellWord(folder)} add -A && git -C ${shellWord(folder)} commit`,
      });
    }
    return { name, branch, dirty, ...(await mergeBranch(here, branch)) };
  });
}

export interface RemoveHow {
  /** Whatever is lost. */
  force: boolean;
  /** Lose this? Absent, or undefined for an answer: nobody is there. */
  mayLose?(name: string, what: string[]): Promise<boolean | undefined>;
}

/** Folder, branch and registration. Returns the commit the branch was on. Throws WORKTREE_LOSS with what would be lost. */
export async function dropWorktree(where: Where, name: string, how: RemoveHow): Promise<{ commit?: string }> {
  const { here, tree } = named(where, name);
  if (tree.locked !== undefined && !how.force) {
    const reason = `${name} is locked${tree.locked ? `: ${tree.locked}` : ''}`;
    throw new ReinsError('WORKTREE_REFUSED', { reason, fix: `git worktree unlock ${shellWord(tree.folder)}` });
  }
  checkIdle(where, tree);
  const before = await factsOf(here, tree);
  const lost = lossOf(before);
  if (lost.length > 0 && !how.force && (await how.mayLose?.(name, lost)) !== true)
    throw new ReinsError('WORKTREE_LOSS', { name, what: lost.join(', ') });
  return withFolder(where, tree.folder, async () => {
    checkIdle(where, tree);
    // Somebody may have worked on while the question stood.
    const now = lossOf(await factsOf(here, tree));
    if (!how.force && now.join() !== lost.join()) throw new ReinsError('WORKTREE_LOSS', { name, what: now.join(', ') });
    await removeWorktree(here, tree);
    return before.commit === undefined ? {} : { commit: before.commit };
  });
}

function lossOf({ unmerged, dirty, submodules }: WorktreeFacts): string[] {
  const files =
    dirty === undefined ? ['files that git cannot tell about'] : counted(dirty, 'file that is', 'files that are');
  return [
    ...counted(unmerged, 'commit that is on no other branch', 'commits that are on no other branch'),
    ...files.map((line) => (dirty === undefined ? line : `${line} not committed`)),
    ...submodules.map((name) => `work in its submodule ${name} that was not pushed from there`),
  ];
}

const counted = (count: number, one: string, many: string): string[] =>
  count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];

function found({ cwd }: Where) {
  const { repository, root } = repositoryWithRoot(cwd);
  const all = worktreesOf(repository, root);
  // Whoever stands in one of them means the tree around.
  const isInOne = all.some(({ folder }) => folder === repository.top);
  return { here: isInOne ? repositoryWithRoot(root).repository : repository, all };
}

function named(where: Where, name: string) {
  const { here, all } = found(where);
  const tree = all.find((one) => one.name === name);
  if (!tree) throw new ReinsError('NO_SUCH_WORKTREE', { name: name.slice(0, 80) });
  return { here, tree };
}

function liveIn({ env }: Where, { folder }: Pick<Worktree, 'folder'>): string[] {
  return livingPlaces(env).flatMap((place) => {
    const cwd = place.alive ? specOf(place)?.cwd : undefined;
    return cwd !== undefined && treeOf(cwd) === folder ? [place.id] : [];
  });
}

function checkIdle(where: Where, tree: Worktree): void {
  const [session] = liveIn(where, tree);
  if (session !== undefined) throw new ReinsError('WORKTREE_BUSY', { session, name: tree.name });
}

/** From the oldest. Reads what each session on record was started with: some thousand are a second. */
function sessionsByFolder({ env }: Where): Map<string, string[]> {
  const known = places(env)
    .flatMap((place) => specOf(place) ?? [])
    .sort((a, b) => a.created_at.localeCompare(b.created_at));
  const byFolder = new Map<string, string[]>();
  for (const { id, worktree } of known)
    if (worktree) byFolder.set(worktree.folder, [...(byFolder.get(worktree.folder) ?? []), id]);
  return byFolder;
}
