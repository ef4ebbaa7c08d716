/**
 * An agent behind pipes: own session and process group, stdout and stderr apart. Ends when the agent itself has ended
 * and all it wrote is read; a background child that keeps the pipes open delays that by a moment, never for ever.
 */
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { Readable } from 'node:stream';
import type { Size } from '../contract/index.js';
import { Outlet, type OutputStream, readRest, type TakeOutput } from './drain.js';
import type { Exit, Proc, ReadySpec, StartedProcess, TtyState, Written } from './process.js';
import { openMasters } from './pty.js';
import { Writer } from './writer.js';

/** After the exit: time for helpers that share the output (`> >(tee log)`) to finish. The same as in a pty. */
const LINGER_MS = 200;

export async function startPipe(spec: ReadySpec & { fellBack?: string }): Promise<StartedProcess> {
  let input: number | undefined;
  let nothing: number | undefined;
  try {
    if (typeof spec.stdin === 'object') input = openSync(spec.stdin.file, 'r');
    const stdio: Exclude<StdioOptions, string> = [input ?? (spec.stdin === 'open' ? 'pipe' : 'ignore'), 'pipe', 'pipe'];
    nothing = coverMasters(stdio);
    const child = spawn(spec.file, spec.args, { cwd: spec.cwd, env: spec.env, stdio, detached: true });
    // Before anything is awaited: an exit or a chunk right after the start must find someone listening.
    const proc = new PipeProc(child, spec);
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    return { ok: true, proc };
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    return { ok: false, code: 'AGENT_UNSTARTABLE', reason };
  } finally {
    if (input !== undefined) closeSync(input);
    if (nothing !== undefined) closeSync(nothing);
  }
}

/**
 * node-pty leaves the master side of its terminals open across exec: a consultant started beside an agent could read
 * and type there, and would keep the terminal from ever hanging up. Whatever we start gets /dev/null in its place.
 */
function coverMasters(stdio: Exclude<StdioOptions, string>): number | undefined {
  if (openMasters.size === 0) return undefined;
  const nothing = openSync('/dev/null', 'r');
  for (let fd = 3; fd <= Math.max(...openMasters); fd += 1) stdio[fd] = openMasters.has(fd) ? nothing : null;
  return nothing;
}

/** The descriptor below a stream; Node has no public name for it. */
type WithHandle = Readable & { _handle?: { fd?: number } | null };

class PipeProc implements Proc {
  readonly io = 'pipe' as const;
  readonly fellBack?: string;
  readonly exited: Promise<Exit>;
  readonly #child: ChildProcess;
  readonly #outlet: Outlet;
  readonly #writer: Writer;
  readonly #sides: { from: WithHandle; stream: OutputStream }[] = [];

  constructor(child: ChildProcess, spec: ReadySpec & { fellBack?: string }) {
    this.#child = child;
    if (spec.fellBack !== undefined) this.fellBack = spec.fellBack;
    if (child.stdout) this.#sides.push({ from: child.stdout, stream: 'out' });
    if (child.stderr) this.#sides.push({ from: child.stderr, stream: 'err' });
    this.#outlet = new Outlet({
      pause: () => this.#sides.forEach(({ from }) => void from.pause()),
      resume: () => this.#sides.forEach(({ from }) => void from.resume()),
    });
    for (const { from, stream } of this.#sides) {
      from.on('data', (chunk: Buffer) => this.#outlet.push(chunk, stream));
      // A read error is the end of that stream; the exit tells the rest.
      from.on('error', () => from.destroy());
    }
    const { stdin } = child;
    this.#writer = new Writer((bytes, done) => {
      if (stdin?.writable) stdin.write(bytes, done);
      else done(new Error('stdin is closed'));
    });
    // EPIPE: the agent closed its stdin. Each write learns it by its own callback.
    stdin?.on('error', () => undefined);
    if (!stdin) this.#writer.close();
    this.exited = this.#untilOver(spec);
  }

  get pid(): number {
    return this.#child.pid ?? -1;
  }

  onOutput(call: TakeOutput): void {
    this.#outlet.onOutput(call);
  }

  write(bytes: Uint8Array | string): Promise<Written> {
    return this.#writer.write(bytes);
  }

  endInput(): void {
    this.#child.stdin?.end();
  }

  resize(_size: Size): void {
    // Pipes have no size.
  }

  hold(): void {
    this.#outlet.hold();
  }

  release(): void {
    this.#outlet.release();
  }

  ttyState(): Promise<TtyState | undefined> {
    return Promise.resolve(undefined);
  }

  close(): void {
    this.#outlet.close();
    this.#writer.close();
    this.#child.stdin?.destroy();
    for (const { from } of this.#sides) from.destroy();
  }

  async #untilOver(spec: ReadySpec): Promise<Exit> {
    const closed = new Promise<void>((resolve) => this.#child.once('close', () => resolve()));
    const exit = await new Promise<Exit>((resolve) => {
      this.#child.once('exit', (code, signal) => resolve(signal ? { code: null, signal } : { code, signal: null }));
      // The program could not be started: `startPipe` reports it, nobody gets this process.
      this.#child.once('error', () => resolve({ code: null, signal: null }));
    });
    this.#writer.close();
    let cancel = (): void => undefined;
    await Promise.race([
      closed,
      new Promise<void>((resolve) => {
        cancel = spec.clock.after(LINGER_MS, resolve);
      }),
    ]);
    cancel();
    for (const { from, stream } of this.#sides) this.#takeRest(from, stream);
    await this.#outlet.emptied();
    return exit;
  }

  #takeRest(from: WithHandle, stream: OutputStream): void {
    for (let chunk = from.read(); chunk !== null; chunk = from.read()) {
      // `read` hands the chunk to the data listener itself.
    }
    const fd = from._handle?.fd;
    if (fd !== undefined && fd >= 0) readRest(fd, (chunk) => this.#outlet.push(chunk, stream));
    from.destroy();
    this.#child.stdin?.destroy();
  }
}
