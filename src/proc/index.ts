/**
 * What the operating system says about processes. What a repository says about its files is `repository.ts`: apart, because
 * everyone's start would pay for it; so are how it shows which one it
 * is, `peer.ts`, and whether it belongs to a session, `inside.ts`.
 * @module
 */
export * from './stat.js';
