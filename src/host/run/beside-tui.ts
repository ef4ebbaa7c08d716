/**
 * What an agent's terminal program has beside it: its transcript, which is followed from before the start, and, for some,
 * a server of its own that asks us about every call. Server first: the program joins what it holds.
 */
import type { CompanionPlan } from '../../adapters/index.js';
import { ReinsError } from '../../contract/index.js';
import type { StopReport } from '../../terminal/index.js';
import type { RunningAgent } from '../agent-process.js';
import type { AgentTurn } from '../agent-turn.js';
import { Companion } from '../doors/companion.js';
import type { TuiParts } from '../doors/make-tui.js';
import { type Recorded, recordConversation } from '../doors/recorded.js';
import { launchCompanion, type Planned } from '../launch.js';
import type { WorkPorts } from '../modes/work.js';
import type { Beside } from './agent-run.js';
import { ofSession } from './ports.js';

export interface BesideTuiOptions {
  ports: WorkPorts;
  /** The agent, as people write it. */
  label: string;
  /** The agent has recorded this prompt as given to it. */
  prompted(text: string): void;
  /** The server is gone: nobody would ask any more. */
  lost(reason: string): void;
}

export class BesideTui implements Beside {
  readonly #options: BesideTuiOptions;
  #recorded: Recorded | undefined;
  #companion: Companion | undefined;
  /** The companion's process, from its very start. */
  #server: RunningAgent | undefined;
  #agent: RunningAgent | undefined;

  constructor(options: BesideTuiOptions) {
    this.#options = options;
  }

  /** What the server holds: it goes on, also when the terminal program crashed. */
  get conversation(): string | undefined {
    return this.#companion?.conversation;
  }

  /** What the door has to know of it. */
  get doorParts(): Pick<TuiParts, 'said' | 'transcript' | 'elsewhere'> {
    const recorded = this.#recorded;
    return {
      ...(recorded
        ? { said: (output) => recorded.said(output), transcript: (path: string) => recorded.transcript(path) }
        : {}),
      ...(this.#companion ? { elsewhere: () => this.#companion?.asking } : {}),
    };
  }

  async open(planned: Planned, turn: AgentTurn): Promise<Planned | ReinsError> {
    const { ports, prompted } = this.#options;
    this.#recorded = recordConversation({
      ports,
      planned,
      turn,
      since: ports.clock.now(),
      // Its server keeps the record, and is no child of the terminal program.
      pids: () => [this.#agent, this.#server].flatMap((one) => one?.pids() ?? []),
      prompted,
    });
    const { companion } = planned.plan;
    const opened = companion ? await this.#openCompanion(companion, planned, turn) : planned;
    if (opened instanceof ReinsError) await this.#recorded.end();
    return opened;
  }

  stop(how: 'stop' | 'kill', why: string): Promise<StopReport> | undefined {
    return this.#agent ? undefined : this.#server?.stop(how, why);
  }

  started(agent: RunningAgent): void {
    this.#agent = agent;
    // Before the rest hears of its end: the sweep that follows must not wait for a turn.
    void agent.exited.then(() => this.#companion?.leave());
  }

  async end(): Promise<void> {
    await this.#recorded?.end();
    this.close();
  }

  close(): void {
    this.#companion?.close();
  }

  async #openCompanion(plan: CompanionPlan, planned: Planned, turn: AgentTurn): Promise<Planned | ReinsError> {
    const { ports, label, lost } = this.#options;
    const opened = await Companion.open({
      plan,
      clock: ports.clock,
      start: async (socket) => {
        const started = await launchCompanion(ports, planned, socket);
        this.#server = started.ok ? started.agent : undefined;
        return started;
      },
      ask: ofSession(ports).ask,
      said: (output) => turn.said(output),
    });
    if (!opened.ok) {
      return new ReinsError('AGENT_UNSTARTABLE', { agent: label, reason: opened.reason, fix: 'see `reins doctor`' });
    }
    const { companion } = opened;
    this.#companion = companion;
    const text = `${label}’s server (process ${companion.agent.proc.pid}) runs beside its terminal program and asks about every tool call.`;
    ports.journal.append('notice', { level: 'info', text });
    void companion.lost.then(lost);
    return { ...planned, plan: { ...planned.plan, args: companion.args } };
  }
}
