/**
 * The person's own terminal under a session's screen. Raw bytes where the sizes agree, which costs nothing and keeps the
 * terminal's own scrollback; a copy (mirror.ts) where a watcher's terminal has another size than the driver's. Gives the
 * terminal back as it was.
 */
import type { LeftModes, Size } from '../contract/index.js';
import { type Rights, redrawn, Sieve } from '../vt/index.js';
import { noteLine, ScreenMirror } from './mirror.js';

export interface CanvasOptions {
  out(data: Uint8Array | string): void;
  local(): Size;
  /** What the agent may do to this terminal, now. */
  rights(): Rights;
  /** Always a copy, whatever the sizes: there is a line of ours below it. */
  isCopy?: boolean;
}

export class Canvas {
  readonly #options: CanvasOptions;
  readonly #sieve: Sieve;
  #mirror: ScreenMirror | undefined;
  #begun = false;
  #note = '';
  /** What comes now was drawn for another size: wait for the redraw that was asked for. */
  #stale = false;

  constructor(options: CanvasOptions) {
    this.#options = options;
    this.#sieve = new Sieve(() => options.rights());
  }

  output(bytes: Uint8Array): void {
    this.#begun = true;
    if (this.#stale) return;
    if (this.#mirror) {
      this.#mirror.write(bytes);
      return;
    }
    this.#options.out(this.#sieve.pass(bytes));
  }

  snapshot(bytes: Uint8Array): void {
    // What the user had on the screen moves up into their scrollback; it is not ours to clear.
    if (!this.#begun) this.#options.out(this.#mirror ? '' : '\n'.repeat(this.#options.local().rows));
    this.#stale = false;
    this.output(this.#mirror ? bytes : redrawn(bytes));
  }

  /**
   * How the session's size meets ours: a driver's is the same by definition. Returns whether a redraw must be asked for:
   * bytes that were drawn for another size cannot be shown any more.
   */
  fit(session: Size | null, who: { drives: boolean }): boolean {
    const wanted = this.#wanted(session, who);
    const now = this.#mirror?.size;
    if (wanted?.cols === now?.cols && wanted?.rows === now?.rows) {
      this.#mirror?.draw();
      return false;
    }
    this.#mirror?.close();
    if (!this.#mirror) this.#giveBack();
    const { out } = this.#options;
    this.#mirror = wanted && new ScreenMirror({ size: wanted, local: this.#options.local, out });
    this.#mirror?.note(this.#note);
    this.#stale = this.#begun;
    return this.#begun;
  }

  /** Whether bytes go to the terminal as they come. */
  get isPlain(): boolean {
    return !this.#mirror && !this.#stale;
  }

  /** Whether `fit` would have to change anything. */
  fits(session: Size | null, who: { drives: boolean }): boolean {
    return !this.#mirror && !this.#wanted(session, who);
  }

  /** What is left on the terminal by the bytes so far; set by whoever wrote them instead of us. */
  get left(): LeftModes {
    return this.#sieve.left;
  }

  set left(left: LeftModes) {
    this.#begun = true;
    this.#sieve.adopt(left);
  }

  #wanted(session: Size | null, who: { drives: boolean }): Size | undefined {
    const local = this.#options.local();
    const same = !session || (session.cols === local.cols && session.rows === local.rows);
    return (who.drives || same) && !(this.#options.isCopy && session) ? undefined : session!;
  }

  /**
   * A word of ours on the last line: a copy keeps it free, on raw bytes it covers what the agent has there. Returns whether
   * a redraw must be asked for, so that a word taken away does not stand there until the agent draws again.
   */
  note(text: string): boolean {
    const covers = this.#note !== '' && !this.#mirror;
    this.#note = text;
    if (this.#mirror) this.#mirror.note(text);
    if (this.#mirror || text === '') return covers && text === '';
    const local = this.#options.local();
    this.#options.out(`\x1b7\x1b[${local.rows};1H${noteLine(text, local)}\x1b8`);
    return false;
  }

  /** After `close`: the terminal is to be drawn on again, from nothing. */
  begin(): void {
    this.#mirror = undefined;
    this.#note = '';
    this.#stale = this.#begun;
  }

  close(): void {
    this.#mirror?.close();
    this.#giveBack();
  }

  #giveBack(): void {
    if (!this.#begun) return;
    this.#options.out(this.#sieve.giveBack());
  }
}
