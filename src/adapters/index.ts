/**
 * How each agent CLI is found, launched, read, asked and answered. Pure but for `detect`: the host carries the plans out.
 * @module
 */
import { claudeStream } from './decoders/claude-stream.js';
import { codexExec } from './decoders/codex-exec.js';
import { geminiStream } from './decoders/gemini-stream.js';
import { text } from './decoders/text.js';
import { acp } from './protocols/acp.js';
import { claudeControl } from './protocols/claude-control.js';

export type * from './adapter.js';
export type * from './consultation.js';
export {
  type DetectOptions,
  Detector,
  detect,
  type FoundAgent,
  findOne,
  isFound,
  type Missing,
  noneFound,
  notFound,
} from './detect.js';
export { folderStarts, isCovered } from './folder-starts.js';
export { withJsonEntry } from './json-entry.js';
export { standingOf, triedVersions, versionsWithLess } from './known-versions.js';
export { look } from './look.js';
export { bringAdapter } from './module.js';
export { adapterProblems, BUILT_IN, doorProblem, gateProblem, planProblems } from './module-shape.js';
export { onPath } from './on-path.js';
export { adapterNamed, adapters } from './registry.js';
export { type Ending, type Success, successOf } from './success.js';
export type { TranscriptFile, TranscriptReader } from './transcripts/tail.js';

/** Readers of one-way output, each with its own state: make one per process. */
export const decoders = { claudeStream, codexExec, geminiStream, text };

/** Two-way conversations with agents that ask, each with its own state: make one per process. */
export const protocols = { acp, claudeControl };
