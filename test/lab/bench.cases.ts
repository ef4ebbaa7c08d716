/** For the lab's tests: one agent in its seat with one scenario, headless or in a real terminal; all of it ends with `close`. */
import { spawn } from 'node:child_process';
import { closeSync, constants, mkdirSync, mkdtempSync, openSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type IPty, spawn as spawnPty } from '@lydell/node-pty';
import xterm from '@xterm/headless';
import {
  expectNoProcesses,
  install,
  type LabAgent,
  type LabSeat,
  ModelServer,
  parseScenario,
  prepareSeat,
  processesWith,
} from '../../src/testing/index.js';

const PATIENCE_MS = 40_000;

export class Bench {
  readonly agent: LabAgent;
  readonly dir = realpathSync(mkdtempSync(join(tmpdir(), 'reins-lab-')));
  readonly cwd = join(this.dir, 'work');
  server!: ModelServer;
  seat!: LabSeat;

  private constructor(agent: LabAgent) {
    this.agent = agent;
    mkdirSync(this.cwd);
  }

  static async open(agent: LabAgent, scenario: string): Promise<Bench> {
    const script = await parseScenario(scenario, 'scenario');
    const installed = await install(agent, process.env);
    const bench = new Bench(agent);
    bench.server = await ModelServer.start({ scenario: script, cwd: bench.cwd });
    const { server, cwd, dir } = bench;
    bench.seat = prepareSeat({ installed, url: server.url, cwd, dir, path: process.env.PATH ?? '' });
    return bench;
  }

  /** A mark in the environment of everything this bench starts. */
  get #env(): Record<string, string> {
    return { ...this.seat.env, LAB_BENCH: this.dir };
  }

  run(args: string[]): Promise<{ code: number | null; out: string; err: string }> {
    return new Promise((settle) => {
      const child = spawn(this.seat.program, args, {
        cwd: this.cwd,
        env: this.#env,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const said = { out: '', err: '' };
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
        said.out += chunk;
      });
      child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
        said.err += chunk;
      });
      child.on('close', (code) => settle({ code, ...said }));
    });
  }

  terminal(args: string[]): LabTerminal {
    return new LabTerminal(this.seat.program, { args, cwd: this.cwd, env: this.#env });
  }

  async close(): Promise<void> {
    await this.server.close();
    const mark = `LAB_BENCH=${this.dir}`;
    for (const { pid } of processesWith(mark)) process.kill(pid, 'SIGKILL');
    await expectNoProcesses(mark);
    rmSync(this.dir, { recursive: true, force: true });
  }
}

const PRESS_AGAIN_MS = 4_000;

export class LabTerminal {
  readonly #pty: IPty;
  readonly #screen = new xterm.Terminal({ cols: 110, rows: 40, scrollback: 2000, allowProposedApi: true });
  exit: number | undefined;

  constructor(program: string, given: { args: string[]; cwd: string; env: Record<string, string> }) {
    this.#pty = spawnPty(program, given.args, {
      cols: 110,
      rows: 40,
      cwd: given.cwd,
      env: given.env,
      name: 'xterm-256color',
    });
    const pts = (this.#pty as unknown as { ptsName: string }).ptsName;
    const hold = openSync(pts, constants.O_RDONLY | constants.O_NOCTTY);
    this.#pty.onData((data) => this.#screen.write(data));
    // Some agents ask their terminal who it is.
    this.#screen.onData((answer) => this.#pty.write(answer));
    this.#pty.onExit(({ exitCode }) => {
      closeSync(hold);
      this.exit = exitCode;
    });
  }

  text(): string {
    const buffer = this.#screen.buffer.active;
    const lines = Array.from({ length: buffer.length }, (_, row) => buffer.getLine(row)?.translateToString(true) ?? '');
    return lines.join('\n').trimEnd();
  }

  write(keys: string): void {
    this.#pty.write(keys);
  }

  /** As a person does: a dialog that has just been painted may not take keys yet, and they are lost. */
  async presses(key: string, pattern: string): Promise<void> {
    for (const until = Date.now() + PATIENCE_MS; ; ) {
      this.write(key);
      const seen = await this.sees(pattern, PRESS_AGAIN_MS).catch((error: Error) => error);
      if (seen === undefined) return;
      if (Date.now() > until) throw seen;
    }
  }

  async sees(pattern: RegExp | string, patienceMs = PATIENCE_MS): Promise<void> {
    const until = Date.now() + patienceMs;
    const has = () => (typeof pattern === 'string' ? this.text().includes(pattern) : pattern.test(this.text()));
    while (!has()) {
      if (Date.now() > until) throw new Error(`waited in vain for ${pattern}\n${this.text()}`);
      await sleep(25);
    }
  }

  close(): void {
    if (this.exit === undefined) this.#pty.kill('SIGKILL');
    this.#screen.dispose();
  }
}
