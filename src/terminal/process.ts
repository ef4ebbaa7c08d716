/**
 * One agent as a child process, in a terminal of its own (pty) or behind pipes: what every such process can do, and
 * how one is started. What the bytes mean, who may write and when to stop is decided elsewhere. The surprising thing:
 * a program or directory that is not there is found out before the start, because a PTY reports it as exit code 1.
 */
import { accessSync, constants, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Clock, Size } from '../contract/index.js';
import { once, systemClock } from '../contract/index.js';
import type { Apart } from './apart.js';
import { findExecutable } from './find.js';
import { startPipe } from './pipe.js';
import { loadNodePty, type PtyModule, startPty } from './pty.js';
import { loadEmulator } from './screen.js';

export interface ProcessSpec {
  /** A name to be found on the PATH of `env`, or a path (a relative one counts from `cwd`). */
  command: string;
  args: string[];
  cwd: string;
  /** The whole environment, nothing is added but what a terminal needs. */
  env: Record<string, string>;
  io: 'pty' | 'pipe';
  size: Size;
  /**
   * `closed`: pipe: end of file at once; pty: a terminal nobody types into, because an agent that wants one must see
   * one. `open`: `write` reaches it. A file: its content, then end of file; in a pty only stdin is not the terminal.
   */
  stdin: 'closed' | 'open' | { file: string };
  /** TERM inside a pty. */
  term?: string;
  /** Pty with an open stdin: these streams are pipes all the same. */
  apart?: Apart;
}

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export type Written =
  /** The kernel has it. */
  | 'written'
  /** There is no one to read it. */
  | 'gone'
  /** Too much is waiting already; nothing of this was taken. */
  | 'full';

export interface Proc {
  readonly pid: number;
  readonly io: 'pty' | 'pipe';
  /** Why a pty was asked for and pipes came. */
  readonly fellBack?: string;
  /** Raw bytes, in order, nothing lost; all are delivered before `exited` resolves. A pty knows only `out`. */
  onOutput(call: (chunk: Uint8Array, stream: 'out' | 'err') => void): void;
  /** Contract: never throws, keeps nothing of the caller's buffer, is `WRITTEN` if it is so already; a pending write resolves `gone` when the process ends. */
  write(bytes: Uint8Array | string): Promise<Written>;
  /** Pipe: closes stdin. Pty: the end-of-file key, which means something only while the terminal is canonical. */
  endInput(): void;
  resize(size: Size): void;
  /** Of this process alone; what it left running is `TreeWatch`'s business. Waits for `release` while held. */
  readonly exited: Promise<Exit>;
  /** Stop reading: the agent blocks once the kernel's buffers are full. */
  hold(): void;
  release(): void;
  /** Pty only: echo off means that a password is asked for. Undefined when it cannot be told. */
  ttyState(): Promise<TtyState | undefined>;
  /** Lets go of the terminal or the pipes (an agent in a pty gets SIGHUP); sends no signal itself. */
  close(): void;
}

export interface TtyState {
  echo: boolean;
  canonical: boolean;
}

export type StartedProcess =
  | { ok: true; proc: Proc }
  | { ok: false; code: 'CWD_INACCESSIBLE' | 'AGENT_NOT_FOUND' | 'AGENT_UNSTARTABLE'; reason: string };

export interface StartDeps {
  /** How the native module comes in: it may be missing on this platform. */
  loadPty?: () => Promise<PtyModule>;
  clock?: Clock;
}

/** Everything about a start that no longer depends on who starts it. */
export interface ReadySpec extends ProcessSpec {
  /** Absolute path of the program. */
  file: string;
  clock: Clock;
}

const loadApart = once(() => import('./apart.js'));
/** For who looks for leftovers again and again. */
export const loadStrangers = once(() => import('./strangers.js'));

/** Contract: never throws; what can go wrong is a value. */
export async function startProcess(spec: ProcessSpec, deps: StartDeps = {}): Promise<StartedProcess> {
  const cwd = resolve(spec.cwd);
  const barred = whyNotEnter(cwd);
  if (barred) return { ok: false, code: 'CWD_INACCESSIBLE', reason: barred };

  const found = findExecutable(spec.command, { cwd, path: spec.env.PATH });
  if (!found.ok) {
    const code = found.why === 'missing' ? 'AGENT_NOT_FOUND' : 'AGENT_UNSTARTABLE';
    return { ok: false, code, reason: found.reason };
  }
  if (typeof spec.stdin === 'object') {
    const unreadable = whyNotRead(resolve(cwd, spec.stdin.file));
    if (unreadable) return { ok: false, code: 'AGENT_UNSTARTABLE', reason: unreadable };
  }

  const stdin = typeof spec.stdin === 'object' ? { file: resolve(cwd, spec.stdin.file) } : spec.stdin;
  const ready: ReadySpec = { ...spec, stdin, cwd, file: found.path, clock: deps.clock ?? systemClock };
  if (spec.io === 'pipe') return startPipe(ready);
  try {
    const pty = await (deps.loadPty ?? loadNodePty)();
    if (!spec.apart) return { ok: true, proc: startPty(ready, pty) };
    const { startApart } = await loadApart();
    return { ok: true, proc: startApart(ready, { apart: spec.apart, pty }) };
  } catch (thrown) {
    // No /dev/ptmx, no native build for this platform, EBADF: pipes serve most of what a terminal does.
    return startPipe({ ...ready, fellBack: firstLine(thrown) });
  }
}

/** Loads what is otherwise loaded when it is first wanted, the least likely last. */
export async function loadTerminalRest(): Promise<void> {
  await loadNodePty();
  await loadEmulator();
  await loadApart();
  await loadStrangers();
}

function whyNotEnter(dir: string): string | undefined {
  try {
    if (!statSync(dir).isDirectory()) return 'it is not a directory';
    accessSync(dir, constants.X_OK);
    return undefined;
  } catch (thrown) {
    return plainReason(thrown);
  }
}

function whyNotRead(file: string): string | undefined {
  try {
    accessSync(file, constants.R_OK);
    return statSync(file).isDirectory() ? `the input ${file} is a directory` : undefined;
  } catch (thrown) {
    return `the input ${file} cannot be read: ${plainReason(thrown)}`;
  }
}

function plainReason(thrown: unknown): string {
  const code = (thrown as NodeJS.ErrnoException).code;
  if (code === 'ENOENT') return 'it does not exist';
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied';
  if (code === 'ENOTDIR') return 'a part of its path is not a directory';
  return firstLine(thrown);
}

function firstLine(thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  return text.split('\n', 1)[0] ?? text;
}
