/** For the tests beside this file only: a practice agent in a real terminal or on real pipes, and waiting for facts. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { type IPty, spawn as spawnPty } from '@lydell/node-pty';
import xterm from '@xterm/headless';
import { type PracticeCommand, type PracticeWish, practiceAgent } from '../practice-agent.js';
import { keepTail } from './keep-tail.cases.js';

const PATIENCE_MS = 20_000;

export async function until<T>(what: string, look: () => T | undefined | false, state = () => ''): Promise<T> {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const found = look();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > end) throw new Error(`waited in vain for ${what}\n${state()}`);
    await sleep(10);
  }
}

export class Folder {
  readonly path = realpathSync(mkdtempSync(join(tmpdir(), 'practice-')));
  close(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** Nothing of this machine's environment but what a program needs to start. */
const bare = () => ({ PATH: process.env.PATH ?? '', HOME: '/nonexistent', LANG: 'C.UTF-8', TERM: 'xterm-256color' });

export class InTerminal {
  readonly pty: IPty;
  readonly screen: InstanceType<typeof xterm.Terminal>;
  bytes = '';
  titles: string[] = [];
  exit: { code: number; signal: number } | undefined;

  constructor(wish: PracticeWish & { cwd: string; cols?: number; rows?: number; env?: Record<string, string> }) {
    const { command, args, env } = practiceAgent(wish);
    const size = { cols: wish.cols ?? 100, rows: wish.rows ?? 40 };
    this.screen = new xterm.Terminal({ ...size, scrollback: 5000, allowProposedApi: true });
    this.screen.onTitleChange((title) => this.titles.push(title));
    const merged = { ...bare(), ...env, ...wish.env };
    this.pty = spawnPty(command, args, { ...size, cwd: wish.cwd, env: merged, name: 'xterm-256color' });
    const take = (data: string) => {
      this.bytes += data;
      this.screen.write(data);
    };
    this.pty.onData(take);
    keepTail(this.pty, take);
    this.pty.onExit(({ exitCode, signal }) => {
      this.screen.write('', () => {
        this.exit = { code: exitCode, signal: signal ?? 0 };
      });
    });
  }

  /** Everything there is, scrollback included, without trailing blanks. */
  text(): string {
    const buffer = this.screen.buffer.active;
    const lines = Array.from({ length: buffer.length }, (_, row) => buffer.getLine(row)?.translateToString(true) ?? '');
    return lines.join('\n').trimEnd();
  }

  bottom(lines = 16): string {
    return this.text().split('\n').slice(-lines).join('\n');
  }

  write(text: string): void {
    this.pty.write(text);
  }

  submit(text: string): void {
    this.write(`\x1b[200~${text}\x1b[201~`);
    this.write('\r');
  }

  /** In pieces, reading in between: one large write blocks this process while the agent waits for us to read. */
  async submitLarge(text: string): Promise<void> {
    const whole = `\x1b[200~${text}\x1b[201~`;
    for (let at = 0; at < whole.length; at += 1024) {
      this.write(whole.slice(at, at + 1024));
      await new Promise(setImmediate);
    }
    this.write('\r');
  }

  sees(pattern: RegExp | string): Promise<true> {
    const has = (text: string) => (typeof pattern === 'string' ? text.includes(pattern) : pattern.test(text));
    return until(
      String(pattern),
      () => has(this.text()) || undefined,
      () => this.text(),
    );
  }

  ready(): Promise<true> {
    const idle = () => /❯[^\n]*\n─+\n {2}\? \/help · \/exit$/.test(this.text()) && this.titles.at(-1) === '✳ practice';
    return until(
      'an idle box',
      () => idle() || undefined,
      () => this.text(),
    );
  }

  ended(): Promise<{ code: number; signal: number }> {
    return until(
      'the end of the agent',
      () => this.exit,
      () => this.text(),
    );
  }

  async close(): Promise<void> {
    if (!this.exit) this.pty.kill('SIGKILL');
    await this.ended();
    this.screen.dispose();
  }
}

export type Row = Record<string, unknown> & { type: string };

export class OnPipes {
  readonly child: ChildProcessWithoutNullStreams;
  readonly rows: Row[] = [];
  out = Buffer.alloc(0);
  err = '';
  exit: { code: number | null; signal: string | null } | undefined;

  constructor(wish: PracticeWish & { cwd: string; env?: Record<string, string>; run?: PracticeCommand }) {
    const { command, args, env } = wish.run ?? practiceAgent(wish);
    this.child = spawn(command, args, { cwd: wish.cwd, env: { ...bare(), ...env, ...wish.env } });
    this.child.stdout.on('data', (chunk: Buffer) => {
      this.out = Buffer.concat([this.out, chunk]);
    });
    this.child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      this.err += chunk;
    });
    createInterface({ input: this.child.stdout }).on('line', (line) => {
      if (line.startsWith('{')) this.rows.push(JSON.parse(line) as Row);
    });
    this.child.on('close', (code, signal) => {
      this.exit = { code, signal };
    });
  }

  send(...messages: object[]): void {
    for (const message of messages) this.child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  say(content: string): void {
    this.send({ type: 'user', message: { role: 'user', content } });
  }

  answer(request: Row, response: object): void {
    const { request_id } = request as unknown as { request_id: string };
    this.send({ type: 'control_response', response: { subtype: 'success', request_id, response } });
  }

  /** The n-th row of a type, as soon as there is one. */
  row(type: string, n = 0): Promise<Row> {
    return until(
      `${type} #${n}`,
      () => this.rows.filter((row) => row.type === type)[n],
      () => JSON.stringify(this.rows) + this.err,
    );
  }

  ended(): Promise<{ code: number | null; signal: string | null }> {
    return until(
      'the end of the agent',
      () => this.exit,
      () => this.err,
    );
  }

  async close(): Promise<void> {
    if (!this.exit) this.child.kill('SIGKILL');
    await this.ended();
  }
}
