/** A terminal in memory: what is written is drawn by a real emulator, keys come from the test. */
import headless from '@xterm/headless';
import type { Tty } from '../channels.js';

export class MemoryTty implements Tty {
  readonly #terminal: headless.Terminal;
  #take: ((bytes: Buffer) => void) | undefined;
  open = false;
  /** All that was written. */
  written = '';
  /** Columns it says it has, where that is wrong. */
  believed: number | undefined;

  constructor(columns = 100, rows = 24) {
    this.#terminal = new headless.Terminal({ cols: columns, rows, allowProposedApi: true });
  }

  /** As `openTty` of the channels; what is opened here twice is the same screen. */
  readonly opens = (): Tty => {
    this.open = true;
    return this;
  };

  get raw(): boolean {
    return this.#take !== undefined;
  }

  get columns(): number {
    return this.believed ?? this.#terminal.cols;
  }

  get rows(): number {
    return this.#terminal.rows;
  }

  write(text: string): void {
    this.written += text;
    this.#terminal.write(text);
  }

  keys(call: (bytes: Buffer) => void): () => void {
    this.#take = call;
    return () => {
      this.#take = undefined;
    };
  }

  close(): void {
    this.open = false;
    this.#take = undefined;
  }

  /** One read of the terminal. */
  press(...reads: string[]): void {
    for (const read of reads) this.#take?.(Buffer.from(read));
  }

  resize(columns: number, rows: number): void {
    this.#terminal.resize(columns, rows);
  }

  /** What is on the screen and above it, without empty lines. */
  async lines(): Promise<string[]> {
    await new Promise<void>((done) => this.#terminal.write('', done));
    const { active } = this.#terminal.buffer;
    const all = Array.from({ length: active.length }, (_, at) => active.getLine(at)?.translateToString(true) ?? '');
    return all.filter((line) => line !== '');
  }

  get marksPastes(): boolean {
    return this.#terminal.modes.bracketedPasteMode;
  }

  get wraps(): boolean {
    return this.#terminal.modes.wraparoundMode;
  }
}
