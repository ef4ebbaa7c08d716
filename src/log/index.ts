/**
 * Diagnostics: the implementation of the contract's `Log` port. Passed in by whoever composes, never a global.
 * @module
 */
export { createLog, defaultLogFile, type LogOptions, levelFor, type OpenLog } from './log.js';
export { type Redact, redactor, secretsFrom, withoutSecrets } from './redact.js';
