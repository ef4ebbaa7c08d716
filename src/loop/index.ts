/**
 * The loop: the rule that turns facts about one iteration into the next one, or into the end. Pure: the host brings the
 * facts and the time, appends the entries, and carries out the effects.
 */
export { checkHats, type HatCheck, type HatFinding } from './check-hats.js';
export { PromiseWatch } from './completion.js';
export type { OwnEntry } from './entries.js';
export { cutPayload, EventParser, LONGEST_PAYLOAD, type ParsedEvent } from './events.js';
export type { Claim, Effect, Fact, StopAsked, StopSignal, Told, UsageFigures } from './facts.js';
export { fold } from './fold.js';
export { loopSettingsFrom } from './from-config.js';
export { renderGraph } from './graph.js';
export { nextWake } from './limits.js';
export { buildPrompt, layOutPrompt, promptDetails } from './prompt.js';
export type { PromptParts } from './prompt-parts.js';
export { type Reduced, reduce } from './reduce.js';
export { promptFile } from './reduce-start.js';
export { type HatSettings, type LoopSettings, promiseRule } from './settings.js';
export {
  type Finish,
  type GateResult,
  type Guidance,
  initialState,
  type LoopEvent,
  type LoopState,
  totalUsage,
  type Usage,
  type Wait,
} from './state.js';
