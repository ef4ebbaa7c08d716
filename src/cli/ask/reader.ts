/**
 * Keys that count. Dropped are those pressed before a prompt could be read; a lone Esc is told from a sequence by time;
 * a single key right behind a paste is the paste's last piece. Ctrl-C and Ctrl-\ always count.
 */
import type { Clock } from '../../contract/index.js';
import type { Tty } from '../channels.js';
import { type Key, KeyDecoder, typed } from './keys.js';

export interface ReaderPorts {
  clock: Clock;
  pressed(key: Key): void;
  /** A text is being typed: there a short paste is welcome, and Enter may follow it at once. */
  typing(): boolean;
  interrupted(): void;
  killed(): void;
}

/** ms after a prompt appeared in which keys are dropped: they were meant for something else. */
const GUARD_MS = 300;
/** ms after which a lone Esc byte is the key: the bytes of a sequence come closer together, even over slow lines. */
const ESCAPE_MS = 50;
/** ms after a paste in which single keys still belong to it: a terminal hands a long one over in pieces. */
const PASTE_TAIL_MS = 50;
/** Characters from which on a paste may come in pieces. */
const LONG_PASTE = 1000;

export class Reader {
  readonly #ports: ReaderPorts;
  #decoder = new KeyDecoder();
  #stop: (() => void) | undefined;
  #armed = false;
  #cancelGuard = () => {};
  #cancelEscape = () => {};
  #pasteUntil = 0;

  constructor(ports: ReaderPorts) {
    this.#ports = ports;
  }

  /** Raw mode on, until `stop`. */
  listen(tty: Tty): void {
    this.#stop ??= tty.keys((bytes) => this.#bytes(bytes));
  }

  stop(): void {
    this.#armed = false;
    this.#cancelGuard();
    this.#cancelEscape();
    this.#decoder = new KeyDecoder();
    this.#stop?.();
    this.#stop = undefined;
  }

  /** A new prompt is about to appear. */
  guard(): void {
    const { clock } = this.#ports;
    this.#armed = false;
    this.#cancelGuard();
    // The second, shortest wait lets the loop read what was typed while it was busy: those keys are dropped as well.
    this.#cancelGuard = clock.after(GUARD_MS, () => {
      this.#cancelGuard = clock.after(1, () => {
        this.#armed = true;
      });
    });
  }

  #bytes(bytes: Buffer): void {
    this.#cancelEscape();
    this.#keys(this.#decoder.feed(bytes));
    if (!this.#stop || !this.#decoder.waiting) return;
    this.#cancelEscape = this.#ports.clock.after(ESCAPE_MS, () => this.#keys(this.#decoder.flush()));
  }

  #keys(keys: Key[]): void {
    for (const key of keys) {
      if (!this.#stop) return;
      if (key.name === 'interrupt') this.#ports.interrupted();
      else if (key.name === 'quit') this.#ports.killed();
      else if (this.#armed) this.#ports.pressed(this.#withTail(key));
    }
  }

  #withTail(key: Key): Key {
    const now = this.#ports.clock.now();
    const text = typed(key);
    const tail = text !== undefined && now < this.#pasteUntil;
    const meant: Key = tail ? { name: 'paste', text } : key;
    const inPieces = meant.name === 'paste' && (tail || meant.text.length >= LONG_PASTE || !this.#ports.typing());
    if (inPieces) this.#pasteUntil = now + PASTE_TAIL_MS;
    return meant;
  }
}
