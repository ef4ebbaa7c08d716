/** The host's end of the link: listening, what each viewer is owed, and terminals that viewers lend. */
export * from './lending.js';
export type { Link } from './link.js';
export * from './listen.js';
export * from './outbox.js';
export { FILES } from './places.js';
export type { Rights } from './sieve-rules.js';
export { DISK_REFUSES, makeDir, writeWhole } from './whole-file.js';
