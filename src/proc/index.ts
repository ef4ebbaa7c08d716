/**
 * What the operating system says about processes.
 * @module
 */
export * from './stat.js';
