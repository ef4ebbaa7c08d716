/**
 * An agent in a terminal of its own, on top of node-pty. Owns everything node-pty gets wrong: the lost tail of the
 * output, a death by signal that reads as success, the 200 ms it waits after an exit. The slave side is held open while
 * the agent lives (an agent may close and reopen its terminal) and let go at its exit, so that the end comes at once.
 */
import { execFile } from 'node:child_process';
import { closeSync, constants as fsConstants, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { ReadStream } from 'node:tty';
import type { IPty } from '@lydell/node-pty';
import { type Clock, once, type Size } from '../contract/index.js';
import { Gather, Outlet, readRest, type TakeOutput } from './drain.js';
import type { Exit, Proc, ReadySpec, TtyState, Written } from './process.js';
import { signalName } from './signals.js';
import { descriptorWriter, Writer } from './writer.js';

export interface PtyModule {
  spawn: typeof import('@lydell/node-pty').spawn;
}

/** Loaded late: commands that start no agent do not pay for a native module. Required, as it is no ES module: quicker. */
export const loadNodePty = once(async () => createRequire(import.meta.url)('@lydell/node-pty') as PtyModule);

/** What node-pty keeps under names of its own; without them everything works, but the tail needs the held slave. */
interface Internals {
  _socket?: ReadStream;
  ptsName?: string;
  fd?: number;
}

/** What our screen understands. */
const TERM = 'xterm-256color';
/** They describe the terminal we were started in, not the one the agent gets. */
const FOREIGN_TERMINAL = ['COLUMNS', 'LINES', 'TERMCAP', 'TMUX', 'TMUX_PANE', 'STY', 'WINDOW', 'WINDOWID'];
/** Opens $1 as stdin and becomes the rest: nothing of the user's is ever quoted or put into a variable. */
const STDIN_FROM_FILE = 'exec <"$1" || exit 126; shift; exec "$@"';
const END_OF_FILE_KEY = '\x04';
/** Linux hands over a terminal's output in pieces of at most 4095 or 4096 bytes: a full one means that more is there. */
const FULL_READ_BYTES = 4095;

/** Descriptors of terminals that are open in this process now. */
export const openMasters = new Set<number>();

/** Throws when there is no terminal to be had. */
export function startPty(spec: ReadySpec, { spawn }: PtyModule): Proc {
  const env = { ...spec.env };
  for (const name of FOREIGN_TERMINAL) delete env[name];
  const { cols, rows } = usableSize(spec.size);
  const argv =
    typeof spec.stdin === 'object'
      ? ['/bin/sh', '-c', STDIN_FROM_FILE, 'sh', spec.stdin.file, spec.file, ...spec.args]
      : [spec.file, ...spec.args];
  const [file = spec.file, ...args] = argv;
  const pty = spawn(file, args, { name: spec.term ?? TERM, cols, rows, cwd: spec.cwd, env, encoding: null });
  return new PtyProc(pty, spec.clock);
}

function usableSize(size: Size): Size {
  const whole = (value: number): number => Math.min(65_535, Math.max(1, Math.floor(value) || 1));
  return { cols: whole(size.cols), rows: whole(size.rows) };
}

class PtyProc implements Proc {
  readonly pid: number;
  readonly io = 'pty' as const;
  readonly exited: Promise<Exit>;
  readonly #pty: IPty & Internals;
  readonly #outlet: Outlet;
  readonly #gather = new Gather({
    fullBytes: FULL_READ_BYTES,
    push: (chunk) => this.#outlet.push(chunk, 'out'),
  });
  readonly #writer: Writer;
  #slave: number | undefined;
  #ended = false;

  constructor(pty: IPty & Internals, clock: Clock) {
    this.#pty = pty;
    this.pid = pty.pid;
    this.#slave = openSlave(pty.ptsName);
    this.#outlet = new Outlet({ pause: () => pty.pause(), resume: () => pty.resume() });
    pty.onData((chunk) => this.#take(chunk));
    const { _socket: socket, fd } = pty;
    this.#writer =
      socket && fd !== undefined
        ? descriptorWriter({ fd, clock, isOpen: () => !this.#ended })
        : new Writer((bytes, done) => {
            pty.write(Buffer.from(bytes).toString('utf8'));
            done();
          });
    if (fd !== undefined) openMasters.add(fd);
    if (socket) this.#shorten(socket);
    if (socket) this.#catchTail(socket);
    this.exited = new Promise((resolve) => {
      pty.onExit(({ exitCode, signal }) => {
        this.#letGo();
        const name = signalName(signal);
        // Killed by a signal reads `exitCode: 0`: the signal counts first.
        const exit: Exit = name ? { code: null, signal: name } : { code: exitCode, signal: null };
        void this.#outlet.emptied().then(() => resolve(exit));
      });
    });
  }

  onOutput(call: TakeOutput): void {
    this.#outlet.onOutput(call);
  }

  write(bytes: Uint8Array | string): Promise<Written> {
    return this.#writer.write(bytes);
  }

  endInput(): void {
    // In the middle of a line the first one only hands over the line.
    const atLineStart = this.#writer.lastByte === 0x0a || this.#writer.lastByte === 0x0d;
    void this.#writer.write(atLineStart ? END_OF_FILE_KEY : END_OF_FILE_KEY + END_OF_FILE_KEY);
  }

  resize(size: Size): void {
    if (this.#ended) return;
    const { cols, rows } = usableSize(size);
    try {
      this.#pty.resize(cols, rows);
    } catch {
      // The terminal went away between our look and the call: there is nothing left to resize.
    }
  }

  hold(): void {
    this.#outlet.hold();
  }

  release(): void {
    this.#outlet.release();
  }

  ttyState(): Promise<TtyState | undefined> {
    const name = this.#pty.ptsName;
    if (this.#ended || !name) return Promise.resolve(undefined);
    const flag = process.platform === 'linux' ? '-F' : '-f';
    const options = { timeout: 2000, env: { PATH: process.env.PATH ?? '/bin:/usr/bin', LC_ALL: 'C' } };
    return new Promise((resolve) => {
      execFile('stty', [flag, name, '-a'], options, (error, stdout) => {
        resolve(error || this.#ended ? undefined : readStty(stdout));
      });
    });
  }

  close(): void {
    this.#outlet.close();
    this.#letGo();
    this.#pty._socket?.destroy();
  }

  #take(chunk: string | Uint8Array): void {
    this.#gather.take(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  }

  /**
   * What is read goes straight to us while the stream flows and holds nothing back: its own way to a listener, and
   * node-pty's behind it, cost an echo more than all of ours.
   */
  #shorten(socket: ReadStream): void {
    const push = socket.push.bind(socket);
    socket.push = (chunk, encoding) => {
      if (!(chunk instanceof Uint8Array) || !socket.readableFlowing || socket.readableLength > 0)
        return push(chunk, encoding);
      this.#gather.take(chunk);
      return true;
    };
  }

  /** Whatever closes the terminal (hang-up, node-pty's timer, our own close), the rest is read before it is gone. */
  #catchTail(socket: ReadStream): void {
    const destroy = socket._destroy.bind(socket);
    socket._destroy = (error, done) => {
      for (let chunk = socket.read(); chunk !== null; chunk = socket.read()) {
        // `read` hands the chunk to the data listeners itself.
      }
      if (this.#pty.fd !== undefined) readRest(this.#pty.fd, (chunk) => this.#take(chunk));
      // From here on the descriptor's number may belong to someone else.
      this.#letGo();
      if (this.#pty.fd !== undefined) openMasters.delete(this.#pty.fd);
      destroy(error, done);
    };
    // node-pty throws what nobody else listens for; each write learns of its own failure, the exit tells the rest.
    socket.on('error', () => undefined);
    // node-pty learns of the exit, then waits for the stream to close: that is the moment to let the slave go.
    socket.on('newListener', (event) => {
      if (event === 'close') this.#releaseSlave();
    });
  }

  #letGo(): void {
    this.#gather.flush();
    this.#ended = true;
    this.#writer.close();
    this.#releaseSlave();
  }

  #releaseSlave(): void {
    if (this.#slave === undefined) return;
    closeSync(this.#slave);
    this.#slave = undefined;
  }
}

function openSlave(name: string | undefined): number | undefined {
  if (!name) return undefined;
  try {
    // Never our controlling terminal, and never read: it only keeps the other end from hanging up.
    return openSync(name, fsConstants.O_RDONLY | fsConstants.O_NOCTTY | fsConstants.O_NONBLOCK);
  } catch {
    // Without it an agent that closes its terminal for a moment loses it; the tail is safe either way.
    return undefined;
  }
}

function readStty(text: string): TtyState | undefined {
  const words = new Set(text.split(/[\s;]+/));
  const flag = (name: string): boolean | undefined =>
    words.has(name) ? true : words.has(`-${name}`) ? false : undefined;
  const echo = flag('echo');
  const canonical = flag('icanon');
  return echo === undefined || canonical === undefined ? undefined : { echo, canonical };
}
