/**
 * A program in a terminal, some of whose standard streams are not that terminal: as a shell starts `cmd < file 2> log`.
 * node-pty knows only all three or none, so the others are named pipes that a line of shell opens before it becomes the
 * program. What goes through them is the program's own bytes: nothing is echoed, turned into CR LF or taken for Ctrl-C.
 */
import { execFileSync } from 'node:child_process';
import { constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import type { Clock, Size } from '../contract/index.js';
import { Outlet, readRest, type TakeOutput } from './drain.js';
import type { Exit, Proc, ReadySpec, TtyState, Written } from './process.js';
import { type PtyModule, startPty } from './pty.js';
import { Writer } from './writer.js';

/** Which streams are apart, and where their pipes may lie. */
export interface Apart {
  stdin?: boolean;
  stderr?: boolean;
  /** A directory only we can read. */
  dir: string;
}

const OPENS = { stdin: 'exec <"$1" || exit 126; shift; ', stderr: 'exec 2>"$1" || exit 126; shift; ' };
/** Not the user's PATH: it may be anything, and this is ours. */
const TOOLS = '/usr/bin:/bin:/usr/local/bin';
/** A pipe that nobody reads yet cannot be opened for writing; the kernel does not say when it can. */
const RETRY_MS = 5;

/** Throws when there is no terminal or no pipe to be had. */
export function startApart(spec: ReadySpec, { apart, pty }: { apart: Apart; pty: PtyModule }): Proc {
  const dir = mkdtempSync(join(apart.dir, 'io-'));
  try {
    const names = (['stdin', 'stderr'] as const).filter((name) => apart[name]);
    const paths = names.map((name) => join(dir, name));
    execFileSync('/usr/bin/env', ['mkfifo', '-m', '600', ...paths], { stdio: 'ignore', env: { PATH: TOOLS } });
    // Open before the program is: its own opening then never waits.
    const errors = apart.stderr ? openSync(join(dir, 'stderr'), constants.O_RDONLY | constants.O_NONBLOCK) : undefined;
    const script = `${names.map((name) => OPENS[name]).join('')}exec "$@"`;
    const args = ['-c', script, 'sh', ...paths, spec.file, ...spec.args];
    const inner = startPty({ ...spec, stdin: 'open', file: '/bin/sh', args }, pty);
    return new ApartProc({ inner, dir, clock: spec.clock, errors, input: apart.stdin === true });
  } catch (error) {
    rmSync(dir, { recursive: true, force: true });
    throw error;
  }
}

class ApartProc implements Proc {
  readonly io = 'pty' as const;
  readonly pid: number;
  readonly exited: Promise<Exit>;
  readonly #inner: Proc;
  readonly #outlet: Outlet;
  readonly #errors: Socket | undefined;
  readonly #input: PipeInput | undefined;

  constructor(made: { inner: Proc; dir: string; clock: Clock; errors: number | undefined; input: boolean }) {
    const { inner, dir, clock, errors } = made;
    this.#inner = inner;
    this.pid = inner.pid;
    if (errors !== undefined) this.#errors = new Socket({ fd: errors, readable: true, writable: false });
    this.#outlet = new Outlet({
      pause: () => {
        inner.hold();
        this.#errors?.pause();
      },
      resume: () => {
        inner.release();
        this.#errors?.resume();
      },
    });
    inner.onOutput((chunk, stream) => this.#outlet.push(chunk, stream));
    this.#errors?.on('data', (chunk: Buffer) => this.#outlet.push(chunk, 'err'));
    // The end of that stream; the exit tells the rest.
    this.#errors?.on('error', () => undefined);
    if (made.input) this.#input = new PipeInput(join(dir, 'stdin'), clock);
    this.exited = inner.exited.then(async (exit) => {
      this.#input?.close();
      if (errors !== undefined && this.#errors?.destroyed === false)
        readRest(errors, (chunk) => this.#outlet.push(chunk, 'err'));
      this.#errors?.destroy();
      rmSync(dir, { recursive: true, force: true });
      await this.#outlet.emptied();
      return exit;
    });
  }

  onOutput(call: TakeOutput): void {
    this.#outlet.onOutput(call);
  }

  write(bytes: Uint8Array | string): Promise<Written> {
    return (this.#input?.writer ?? this.#inner).write(bytes);
  }

  endInput(): void {
    if (this.#input) this.#input.end();
    else this.#inner.endInput();
  }

  resize(size: Size): void {
    this.#inner.resize(size);
  }

  hold(): void {
    this.#outlet.hold();
  }

  release(): void {
    this.#outlet.release();
  }

  ttyState(): Promise<TtyState | undefined> {
    return this.#inner.ttyState();
  }

  close(): void {
    this.#outlet.close();
    this.#input?.close();
    this.#errors?.destroy();
    this.#inner.close();
  }
}

/** The writing end of a named pipe, opened as soon as someone reads it. */
class PipeInput {
  readonly writer: Writer;
  readonly #path: string;
  readonly #clock: Clock;
  #socket: Socket | undefined;
  #waiting: { bytes: Uint8Array; done: (error?: Error | null) => void }[] = [];
  #isOver = false;
  #cancel: () => void = () => undefined;

  constructor(path: string, clock: Clock) {
    this.#path = path;
    this.#clock = clock;
    this.writer = new Writer((bytes, done) => {
      if (this.#socket) this.#socket.write(bytes, done);
      else this.#waiting.push({ bytes, done });
    });
    this.#open();
  }

  end(): void {
    this.#isOver = true;
    this.#socket?.end();
  }

  close(): void {
    this.#cancel();
    this.writer.close();
    this.#socket?.destroy();
  }

  #open(): void {
    let fd: number;
    try {
      fd = openSync(this.#path, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch {
      // ENXIO: the program has not come to it yet. If it never does, its exit closes us.
      this.#cancel = this.#clock.after(RETRY_MS, () => this.#open());
      return;
    }
    const socket = new Socket({ fd, readable: false, writable: true });
    // EPIPE: the program reads no more. Each write learns it by its own callback.
    socket.on('error', () => undefined);
    this.#socket = socket;
    for (const { bytes, done } of this.#waiting.splice(0)) socket.write(bytes, done);
    if (this.#isOver) socket.end();
  }
}
