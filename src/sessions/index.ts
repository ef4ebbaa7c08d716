/**
 * The sessions of this machine: found, listed, told, started, ended. Whoever stands above (command line, library, MCP
 * server, hub) uses this room and the commands of the contract. It writes to no standard stream and asks nobody: what it
 * has to tell comes back as a value, or goes through a small port.
 *
 * This face loads neither config nor agents. What needs them is behind run.ts; start.ts is for who must start fast.
 * @module
 */
export { connectTo, findSession, type Listed, listed, rowOf, SILENT_DETAIL, tell, tellFromInside } from './find.js';
export { specOf } from './spec-file.js';
export { endSilent, lostHost, sweepSession } from './sweep.js';
export type { Here, Where } from './where.js';
