/**
 * The full-screen terminal viewer: keys in, raw bytes out, nothing parsed but the detach key. The same for a foreground
 * `run -i`, for `exec` and for `attach`; only tied or not differs. One viewer drives; another one's keys are ignored, and
 * it is told. What the terminal shows and how it is given back is the canvas's (canvas.ts).
 */
import type { ReadStream } from 'node:tty';
import type { Size } from '../contract/index.js';
import type { DetachKey } from '../link/own-terminal.js';
import { Canvas } from './canvas.js';
import type { Context } from './context.js';
import { Lender } from './lender.js';
import { hostLost } from './sweep.js';
import type { HostClient, Incoming } from './view-client.js';
import { USUAL, windowSize } from './window.js';

export interface EndWords {
  as: 'complaint' | 'chrome';
  text: string;
}

export interface TerminalViewOptions {
  connect(incoming: Incoming): Promise<HostClient>;
  session: string;
  role: 'driver' | 'watcher';
  take: boolean;
  tie: boolean;
  detach: DetachKey;
  /** Where keys come from; absent when there is no terminal to read. */
  keys: ReadStream | undefined;
  /** What is to be said about the session's end, if anything; said once the terminal is the user's again. */
  ended?(exit: number, reason: string): EndWords | undefined;
}

/** Longer than the host takes to give up on a terminal that takes nothing. */
const TAKE_BACK_MS = 2000;

const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

export async function terminalView(context: Context, options: TerminalViewOptions): Promise<number> {
  const view = new View(context, options);
  return view.run();
}

class View {
  readonly #context: Context;
  readonly #options: TerminalViewOptions;
  readonly #canvas: Canvas;
  #client: HostClient | undefined;
  #lender: Lender | undefined;
  #finish: (code: number) => void = () => undefined;
  #fail: (error: Error) => void = () => undefined;
  #viewer: string | undefined;
  #driver: string | null = null;
  #sessionSize: Size | null = null;
  #toldNotDriver = false;
  #isPaused = false;
  #leaving = false;
  #isLive = false;
  #end: { exit: number; reason: string } | undefined;

  constructor(context: Context, options: TerminalViewOptions) {
    this.#context = context;
    this.#options = options;
    this.#canvas = new Canvas({ out: (data) => context.channels.out(data), local: () => this.#size() });
  }

  async run(): Promise<number> {
    const done = new Promise<number>((resolve, reject) => {
      this.#finish = resolve;
      this.#fail = reject;
    });
    const { keys, role, take, tie } = this.#options;
    const undo = this.#signals();
    try {
      this.#client = await this.#options.connect(this.#incoming());
      this.#lender = this.#newLender(this.#client);
      const attached = await this.#client.attach({
        kind: 'terminal',
        role,
        take,
        tie,
        visible: true,
        bytes: true,
        entries: false,
        answers: 'screen',
        ...(role === 'driver' ? { size: this.#size() } : {}),
        // Our own session begins where our terminal is: nothing to redraw, nothing to clear.
        ...(tie ? { since: { offset: 0 } } : {}),
      });
      this.#viewer = attached.viewer;
      this.#driver = attached.driver;
      this.#sessionSize = attached.size;
      this.#isPaused = attached.session.state === 'paused';
      this.#fit();
      if (keys) this.#listen(keys);
      this.#client.ready();
      return await done;
    } finally {
      undo();
      await this.#takenBack();
      this.#leaveTerminal();
      this.#client?.close();
      const words = this.#end && this.#options.ended?.(this.#end.exit, this.#end.reason);
      if (words) this.#sayEnd(words);
    }
  }

  #incoming(): Incoming {
    return {
      output: (bytes) => this.#show(() => this.#canvas.output(bytes)),
      snapshot: (bytes) => {
        this.#show(() => this.#canvas.snapshot(bytes));
        this.#lender?.offer();
      },
      stderr: (bytes) => this.#context.channels.childError(bytes),
      live: () => {
        if (!this.#drives) this.#notDriver();
        if (this.#isPaused) this.#pausedIs(true);
        this.#isLive = true;
        this.#lender?.offer();
      },
      lending: (news) => this.#lender?.news(news),
      size: (size) => {
        this.#sessionSize = size;
        this.#fit();
      },
      driver: (driver) => this.#driverIs(driver),
      paused: (paused) => this.#pausedIs(paused),
      end: (exit, reason) => {
        this.#end = { exit: exit ?? 0, reason };
        this.#finish(exit ?? 0);
      },
      closed: (reason) => {
        this.#lender?.lost();
        const { session, tie } = this.#options;
        void hostLost(this.#context, { session, reason, tie }).then(this.#fail);
      },
    };
  }

  get #drives(): boolean {
    return this.#viewer !== undefined && this.#driver === this.#viewer;
  }

  #show(draw: () => void): void {
    draw();
    if (!process.stdout.writableNeedDrain) return;
    this.#client?.hold();
    process.stdout.once('drain', () => this.#client?.release());
  }

  #driverIs(driver: string | null): void {
    const drove = this.#drives;
    const changed = driver !== this.#driver;
    this.#driver = driver;
    if (changed) this.#toldNotDriver = false;
    if (this.#drives && !drove) this.#note(this.#isPaused ? this.#pausedWords : '');
    this.#fit();
    if (this.#drives && !drove) this.#resized();
    else if (!this.#drives) this.#notDriver();
  }

  #fit(): void {
    const fits = this.#canvas.fits(this.#sessionSize, { drives: this.#drives });
    if (!process.stdout.isTTY || fits) return;
    this.#lender?.ours(() => {
      if (!this.#canvas.fit(this.#sessionSize, { drives: this.#drives })) return;
      // The link is gone: there is nothing more to draw.
      this.#client?.command('redraw').catch(() => undefined);
    });
  }

  #newLender(client: HostClient): Lender {
    const canvas = this.#canvas;
    const { keys, detach } = this.#options;
    return new Lender({
      client,
      keys,
      detach,
      left: {
        get: () => canvas.left,
        set: (left) => {
          canvas.left = left;
        },
      },
      isPlain: () => this.#isLive && !this.#leaving && canvas.isPlain,
      detached: () => this.#detach(),
    });
  }

  /** A host that does not answer must not keep the person's terminal. */
  #takenBack(): Promise<void> {
    this.#leaving = true;
    return new Promise((resolve) => {
      const late = setTimeout(resolve, TAKE_BACK_MS);
      const back = () => {
        clearTimeout(late);
        resolve();
      };
      if (this.#lender) this.#lender.ours(back);
      else back();
    });
  }

  #listen(keys: ReadStream): void {
    if (keys.isTTY) keys.setRawMode(true);
    keys.on('data', (bytes: Buffer) => {
      const { pass, detach } = this.#options.detach.scan(bytes);
      if (pass.length > 0 && this.#options.role === 'driver') this.#client?.input(pass);
      if (detach) this.#detach();
    });
    keys.on('error', () => undefined); // the terminal went away: SIGHUP tells the same
    keys.resume();
    process.stdout.on('resize', this.#resized);
  }

  readonly #resized = (): void => {
    this.#fit();
    if (!this.#drives) return;
    // Taken over in between: whoever drives now owns the size, and we are told so anyway.
    this.#client?.command('resize', { ...this.#size() }).catch(() => undefined);
  };

  #size(): Size {
    return windowSize() ?? USUAL;
  }

  /** Once per change of the driver: a notice that comes with every key would be in the way. */
  #notDriver(): void {
    if (this.#toldNotDriver || this.#options.role !== 'driver') return;
    this.#toldNotDriver = true;
    if (!this.#isPaused) this.#note(this.#watcherWords);
  }

  get #watcherWords(): string {
    return this.#driver === null
      ? '[nobody drives: type to take the keys]'
      : `[${this.#driver} drives, you watch. Take over: reins attach --take ${this.#options.session}]`;
  }

  get #pausedWords(): string {
    return `[paused: keys wait until it goes on. Let it: reins resume ${this.#options.session}]`;
  }

  /** A screen that stands still for a pause looks like one that hangs. */
  #pausedIs(paused: boolean): void {
    this.#isPaused = paused;
    this.#note(paused ? this.#pausedWords : this.#toldNotDriver ? this.#watcherWords : '');
  }

  #note(text: string): void {
    const draw = () => {
      if (!process.stdout.isTTY || !this.#canvas.note(text)) return;
      // The link is gone: there is nothing more to draw.
      this.#client?.command('redraw').catch(() => undefined);
    };
    if (this.#lender) this.#lender.ours(draw);
    else draw();
  }

  #detach(): void {
    this.#leaving = true;
    this.#client?.close({ untie: true });
    this.#leaveTerminal();
    this.#freshLine();
    this.#context.channels.chrome(
      `[detached from ${this.#options.session}; it goes on. Come back: reins attach ${this.#options.session}]`,
    );
    this.#finish(0);
  }

  /** Where the agent's cursor stood is anywhere on its screen: ours begins on a line of its own, with nothing below it. */
  #freshLine(): void {
    if (process.stdout.isTTY) this.#context.channels.out('\r\n\x1b[J');
  }

  #sayEnd({ as, text }: EndWords): void {
    this.#freshLine();
    if (as === 'chrome') this.#context.channels.chrome(text);
    else this.#context.channels.complain(text);
  }

  /** Signals to the viewer itself: a tied session ends, a mere attachment only lets go. */
  #signals(): () => void {
    const undo = Object.entries(SIGNALS).map(([signal, code]) => {
      const take = () => {
        if (this.#options.tie && this.#client && !this.#leaving) {
          this.#client.command('stop', { how: 'stop', why: signal, signal }).catch(() => this.#finish(code));
        } else this.#finish(code);
      };
      process.on(signal, take);
      return () => process.off(signal, take);
    });
    return () => {
      for (const one of undo) one();
      process.stdout.off('resize', this.#resized);
    };
  }

  #leaveTerminal(): void {
    const { keys } = this.#options;
    if (keys && !keys.destroyed) {
      if (keys.isTTY) keys.setRawMode(false);
      // A reader left behind would eat the next key the user types into the shell.
      keys.pause();
      keys.destroy();
    }
    if (process.stdout.isTTY) this.#canvas.close();
  }
}
