/**
 * The built command line as a script or a CI job sees it: standard streams are pipes or files, there is no controlling
 * terminal (each run leads a session of its own).
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { World } from './world.js';

/** Another build can be tested by naming its command line. */
export const CLI = process.env.REINS_CLI ?? join(import.meta.dirname, '../../../dist/cli/main.js');

export interface CliOptions {
  cwd?: string;
  env?: Record<string, string>;
  /** Text: piped in, then end of file. `open`: a pipe that stays open. Absent: /dev/null. */
  stdin?: string | 'open';
  /** A file descriptor in place of a pipe. */
  stdout?: number;
  stderr?: number;
  /** The command line of another build (builds.ts). */
  cli?: string;
  /** Another Node to run it with. */
  node?: string;
}

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export class Running {
  readonly child: ChildProcess;
  readonly done: Promise<Ended>;
  #out: Buffer[] = [];
  #err: Buffer[] = [];

  constructor(world: World, args: string[], options: CliOptions) {
    const { stdin, cwd = world.project, env = {} } = options;
    this.child = spawn(options.node ?? process.execPath, [options.cli ?? CLI, ...args], {
      cwd,
      env: { ...world.env, ...env },
      detached: true,
      stdio: [stdin === undefined ? 'ignore' : 'pipe', options.stdout ?? 'pipe', options.stderr ?? 'pipe'],
    });
    this.child.stdout?.on('data', (chunk: Buffer) => this.#out.push(chunk));
    this.child.stderr?.on('data', (chunk: Buffer) => this.#err.push(chunk));
    // A command that does not read its input may be gone before all of it was written.
    this.child.stdin?.on('error', () => undefined);
    if (stdin !== undefined && stdin !== 'open') this.child.stdin?.end(stdin);
    this.done = new Promise((resolve, reject) => {
      this.child.once('error', reject);
      this.child.once('close', (code, signal) => resolve({ code, signal, stdout: this.stdout, stderr: this.stderr }));
    });
  }

  get pid(): number {
    return this.child.pid!;
  }

  get stdout(): string {
    return Buffer.concat(this.#out).toString('utf8');
  }

  get stderr(): string {
    return Buffer.concat(this.#err).toString('utf8');
  }

  signal(signal: NodeJS.Signals): void {
    process.kill(this.pid, signal);
  }
}

export function startReins(world: World, args: string[], options: CliOptions = {}): Running {
  return new Running(world, args, options);
}

export function reins(world: World, args: string[], options: CliOptions = {}): Promise<Ended> {
  return startReins(world, args, options).done;
}

export interface DryRun {
  argv: string[];
  mode: string;
  trust: string;
  cwd: string;
  io: string;
  door: string;
  prompt?: string;
  stdin?: string;
}

/** What would be started, by the command line's own account. */
export async function dryRun(world: World, args: string[], options: CliOptions = {}): Promise<DryRun> {
  const ended = await reins(world, ['run', '--dry-run', '--format', 'json', ...args], options);
  if (ended.code !== 0) throw new Error(`dry run ended with ${ended.code}: ${ended.stderr}`);
  return JSON.parse(ended.stdout) as DryRun;
}

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
