/**
 * Bytes on their way to a command under `exec`: in order, none lost. What comes while the command is still being
 * started waits for it, a command that reads slowly gets all of it late, and the end of input comes after the last
 * byte. A sender that has much asks for room in between; one that does not is cut off at a bound.
 */
import { type Proc, WRITTEN } from '../terminal/index.js';

/** So much may wait before a sender has to. */
const ROOM_BYTES = 256 * 1024;

/** A sender that never asks, a paste for a program that does not read: beyond this nothing more is taken. */
const MOST_BYTES = 8 * 1024 * 1024;

interface UnderWay {
  written: ReturnType<Proc['write']>;
  length: number;
}

export class InputQueue {
  #proc: Proc | undefined;
  #waiting: Uint8Array[] = [];
  #bytes = 0;
  #rooms: (() => void)[] = [];
  #isPumping = false;
  #isOver = false;

  /** The command runs: what waited goes first. */
  start(proc: Proc): void {
    this.#proc = proc;
    void this.#pump();
  }

  write(bytes: Uint8Array): void {
    if (this.#isOver || this.#bytes > MOST_BYTES) return;
    if (this.#proc && !this.#isPumping) {
      const written = this.#proc.write(bytes);
      // So it is with nearly every key.
      if (written === WRITTEN) return;
      this.#bytes += bytes.length;
      void this.#pump({ written, length: bytes.length });
      return;
    }
    // A copy: the link may use its buffer again.
    this.#waiting.push(Uint8Array.from(bytes));
    this.#bytes += bytes.length;
    void this.#pump();
  }

  /** Resolves when more may come, or when nobody takes it any more. */
  room(): Promise<void> {
    if (this.#bytes <= ROOM_BYTES) return Promise.resolve();
    return new Promise((resolve) => this.#rooms.push(resolve));
  }

  end(): void {
    this.#isOver = true;
    void this.#pump();
  }

  async #pump(first?: UnderWay): Promise<void> {
    const proc = this.#proc;
    if (!proc || this.#isPumping) return;
    this.#isPumping = true;
    const next = (): UnderWay | undefined => {
      const bytes = this.#waiting.shift();
      return bytes && { written: proc.write(bytes), length: bytes.length };
    };
    for (let now = first ?? next(); now; now = next()) {
      const isGone = (await now.written) === 'gone';
      if (isGone) this.#waiting = [];
      this.#bytes = isGone ? 0 : this.#bytes - now.length;
      if (this.#bytes <= ROOM_BYTES) for (const room of this.#rooms.splice(0)) room();
    }
    this.#isPumping = false;
    if (this.#isOver) proc.endInput();
  }
}
