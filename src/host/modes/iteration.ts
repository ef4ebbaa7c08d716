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
import { adapterFor } from '../launch.js';
import type { Output } from '../output.js';
import { AgentRun, type RunOrder } from '../run/agent-run.js';
import { BesideTui } from '../run/beside-tui.js';
import type { MadeOf } from '../run/headless-door.js';
import type { LimitSettings } from '../run/limits.js';
import { ofSession } from '../run/ports.js';
import { TurnWatch } from '../run/turn-watch.js';
import { type Worn, worn } from '../worn.js';
import { quietOf } from './quiet.js';
import type { WorkPorts } from './work.js';

export interface IterationOptions {
  ports: WorkPorts;
  /** Whose agent is started; absent: the session's own. */
  hat: string | undefined;
  prompt: string;
  promptFile: string;
  size: Size;
  listeners: TurnListeners;
  /** `--tui`: the agent's own terminal program, shown here. */
  output?: Output;
}

export interface Iteration {
  run: AgentRun;
  /** Somebody pressed a key in its terminal. */
  pressed(): void;
}

export function iteration(options: IterationOptions): Iteration {
  const { prompt, promptFile, size, output } = options;
  const wears = worn(options.ports.spec, options.hat);
  const ports = { ...options.ports, spec: wears.spec };
  const adapter = adapterFor(wears.adapter);
  // Before anything can be asked: what this hat may not do, and no longer what the one before might not.
  ports.wear(wears.rules);
  const shown = output ? shownTurn({ ...options, ports, adapter, output }, () => run) : undefined;
  const run: AgentRun = new AgentRun(ofSession(ports), {
    adapter,
    size,
    listeners: { ...options.listeners, ...shown?.listeners },
    oneTurn: true,
    begins: 'working',
    choice: {
      mode: 'autonomous',
      tui: output !== undefined,
      prompt,
      promptFile,
      ...(output ? { conversation: { id: randomUUID(), resume: false }, companion: true } : {}),
    },
    limits: limitsOf(wears, adapter),
    ...shown?.order,
  });
  return { run, pressed: () => shown?.watch.pressed() };
}

function limitsOf({ spec, whole }: Worn, adapter: Adapter): LimitSettings {
  const settings = adapterSettings(spec.config, adapter.id);
  const key = (name: string) => `adapters.${adapter.id}.${name}`;
  return {
    whole:
      spec.timeout_secs > 0
        ? { secs: spec.timeout_secs, by: '--timeout' }
        : (whole ?? { secs: settings.timeout, by: key('timeout') }),
    firstOutput: { secs: settings.first_output_secs, by: key('first_output_secs') },
    quiet: quietOf(spec, adapter),
  };
}

type Shown = IterationOptions & { adapter: Adapter; output: Output };

/** Its terminal program: read beside the screen, because only its transcript has its words, and watched for the turn's end. */
function shownTurn(shown: Shown, run: () => AgentRun) {
  const { ports, adapter } = shown;
  let door: TuiDoor | undefined;
  let done = false;
  const beside = new BesideTui({
    ports,
    label: adapter.label,
    prompted: (text) => door?.recorded(text),
    lost: (reason) => {
      // Sent away after its turn, the server may go before the terminal program does.
      if (!done) void run().end({ exit: 'failed', reason }, { how: 'stop', why: reason });
    },
  });
  const watch = new TurnWatch({
    clock: ports.clock,
    label: adapter.label,
    hooked: () => run().planned?.plan.tui?.hook !== undefined,
    over(end, { silentHook, limit }) {
      if (silentHook && end.ok) tellSilent(ports, adapter.label);
      if (limit) run().turn.said({ kind: 'limit', ...limit });
      run().turn.said(end);
    },
  });
  const order: Pick<RunOrder, 'door' | 'beside'> = {
    beside,
    door(made) {
      door = shownDoor(made, shown, beside);
      void made.agent.exited.then(() => watch.close());
      return door;
    },
  };
  const listeners: TurnListeners = {
    output: (output) => {
      done ||= output.kind === 'done';
      watch.heard(output);
    },
    state: (state) => watch.state(state),
  };
  return { order, listeners, watch };
}

const told = new WeakSet<WorkPorts['journal']>();

/** Once per session. */
function tellSilent({ journal }: WorkPorts, label: string): void {
  if (told.has(journal)) return;
  told.add(journal);
  const text = `${label}’s hook did not tell that its turn was over (a setting may have switched hooks off); its transcript and its screen did`;
  journal.append('notice', { level: 'info', code: 'turn-end', text });
}

function shownDoor(made: MadeOf, shown: Shown, { doorParts }: BesideTui): TuiDoor {
  const { planned, agent, turn } = made;
  const { submit, tui } = planned.plan;
  // A program that only prints: what it prints is what it says.
  const printed = shown.adapter.plain && !tui!.hook ? { printed: textDecoder() } : {};
  const { ports, output } = shown;
  const door = makeTuiDoor({ ports, output, planned, agent, turn, ...printed, ...doorParts });
  if (submit !== undefined) void door.ready().then(() => door.submit(submit));
  return door;
}
