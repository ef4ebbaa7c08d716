/** `reins exec`: one command, no adapter, no loop. Its exit code is ours. */
import { once, ReinsError, type SendReceipt } from '../../contract/index.js';
import { type Exit, signalExit, submit } from '../../terminal/index.js';
import type { RunningAgent } from '../agent-process.js';
import type { Draft } from '../doors/door.js';
import { PlainDoor } from '../doors/plain.js';
import { agentEnv } from '../environment.js';
import { InputQueue } from '../input-queue.js';
import { ProcessRun } from '../run/process-run.js';
import { type Life, TerminalWork } from './terminal-work.js';
import type { Finish, WorkPorts } from './work.js';

/** Most commands have ended by then, and have asked nothing. */
const ASKS_MS = 1_000;

export const loadAsking = once(() => Promise.all([import('../doors/quiet.js'), import('../stages.js')]));

/** A terminal that echoes does so at once; one that does not never will. */
const ECHO_MS = 2_000;

export class ExecWork extends TerminalWork {
  readonly #queue = new InputQueue();

  constructor(ports: WorkPorts) {
    super(ports, ports.spec.exec!.io);
  }

  protected async begin(): Promise<Life | Finish> {
    const { spec, journal, clock, log } = this.ports;
    const { argv, io, apart } = spec.exec!;
    const started = await this.ports.start({
      command: argv[0]!,
      args: argv.slice(1),
      cwd: spec.cwd,
      env: agentEnv(this.ports, {}),
      io,
      stdin: 'open',
      size: spec.seat.size,
      ...(spec.seat.term === undefined ? {} : { term: spec.seat.term }),
      ...(apart === undefined ? {} : { apart: { ...apart, dir: this.ports.dir } }),
      session: spec.id,
      only: true,
      journal,
      clock,
      log,
    });
    if (!started.ok) {
      const { reason } = started;
      const error =
        started.code === 'CWD_INACCESSIBLE'
          ? new ReinsError('CWD_INACCESSIBLE', { dir: spec.cwd, reason })
          : new ReinsError('COMMAND_NOT_FOUND', { command: argv[0], reason });
      return { outcome: 'failed', exitCode: error.exit, reason: error.message };
    }
    const { agent } = started;
    this.#queue.start(agent.proc);
    journal.append('agent.started', {
      agent: argv[0]!,
      door: 'plain',
      io: agent.proc.io,
      pid: agent.proc.pid,
      argv,
      cwd: spec.cwd,
    });
    this.ports.state('working', { because: 'started' });
    const door = new PlainDoor({
      show: (chunk, stream) => {
        if (stream === 'err') this.ports.stderr(chunk);
        else this.terminal.write(chunk);
      },
      type: (text) => this.#type(text),
      interrupt: () => this.#interrupt(),
    });
    this.#watch(door, agent);
    const process = new ProcessRun({ agent, door, heard: () => this.heard() });
    return {
      process,
      over: (gone) => process.over(gone),
      record: ({ code, signal }, { exitCode, reason }) =>
        journal.append('agent.ended', {
          exit_code: code,
          ...(signal ? { signal } : {}),
          ok: exitCode === 0,
          reason,
        }),
    };
  }

  /** One command has no policy: what it asks at its terminal is for people. */
  #watch(door: PlainDoor, agent: RunningAgent): void {
    const { ports, terminal: output } = this;
    const cancel = ports.clock.after(ASKS_MS, async () => {
      const [{ askedAtTerminal }, { Stages }] = await loadAsking();
      ports.desk.walkBy((all) => new Stages(all));
      const ask = (draft: Draft) => ports.desk.open(draft, { held: true });
      door.watch(askedAtTerminal({ ports, agent, output, ask, wrote: (bytes) => this.typing.wrote(bytes) }));
    });
    void agent.exited.then(cancel);
  }

  protected override get takesKeys(): boolean {
    return super.takesKeys && !this.ports.spec.exec!.apart?.stdin;
  }

  override endInput(): void {
    this.#queue.end();
  }

  inputRoom(): Promise<void> {
    return this.#queue.room();
  }

  protected override passOn(bytes: Uint8Array): void {
    this.#queue.write(bytes);
  }

  protected judge(exit: Exit): Finish {
    if (exit.signal) return { outcome: 'failed', exitCode: signalExit(exit.signal), reason: `died of ${exit.signal}` };
    const code = exit.code ?? 1;
    return code === 0
      ? { outcome: 'completed', exitCode: 0, reason: 'exit code 0' }
      : { outcome: 'failed', exitCode: code, reason: `exit code ${code}` };
  }

  /** Ctrl-C, as a person would press it: in a terminal the key, so that a shell ends its command and not itself. */
  async #interrupt(): Promise<void> {
    const { proc } = this.process!.agent;
    this.ports.journal.append('input.sent', { by: 'api', bytes: 1, why: 'interrupt' });
    if (proc.io === 'pty') await proc.write('\x03');
    else if (!this.ended) process.kill(proc.pid, 'SIGINT');
  }

  #type(text: string): Promise<SendReceipt> {
    return submit({
      text,
      plain: true,
      // No agent: a slash is the program's own, as in less.
      defuse: [],
      write: (bytes) => {
        this.typing.wrote(bytes);
        return this.process!.agent.proc.write(bytes);
      },
      screenModes: async () => (await this.terminal.screen?.modes()) ?? { bracketedPaste: false },
      evidence: (signal) => this.#echoed(text, signal),
      evidenceMs: ECHO_MS,
      clock: this.ports.clock,
    });
  }

  /** A plain program says nothing about what it took; a terminal that echoes shows it. With echo off there is no sign. */
  #echoed(text: string, signal: AbortSignal): Promise<string> {
    const { screen } = this.terminal;
    const line = squeeze(text.trim().split('\n').at(-1) ?? '');
    return new Promise((resolve) => {
      if (!screen || line === '') return;
      const stop = screen.onFrame((shot) => {
        if (!squeeze(shot.lines.join('')).includes(line)) return;
        stop();
        resolve('screen');
      });
      signal.addEventListener('abort', stop);
    });
  }
}

/** What a terminal wrapped or spaced differently is still the same text. */
const squeeze = (text: string): string => text.replace(/\s+/g, '').slice(-200);
