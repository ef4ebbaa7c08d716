/**
 * What the operating system says about processes, and what a repository says about its files.
 * @module
 */
export { gitStatus } from './git.js';
export * from './stat.js';
export { mayBeCommitted } from './tracked.js';
