/**
 * Shows a session's screen on a terminal of another size: a watcher's. The agent draws for the driver's size, so its bytes
 * would break here; they go to a screen of the right size instead, and what fits of it is copied. Where the session is
 * taller, the part with the cursor shows.
 */
import type { ScreenShot, Size } from '../contract/index.js';
import { Screen } from '../terminal/index.js';

export class ScreenMirror {
  readonly #screen: Screen;
  readonly #size: Size;
  readonly #local: () => Size;
  readonly #out: (text: string) => void;
  #note = '';
  #drawing = false;
  #again = false;
  #closed = false;

  constructor(options: { size: Size; local: () => Size; out: (text: string) => void }) {
    this.#size = options.size;
    this.#local = options.local;
    this.#out = options.out;
    this.#screen = new Screen({ size: options.size, scrollback: 0 });
    // The driver's terminal, or the host, answers the agent; a copy must not.
    this.#screen.answering = false;
    this.#screen.onFrame(() => this.draw());
    this.#out('\x1b[?1049h\x1b[0m\x1b[2J');
  }

  write(bytes: Uint8Array): void {
    this.#screen.write(bytes);
  }

  note(text: string): void {
    this.#note = text;
    this.draw();
  }

  /** Also when the local terminal changed its size. One at a time: a slow terminal is not drawn on twice. */
  draw(): void {
    if (this.#drawing || this.#closed) {
      this.#again = true;
      return;
    }
    this.#drawing = true;
    this.#again = false;
    void this.#copy()
      // The screen was closed in the middle: there is nothing left to draw on.
      .catch(() => undefined)
      .finally(() => {
        this.#drawing = false;
        if (this.#again) this.draw();
      });
  }

  async #copy(): Promise<void> {
    const [ansi, shot] = await Promise.all([this.#screen.ansi(), this.#screen.shot()]);
    if (!this.#closed) this.#out(copied({ rows: ansi.split('\n'), shot, local: this.#local(), note: this.#note }));
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#screen.close();
    this.#out('\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l');
  }

  get size(): Size {
    return this.#size;
  }
}

/** Without wrapping, the terminal itself cuts what is too wide. */
function copied(picture: { rows: string[]; shot: ScreenShot; local: Size; note: string }): string {
  const { rows, shot, local, note } = picture;
  const room = local.rows - (note ? 1 : 0);
  const top = Math.max(0, Math.min(shot.cursor.y - room + 1, shot.rows - room));
  const lines = Array.from({ length: room }, (_, index) => `${rows[top + index] ?? ''}\x1b[0m\x1b[K`);
  if (note) lines.push(noteLine(note, local));
  const { x, y, visible } = shot.cursor;
  const cursor = `\x1b[${Math.min(y - top, room - 1) + 1};${Math.min(x, local.cols - 1) + 1}H${visible ? '\x1b[?25h' : ''}`;
  return `\x1b[?2026h\x1b[?25l\x1b[?7l\x1b[H${lines.join('\r\n')}\x1b[?7h${cursor}\x1b[?2026l`;
}

/** One line of ours, told from the agent's by being inverse, never wider than the terminal. */
export const noteLine = (text: string, local: Size): string => `\x1b[0;7m${text.slice(0, local.cols)}\x1b[0m\x1b[K`;
