/** A person's terminal: the built command line, or a shell, in a real PTY, its bytes drawn on a headless screen. */
import { type IPty, spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';
import { onTestFinished } from 'vitest';
import { keepTail } from '../../../src/testing/practice/keep-tail.cases.js';
import { CLI } from './cli.js';
import { until } from './wait.js';
import type { World } from './world.js';

export interface TerminalOptions {
  cols?: number;
  rows?: number;
  cwd?: string;
  env?: Record<string, string>;
  /** The command line of another build (builds.ts). */
  cli?: string;
}

export class Terminal {
  readonly #pty: IPty;
  readonly #screen: InstanceType<typeof xterm.Terminal>;
  /** Everything that came, as it came. */
  bytes = '';
  code: number | undefined;

  constructor(world: World, argv: [string, ...string[]], options: TerminalOptions) {
    const size = { cols: options.cols ?? 100, rows: options.rows ?? 30 };
    this.#screen = new xterm.Terminal({ ...size, scrollback: 5000, allowProposedApi: true });
    this.#pty = spawn(argv[0], argv.slice(1), {
      ...size,
      cwd: options.cwd ?? world.project,
      env: { ...world.env, ...options.env },
      name: 'xterm-256color',
    });
    const take = (data: string) => {
      this.bytes += data;
      this.#screen.write(data);
    };
    this.#pty.onData(take);
    keepTail(this.#pty, take);
    this.#pty.onExit(({ exitCode, signal }) => {
      this.code = signal ? 128 + signal : exitCode;
    });
    onTestFinished(() => this.close());
  }

  get pid(): number {
    return this.#pty.pid;
  }

  /** Everything on the screen and above it, without trailing blanks. */
  screen(): string {
    const buffer = this.#screen.buffer.active;
    const lines = Array.from({ length: buffer.length }, (_, row) => buffer.getLine(row)?.translateToString(true) ?? '');
    return lines.join('\n').trimEnd();
  }

  get alternate(): boolean {
    return this.#screen.buffer.active.type === 'alternate';
  }

  type(keys: string): void {
    this.#pty.write(keys);
  }

  resize(cols: number, rows: number): void {
    this.#screen.resize(cols, rows);
    this.#pty.resize(cols, rows);
  }

  waitFor(what: string | RegExp | ((screen: string) => boolean)): Promise<true> {
    const seen = (text: string) =>
      typeof what === 'string' ? text.includes(what) : what instanceof RegExp ? what.test(text) : what(text);
    return until(
      String(what),
      () => seen(this.screen()) || undefined,
      () => this.screen(),
    );
  }

  /** Whether something shows up within a moment; for keys that have to be pressed again. */
  async sees(what: string | RegExp, ms: number): Promise<boolean> {
    const end = Date.now() + ms;
    while (Date.now() < end) {
      const screen = this.screen();
      if (typeof what === 'string' ? screen.includes(what) : what.test(screen)) return true;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return false;
  }

  /** The exit code, a death by signal as a shell would say it. */
  exit(): Promise<number> {
    return until(
      'the end of the command',
      () => this.code,
      () => this.screen(),
    );
  }

  close(): void {
    if (this.code !== undefined) return;
    try {
      // As a window closes: the signal, and nothing more to read. A shell about to read takes note of the signal only then.
      this.#pty.kill('SIGHUP');
      (this.#pty as IPty & { destroy(): void }).destroy();
    } catch {
      // It ended by itself meanwhile.
    }
  }
}

export function reinsInTerminal(world: World, args: string[], options: TerminalOptions = {}): Terminal {
  return new Terminal(world, [process.execPath, options.cli ?? CLI, ...args], options);
}

/** An interactive shell in which `reins` is the built command line. */
export async function shellInTerminal(world: World, options: TerminalOptions = {}): Promise<Terminal> {
  const terminal = new Terminal(world, ['bash', '--norc', '--noprofile', '-i'], {
    ...options,
    env: { PS1: 'ready> ', HISTFILE: '', ...options.env },
  });
  await terminal.waitFor('ready>');
  terminal.type(`reins() { '${process.execPath}' '${CLI}' "$@"; }\r`);
  return terminal;
}
