/**
 * A link carries frames between a host and a viewer. Two implementations, one behaviour: a Unix socket and a pair in
 * memory (the hub adds WebSocket). A link never blocks: what the peer has not taken yet is counted in `queued`, and
 * whoever sends decides what to do about it (see outbox).
 */
import type { Frame } from '../contract/index.js';

export interface Link {
  /** Contract: never throws; after the link closed it does nothing. */
  send(frame: Frame): void;
  /** Bytes handed over but not yet taken by the peer. */
  readonly queued: number;
  onFrame(call: (frame: Frame) => void): void;
  /** Called once; at once if the link is closed already. */
  onClose(call: (reason: string) => void): void;
  /** The queue is empty again. */
  onDrain(call: () => void): void;
  /** Stop and go of reading: back-pressure on the peer. */
  hold(): void;
  release(): void;
  close(reason?: string): void;
}

/** Shared bookkeeping of the implementations: listeners, and the promise that `close` is told exactly once. */
export class Listeners {
  #frame: ((frame: Frame) => void)[] = [];
  #close: ((reason: string) => void)[] = [];
  #drain: (() => void)[] = [];
  /** Frames that arrived before anybody listened: none may be lost between connect and the first `onFrame`. */
  #early: Frame[] = [];
  #closed: string | undefined;

  get closed(): boolean {
    return this.#closed !== undefined;
  }

  onFrame(call: (frame: Frame) => void): void {
    this.#frame.push(call);
    for (const frame of this.#early.splice(0)) call(frame);
  }

  onClose(call: (reason: string) => void): void {
    if (this.#closed !== undefined) call(this.#closed);
    else this.#close.push(call);
  }

  onDrain(call: () => void): void {
    this.#drain.push(call);
  }

  /** Contract: a listener that throws is its owner's bug; whoever delivers closes the link. */
  frame(frame: Frame): void {
    if (this.#frame.length === 0) this.#early.push(frame);
    for (const call of this.#frame) call(frame);
  }

  drain(): void {
    for (const call of this.#drain) call();
  }

  close(reason: string): void {
    if (this.#closed !== undefined) return;
    this.#closed = reason;
    for (const call of this.#close.splice(0)) call(reason);
  }
}
