/**
 * One iteration: one launch of an agent with one prompt and one turn, headless or, with `--tui`, in its own terminal
 * program on the loop's screen. Time spent waiting for a person does not count.
 */
import { randomUUID } from 'node:crypto';
import type { Adapter } from '../../adapters/index.js';
import { textDecoder } from '../../adapters/loaded.js';
import { adapterSettings } from '../../config/quick.js';
import type { Size } from '../../contract/index.js';
import type { TurnListeners } from '../agent-turn.js';
import { makeTuiDoor } from '../doors/make-tui.js';
import type { TuiDoor } from '../doors/tui.js';
import type { Output } from '../output.js';
import { AgentRun, type RunOrder } from '../run/agent-run.js';
import { BesideTui } from '../run/beside-tui.js';
import type { MadeOf } from '../run/headless-door.js';
import type { LimitSettings } from '../run/limits.js';
import { ofSession } from '../run/ports.js';
import type { WorkPorts } from './work.js';

export interface IterationOptions {
  ports: WorkPorts;
  adapter: Adapter;
  prompt: string;
  promptFile: string;
  size: Size;
  listeners: TurnListeners;
  /** `--tui`: the agent's own terminal program, shown here. */
  output?: Output;
}

export function iteration(options: IterationOptions): AgentRun {
  const { ports, adapter, prompt, promptFile, size, listeners, output } = options;
  const shown = output ? shownBeside({ ports, adapter, output }) : undefined;
  return new AgentRun(ofSession(ports), {
    adapter,
    size,
    listeners,
    oneTurn: true,
    begins: 'working',
    choice: {
      mode: 'autonomous',
      tui: output !== undefined,
      prompt,
      promptFile,
      ...(output ? { conversation: { id: randomUUID(), resume: false } } : {}),
    },
    limits: limitsOf(ports, adapter),
    ...shown,
  });
}

function limitsOf({ spec }: WorkPorts, adapter: Adapter): LimitSettings {
  const settings = adapterSettings(spec.config, adapter.id);
  const key = (name: string) => `adapters.${adapter.id}.${name}`;
  return {
    whole:
      spec.timeout_secs > 0
        ? { secs: spec.timeout_secs, by: '--timeout' }
        : { secs: settings.timeout, by: key('timeout') },
    firstOutput: { secs: settings.first_output_secs, by: key('first_output_secs') },
    // A session that an older build began has no word about it.
    quiet:
      settings.idle_secs === undefined
        ? { secs: settings.quiet_timeout ?? 0, by: key('quiet_timeout') }
        : { secs: settings.idle_secs, by: key('idle_secs') },
  };
}

interface ShownIteration {
  ports: WorkPorts;
  adapter: Adapter;
  output: Output;
}

/** Without hooks only its transcript says what it has done, and that has to be known: also of a loop. */
function shownBeside(shown: ShownIteration): Pick<RunOrder, 'door' | 'beside'> {
  let door: TuiDoor | undefined;
  const beside = new BesideTui({
    ports: shown.ports,
    label: shown.adapter.label,
    prompted: (text) => door?.recorded(text),
    lost: () => undefined,
    unlessHooked: true,
  });
  return {
    beside,
    door(made) {
      door = shownDoor(made, shown, beside);
      return door;
    },
  };
}

function shownDoor(made: MadeOf, shown: ShownIteration, { doorParts }: BesideTui): TuiDoor {
  const { planned, agent, turn } = made;
  const { submit, tui } = planned.plan;
  // A program that only prints: what it prints is what it says.
  const printed = shown.adapter.plain && !tui!.hook ? { printed: textDecoder() } : {};
  const { ports, output } = shown;
  const door = makeTuiDoor({ ports, output, planned, agent, turn, ...printed, ...doorParts });
  if (submit !== undefined) void door.ready().then(() => door.submit(submit));
  return door;
}
