/** The lab: real agents, pinned and offline, on a scripted model. */
export { type AcpAgent, acpAgents, acpSeat, installAcp } from './acp-agents.js';
export { cacheDir, type Installed, install } from './install.js';
export { type LabSeat, prepareSeat } from './launch.js';
export { type LabRequest, ModelServer } from './model-server.js';
export {
  type LabBlock,
  type LabQuestion,
  type LabScenario,
  type LabTurn,
  loadScenario,
  parseScenario,
} from './scenario.js';
export { type LabAgent, versions } from './versions.js';
export type { RequestKind } from './wire.js';
