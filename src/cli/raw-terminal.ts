/**
 * A person's terminal in really raw mode, for as long as an agent's bytes go to it. Node's raw mode leaves the output
 * alone: the terminal then puts a carriage return before every line feed, which shifts what a program without it draws.
 * Nothing in Node switches that off, so `stty` does, once, beside other work. Node remembers how the terminal was before
 * and gives it back with its raw mode, also when we crash.
 */
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { ReadStream } from 'node:tty';

export interface RawTerminal {
  /** Resolves when it is raw, or as raw as can be had. */
  readonly raw: Promise<void>;
  /** Resolves when it is as it was. May be called twice. */
  giveBack(): Promise<void>;
}

export function rawTerminal(keys: ReadStream): RawTerminal {
  if (!keys.isTTY) return { raw: Promise.resolve(), giveBack: () => Promise.resolve() };
  // First: what Node finds now is what it gives back.
  keys.setRawMode(true);
  const raw = withoutOutputProcessing(keys);
  return {
    raw,
    async giveBack() {
      // One that is still at it would come last, and leave it raw.
      await raw;
      if (!keys.destroyed) keys.setRawMode(false);
    },
  };
}

/** Without stty, as in the smallest containers, only line feeds are shown as they always were. */
function withoutOutputProcessing(keys: ReadStream): Promise<void> {
  return new Promise((resolve) => {
    let fd: number;
    try {
      fd = keys === process.stdin ? 0 : openSync('/dev/tty', 'r+');
    } catch {
      resolve();
      return;
    }
    const stty = spawn('stty', ['-opost'], { stdio: [fd, 'ignore', 'ignore'] });
    if (fd !== 0) closeSync(fd);
    stty.once('error', () => resolve());
    stty.once('exit', () => resolve());
  });
}
