/**
 * How fast a page's terminal is given what comes. A little is given at once: it may be the echo of a key. In a flood it is given
 * a slice of ten times a second and left alone in between: nobody reads faster, and each time all rows are drawn anew,
 * which costs a page more than reading the bytes. Taps and cards have the time that is left. What waits here is not said to be
 * drawn, so the hub sends no more of it and in the end the screen as it is, which takes the place of all that waited.
 */
import type { Clock } from '../../contract/ports.js';
import { pieces } from './pieces.js';

/** A flood is drawn this often. */
const ROUND_MS = 100;
/** More than this within that time is one: several screens full of colours are less. */
const CALM_BYTES = 64 * 1024;
/** A slice takes no longer than this, give or take a piece. */
const SLICE_MS = 12;
/** Around a redraw: everything as at the beginning, and nothing of it is shown before all of it is read. */
const ANEW = new TextEncoder().encode('\x1bc\x1b[?2026h');
const DRAWN = new TextEncoder().encode('\x1b[?2026l');

export interface PacePorts {
  clock: Clock;
  /** Gives the terminal a piece; `done` when it was read. */
  write(piece: Uint8Array, done: () => void): void;
  /** So many bytes were drawn, or need not be any more. */
  drawn(bytes: number): void;
}

export class Pace {
  readonly #ports: PacePorts;
  #queue: { piece: Uint8Array; counts: number }[] = [];
  #round = { start: Number.NEGATIVE_INFINITY, bytes: 0 };
  #isWriting = false;
  #rests: (() => void) | undefined;
  #isClosed = false;

  constructor(ports: PacePorts) {
    this.#ports = ports;
  }

  output(bytes: Uint8Array): void {
    this.#queue.push(...counted(bytes));
    this.#come(bytes.length);
  }

  /** Bytes that draw the screen as it is: what waits is part of it already. */
  snapshot(bytes: Uint8Array): void {
    const waiting = this.#queue.reduce((sum, { counts }) => sum + counts, 0);
    this.#queue = [{ piece: ANEW, counts: 0 }, ...counted(bytes), { piece: DRAWN, counts: 0 }];
    if (waiting > 0) this.#ports.drawn(waiting);
    this.#come(bytes.length);
  }

  close(): void {
    this.#isClosed = true;
    this.#queue = [];
    this.#rests?.();
  }

  #come(bytes: number): void {
    const now = this.#ports.clock.now();
    if (now - this.#round.start >= ROUND_MS || now < this.#round.start) this.#round = { start: now, bytes: 0 };
    this.#round.bytes += bytes;
    if (this.#isWriting || this.#rests) return;
    if (this.#round.bytes <= CALM_BYTES) this.#slice();
    else this.#rest(this.#round.start + ROUND_MS - now);
  }

  #rest(ms: number): void {
    this.#rests = this.#ports.clock.after(ms, () => {
      this.#rests = undefined;
      this.#slice();
    });
  }

  #slice(): void {
    const { clock } = this.#ports;
    const start = clock.now();
    const next = (): void => {
      const item = this.#queue.shift();
      this.#isWriting = item !== undefined;
      if (!item) return;
      this.#ports.write(item.piece, () => {
        if (this.#isClosed) return;
        if (item.counts > 0) this.#ports.drawn(item.counts);
        // The terminal takes what it is given in here in the same go.
        if (clock.now() - start < SLICE_MS || this.#queue.length === 0) next();
        else {
          this.#isWriting = false;
          this.#rest(ROUND_MS);
        }
      });
    };
    next();
  }
}

const counted = (bytes: Uint8Array) => pieces(bytes).map((piece) => ({ piece, counts: piece.length }));
