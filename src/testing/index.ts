/**
 * Public face of `reins/testing`: the practice agent as a command, agents that play steps of yours, checks for an adapter of
 * yours, and the proof that nothing was left running. For our own tests and for whoever builds on Reins.
 * @module
 */
export { checkAdapter, decodeRecorded, playRecorded } from './adapter-check.js';
export * from './lab/index.js';
export { expectNoProcesses, type Leftover, processesWith } from './leaks.js';
export type { PracticeDoor } from './practice/face.js';
export type { PracticeQuestion, PracticeStep, PracticeTool } from './practice/script.js';
export { type PracticeCommand, type PracticeWish, practiceAgent, scriptedAgent } from './practice-agent.js';
