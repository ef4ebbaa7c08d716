/**
 * Work in one terminal: a command under `exec`, or an agent's own program driven by a person. Keys pass through the
 * interrupt rules, silence is watched, the screen and the recording see every byte, and the end is the process's end.
 */
import type { SendReceipt, Size, ViewerId } from '../../contract/index.js';
import { IdleTimer, Interrupts, loadNodePty } from '../../terminal/index.js';
import type { AgentProcess } from '../agent-process.js';
import { Countdown } from '../countdown.js';
import type { DoorAtWork } from '../doors/door.js';
import { InputTape } from '../input-tape.js';
import { Output, terminalOutput } from '../output.js';
import { type Finish, type StopAsk, type Stopped, signalExit, type Work, type WorkPorts } from './work.js';

/** A pasted novel of keys is journaled as one entry per moment, not one per key. */
const INPUT_QUIET_MS = 1000;

/** What was typed at a terminal is counted in such steps: the exact number may be the length of a password. */
const TYPED_STEP = 64;

export interface ProcessExit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export abstract class TerminalWork implements Work {
  readonly terminal: Output;
  protected readonly ports: WorkPorts;
  protected agent: AgentProcess | undefined;
  protected door: DoorAtWork | undefined;
  protected ended = false;
  #interrupts = new Interrupts();
  #idle: IdleTimer | undefined;
  /** Why silence means nothing now. */
  readonly #heldFor = new Set<'pause' | 'inquiry'>();
  #timeout: Countdown | undefined;
  #tape: InputTape | undefined;
  #cause: Finish | undefined;
  /** Ends the pause before another start. */
  #halt: () => void = () => undefined;
  #typed = { bytes: 0, viewer: undefined as ViewerId | undefined, cancel: undefined as (() => void) | undefined };

  constructor(ports: WorkPorts, io: 'pty' | 'pipe') {
    this.ports = ports;
    this.terminal = io === 'pipe' ? new Output() : terminalOutput(ports);
  }

  /** Starts the process and its door. A failure is the whole session's. */
  protected abstract begin(): Promise<{ agent: AgentProcess; door: DoorAtWork } | Finish>;
  /** What comes in is typed at its terminal, not data for a pipe. */
  protected get takesKeys(): boolean {
    return this.terminal.screen !== undefined;
  }

  /** What the process's end means. */
  protected abstract judge(exit: ProcessExit): Finish;

  /** Whether the agent is started again after this end: after so long, or the finish that says why not; else as judged. */
  protected again(_exit: ProcessExit): { waitMs: number } | Finish | undefined {
    return undefined;
  }

  /** After the process and before its end is put on record: the last of what it wrote down. */
  protected async lastWords(): Promise<{ agent_session?: string }> {
    return {};
  }

  warmUp(): void {
    if (this.terminal.screen) void loadNodePty().catch(() => undefined); // it fails again where it is told
  }

  async run(): Promise<Finish> {
    this.terminal.screen?.onReply((bytes) => void this.agent?.proc.write(bytes));
    for (;;) {
      const { finish, exit } = await this.#live();
      const next = exit && !this.#cause ? this.again(exit) : undefined;
      if (next === undefined || 'outcome' in next) return next ?? finish;
      await new Promise<void>((resolve) => {
        this.#halt = resolve;
        this.ports.clock.after(next.waitMs, resolve);
      });
      if (this.#cause) return this.#cause;
    }
  }

  /** One process, from its start to its end. */
  async #live(): Promise<{ finish: Finish; exit?: ProcessExit }> {
    const begun = await this.begin();
    if ('outcome' in begun) return { finish: this.#cause ?? begun };
    this.ended = false;
    const { agent, door } = begun;
    this.agent = agent;
    this.door = door;
    agent.proc.onOutput((chunk, stream) => this.#output(chunk, stream));
    const { recording } = this.terminal;
    if (recording) {
      this.#tape = new InputTape({
        tty: () => agent.proc.ttyState(),
        record: (bytes, how) => recording.input(bytes, how),
        clock: this.ports.clock,
      });
    }
    this.#watchTime();
    // Asked for while it was starting.
    if (this.#cause) void agent.stop('stop', this.#cause.reason);
    const exit = await agent.exited;
    this.ended = true;
    this.#idle?.close();
    this.#timeout?.cancel();
    this.#flushTyped();
    this.#tape?.close();
    door.end();
    await agent.sweep();
    const words = await this.lastWords();
    const finish = this.#cause ?? this.judge(exit);
    this.ports.journal.append('agent.ended', {
      exit_code: exit.code,
      ...(exit.signal ? { signal: exit.signal } : {}),
      ok: finish.exitCode === 0,
      reason: finish.reason,
      ...words,
    });
    return { finish, exit };
  }

  get isStopping(): boolean {
    return this.#cause !== undefined;
  }

  stop(ask: StopAsk): Promise<Stopped> {
    const exitCode = ask.signal ? signalExit(ask.signal) : ask.how === 'kill' ? 137 : 143;
    return this.#end(ask, { outcome: 'stopped', exitCode, reason: `stopped (${ask.why})` });
  }

  input(bytes: Uint8Array, viewer: ViewerId): void {
    // Pipes carry data: a byte that would be Ctrl-C or Ctrl-\ at a keyboard means nothing in it.
    const { forward, action } = this.takesKeys
      ? this.#interrupts.feed(bytes, this.ports.clock.now())
      : { forward: bytes, action: undefined };
    this.#idle?.touch();
    if (forward.length > 0) {
      this.ports.presses.pressed(forward, viewer);
      this.passOn(forward);
      this.#tape?.typed(forward);
      this.#typed.bytes += forward.length;
      this.#typed.viewer = viewer;
      this.#typed.cancel ??= this.ports.clock.after(INPUT_QUIET_MS, () => this.#flushTyped());
    }
    if (action === 'stop') void this.stop({ how: 'stop', why: 'Ctrl-C twice', signal: 'SIGINT' });
    if (action === 'kill') void this.stop({ how: 'kill', why: 'Ctrl-\\', signal: 'SIGQUIT' });
  }

  /** What was typed, to the agent. Before it runs there is nobody to type to. */
  protected passOn(bytes: Uint8Array): void {
    void this.agent?.proc.write(bytes);
  }

  /** Silence is the forgotten terminal's business; nobody sits at one any more. */
  untied(): void {
    this.#idle?.close();
  }

  endInput(): void {
    this.agent?.proc.endInput();
  }

  resize(size: Size): void {
    this.agent?.proc.resize(size);
    this.terminal.resize(size);
  }

  /** While a driver's real terminal is there, it answers the agent's questions, not we. */
  driverSees(sees: boolean): void {
    if (this.terminal.screen) this.terminal.screen.answering = !sees;
  }

  async submit(
    text: string,
    options: { key?: string; by: 'human' | 'api' | 'prompt'; viewer?: ViewerId },
  ): Promise<SendReceipt> {
    if (!this.door) return { verdict: 'refused', reason: 'the agent has not started' };
    this.#idle?.touch();
    const receipt = await this.door.submit(text, async () => this.#tape?.look());
    this.ports.journal.append('input.sent', {
      by: options.by,
      bytes: Buffer.byteLength(text),
      why: 'send',
      ...(options.viewer ? { viewer: options.viewer } : {}),
      ...(options.key ? { key: options.key } : {}),
      verdict: receipt.verdict,
    });
    return receipt;
  }

  async keys(keys: Uint8Array[], viewer?: ViewerId): Promise<SendReceipt> {
    this.#idle?.touch();
    await this.#tape?.look();
    let written: 'written' | 'gone' | 'full' = 'gone';
    // One write per key: programs read a burst as a paste.
    for (const key of keys) {
      this.ports.presses.pressed(key, viewer);
      written = await (this.agent?.proc.write(key) ?? 'gone');
    }
    for (const key of keys) this.#tape?.typed(key);
    const bytes = keys.reduce((sum, key) => sum + key.length, 0);
    this.ports.journal.append('input.sent', { by: 'api', bytes, why: 'keys', ...(viewer ? { viewer } : {}) });
    return written === 'written'
      ? { verdict: 'submitted', evidence: 'written to the terminal' }
      : {
          verdict: 'refused',
          reason: written === 'gone' ? 'the agent has ended' : 'the agent does not read its input',
        };
  }

  /** Bytes that went to the agent past `input` and `keys`: they belong on the recording too. */
  protected wrote(bytes: Uint8Array): void {
    this.#tape?.typed(bytes);
  }

  async interrupt(): Promise<void> {
    await this.door?.interrupt();
  }

  async pause(): Promise<number[]> {
    this.#hold('pause');
    this.#timeout?.hold();
    return (await this.agent?.pause()) ?? [];
  }

  async resume(): Promise<number[]> {
    const pids = (await this.agent?.resume()) ?? [];
    this.#letGo('pause');
    this.#timeout?.release();
    return pids;
  }

  /** An inquiry that waits for a person is no forgotten terminal, however long that takes. */
  deskChanged(): void {
    if (this.ports.desk.list().length > 0) this.#hold('inquiry');
    else this.#letGo('inquiry');
  }

  #hold(why: 'pause' | 'inquiry'): void {
    if (this.#heldFor.size === 0) this.#idle?.hold();
    this.#heldFor.add(why);
  }

  #letGo(why: 'pause' | 'inquiry'): void {
    if (this.#heldFor.delete(why) && this.#heldFor.size === 0) this.#idle?.release();
  }

  hook(
    event: string,
    _payload: unknown,
    _gone: Promise<void>,
  ): Promise<{ stdout: string; stderr: string; exit: number }> {
    return Promise.resolve({ stdout: '', stderr: `Reins: nobody expects the hook ${event}\n`, exit: 2 });
  }

  facts(): { denied: number } {
    return { denied: 0 };
  }

  close(): void {
    this.terminal.close();
  }

  protected end(ask: StopAsk, finish: Finish): Promise<Stopped> {
    return this.#end(ask, finish);
  }

  async #end(ask: StopAsk, finish: Finish): Promise<Stopped> {
    this.#cause ??= finish;
    this.#halt();
    return (await this.agent?.stop(ask.how, ask.why)) ?? { processes: [], left: 0 };
  }

  #output(chunk: Uint8Array, stream: 'out' | 'err'): void {
    // First of all on its way: it may be the echo of a key.
    this.door?.feed(chunk, stream);
    this.#idle?.touch();
    this.#tape?.output();
    this.agent?.glance();
    const { screen } = this.terminal;
    if (screen?.behind) this.holdOutput(screen.drained());
  }

  #holds = 0;

  /** Several may hold at once; the agent goes on when the last lets go. */
  holdOutput(until: Promise<void>): void {
    this.#holds += 1;
    if (this.#holds === 1) this.agent?.proc.hold();
    const letGo = () => {
      this.#holds -= 1;
      if (this.#holds === 0) this.agent?.proc.release();
    };
    void until.then(letGo, letGo);
  }

  #watchTime(): void {
    const { spec, clock } = this.ports;
    this.#idle = new IdleTimer({
      secs: spec.idle_timeout_secs,
      clock,
      onIdle: () => {
        const reason = `idle for ${spec.idle_timeout_secs} s: no output and no input`;
        void this.#end({ how: 'stop', why: 'idle' }, { outcome: 'timed-out', exitCode: 124, reason });
      },
    });
    if (this.#heldFor.size > 0) this.#idle.hold();
    if (spec.timeout_secs <= 0) return;
    this.#timeout = new Countdown({
      ms: spec.timeout_secs * 1000,
      clock,
      call: () => {
        const reason = `still running after ${spec.timeout_secs} s`;
        void this.#end({ how: 'stop', why: 'timeout' }, { outcome: 'timed-out', exitCode: 124, reason });
      },
    });
  }

  #flushTyped(): void {
    this.#typed.cancel?.();
    if (this.#typed.bytes > 0) {
      this.ports.journal.append('input.sent', {
        by: 'human',
        bytes: this.terminal.screen ? Math.ceil(this.#typed.bytes / TYPED_STEP) * TYPED_STEP : this.#typed.bytes,
        why: 'typed',
        ...(this.#typed.viewer ? { viewer: this.#typed.viewer } : {}),
      });
    }
    this.#typed = { bytes: 0, viewer: undefined, cancel: undefined };
  }
}
