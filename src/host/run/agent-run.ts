/**
 * One launch of an agent: planned, started, spoken with through its door, judged by what it said, ended with all it
 * started. It knows nothing of loops, people or sessions: whom it asks and where it is put on record is its ports'
 * business. One turn and away, or many, as its order says.
 */
import type { Adapter } from '../../adapters/index.js';
import { adapterSettings } from '../../config/quick.js';
import { asReinsError, type ReinsError, type SendReceipt, type Size } from '../../contract/index.js';
import type { Exit, StopReport } from '../../terminal/index.js';
import { AgentTurn, type TurnListeners } from '../agent-turn.js';
import type { DoorAtWork } from '../doors/door.js';
import { type LaunchChoice, launch, type Planned, planLaunch, tellNotes } from '../launch.js';
import { headlessDoor, type MadeOf } from './headless-door.js';
import { type CutShort, type JudgedRun, judge } from './judge.js';
import { type Hold, type LimitSettings, RunLimits } from './limits.js';
import { News } from './news.js';
import type { RunPorts } from './ports.js';
import { ProcessRun } from './process-run.js';
import { cannotWork, startError } from './start-error.js';

/** A control agent whose turn is over and whose input is closed should end by itself; this long it may take. */
const ENDING_MS = 5_000;
const TURN_OVER = 'its turn is over';
const INTERRUPTED = 'the turn was interrupted';
const NOTHING: StopReport = { processes: [], left: 0 };

/** What runs or is read beside the agent. Opened before it starts; it may change the plan. */
export interface Beside {
  open(planned: Planned, turn: AgentTurn): Promise<Planned | ReinsError>;
  /** Before the agent itself runs there may be something else to stop. */
  stop(how: 'stop' | 'kill', why: string): Promise<StopReport> | undefined;
  /** The agent has started. */
  started(agent: MadeOf['agent']): void;
  /** The agent is gone, or never came: the last of what was read is told. */
  end(): Promise<void>;
}

export interface RunOrder {
  adapter: Adapter;
  choice: Omit<LaunchChoice, 'adapter'>;
  /** Made by whoever orders it; without a word, as the session's work is planned. */
  planned?: Planned;
  size: Size;
  /** After its turn it leaves. */
  oneTurn: boolean;
  /** What the session shows once it is started. */
  begins: 'starting' | 'working' | 'idle';
  listeners: TurnListeners;
  limits?: LimitSettings;
  /** How its door is made; without a word, the one of an agent without a screen. */
  door?(made: MadeOf): DoorAtWork;
  beside?: Beside;
  heard?(chunk: Uint8Array): void;
}

export interface RunEnd extends JudgedRun {
  /** The agent never started, or cannot work as it is set up: no further launch would fare better. */
  fatal?: ReinsError;
  /** Something of its model was heard. */
  spoke?: boolean;
  costUsd?: number;
  inputTokens?: number;
  outputTokens?: number;
}

export class AgentRun {
  readonly turn: AgentTurn;
  readonly #ports: RunPorts;
  readonly #order: RunOrder;
  readonly #limits: RunLimits;
  #planned: Planned | undefined;
  #beginning: Promise<ReinsError | undefined> | undefined;
  #process: ProcessRun | undefined;
  #ending: CutShort | undefined;
  #sentAway = false;

  constructor(ports: RunPorts, order: RunOrder) {
    this.#ports = ports;
    this.#order = order;
    this.turn = new AgentTurn(ports, {
      ...order.listeners,
      output: (output) => {
        order.listeners.output?.(output);
        this.#limits.said(output);
      },
      done: (done) => {
        order.listeners.done?.(done);
        if (order.oneTurn) this.#turnDone();
      },
    });
    const over = (reason: string) => void this.end({ exit: 'timed-out', reason }, { how: 'stop', why: 'timeout' });
    this.#limits = new RunLimits({ clock: ports.clock, settings: order.limits, over });
  }

  get planned(): Planned | undefined {
    return this.#planned;
  }

  get process(): ProcessRun | undefined {
    return this.#process;
  }

  get door(): DoorAtWork | undefined {
    return this.#process?.door;
  }

  /** From start to a judged end. `gone` is called once the agent is, before its leftovers are ended. `polite`: an abort lets it say its last words. */
  async run(given: { gone?: () => void; signal?: AbortSignal; polite?: boolean } = {}): Promise<RunEnd> {
    given.signal?.addEventListener('abort', () => {
      const reason = String(given.signal?.reason);
      void this.end({ exit: 'timed-out', reason }, { how: given.polite ? 'stop' : 'kill', why: reason });
    });
    const fatal = await this.begin();
    if (fatal) return { exit: 'failed', reason: `${fatal.message}; ${fatal.hint}`, fatal };
    const exit = await this.over(given.gone);
    const judged = this.judged(exit);
    this.record(exit, judged);
    const hopeless = cannotWork(this.#order.adapter, judged);
    return { ...judged, ...this.turn.usage, spoke: this.turn.spoke, ...(hopeless ? { fatal: hopeless } : {}) };
  }

  /** Contract: resolves with why it did not come to be, and then nothing of it runs. */
  begin(): Promise<ReinsError | undefined> {
    this.#beginning ??= this.#begin();
    return this.#beginning;
  }

  /** Contract: after a `begin` that brought it to life. Resolves when nothing of it runs any more. */
  async over(gone: () => void = () => undefined): Promise<Exit> {
    const exit = await this.#process!.over(() => {
      this.#limits.close();
      gone();
    });
    await this.#order.beside?.end();
    return exit;
  }

  judged(exit: Exit): JudgedRun {
    return judge({
      adapter: this.#order.adapter,
      // Who stays after a turn is not ended by us: then its exit counts, as a terminal program's does.
      door: this.#order.oneTurn ? this.#planned!.door : 'tui',
      exit,
      outputs: this.turn.verdicts,
      lastWords: this.door!.lastWords,
      ending: this.#ending,
      sentAway: this.#sentAway,
      spoke: this.turn.spoke,
      retrying: this.turn.retrying,
    });
  }

  /** Its last entry: how it went, as whoever ordered it sees that. */
  record({ code, signal }: Exit, { exit, reason }: JudgedRun): void {
    const { usage, conversation } = this.turn;
    this.#ports.journal.append('agent.ended', {
      exit_code: code,
      ...(signal ? { signal } : {}),
      ok: exit === 'ok',
      ...(reason ? { reason } : {}),
      ...(usage.costUsd === undefined ? {} : { cost_usd: usage.costUsd }),
      ...(usage.inputTokens === undefined ? {} : { input_tokens: usage.inputTokens }),
      ...(usage.outputTokens === undefined ? {} : { output_tokens: usage.outputTokens }),
      ...(conversation ? { agent_session: conversation } : {}),
    });
  }

  /** Ends it for a reason that counts, unless another came first. */
  end(ending: CutShort, stop: { how: 'stop' | 'kill'; why: string }): Promise<StopReport> {
    this.#ending ??= ending;
    return this.stop(stop.how, stop.why);
  }

  async stop(how: 'stop' | 'kill', why: string): Promise<StopReport> {
    const beside = this.#process ? undefined : await this.#order.beside?.stop(how, why);
    if (beside) return beside;
    // An agent that is just being started has nobody to tell yet.
    await this.#beginning;
    return (await this.#process?.agent.stop(how, why)) ?? NOTHING;
  }

  submit(text: string, first?: () => Promise<void>): Promise<SendReceipt> {
    return (
      this.door?.submit(text, first) ?? Promise.resolve({ verdict: 'refused', reason: 'the agent has not started' })
    );
  }

  /** A one-way agent has a single turn and no ear: to interrupt the turn is to end the agent. */
  async interrupt(): Promise<void> {
    if (this.#order.oneTurn) this.#ending ??= { exit: 'failed', reason: INTERRUPTED };
    if ((await this.door?.interrupt()) === 'deaf') await this.stop('stop', INTERRUPTED);
  }

  /** Waiting for a person, or paused: the agent's time stands still. */
  hold(why: Hold): void {
    this.#limits.hold(why);
  }

  release(why: Hold): void {
    this.#limits.release(why);
  }

  /** It waits for a message, or no longer. */
  rest(rests: boolean): void {
    this.#limits.rest(rests);
  }

  async pause(): Promise<number[]> {
    this.hold('pause');
    // An agent that is just being started would not stand still.
    await this.#beginning;
    return (await this.#process?.agent.pause()) ?? [];
  }

  async resume(): Promise<number[]> {
    const pids = (await this.#process?.agent.resume()) ?? [];
    this.release('pause');
    return pids;
  }

  async #begin(): Promise<ReinsError | undefined> {
    const { adapter, choice, size, beside } = this.#order;
    const { spec, journal } = this.#ports;
    const settings = adapterSettings(spec.config, adapter.id);
    try {
      this.#planned = this.#order.planned ?? planLaunch({ ...this.#ports, settings }, { adapter, ...choice });
    } catch (thrown) {
      return asReinsError(thrown);
    }
    tellNotes(journal, this.#planned.plan);
    const opened = await beside?.open(this.#planned, this.turn);
    if (opened && 'code' in opened) return opened;
    this.#planned = opened ?? this.#planned;
    const started = await launch(this.#ports, this.#planned, size);
    if (!started.ok) {
      await beside?.stop('kill', 'its terminal program did not start');
      await beside?.end();
      return startError(adapter, started, spec.cwd);
    }
    this.#live(started.agent);
    return undefined;
  }

  #live(agent: MadeOf['agent']): void {
    const { adapter, choice, begins, beside } = this.#order;
    const { spec, journal, state } = this.#ports;
    const { plan, door } = this.#planned!;
    beside?.started(agent);
    journal.append('agent.started', {
      agent: adapter.id,
      ...(spec.agent?.version && spec.agent.adapter === adapter.id ? { version: spec.agent.version } : {}),
      door,
      io: agent.proc.io,
      pid: agent.proc.pid,
      argv: [plan.command, ...plan.args.map(shortened)],
      cwd: spec.cwd,
      ...(this.turn.conversation === undefined ? {} : { agent_session: this.turn.conversation }),
    });
    state(begins, { agentState: begins === 'idle' ? 'ready' : begins, because: 'started' });
    const made = { ports: this.#ports, planned: this.#planned!, agent, turn: this.turn };
    // Only what is drawn can go round: on a pipe each byte is said once.
    const news = agent.proc.io === 'pty' && this.#order.limits ? new News() : undefined;
    this.#process = new ProcessRun({
      agent,
      door: this.#order.door?.(made) ?? headlessDoor(made),
      heard: (chunk) => {
        this.#limits.heard(news?.isIn(chunk));
        this.#order.heard?.(chunk);
      },
    });
    this.door!.open?.(choice.prompt);
    this.#limits.begin();
  }

  #turnDone(): void {
    const { agent, door } = this.#process!;
    const next = door.turnDone();
    const leave = () => void agent.stop('stop', TURN_OVER);
    if (next === 'stop') {
      this.#sentAway = true;
      leave();
    } else if (next === 'end-input') {
      agent.proc.endInput();
      this.#limits.within(ENDING_MS, leave);
    }
  }
}

/** A prompt in the journal's argv would be there twice. */
const shortened = (arg: string): string => (arg.length > 300 ? `${arg.slice(0, 300)}…` : arg);
