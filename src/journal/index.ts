/**
 * The append-only record of a session: written by its host, read by everyone.
 * @module
 */
export * from './journal.js';
export * from './read.js';
