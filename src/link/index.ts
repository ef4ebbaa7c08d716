/**
 * How viewers and hosts reach each other: frames over sockets or memory, catching up, and where hosts live.
 * @module
 */
export * from './client.js';
export * from './detach-key.js';
export * from './hosts.js';
export * from './lending.js';
export * from './lent-terminal.js';
export type { Link } from './link.js';
export * from './listen.js';
export * from './memory.js';
export * from './outbox.js';
export * from './places.js';
export * from './redrawn.js';
export * from './restore.js';
