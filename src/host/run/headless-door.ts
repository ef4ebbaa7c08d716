/** The door of an agent without a screen: one-way where it only prints, two-way where it can be asked and told. */

import type { RunningAgent } from '../agent-process.js';
import type { AgentTurn } from '../agent-turn.js';
import { ControlDoor } from '../doors/control.js';
import type { DoorAtWork } from '../doors/door.js';
import { hookGate } from '../doors/hook-gate.js';
import { StreamDoor } from '../doors/stream.js';
import { HOOK_TIMEOUT_SECS, type Planned } from '../launch.js';
import type { RunPorts } from './ports.js';

export interface MadeOf {
  ports: RunPorts;
  planned: Planned;
  agent: RunningAgent;
  turn: AgentTurn;
}

export function headlessDoor({ ports, planned, agent, turn }: MadeOf): DoorAtWork {
  const { plan } = planned;
  const said: AgentTurn['said'] = (output) => turn.said(output);
  const hook = plan.hook && hookGate(plan.hook, ports.ask, HOOK_TIMEOUT_SECS * 1000);
  if (!plan.protocol) return new StreamDoor({ decoder: plan.decoder!, ports: { said }, hook });
  return new ControlDoor({
    protocol: plan.protocol,
    hook,
    ports: {
      said,
      state: (...args) => turn.state(...args),
      ask: ports.ask,
      write: (bytes) => agent.proc.write(bytes),
      endInput: () => agent.proc.endInput(),
    },
  });
}
