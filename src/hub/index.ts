/**
 * The hub: who may enter from a browser or a phone, and the sessions of this machine as they see them. It owns what belongs to
 * the machine (devices, push keys and subscriptions) and nothing of a session: a restart loses nothing. What the command line
 * needs of it without the server is `local.ts`.
 * @module
 */
export { ownNamespace } from './scope.js';
export { type HubOptions, type RunningHere, startHub } from './start.js';
