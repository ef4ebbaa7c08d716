/** What a viewer needs to show a session on a person's own terminal, and to give that back as it was. */
export * from './detach-key.js';
export { QUIET } from './modes.js';
export * from './redrawn.js';
export * from './sieve.js';
export * from './terminal-name.js';
