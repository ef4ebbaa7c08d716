/**
 * Plays a recording. On a terminal it has the keys while it plays: Ctrl-C or `q` ends it, and nothing typed meanwhile, nor
 * a report of the terminal that the recording switched on, is left for the shell. Whatever ends it, the terminal is
 * given back as it was.
 */

import type { RecordingReader } from '../terminal/recording-read.js';
import { ControlKeys, Sieve } from '../vt/index.js';
import type { Context } from './context.js';
import { Keyboard } from './keyboard.js';
import { onSignals, SIGNALS } from './viewing.js';

/** A pause longer than this is shortened: nobody wants to watch a night of waiting. */
const LONGEST_PAUSE_MS = 2_000;

const CTRL_C = 0x03;

export async function play(context: Context, recording: RecordingReader, speed: number): Promise<number> {
  const player = new Player(context);
  try {
    return await player.play(recording, speed);
  } finally {
    await player.close();
  }
}

/** Resolves when stdout takes more. */
export async function written(context: Context, data: string | Uint8Array): Promise<void> {
  context.channels.out(data);
  if (process.stdout.writableNeedDrain) await new Promise((resolve) => process.stdout.once('drain', resolve));
}

class Player {
  readonly #context: Context;
  readonly #onTerminal = process.stdout.isTTY;
  /** Nobody waits for the answers to what was asked then, and nothing is copied once more. */
  readonly #sieve = new Sieve(() => ({ mayAnswer: false, mayCopy: false }));
  readonly #undo: () => void;
  #keyboard: Keyboard | undefined;
  #stopped: number | undefined;
  #wake: () => void = () => undefined;

  constructor(context: Context) {
    this.#context = context;
    this.#undo = onSignals((name) => this.#stop(SIGNALS[name].exit));
    if (this.#onTerminal && process.stdin.isTTY) this.#listen();
  }

  async play(recording: RecordingReader, speed: number): Promise<number> {
    await this.#keyboard?.raw;
    let last = 0;
    for await (const event of recording.events({})) {
      if (this.#stopped !== undefined) break;
      await this.#pause(Math.min((event.timeMs - last) / speed, LONGEST_PAUSE_MS));
      last = event.timeMs;
      if (this.#stopped !== undefined) break;
      if (event.code === 'o') await this.#show(event.data);
    }
    return this.#stopped ?? 0;
  }

  async close(): Promise<void> {
    this.#giveBack();
    await this.#keyboard?.giveBack();
    this.#undo();
  }

  #giveBack(): void {
    if (!this.#onTerminal) return;
    const { channels } = this.#context;
    // In the middle of what was drawn: the shell begins on a line of its own, with nothing below it.
    const fresh = channels.midLine ? '\r\n\x1b[J' : '';
    channels.out(this.#sieve.giveBack());
    channels.out(fresh);
  }

  async #show(text: string): Promise<void> {
    await written(this.#context, this.#onTerminal ? this.#sieve.pass(Buffer.from(text)) : text);
  }

  #pause(ms: number): Promise<void> {
    if (ms <= 1) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #stop(code: number): void {
    this.#stopped ??= code;
    this.#wake();
  }

  #listen(): void {
    const keys = new ControlKeys();
    const typed = (bytes: Buffer) => {
      const now = Date.now();
      keys.heard(now);
      // Alone: a `q` among other bytes is part of a mouse report.
      if (bytes.toString() === 'q') this.#stop(0);
      for (const byte of bytes) if (keys.step(byte, now) === CTRL_C) this.#stop(SIGNALS.SIGINT.exit);
    };
    this.#keyboard = new Keyboard(process.stdin, { typed, suspending: () => this.#giveBack() });
  }
}
