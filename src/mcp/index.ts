/**
 * Sessions as tools for other programs: a server of the Model Context Protocol, on stdin and stdout or on loopback. It stands
 * on `sessions/` and the commands of the contract; what a caller may do is decided here (decision 039), and once more by
 * each host.
 * @module
 */
export { type HttpServer, serveHttp } from './http.js';
export { readRights } from './rights.js';
export { createServer, type McpOptions } from './server.js';
export { serveLines } from './stdio.js';
