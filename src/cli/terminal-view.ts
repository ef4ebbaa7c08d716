/**
 * The full-screen terminal viewer: keys in, raw bytes out, nothing parsed but the detach key. The same for a foreground
 * `run -i`, for `exec` and for `attach`; only tied or not differs. One viewer drives; another one's keys are ignored, and
 * it is told. What the terminal shows and how it is given back is the canvas's (canvas.ts).
 */
import type { ReadStream } from 'node:tty';
import type { Size } from '../contract/index.js';
import type { SessionSpec } from '../host/index.js';
import type { DetachKey, Rights } from '../vt/index.js';
import { Canvas } from './canvas.js';
import type { Context } from './context.js';
import { hostLost } from './host-lost.js';
import { Lender } from './lender.js';
import { type RawTerminal, rawTerminal } from './raw-terminal.js';
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
  /** What the agent may do to the terminal of whoever drives. */
  rights: Rights;
  /** Where keys come from; absent when there is no terminal to read. */
  keys: ReadStream | undefined;
  /** What is to be said about the session's end, if anything; said once the terminal is the user's again. */
  ended?(exit: number, reason: string): EndWords | undefined;
}

/** Longer than the host takes to give up on a terminal that takes nothing. */
const TAKE_BACK_MS = 2000;

const CTRL_C = 0x03;
const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

const NO_RIGHTS: Rights = { mayAnswer: false, mayCopy: false };

/** What the agent of such a session may do to its driver's terminal: answer for itself, be copied to. */
export function driverRights(spec: Pick<SessionSpec, 'mode' | 'config'>): Rights {
  return { mayAnswer: spec.mode !== 'autonomous', mayCopy: spec.config.cli.clipboard === 'driver' };
}

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
  #raw: RawTerminal | undefined;
  /** Typed before anyone could take it. */
  #early: Uint8Array[] = [];
  #isSilent = false;
  /** The exit code of a signal that waits for the host. */
  #signalled: number | undefined;

  constructor(context: Context, options: TerminalViewOptions) {
    this.#context = context;
    this.#options = options;
    this.#canvas = new Canvas({
      out: (data) => context.channels.out(data),
      local: () => this.#size(),
      rights: () => (this.#drives ? options.rights : NO_RIGHTS),
    });
  }

  async run(): Promise<number> {
    const done = new Promise<number>((resolve, reject) => {
      this.#finish = resolve;
      this.#fail = reject;
    });
    const { keys, role, take, tie } = this.#options;
    const undo = this.#signals();
    let pulse = (): void => undefined;
    try {
      this.#client = await this.#options.connect(this.#incoming());
      this.#lender = this.#newLender(this.#client);
      pulse = this.#client.pulse((answers) => this.#answersIs(answers));
      if (keys) this.#listen(keys);
      const asked = this.#client.attach({
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
      // Left before it answered.
      const attached = await Promise.race([asked, done]);
      if (typeof attached === 'number') return attached;
      this.#viewer = attached.viewer;
      this.#driver = attached.driver;
      this.#sessionSize = attached.size;
      this.#isPaused = attached.session.state === 'paused';
      this.#fit();
      await this.#raw?.raw;
      for (const bytes of this.#early.splice(0)) this.#typed(bytes);
      this.#client.ready();
      return await done;
    } finally {
      pulse();
      undo();
      await this.#takenBack();
      await this.#leaveTerminal();
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
        // Its words belong on a terminal that is the user's again.
        void this.#leaveTerminal()
          .then(() => hostLost(this.#context, { session, reason, tie }))
          .then(this.#fail);
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
      detached: () => this.#leave(0),
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
    this.#raw = rawTerminal(keys);
    keys.on('data', (bytes: Buffer) => this.#typed(bytes));
    keys.on('error', () => undefined); // the terminal went away: SIGHUP tells the same
    keys.resume();
    process.stdout.on('resize', this.#resized);
  }

  #typed(bytes: Uint8Array): void {
    const { detach: key, role, tie } = this.#options;
    const isAttached = this.#viewer !== undefined;
    // Nobody else could act on Ctrl-C now.
    if ((this.#isSilent || (!isAttached && !tie)) && bytes.includes(CTRL_C)) {
      this.#leave(SIGNALS.SIGINT);
      return;
    }
    if (!isAttached && !this.#isSilent && tie) {
      this.#early.push(new Uint8Array(bytes));
      return;
    }
    const { pass, detach } = key.scan(bytes);
    if (pass.length > 0 && role === 'driver') {
      if (isAttached) this.#client?.input(pass);
      else this.#early.push(new Uint8Array(pass));
    }
    if (detach) this.#leave(0);
  }

  /** A host that is stopped or stuck says nothing, and nothing can be said to it; the person must be able to go. */
  #answersIs(answers: boolean): void {
    this.#isSilent = !answers;
    if (this.#isSilent && this.#signalled !== undefined) this.#finish(this.#signalled);
    if (this.#isSilent) this.#lender?.seize();
    this.#note(this.#isSilent ? this.#silentWords : this.#isPaused ? this.#pausedWords : '');
    if (!this.#isSilent) this.#lender?.offer();
  }

  get #silentWords(): string {
    return `[its host does not answer. ${this.#options.detach.label} leaves; end it: reins kill ${this.#options.session}]`;
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

  #leave(code: number): void {
    const { session } = this.#options;
    this.#leaving = true;
    this.#client?.close({ untie: true });
    void this.#leaveTerminal().then(() => {
      this.#freshLine();
      this.#context.channels.chrome(
        this.#isSilent || this.#viewer === undefined
          ? `[left ${session}; its host does not answer. End it: reins kill ${session}]`
          : `[detached from ${session}; it goes on. Come back: reins attach ${session}]`,
      );
      this.#finish(code);
    });
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
        this.#signalled = code;
        if (this.#options.tie && this.#client && !this.#leaving && !this.#isSilent) {
          this.#client.insist('stop', { how: 'stop', why: signal, signal }).catch(() => this.#finish(code));
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

  /** May be called twice. */
  async #leaveTerminal(): Promise<void> {
    const { keys } = this.#options;
    this.#leaving = true;
    await this.#raw?.giveBack();
    if (keys && !keys.destroyed) {
      // A reader left behind would eat the next key the user types into the shell.
      keys.pause();
      keys.destroy();
    }
    if (process.stdout.isTTY) this.#canvas.close();
  }
}
