/**
 * One iteration: one launch of an agent with one prompt, from start to a judged end. Success comes from the agent's own
 * record or exit code; a timer can fail an iteration, never complete one. Time spent waiting for a person does not count.
 */
import { randomUUID } from 'node:crypto';
import type { Adapter } from '../../adapters/index.js';
import { successOf, textDecoder } from '../../adapters/loaded.js';
import type { AdapterConfig } from '../../config/index.js';
import { adapterSettings } from '../../config/quick.js';
import { asReinsError, type Decoder, ReinsError, type SendReceipt, type Size } from '../../contract/index.js';
import { IdleTimer } from '../../terminal/index.js';
import type { AgentProcess } from '../agent-process.js';
import { AgentTurn, type TurnListeners } from '../agent-turn.js';
import { Countdown } from '../countdown.js';
import { ControlDoor } from '../doors/control.js';
import type { DoorAtWork } from '../doors/door.js';
import { hookAtGate } from '../doors/hook-gate.js';
import { makeTuiDoor } from '../doors/make-tui.js';
import { StreamDoor } from '../doors/stream.js';
import { TuiDoor } from '../doors/tui.js';
import { launch, type Planned, planLaunch, tellNotes } from '../launch.js';
import type { Output } from '../output.js';
import type { Stopped, WorkPorts } from './work.js';

/** A control agent whose turn is over and whose input is closed should end by itself; this long it may take. */
const ENDING_MS = 5_000;

const INTERRUPTED = 'the turn was interrupted';

export interface IterationEnd {
  exit: 'ok' | 'failed' | 'timed-out' | 'stopped';
  reason?: string;
  /** The agent never started: no further iteration would fare better. */
  fatal?: ReinsError;
  costUsd?: number;
  inputTokens?: number;
  outputTokens?: number;
}

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

export class Iteration {
  readonly #ports: WorkPorts;
  readonly #options: IterationOptions;
  readonly #settings: AdapterConfig;
  readonly #turn: AgentTurn;
  #planned: Planned | undefined;
  #starting: Promise<IterationEnd | undefined> | undefined;
  #agent: AgentProcess | undefined;
  #door: DoorAtWork | undefined;
  #timers: Countdown[] = [];
  #ending: { exit: 'timed-out' | 'stopped' | 'failed'; reason: string } | undefined;
  /** Messages that still have a turn of their own to come. */
  #owed = 0;
  #firstOutput: Countdown | undefined;
  #silence: IdleTimer | undefined;
  /** Why its time stands still now. */
  readonly #heldFor = new Set<'pause' | 'inquiry'>();
  #plain: Decoder | undefined;

  constructor(options: IterationOptions) {
    this.#options = options;
    this.#ports = options.ports;
    this.#settings = adapterSettings(options.ports.spec.config, options.adapter.id);
    this.#turn = new AgentTurn(options.ports, {
      ...options.listeners,
      done: (done) => {
        options.listeners.done?.(done);
        this.#turnDone();
      },
    });
  }

  /** `exited` is called once the agent is gone, before its leftovers are ended. */
  async run(exited: () => void = () => undefined): Promise<IterationEnd> {
    this.#starting = this.#start();
    const failed = await this.#starting;
    if (failed) return failed;
    const agent = this.#agent!;
    agent.proc.onOutput((chunk, stream) => {
      agent.glance();
      this.#heard();
      this.#door!.feed(chunk, stream);
      for (const said of this.#plain?.feed(chunk) ?? []) this.#turn.said(said);
    });
    if (this.#door instanceof ControlDoor) this.#door.open(this.#options.prompt);
    this.#watchTime();
    const exit = await agent.exited;
    for (const timer of this.#timers) timer.cancel();
    this.#firstOutput?.cancel();
    this.#silence?.close();
    this.#door!.end();
    for (const said of this.#plain?.end() ?? []) this.#turn.said(said);
    exited();
    await agent.sweep();
    return this.#judge(exit);
  }

  async stop(how: 'stop' | 'kill', why: string): Promise<Stopped> {
    this.#ending ??= { exit: 'stopped', reason: why };
    // An agent that is just being started has nobody to tell yet.
    await this.#starting;
    return (await this.#agent?.stop(how, why)) ?? { processes: [], left: 0 };
  }

  submit(text: string): Promise<SendReceipt> {
    if (!this.#door) return Promise.resolve({ verdict: 'refused', reason: 'the agent has not started' });
    this.#owed += 1;
    return this.#door.submit(text);
  }

  /** A one-way agent has a single turn and no ear: to interrupt the turn is to end the agent. */
  async interrupt(): Promise<void> {
    this.#ending ??= { exit: 'failed', reason: INTERRUPTED };
    if (this.#door instanceof StreamDoor) await this.#agent?.stop('stop', INTERRUPTED);
    else await this.#door?.interrupt();
  }

  /** Waiting for a person, or paused: the agent's time stands still. */
  hold(why: 'pause' | 'inquiry'): void {
    const isHeld = this.#heldFor.size > 0;
    this.#heldFor.add(why);
    if (isHeld) return;
    for (const timer of this.#timers) timer.hold();
    this.#firstOutput?.hold();
    this.#silence?.hold();
  }

  release(why: 'pause' | 'inquiry'): void {
    if (!this.#heldFor.delete(why) || this.#heldFor.size > 0) return;
    for (const timer of this.#timers) timer.release();
    this.#firstOutput?.release();
    this.#silence?.release();
  }

  async pause(): Promise<number[]> {
    this.hold('pause');
    // An agent that is just being started would not stand still.
    await this.#starting;
    return (await this.#agent?.pause()) ?? [];
  }

  async resume(): Promise<number[]> {
    const pids = (await this.#agent?.resume()) ?? [];
    this.release('pause');
    return pids;
  }

  #holds = 0;

  /** Several may hold at once; the agent goes on when the last lets go. */
  holdOutput(until: Promise<void>): void {
    this.#holds += 1;
    if (this.#holds === 1) this.#agent?.proc.hold();
    void until.then(() => {
      this.#holds -= 1;
      if (this.#holds === 0) this.#agent?.proc.release();
    });
  }

  input(bytes: Uint8Array): void {
    void this.#agent?.proc.write(bytes);
  }

  resize(size: Size): void {
    this.#agent?.proc.resize(size);
  }

  hook(event: string, payload: unknown, gone: Promise<void>) {
    if (this.#door instanceof TuiDoor) return this.#door.hook(event, payload, gone);
    return hookAtGate({ face: this.#planned?.plan.hook, ports: this.#ports, event, payload, gone });
  }

  async #start(): Promise<IterationEnd | undefined> {
    const { ports, adapter, prompt, promptFile, size } = this.#options;
    const { spec, dir, env, hook, journal } = ports;
    try {
      this.#planned = planLaunch(
        { spec, dir, env, hook, settings: this.#settings },
        {
          adapter,
          mode: 'autonomous',
          tui: this.#options.output !== undefined,
          prompt,
          promptFile,
          ...(this.#options.output ? { conversation: { id: randomUUID(), resume: false } } : {}),
        },
      );
    } catch (thrown) {
      const fatal = asReinsError(thrown);
      return { exit: 'failed', reason: `${fatal.message}; ${fatal.hint}`, fatal };
    }
    const { plan, door } = this.#planned;
    tellNotes(journal, plan);
    const started = await launch(ports, this.#planned, size);
    if (!started.ok) {
      const fatal = startError(adapter, started, spec.cwd);
      return { exit: 'failed', reason: fatal.message, fatal };
    }
    this.#agent = started.agent;
    const { proc } = started.agent;
    this.#door = this.#makeDoor(started.agent);
    journal.append('agent.started', {
      agent: adapter.id,
      ...(spec.agent?.version && spec.agent.adapter === adapter.id ? { version: spec.agent.version } : {}),
      door,
      io: proc.io,
      pid: proc.pid,
      argv: [plan.command, ...plan.args.map(shortened)],
      cwd: spec.cwd,
    });
    ports.state('working', { agentState: 'working', because: 'started' });
    return undefined;
  }

  #makeDoor(agent: AgentProcess): DoorAtWork {
    const { ports, output } = this.#options;
    const { plan } = this.#planned!;
    if (output && plan.tui) return this.#tuiDoor(agent, output);
    const doorPorts = {
      said: (said: Parameters<AgentTurn['said']>[0]) => this.#turn.said(said),
      state: (...args: Parameters<AgentTurn['state']>) => this.#turn.state(...args),
      ask: ports.desk.open.bind(ports.desk),
      write: (bytes: Uint8Array | string) => agent.proc.write(bytes),
      endInput: () => agent.proc.endInput(),
    };
    if (plan.protocol) return new ControlDoor({ protocol: plan.protocol, ports: doorPorts });
    return new StreamDoor({ decoder: plan.decoder!, ports: doorPorts });
  }

  /** Its turn is over when it waits for the next prompt: then it is asked to leave. A plain program just ends. */
  #tuiDoor(agent: AgentProcess, output: Output): TuiDoor {
    const door = makeTuiDoor({ ports: this.#ports, planned: this.#planned!, agent, output, turn: this.#turn });
    // A program that only prints: what it prints is what it says.
    if (this.#options.adapter.plain && !this.#planned!.plan.tui!.hook) this.#plain = textDecoder();
    const { submit } = this.#planned!.plan;
    if (submit !== undefined) void door.ready().then(() => door.submit(submit));
    return door;
  }

  #watchTime(): void {
    const { clock, spec } = this.#ports;
    const limit = (secs: number, reason: string) => {
      if (secs <= 0) return undefined;
      return new Countdown({ ms: secs * 1000, clock, call: () => this.#timedOut(reason) });
    };
    const isAsked = spec.timeout_secs > 0;
    const total = isAsked ? spec.timeout_secs : this.#settings.timeout;
    const by = isAsked ? '--timeout' : `adapters.${this.#options.adapter.id}.timeout`;
    const whole = limit(total, `still running after ${total} s (${by})`);
    if (whole) this.#timers.push(whole);
    this.#firstOutput = limit(
      this.#settings.first_output_secs,
      `no output within ${this.#settings.first_output_secs} s`,
    );
  }

  #heard(): void {
    this.#firstOutput?.cancel();
    if (!this.#silence) {
      const secs = this.#settings.idle_secs;
      const onIdle = () => this.#timedOut(`no output for ${secs} s`);
      this.#silence = new IdleTimer({ secs, clock: this.#ports.clock, onIdle });
    }
    this.#silence.touch();
  }

  #timedOut(reason: string): void {
    this.#ending ??= { exit: 'timed-out', reason };
    void this.#agent?.stop('stop', 'timeout');
  }

  /** Headless and two-way: the agent waits for the next message, and there is none. */
  #turnDone(): void {
    if (this.#door instanceof TuiDoor) {
      void this.#agent?.stop('stop', 'its turn is over');
      return;
    }
    if (!(this.#door instanceof ControlDoor)) return;
    if (this.#owed > 0) {
      this.#owed -= 1;
      return;
    }
    const agent = this.#agent!;
    agent.proc.endInput();
    this.#timers.push(
      new Countdown({
        ms: ENDING_MS,
        clock: this.#ports.clock,
        call: () => void agent.stop('stop', 'its turn is over'),
      }),
    );
  }

  #judge(exit: { code: number | null; signal: NodeJS.Signals | null }): IterationEnd {
    const { adapter } = this.#options;
    const { door } = this.#planned!;
    // A terminal program that said how its turn went was ended by us: its record counts, as at the control door.
    const seen = door === 'tui' && this.#turn.verdicts.some((said) => said.kind === 'done') ? 'control' : door;
    const judged = successOf(adapter, {
      door: seen,
      exit: exit.code,
      signal: exit.signal,
      outputs: this.#turn.verdicts,
    });
    // It said it was done before our stop reached it: the stop ended a process, not the work.
    const done = this.#turn.verdicts.findLast((output) => output.kind === 'done');
    const finished = this.#ending?.exit === 'stopped' && done?.ok === true;
    const ending = finished ? undefined : this.#ending;
    const ok = (judged.ok || finished) && !ending;
    const said =
      this.#door instanceof StreamDoor || this.#door instanceof ControlDoor ? this.#door.lastWords.trim() : '';
    // What it printed on the side helps where it left no record; beside a record it is only noise.
    const lastWords = !ok && said && !done ? ` – ${said.split('\n').slice(-3).join(' / ').slice(0, 500)}` : '';
    const reason = ending?.reason ?? (!ok && judged.reason ? `${judged.reason}${lastWords}` : undefined);
    this.#ports.journal.append('agent.ended', {
      exit_code: exit.code,
      ...(exit.signal ? { signal: exit.signal } : {}),
      ok,
      ...(reason ? { reason } : {}),
      ...(this.#turn.usage.costUsd === undefined ? {} : { cost_usd: this.#turn.usage.costUsd }),
      ...(this.#turn.usage.inputTokens === undefined ? {} : { input_tokens: this.#turn.usage.inputTokens }),
      ...(this.#turn.usage.outputTokens === undefined ? {} : { output_tokens: this.#turn.usage.outputTokens }),
      ...(this.#turn.conversation ? { agent_session: this.#turn.conversation } : {}),
    });
    return { exit: ending?.exit ?? (ok ? 'ok' : 'failed'), ...(reason ? { reason } : {}), ...this.#turn.usage };
  }
}

/** What the user should read when the agent's process did not come to be. */
export function startError(adapter: Adapter, failure: { code: string; reason: string }, cwd: string): ReinsError {
  if (failure.code === 'CWD_INACCESSIBLE')
    return new ReinsError('CWD_INACCESSIBLE', { dir: cwd, reason: failure.reason });
  if (failure.code === 'AGENT_NOT_FOUND') {
    return new ReinsError('AGENT_NOT_FOUND', {
      agent: adapter.label,
      command: adapter.command,
      install: adapter.install,
    });
  }
  return new ReinsError('AGENT_UNSTARTABLE', {
    agent: adapter.label,
    reason: failure.reason,
    fix: 'see `reins doctor`',
  });
}

/** A prompt in the journal's argv would be there twice. */
const shortened = (arg: string): string => (arg.length > 300 ? `${arg.slice(0, 300)}…` : arg);
