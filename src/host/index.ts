/**
 * One session alive, and what a viewer needs to start one.
 * @module
 */
export { wordsToVerdict } from './answer-words.js';
export { decisionsAt } from './consult/project.js';
export { type DryPlan, dryPlan } from './dry-plan.js';
export { Host } from './host.js';
export type { HostOptions } from './host-options.js';
export { conversationIn } from './modes/resume.js';
export { changesSince } from './modes/tree-since.js';
export { policySettings } from './policy-settings.js';
export { reachableBy } from './reachable.js';
export type { RowInFile } from './row-file.js';
export type { Seat, SessionRule, SessionSpec, StartWords, Task } from './spec.js';
