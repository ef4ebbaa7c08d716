/**
 * Work in one terminal: a command under `exec`, or an agent's own program driven by a person. Keys pass through the
 * interrupt rules, silence is watched, the screen and the recording see every byte, and the end is the process's end.
 */
import type { SendReceipt, Size, ViewerId } from '../../contract/index.js';
import { type Exit, Interrupts, loadNodePty, signalExit } from '../../terminal/index.js';
import { NO_MODEL, type TakesHook } from '../doors/door.js';
import { Output, terminalOutput } from '../output.js';
import type { ProcessRun } from '../run/process-run.js';
import { TerminalLimits } from './terminal-limits.js';
import { Typing } from './typing.js';
import type { Finish, StopAsk, Stopped, Work, WorkPorts } from './work.js';

/** One process, from its start to its end. */
export interface Life {
  process: ProcessRun;
  /** Resolves when nothing of it runs; `gone` is called once the process itself is not. */
  over(gone: () => void): Promise<Exit>;
  /** Its last entry. */
  record(exit: Exit, finish: Finish): void;
}

export abstract class TerminalWork implements Work {
  readonly terminal: Output;
  protected readonly ports: WorkPorts;
  protected readonly typing: Typing;
  protected process: ProcessRun | undefined;
  protected ended = false;
  readonly #interrupts = new Interrupts();
  readonly #limits: TerminalLimits;
  #cause: Finish | undefined;
  /** Ends the pause before another start. */
  #halt: () => void = () => undefined;

  constructor(ports: WorkPorts, io: 'pty' | 'pipe') {
    this.ports = ports;
    this.terminal = io === 'pipe' ? new Output() : terminalOutput(ports);
    this.typing = new Typing(ports, this.terminal);
    const over = (why: string, finish: Finish) => void this.end({ how: 'stop', why }, finish);
    this.#limits = new TerminalLimits({ spec: ports.spec, clock: ports.clock, over });
  }

  /** Starts the process and its door. A failure is the whole session's. */
  protected abstract begin(): Promise<Life | Finish>;

  /** What the process's end means. */
  protected abstract judge(exit: Exit): Finish;

  /** What comes in is typed at its terminal, not data for a pipe. */
  protected get takesKeys(): boolean {
    return this.terminal.screen !== undefined;
  }

  /** Whether the agent is started again after this end: after so long, or the finish that says why not; else as judged. */
  protected again(_exit: Exit): { waitMs: number } | Finish | undefined {
    return undefined;
  }

  /** The process is gone, its end not yet on record. */
  protected async gone(): Promise<void> {}

  warmUp(): void {
    if (this.terminal.screen) void loadNodePty().catch(() => undefined); // it fails again where it is told
  }

  async run(): Promise<Finish> {
    this.terminal.screen?.onReply((bytes) => void this.process?.agent.proc.write(bytes));
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

  async #live(): Promise<{ finish: Finish; exit?: Exit }> {
    const life = await this.begin();
    if ('outcome' in life) return { finish: this.#cause ?? life };
    this.ended = false;
    this.process = life.process;
    const { agent } = life.process;
    this.typing.begin(agent);
    this.#limits.begin();
    // Asked for while it was starting.
    if (this.#cause) void agent.stop('stop', this.#cause.reason);
    const exit = await life.over(() => {
      this.ended = true;
      this.#limits.end();
      this.typing.end();
    });
    await this.gone();
    const finish = this.#cause ?? this.judge(exit);
    life.record(exit, finish);
    return { finish, exit };
  }

  get isStopping(): boolean {
    return this.#cause !== undefined;
  }

  stop(ask: StopAsk): Promise<Stopped> {
    const exitCode = ask.signal ? signalExit(ask.signal) : ask.how === 'kill' ? 137 : 143;
    return this.end(ask, { outcome: 'stopped', exitCode, reason: `stopped (${ask.why})` });
  }

  input(bytes: Uint8Array, viewer: ViewerId): void {
    // Pipes carry data: a byte that would be Ctrl-C or Ctrl-\ at a keyboard means nothing in it.
    const { forward, action } = this.takesKeys
      ? this.#interrupts.feed(bytes, this.ports.clock.now())
      : { forward: bytes, action: undefined };
    this.#limits.touch();
    if (forward.length > 0) this.typing.typed(forward, viewer, (keys) => this.passOn(keys));
    if (action === 'stop') void this.stop({ how: 'stop', why: 'Ctrl-C twice', signal: 'SIGINT' });
    if (action === 'kill') void this.stop({ how: 'kill', why: 'Ctrl-\\', signal: 'SIGQUIT' });
  }

  /** What was typed, to the agent. Before it runs there is nobody to type to. */
  protected passOn(bytes: Uint8Array): void {
    void this.process?.agent.proc.write(bytes);
  }

  /** Silence is the forgotten terminal's business; nobody sits at one any more. */
  untied(): void {
    this.#limits.untied();
  }

  endInput(): void {
    this.process?.agent.proc.endInput();
  }

  resize(size: Size): void {
    this.process?.agent.proc.resize(size);
    this.terminal.resize(size);
  }

  /** While a driver's real terminal is there, it answers the agent's questions, not we. */
  driverSees(sees: boolean): void {
    if (this.terminal.screen) this.terminal.screen.answering = !sees;
  }

  get takes(): Work['takes'] {
    const door = this.process?.door;
    if (!door) return 'later';
    return door.blind ? 'blind' : (door.takes ?? 'now');
  }

  /** Not under the fingers of a person who types there. */
  async mayTake(): Promise<boolean> {
    if (this.typing.isBusy) return false;
    return (await this.process?.door.mayTake?.()) ?? true;
  }

  get blind(): boolean {
    return this.process?.door.blind ?? false;
  }

  async submit(
    text: string,
    options: { key?: string; by: 'human' | 'api' | 'prompt'; viewer?: ViewerId },
  ): Promise<SendReceipt> {
    if (!this.process) return { verdict: 'refused', reason: 'the agent has not started' };
    this.#limits.touch();
    const receipt = await this.process.door.submit(text, () => this.typing.look());
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

  async model(name: string): Promise<SendReceipt> {
    return (await this.process?.door.model?.(name)) ?? { verdict: 'refused', reason: NO_MODEL };
  }

  keys(keys: Uint8Array[], viewer?: ViewerId): Promise<SendReceipt> {
    this.#limits.touch();
    return this.typing.keys(keys, this.process?.agent, viewer);
  }

  async interrupt(): Promise<void> {
    await this.process?.door.interrupt();
  }

  async pause(): Promise<number[]> {
    this.#limits.hold('pause');
    return (await this.process?.agent.pause()) ?? [];
  }

  async resume(): Promise<number[]> {
    const pids = (await this.process?.agent.resume()) ?? [];
    this.#limits.release('pause');
    return pids;
  }

  deskChanged(): void {
    if (this.ports.desk.list().length > 0) this.#limits.hold('inquiry');
    else this.#limits.release('inquiry');
  }

  get hook(): TakesHook | undefined {
    return this.process?.door.hook;
  }

  facts(): { denied: number } {
    return { denied: 0 };
  }

  close(): void {
    this.terminal.close();
  }

  protected async end(ask: StopAsk, finish: Finish): Promise<Stopped> {
    this.#cause ??= finish;
    this.#halt();
    return (await this.stopProcess(ask)) ?? { processes: [], left: 0 };
  }

  protected async stopProcess({ how, why }: StopAsk): Promise<Stopped | undefined> {
    return this.process?.agent.stop(how, why);
  }

  /** Something came from the process, and its door has had it. */
  protected heard(): void {
    this.#limits.touch();
    this.typing.output();
    const { screen } = this.terminal;
    if (screen?.behind) this.holdOutput(screen.drained());
  }

  holdOutput(until: Promise<void>): void {
    this.process?.holdOutput(until);
  }
}
