/**
 * What terminals and programs say to each other, as bytes: the grammar of sequences, and who reads it. Output without its
 * sequences, output a person's own terminal may get and what must be put back there, keys in what a terminal sends.
 * @module
 */
export * from './control-keys.js';
export * from './focus.js';
export { QUIET } from './modes.js';
export * from './sieve.js';
export { noticeText } from './sieve-rules.js';
export * from './tail.js';
export * from './tokens.js';
