/**
 * What the operating system says about processes. What a repository says about its files is `repository.ts`: apart, because
 * everyone's start would pay for it.
 * @module
 */
export * from './stat.js';
