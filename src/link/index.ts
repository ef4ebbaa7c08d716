/**
 * How viewers reach hosts: where they live, and a client's end of the link. The host's end is `serve.ts`, what a viewer does
 * with a person's own terminal `own-terminal.ts`: apart, because everyone's start would pay for both.
 * @module
 */
export * from './client.js';
export * from './hosts.js';
export type { Link } from './link.js';
export * from './places.js';
export * from './whole-file.js';
