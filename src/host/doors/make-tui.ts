/** A tui door on a started agent: its screen, its desk, and the one submit path, put together. */
import { submit } from '../../terminal/index.js';
import type { AgentProcess } from '../agent-process.js';
import type { AgentTurn } from '../agent-turn.js';
import { HOOK_TIMEOUT_SECS, type Planned } from '../launch.js';
import type { WorkPorts } from '../modes/work.js';
import type { Output } from '../output.js';
import { TuiDoor } from './tui.js';

export interface TuiParts {
  ports: WorkPorts;
  planned: Planned;
  agent: AgentProcess;
  output: Output;
  turn: AgentTurn;
}

export function makeTuiDoor({ ports, planned, agent, output, turn }: TuiParts): TuiDoor {
  const tui = planned.plan.tui!;
  const { desk, clock } = ports;
  const { proc } = agent;
  const screen = output.screen!;
  const door: TuiDoor = new TuiDoor({
    tui,
    screen,
    hookTimeoutMs: HOOK_TIMEOUT_SECS * 1000,
    ports: {
      show: (chunk) => output.write(chunk),
      said: (said) => turn.said(said),
      state: (state, because, detail) => turn.state(state, because, detail),
      ask: (draft, options) => desk.open(draft, options),
      byRules: (draft) => desk.atOnce(draft),
      write: (bytes) => proc.write(bytes),
      endInput: () => proc.endInput(),
      conversation: (id) => {
        turn.conversation = id;
      },
      transcript: () => undefined,
      type: (text, evidence) =>
        submit({
          text,
          write: (bytes) => proc.write(bytes),
          screenModes: async () => screen.modes(),
          evidence: () => evidence,
          ready: () => door.readiness,
          whenBusy: 'queue',
          dialogOpen: () => door.dialogOpen,
          settleMs: tui.submit.pasteSettleMs,
          defuse: tui.submit.defuse,
          slash: isSlashCommand(text) ? tui.submit.slash : 'no',
          clock,
        }),
    },
  });
  return door;
}

/** `/model sonnet` is meant; a path or a question that happens to begin with a slash is not. */
const isSlashCommand = (text: string): boolean => /^\/[a-z][a-z-]*( [^\n]*)?$/.test(text);
