/** A tui door on a started agent: its screen, its desk, and the one submit path, put together. */
import type { AgentOutput, Decoder, EntryPayload } from '../../contract/index.js';
import { type MayType, submit } from '../../terminal/index.js';
import type { RunningAgent } from '../agent-process.js';
import type { AgentTurn } from '../agent-turn.js';
import type { Asked } from '../desk.js';
import { HOOK_TIMEOUT_SECS, type Planned } from '../launch.js';
import type { WorkPorts } from '../modes/work.js';
import type { Output } from '../output.js';
import { echoWait } from './echo.js';
import { OwnCommands } from './own-commands.js';
import { putBack } from './put-back.js';
import { askedAtTerminal } from './quiet.js';
import { whoAnswered } from './signs.js';
import { slashProof } from './slash-proof.js';
import { saysItWaits } from './status-file.js';
import { TuiDoor } from './tui.js';

export interface TuiParts {
  ports: WorkPorts;
  planned: Planned;
  agent: RunningAgent;
  output: Output;
  turn: AgentTurn;
  /** What it was started with: an early interrupt puts it into the input box. */
  prompt?: string;
  /** Told of every byte that goes to the agent through this door. */
  wrote?(bytes: Uint8Array): void;
  /** Where the agent keeps its transcript, as a hook told. */
  transcript?(path: string): void;
  /** What hooks said, if somebody else than `turn` is to hear it first. */
  said?(output: AgentOutput): void;
  /** Reads what a program that only prints says. */
  printed?: Decoder;
  /** What a companion of this agent has asked and waits for; absent: it has none. */
  elsewhere?: () => Asked | undefined;
}

export function makeTuiDoor(parts: TuiParts): TuiDoor {
  const { ports, planned, agent, output, turn, wrote } = parts;
  const tui = planned.plan.tui!;
  const { desk, clock, journal } = ports;
  const { proc } = agent;
  const write = (bytes: Uint8Array | string) => {
    wrote?.(Buffer.from(bytes));
    return proc.write(bytes);
  };
  const screen = output.screen!;
  const shot = () => screen.shot();
  const back = putBack({ tui, shot, write, clock });
  if (parts.prompt !== undefined) back.given(parts.prompt);
  let answeredBy: EntryPayload<'input.sent'>['by'] = 'human';
  journal.subscribe((entry) => {
    if (entry.type === 'inquiry.answered') answeredBy = whoAnswered(entry.data.answer.by.kind);
    if (entry.type === 'prompt.given') back.given(entry.data.text);
  });
  const own = new OwnCommands(clock);
  const told = (outputs: AgentOutput[] = []) => {
    for (const one of outputs) turn.said(one);
  };
  // In a loop nobody waits at the keys all night: there policy decides, and the time limits do the rest.
  const attended = ports.spec.mode === 'interactive';
  const quiet = tui.blind
    ? askedAtTerminal({
        ports,
        agent,
        output,
        ask: (draft, options) => desk.open(draft, attended ? { ...options, stays: true } : {}),
        wrote: (bytes) => wrote?.(bytes),
      })
    : undefined;
  const door: TuiDoor = new TuiDoor({
    tui,
    screen,
    clock,
    hookTimeoutMs: HOOK_TIMEOUT_SECS * 1000,
    // What comes while a turn runs waits in the host, where it can be seen and changed; a loop is steered by whoever watches.
    intoTurn: ports.spec.mode === 'autonomous',
    ...(parts.elsewhere ? { elsewhere: parts.elsewhere } : {}),
    ports: {
      show: (chunk) => {
        output.write(chunk);
        told(parts.printed?.feed(chunk));
        quiet?.heard(chunk);
      },
      said: (said) => (parts.said ? parts.said(said) : turn.said(said)),
      state: (state, because, detail) => {
        if (state === 'ended') {
          told(parts.printed?.end());
          quiet?.end();
        }
        turn.state(state, because, detail);
      },
      ask: (draft, options) => {
        const confirmed = own.answerTo(draft);
        const held = options?.held === true && attended;
        if (!confirmed) return desk.open(draft, { ...options, held });
        door.recorded(confirmed.command, 'screen');
        return desk.settled(draft, confirmed.answer);
      },
      byRules: (draft) => desk.atOnce(draft),
      saysItWaits: () => saysItWaits(tui, () => [proc.pid, ...agent.pids()]),
      // Keys that nobody typed: who had them pressed, and why, is in the journal.
      write: (bytes) => {
        const who =
          bytes === tui.interruptKeys ? ({ by: 'api', why: 'interrupt' } as const) : { by: answeredBy, why: 'answer' };
        journal.append('input.sent', { ...who, bytes: Buffer.byteLength(bytes) });
        return write(bytes);
      },
      endInput: () => proc.endInput(),
      unsaid: (reason) => {
        if (answeredBy === 'human') void tellWhy(reason);
      },
      conversation: (id) => turn.named(id),
      transcript: (path) => parts.transcript?.(path),
      type: (text, evidence) => {
        const isSlash = isSlashCommand(text);
        if (isSlash) own.sent(text);
        else back.given(text);
        const settleMs = tui.submit.pasteSettleMs;
        let taken = async (): Promise<void> => undefined;
        /** One look, what has to be done before that step, and another look right before the keys. */
        const allowed = async (before: 'text' | 'enter'): Promise<MayType> => {
          const first = await door.lookAndMayType();
          if ('reason' in first || first.may === 'blind') return first;
          if (before === 'text') {
            await back.takeOut();
            taken = echoWait({ shot, draft: tui.draft?.read, settleMs, clock });
          }
          await taken();
          return door.lookAndMayType();
        };
        return submit({
          text,
          write,
          screenModes: async () => screen.modes(),
          evidence: (signal) =>
            isSlash ? Promise.race([evidence, slashProof({ command: text, tui, shot, clock, signal })]) : evidence,
          mayType: allowed,
          settleMs,
          defuse: tui.submit.defuse,
          ...(tui.submit.defuseWith === undefined ? {} : { defuseWith: tui.submit.defuseWith }),
          slash: isSlash ? tui.submit.slash : 'no',
          clock,
        });
      },
    },
  });
  /** The person's own words, as they would have typed them after their no. */
  const tellWhy = async (reason: string): Promise<void> => {
    await door.ready();
    const { verdict } = await door.submit(reason);
    journal.append('input.sent', { by: 'human', bytes: Buffer.byteLength(reason), why: 'answer', verdict });
  };
  return door;
}

/** `/model sonnet` is meant; a path or a question that happens to begin with a slash is not. */
const isSlashCommand = (text: string): boolean => /^\/[a-z][a-z-]*( [^\n]*)?$/.test(text);
