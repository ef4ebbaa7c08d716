/**
 * Worktrees of our own: made, told about, merged and removed, with nothing of the repository's run.
 * @module
 */
export { uncommitted } from './git.js';
export { factsOf, removeWorktree, type WorktreeFacts } from './worktree-facts.js';
export { makeWorktree, undoMake } from './worktree-make.js';
export { type MergedBranch, mergeBranch } from './worktree-merge.js';
export {
  branchOf,
  folderOf,
  isWorktreeName,
  repositoryWithRoot,
  type Worktree,
  worktreesOf,
} from './worktree-names.js';
