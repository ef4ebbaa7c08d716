/**
 * The library's door: supervise agents from a program of your own. docs/api.md shows how.
 * @module
 */
export {
  type Adapter,
  adapterNamed,
  adapters,
  Detector,
  type Door,
  decoders,
  type HookFace,
  type InquiryDraft,
  type LaunchAsk,
  type LaunchPlan,
  type Protocol,
  type ProtocolStep,
  protocols,
  type Refusal,
  type Settled,
  type Tui,
} from './adapters/index.js';
export { type Config, loadConfig } from './config/index.js';
export * from './contract/index.js';
export { readJournal } from './journal/index.js';
export {
  type AgentOptions,
  type CommandOptions,
  type Given,
  type GivenAnswer,
  type Here,
  type InquiryHandler,
  type InquiryOptions,
  type OutputPiece,
  openSession,
  type Reply,
  Session,
  type SessionEnd,
  type StartOptions,
  sessions,
  startSession,
} from './library/index.js';
export { type StopReport, stopTree } from './terminal/index.js';
export { Strip, stripAnsi } from './vt/strip.js';
