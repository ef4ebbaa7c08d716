/**
 * Keys that count. Dropped, and told, are those pressed before a prompt could be read; a lone Esc is told from a sequence
 * by time; a single key right behind a paste is the paste's last piece. The terminal is asked to mark pastes. Ctrl-C and
 * Ctrl-\ always count, except inside a marked paste, where they are text.
 */
import type { Clock } from '../../contract/index.js';
import type { Tty } from '../channels.js';
import type { TypingMode } from './dialog.js';
import { type Key, KeyDecoder, typed } from './keys.js';

export interface ReaderPorts {
  clock: Clock;
  pressed(key: Key): void;
  /** A key came too early to count. */
  early(): void;
  /** A text is being typed: there a short paste is welcome, and Enter may follow it at once. */
  typing(): TypingMode;
  /** The terminal marks pastes when asked to, so that what comes unmarked was typed. */
  marksPastes: boolean;
  interrupted(): void;
  killed(): void;
  /** Ctrl-Z. */
  suspended(): void;
}

/** ms after a prompt appeared in which keys are dropped: they were meant for something else. */
const GUARD_MS = 300;
/** ms after which a lone Esc byte is the key: the bytes of a sequence come closer together, even over slow lines. */
const ESCAPE_MS = 50;
/** ms after a paste in which single keys still belong to it: a terminal hands a long one over in pieces. */
const PASTE_TAIL_MS = 50;
/** Characters from which on a paste may come in pieces. */
const LONG_PASTE = 1000;
/** ms without a byte after which a marked paste is over: its end was lost, and keys must count again. */
const PASTE_SILENCE_MS = 2000;

const MARK_PASTES = '\x1b[?2004h';
const MARK_NO_PASTES = '\x1b[?2004l';

export class Reader {
  readonly #ports: ReaderPorts;
  #decoder = new KeyDecoder();
  #stop: (() => void) | undefined;
  #tty: Tty | undefined;
  #armed = false;
  #cancelGuard = () => {};
  #cancelEscape = () => {};
  #pasteUntil = 0;

  constructor(ports: ReaderPorts) {
    this.#ports = ports;
  }

  /** Raw mode on, until `stop`. */
  listen(tty: Tty): void {
    if (this.#stop) return;
    this.#stop = tty.keys((bytes) => this.#bytes(bytes));
    this.#tty = tty;
    if (this.#ports.marksPastes) tty.write(MARK_PASTES);
  }

  stop(): void {
    this.#armed = false;
    this.#cancelGuard();
    this.#cancelEscape();
    this.#decoder = new KeyDecoder();
    if (this.#ports.marksPastes) this.#tty?.write(MARK_NO_PASTES);
    this.#tty = undefined;
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
    if (!this.#stop || !(this.#decoder.waiting || this.#decoder.isPasting)) return;
    const wait = this.#decoder.isPasting ? PASTE_SILENCE_MS : ESCAPE_MS;
    this.#cancelEscape = this.#ports.clock.after(wait, () => this.#keys(this.#decoder.flush()));
  }

  #keys(keys: Key[]): void {
    for (const key of keys) {
      if (!this.#stop) return;
      if (key.name === 'interrupt') this.#ports.interrupted();
      else if (key.name === 'quit') this.#ports.killed();
      else if (key.name === 'suspend') this.#ports.suspended();
      else if (this.#armed) this.#press(key);
      // A terminal's answer to a question of someone before us was pressed by nobody.
      else if (key.name !== 'unknown') this.#ports.early();
    }
  }

  #press(key: Key): void {
    const { clock, typing, marksPastes, pressed } = this.#ports;
    const now = clock.now();
    const text = typed(key);
    const tail = text !== undefined && now < this.#pasteUntil;
    const isShort = text !== undefined && text.length < LONG_PASTE;
    // Words that only say something may end in their own Enter. Whatever allows needs an Enter of its own.
    if (key.name === 'line' && !tail && isShort && marksPastes && typing() === 'says') {
      pressed({ name: 'paste', text: key.text });
      pressed({ name: 'enter' });
      return;
    }
    const meant: Key = tail || key.name === 'line' ? { name: 'paste', text: text! } : key;
    const isWhole = meant.name === 'paste' && meant.whole === true && typing() !== 'no';
    if (meant.name === 'paste' && !isWhole && (tail || !isShort || typing() === 'no'))
      this.#pasteUntil = now + PASTE_TAIL_MS;
    pressed(meant);
  }
}
