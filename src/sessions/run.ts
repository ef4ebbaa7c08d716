/**
 * The second face of this room: starting an agent, and what that needs besides, which is the config, the agents and their
 * policy. Kept apart because loading those takes longer than most commands.
 * @module
 */
export { shownStarts } from './agent-folder.js';
export { agentNote } from './agent-standing.js';
export { checkBackend, checkBuiltIn, customOf } from './choose-agent.js';
export { configFindings, type Findings, hatFindingLine } from './config-findings.js';
export { continueSession } from './continue.js';
export { ensureFolderTrust } from './folder-trust.js';
export { loginWhere } from './login-env.js';
export { planText } from './plan-text.js';
export type { StartPorts } from './ports.js';
export { remember } from './probe-memory.js';
export { type ProbedAgent, type ProbeReport, SIGNS, type Sign, type SignSeen } from './probe-signs.js';
export { endedBefore, removeSession } from './remove.js';
export {
  defaultConfig,
  loadSettings,
  partLines,
  readSettings,
  type SettingsAsk,
  trustFolder,
  untrustedParts,
  userPolicy,
  userSettings,
} from './settings.js';
export type { RunSettings } from './settings-run.js';
export { type AgentTask, type GivenPrompt, readySession, startSession } from './start-session.js';
export { isGranted, wishedSession } from './wishes.js';
