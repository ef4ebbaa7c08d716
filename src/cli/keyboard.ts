/**
 * A person's keys, in really raw mode, for as long as an agent's bytes go to their terminal. Node's raw mode leaves the output
 * alone: the terminal then puts a carriage return before every line feed, which shifts what a program without it draws.
 * Nothing in Node switches that off, so `stty` does, once, beside other work. Node remembers how the terminal was before
 * and gives it back with its raw mode, also when we crash. Suspended as a job, we give the terminal back meanwhile.
 */
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { ReadStream } from 'node:tty';

/** A stop that was asked for has come by then, or never comes. */
const GOES_ON_MS = 100;

/** stdin if it is a terminal, else /dev/tty (stdin may be a pipe with content), else nothing. */
export function keySource(): ReadStream | undefined {
  if (process.stdin.isTTY) return process.stdin;
  try {
    return new ReadStream(openSync('/dev/tty', 'r'));
  } catch {
    return undefined; // no terminal at all: a viewer without keys
  }
}

export interface KeyboardPorts {
  typed(bytes: Buffer): void;
  /** The terminal has another size. */
  resized?(): void;
  /** We are about to be stopped: takes what was drawn off the terminal. */
  suspending?(): void | Promise<void>;
  /** The terminal is ours again, with nothing of ours on it. */
  resumed?(): void;
}

export class Keyboard {
  readonly #keys: ReadStream;
  readonly #ports: KeyboardPorts;
  #raw: Promise<void>;
  #isOver = false;
  #isSuspended = false;

  constructor(keys: ReadStream, ports: KeyboardPorts) {
    this.#keys = keys;
    this.#ports = ports;
    this.#raw = this.#makeRaw();
    keys.on('data', this.#typed);
    keys.on('error', () => undefined); // the terminal went away: SIGHUP tells the same
    keys.resume();
    process.stdout.on('resize', this.#resized);
    process.on('SIGTSTP', this.#suspend);
    process.on('SIGCONT', this.#resume);
  }

  /** Resolves when it is raw, or as raw as can be had. */
  get raw(): Promise<void> {
    return this.#raw;
  }

  /** Resolves when it is as it was, and nobody reads it. May be called twice. */
  async giveBack(): Promise<void> {
    this.#isOver = true;
    process.stdout.off('resize', this.#resized);
    process.off('SIGTSTP', this.#suspend);
    process.off('SIGCONT', this.#resume);
    const keys = this.#keys;
    await this.#usual();
    if (keys.destroyed) return;
    // A reader left behind would eat the next key the user types into the shell.
    keys.pause();
    keys.destroy();
  }

  #makeRaw(): Promise<void> {
    const keys = this.#keys;
    if (!keys.isTTY || keys.destroyed) return Promise.resolve();
    // First: what Node finds now is what it gives back.
    keys.setRawMode(true);
    return withoutOutputProcessing(keys);
  }

  async #usual(): Promise<void> {
    // One that is still at it would come last, and leave it raw.
    await this.#raw;
    if (this.#keys.isTTY && !this.#keys.destroyed) this.#keys.setRawMode(false);
  }

  readonly #typed = (bytes: Buffer): void => this.#ports.typed(bytes);
  readonly #resized = (): void => this.#ports.resized?.();

  readonly #suspend = async (): Promise<void> => {
    if (this.#isSuspended) return;
    this.#isSuspended = true;
    await this.#ports.suspending?.();
    await this.#usual();
    if (this.#isOver) return;
    // By the default action: the kernel does not stop us where no shell could let us go on. Then we go on by ourselves.
    process.off('SIGTSTP', this.#suspend);
    process.kill(process.pid, 'SIGTSTP');
    setTimeout(() => {
      if (this.#isSuspended) this.#resume();
    }, GOES_ON_MS);
  };

  /** Also behind a stop that nobody announced: the shell had the terminal, and made it its own. */
  readonly #resume = (): void => {
    if (this.#isOver) return;
    if (this.#isSuspended) process.on('SIGTSTP', this.#suspend);
    this.#isSuspended = false;
    // Raw already, Node would do nothing.
    if (this.#keys.isTTY && !this.#keys.destroyed) this.#keys.setRawMode(false);
    this.#raw = this.#makeRaw();
    void this.#raw.then(() => {
      if (!this.#isOver) this.#ports.resumed?.();
    });
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
