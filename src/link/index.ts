/**
 * How viewers reach hosts: which there are, and a client's end of the link. The host's end is `serve.ts`: apart, because
 * everyone's start would pay for it.
 * @module
 */
export * from './client.js';
export * from './hosts.js';
export type { Link } from './link.js';
