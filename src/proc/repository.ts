/**
 * What a repository says about its files, with nothing of the repository's run.
 * @module
 */
export { gitDiff, gitStatus } from './git.js';
export { workingTreeOf } from './git-folders.js';
export { mayBeCommitted } from './tracked.js';
