/**
 * What a program does with sessions: start one, find one, list them, read, answer, steer, stop.
 * @module
 */
export type { GivenAnswer, InquiryHandler, InquiryOptions, Reply } from './inquiries.js';
export type { OutputPiece } from './readers.js';
export { Session, type SessionEnd } from './session.js';
export {
  type AgentOptions,
  type CommandOptions,
  type Here,
  openSession,
  type StartOptions,
  sessions,
  startSession,
} from './start.js';
export type { Given } from './stream.js';
