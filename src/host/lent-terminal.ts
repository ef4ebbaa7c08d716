/**
 * A viewer's own terminal in the host's hands: opened by its path, written and read without blocking. Whoever lends it
 * has it in raw mode and keeps it there. It must be the very device the viewer has: a path alone may mean another
 * terminal here, in a container for instance.
 */
import { closeSync, constants, fstatSync, openSync, writeSync } from 'node:fs';
import { ReadStream } from 'node:tty';
import type { Clock, TerminalName } from '../contract/index.js';

/** A terminal that takes nothing any more (stopped with Ctrl-S, say) is given back without the rest. */
const GIVE_UP_MS = 1000;

/** Keys are few; a paste comes in several pieces. */
const READ_BYTES = 4096;

export class LentTerminal {
  readonly #fd: number;
  readonly #stream: ReadStream;
  readonly #clock: Clock;
  #keys: (bytes: Uint8Array) => void = () => undefined;
  #isOpen = true;
  /** Something waits in the stream, and all that follows waits behind it. */
  #isWaiting = false;

  /** Throws if it is not there, not ours, or not the same. */
  constructor(name: TerminalName, clock: Clock) {
    this.#clock = clock;
    this.#fd = open(name);
    const take = (length: number, bytes: Uint8Array): boolean => {
      this.#keys(new Uint8Array(bytes.buffer, bytes.byteOffset, length));
      return true;
    };
    // Node's stream for writing to terminals would block the whole host; the one for reading writes without. `onread` is
    // the short way of a socket's bytes, past the stream's own queue: this stands in the way of every key.
    const options = { writable: true, onread: { buffer: Buffer.alloc(READ_BYTES), callback: take } };
    try {
      this.#stream = new ReadStream(this.#fd, options as ConstructorParameters<typeof ReadStream>[1]);
    } catch (error) {
      closeSync(this.#fd);
      throw error;
    }
    // It works on a descriptor of its own, and leaves the one it was given to us.
    this.#stream.once('close', () => {
      this.#isOpen = false;
      closeSync(this.#fd);
    });
    // A terminal that went away: the viewer is told by its own end.
    this.#stream.on('error', () => undefined);
  }

  get queued(): number {
    return this.#stream.writableLength;
  }

  write(bytes: Uint8Array): void {
    if (!this.#isOpen) return;
    // Straight to the kernel while nothing waits: an echo goes out before the stream would have begun.
    const written = this.#isWaiting ? 0 : attempt(this.#fd, bytes);
    if (written === bytes.length || this.#stream.destroyed) return;
    this.#isWaiting = true;
    this.#stream.write(written === 0 ? bytes : bytes.subarray(written), () => {
      this.#isWaiting = this.#stream.writableLength > 0;
    });
  }

  onDrain(call: () => void): void {
    this.#stream.on('drain', call);
    this.#stream.on('close', call);
  }

  /** The bytes are the caller's only during the call: the next key comes into the same place. */
  onKeys(call: (bytes: Uint8Array) => void): void {
    this.#keys = call;
    this.#stream.resume();
  }

  /** Reads no more, and resolves when what was written is on the terminal, or will never be. */
  async finish(): Promise<void> {
    this.#stream.pause();
    const written = new Promise<void>((resolve) => {
      if (this.#stream.writableLength === 0 || this.#stream.destroyed) resolve();
      else this.onDrain(resolve);
    });
    let cancel: () => void = () => undefined;
    const late = new Promise<void>((resolve) => {
      cancel = this.#clock.after(GIVE_UP_MS, resolve);
    });
    await Promise.race([written, late]);
    cancel();
    this.close();
  }

  close(): void {
    this.#stream.destroy();
  }
}

function attempt(fd: number, bytes: Uint8Array): number {
  try {
    return writeSync(fd, bytes);
  } catch {
    return 0; // full, or gone: the stream waits, or finds out itself
  }
}

function open(name: TerminalName): number {
  const fd = openSync(name.path, constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK);
  try {
    const found = fstatSync(fd);
    const isSame = found.dev === name.dev && found.ino === name.ino && found.rdev === name.rdev;
    if (!isSame || !found.isCharacterDevice()) throw new Error('another device');
    if (found.uid !== process.getuid?.()) throw new Error('it belongs to someone else');
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}
