/**
 * The terminal door: box, keys, spinner, title, signals. Signs for whoever reads the screen, all at its bottom:
 *   idle      `❯ ` between two full rules, footer `  ? /help · /exit`, title `✳ practice`
 *   working   the same box, footer `  esc to interrupt`, above it `✻ Practising… (3s)`, title `⠂ practice` / `⠐ practice`
 *   asking    no box: a rule, then `Do you want to proceed?` with numbered options, or ` ☐ Header` and a question, last
 *             line `Enter to select · … Esc to cancel`, title `✳ practice`
 */

import { Box } from './box.js';
import { converse, type PracticeConversation } from './conversation.js';
import { KeyReader, type PracticeKey } from './keys.js';
import { Painter, type Painting, visible, wrap } from './painter.js';
import type { PracticeSession } from './session.js';
import { write } from './stream-door.js';
import { runBash } from './tools.js';
import { type Stagehand, TuiFace } from './tui-face.js';
import { frame, help, prompted, welcome } from './tui-frame.js';

const SPIN_MS = 200;
/** How long a lone ESC waits for the rest of a sequence. */
const ESCAPE_MS = 40;
/** Two of Ctrl-C or Ctrl-D within this leave. */
const TWICE_MS = 1000;

class PracticeTerminal implements Stagehand {
  readonly #given: Omit<PracticeConversation, 'face'>;
  readonly #session: PracticeSession;
  readonly #face: TuiFace;
  readonly #painter = new Painter({ write, size: () => this.#size() });
  readonly #box = new Box();
  readonly #keys = new KeyReader();
  readonly #queue: string[] = [];
  #turn: { abort: AbortController; since: number } | undefined;
  #spin = 0;
  #title = '';
  #hint = '';
  #armed: { key: string; at: number } | undefined;
  #escape: NodeJS.Timeout | undefined;
  #leave: (code: number) => void = () => {};

  constructor(given: Omit<PracticeConversation, 'face'>) {
    this.#given = given;
    this.#session = given.session;
    this.#face = new TuiFace({ hand: this, session: given.session });
  }

  async run(prompt: string | undefined): Promise<number> {
    const left = new Promise<number>((settle) => {
      this.#leave = settle;
    });
    process.stdin.setRawMode?.(true);
    process.stdin.on('data', (chunk: Buffer) => this.#input(chunk)).on('end', () => this.#leave(129));
    process.stdout.on('resize', () => this.redraw());
    const signals = { SIGTERM: 143, SIGHUP: 129, SIGINT: 0 } as const;
    for (const [name, code] of Object.entries(signals)) {
      // A habit that ignores signals has taken them before us.
      if (process.listenerCount(name) === 0) process.on(name, () => this.#leave(code));
    }
    process.on('exit', () => this.#restore());
    write('\x1b[?2004h');
    this.said(welcome(this.#session, this.columns()));
    this.redraw();
    this.#session.status('idle');
    const spinner = setInterval(() => this.#tick(), SPIN_MS);
    void this.#session.hooks.run('SessionStart', {
      source: this.#session.resumed ? 'resume' : 'startup',
      model: 'practice-script',
    });
    if (prompt !== undefined) this.#submit(prompt);
    const code = await left;
    clearInterval(spinner);
    this.#turn?.abort.abort();
    await this.#session.hooks.run('SessionEnd', { reason: code === 0 ? 'prompt_input_exit' : 'other' });
    return code;
  }

  columns(): number {
    return this.#size().columns;
  }

  said(lines: string[]): void {
    this.#painter.paint(lines, this.#frame());
  }

  redraw(): void {
    this.#painter.paint([], this.#frame());
    const working = this.#turn && !this.#face.dialog;
    const title = working ? `${Math.floor(this.#spin / 5) % 2 ? '⠐' : '⠂'} practice` : '✳ practice';
    if (title !== this.#title) write(`\x1b]0;${title}\x07`);
    this.#title = title;
  }

  raw(bytes: Buffer): void {
    this.#painter.raw(bytes);
  }

  #size(): { columns: number; rows: number } {
    return { columns: Math.max(20, process.stdout.columns ?? 80), rows: Math.max(6, process.stdout.rows ?? 24) };
  }

  #tick(): void {
    if (this.#hint && this.#armed && Date.now() - this.#armed.at > TWICE_MS) {
      this.#hint = '';
      this.redraw();
    }
    if (!this.#turn || this.#face.dialog) return;
    this.#spin += 1;
    this.redraw();
  }

  #input(chunk: Buffer): void {
    clearTimeout(this.#escape);
    for (const key of this.#keys.feed(chunk)) this.#key(key);
    if (this.#keys.loneEscape)
      this.#escape = setTimeout(() => {
        for (const key of this.#keys.flush()) this.#key(key);
      }, ESCAPE_MS);
    this.redraw();
  }

  #key(key: PracticeKey): void {
    if (this.#face.dialog) this.#face.key(key);
    else if (key.name === 'enter') this.#submit(this.#box.text);
    else if (key.name === 'escape' || (key.name === 'ctrl-c' && this.#turn)) this.#turn?.abort.abort();
    else if (key.name === 'ctrl-c' && this.#box.text !== '') this.#box.clear();
    else if (key.name === 'ctrl-c' || (key.name === 'ctrl-d' && this.#box.text === '')) this.#twice(key.name);
    else this.#box.key(key);
  }

  #twice(key: string): void {
    if (this.#armed?.key === key && Date.now() - this.#armed.at <= TWICE_MS) this.#leave(0);
    this.#armed = { key, at: Date.now() };
    this.#hint = `  Press ${key === 'ctrl-c' ? 'Ctrl-C' : 'Ctrl-D'} again to exit`;
  }

  #submit(text: string): void {
    this.#box.clear();
    if (text.trim() === '') return;
    this.#queue.push(text);
    if (!this.#turn) void this.#work();
  }

  async #work(): Promise<void> {
    for (let text = this.#queue.shift(); text !== undefined; text = this.#queue.shift()) {
      this.#turn = { abort: new AbortController(), since: Date.now() };
      this.said(prompted(text, this.columns()));
      this.#session.status('busy');
      this.redraw();
      await this.#answer(text, this.#turn).catch((error: Error) =>
        this.said([`  ⎿  \x1b[31m${visible(error.message)}\x1b[39m`]),
      );
      this.#turn = undefined;
      this.#face.note = '';
      this.#session.status('idle');
      this.redraw();
    }
  }

  async #answer(text: string, { abort, since }: { abort: AbortController; since: number }): Promise<void> {
    const { signal } = abort;
    if (text.startsWith('/')) return this.#command(text.trim());
    // As in claude: a leading `!` is the person's own shell command, run without asking.
    if (text.startsWith('!')) {
      const result = await runBash(text.slice(1), { cwd: this.#session.cwd, signal });
      return this.said(wrap(visible(result.text), this.columns() - 5).map((line) => `  ⎿  ${line}`));
    }
    const end = await converse(text, { ...this.#given, face: this.#face, signal });
    const secs = Math.round((Date.now() - since) / 1000);
    if (end.kind === 'done') this.said(['', `\x1b[2m✻ Practised for ${secs}s\x1b[22m`]);
    else if (end.kind === 'interrupted') this.said(['  ⎿  Interrupted · What should I do instead?']);
    else this.said([`  ⎿  \x1b[31m${visible(end.kind === 'error' ? end.text : end.reason)}\x1b[39m`]);
  }

  #command(text: string): void {
    if (text === '/exit' || text === '/quit') this.#leave(0);
    else this.said(text === '/help' ? help() : [`  ⎿  Unknown command: ${visible(text)}`]);
  }

  #frame(): Painting {
    const turn = this.#turn;
    return frame({
      face: this.#face,
      box: this.#box,
      queue: this.#queue,
      columns: this.columns(),
      working: turn && { secs: Math.floor((Date.now() - turn.since) / 1000), spin: this.#spin },
      hint: this.#hint,
    });
  }

  #restore(): void {
    this.#painter.clear();
    write('\x1b[0m\x1b[?2004l\x1b[?25h\x1b]0;\x07');
    process.stdin.setRawMode?.(false);
  }
}

export function tuiDoor(given: Omit<PracticeConversation, 'face'> & { prompt: string | undefined }): Promise<number> {
  return new PracticeTerminal(given).run(given.prompt);
}
