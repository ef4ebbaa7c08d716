/**
 * The agent's process and its terminal: start, write, screen, recording, submit, stop.
 * @module
 */

export { findExecutable } from './find.js';
export { IdleTimer } from './idle.js';
export { Interrupts } from './interrupts.js';
export { pauseTree, resumeTree } from './pause.js';
export {
  type Exit,
  loadStrangers,
  loadTerminalRest,
  type Proc,
  type ProcessSpec,
  type StartDeps,
  type StartedProcess,
  startProcess,
  type TtyState,
  type Written,
} from './process.js';
export { loadNodePty } from './pty.js';
export { Recording, type RecordingOptions } from './recording.js';
export { Screen, type Snapshot, type TerminalModes } from './screen.js';
export { signalExit } from './signals.js';
export { type StopReport, type StopTreeAsk, stopTree } from './stop.js';
export type { Strangers } from './strangers.js';
export { type MayType, type SubmitOptions, submit } from './submit.js';
export { type Mark, systemTable } from './table.js';
export { type Member, members, type TreeAsk, TreeWatch } from './tree.js';
export { WRITTEN } from './writer.js';
