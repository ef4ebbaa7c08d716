/** The host's end of the link: listening, what each viewer is owed, and terminals that viewers lend. */
export * from './lending.js';
export type { Link } from './link.js';
export * from './listen.js';
export * from './outbox.js';
export { FILES } from './places.js';
export { makeDir, writeWhole } from './whole-file.js';
