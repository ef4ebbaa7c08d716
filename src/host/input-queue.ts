/**
 * Bytes on their way to a command under `exec`: in order, none lost. What comes while the command is still being
 * started waits for it, a command that reads slowly gets all of it late, and the end of input comes after the last
 * byte. How much may wait is the sender's business: nothing here pushes back.
 */
import type { Proc } from '../terminal/index.js';

export class InputQueue {
  #proc: Proc | undefined;
  #waiting: Uint8Array[] = [];
  #isPumping = false;
  #isOver = false;

  /** The command runs: what waited goes first. */
  start(proc: Proc): void {
    this.#proc = proc;
    void this.#pump();
  }

  write(bytes: Uint8Array): void {
    if (this.#isOver) return;
    // A copy: the link may use its buffer again.
    this.#waiting.push(Uint8Array.from(bytes));
    void this.#pump();
  }

  end(): void {
    this.#isOver = true;
    void this.#pump();
  }

  async #pump(): Promise<void> {
    const proc = this.#proc;
    if (!proc || this.#isPumping) return;
    this.#isPumping = true;
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      if ((await proc.write(next)) === 'gone') this.#waiting = [];
    }
    this.#isPumping = false;
    if (this.#isOver) proc.endInput();
  }
}
