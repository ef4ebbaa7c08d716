/**
 * What Reins keeps on disk: where, under which names, and files that are replaced whole or not at all.
 * @module
 */
export * from './places.js';
export * from './whole-file.js';
