/**
 * The library's door: supervise agents from a program of your own.
 * @module
 */
export { type Adapter, adapterNamed, adapters, Detector } from './adapters/index.js';
export { type Config, loadConfig } from './config/index.js';
export * from './contract/index.js';
export { Host, type HostOptions, type SessionSpec } from './host/index.js';
export { Journal, readJournal } from './journal/index.js';
export { connectHost, HostClient, type Incoming, type Link, places, startHost } from './link/index.js';
export { memoryPair } from './link/memory.js';
