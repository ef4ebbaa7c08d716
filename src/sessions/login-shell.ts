/**
 * Runs a login shell once and takes what it would hand to a program. The user's own files run in it, so it may print, ask,
 * hang, exit or leave something behind: it has no terminal and no input, is bounded in time and in bytes, and its process
 * group is ended whatever happened. What it prints besides is not looked at.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Env } from '../contract/index.js';

/** More than a kernel takes for one program's environment and arguments is not one. */
const MOST_BYTES = 4 * 1024 * 1024;

export interface ShellAsk {
  shell: string;
  args: string[];
  /** Stands before and behind what is meant. */
  mark: string;
  env: Env;
  limitMs: number;
}

export type Printed = { records: string[] } | { reason: string };

/** The same words for every shell: `env` by its whole name, because nothing in a user's files may stand for it. */
const SAY = `printf '%s\\0' "$REINS_LOGIN_MARK"; /usr/bin/env -0; printf '%s\\0' "$REINS_LOGIN_MARK"`;

/** Contract: resolves, within its limits; nothing of its process group runs afterwards. */
export function shellPrints({ shell, args, mark, env, limitMs }: ShellAsk): Promise<Printed> {
  const child = spawn(shell, [...args, SAY], {
    cwd: env.HOME ?? '/',
    env: { ...env, REINS_LOGIN_MARK: mark } as NodeJS.ProcessEnv,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const finish = (printed: Printed) => {
      clearTimeout(timer);
      child.stdout?.destroy();
      endGroup(child);
      resolve(printed);
    };
    const timer = setTimeout(() => finish({ reason: `nothing within ${limitMs / 1000} s` }), limitMs);
    const said = () => between(Buffer.concat(chunks).toString('utf8'), mark);
    child.stdout?.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      // Something it left behind may hold the pipe open: the second mark is the end.
      const records = chunk.includes(0) ? said() : undefined;
      if (records) finish({ records });
      else if (bytes > MOST_BYTES) finish({ reason: `more than ${MOST_BYTES} bytes` });
    });
    child.once('error', (error: NodeJS.ErrnoException) => finish({ reason: error.code ?? 'it cannot be started' }));
    child.once('close', (code, signal) => finish({ reason: `it ended with ${signal ?? code} before it said it` }));
  });
}

function between(text: string, mark: string): string[] | undefined {
  const begin = text.indexOf(`${mark}\0`);
  if (begin < 0) return undefined;
  const records = text.slice(begin + mark.length + 1).split('\0');
  const end = records.indexOf(mark);
  return end < 0 ? undefined : records.slice(0, end);
}

function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // Gone already, the shell and what it had started.
  }
}
