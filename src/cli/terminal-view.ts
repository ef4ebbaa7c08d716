/**
 * The full-screen terminal viewer: keys in, raw bytes out, nothing parsed but the detach key. The same for a foreground
 * `run -i`, for `exec`, for `attach` and, with a status line below, for `run --tui`. One viewer drives; another one's keys are
 * ignored, and it is told. What the terminal shows and how it is given back is the canvas's (canvas.ts).
 */
import type { ReadStream } from 'node:tty';
import type { Entry, Size } from '../contract/index.js';
import type { SessionSpec } from '../host/index.js';
import type { Attached, HostClient, Incoming } from '../link/index.js';
import type { DetachKey, Rights } from '../vt/index.js';
import { BackgroundCall } from './background-call.js';
import type { TerminalCall } from './call-person.js';
import { Canvas } from './canvas.js';
import type { Context } from './context.js';
import { Keyboard } from './keyboard.js';
import { Lender } from './lender.js';
import { leftWords, noteOf } from './terminal-notes.js';
import { type AttachAsk, type EndWords, SIGNALS, type View, Viewing } from './viewing.js';
import { USUAL, windowSize } from './window.js';

/** A line of ours that is always there, below a terminal that is one row shorter. */
export interface StatusLine {
  entry(entry: Entry): void;
  text(size: Size): string;
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
  status?: StatusLine;
  /** How the terminal calls its person while it is in the background. */
  calls: TerminalCall;
  /** What is to be said about the session's end, if anything. */
  ended?(exit: number, reason: string): EndWords | undefined;
}

/** Longer than the host takes to give up on a terminal that takes nothing. */
const TAKE_BACK_MS = 2000;

/** How often a status line is looked at: it counts seconds. */
const STATUS_MS = 1000;

const CTRL_C = 0x03;

const NO_RIGHTS: Rights = { mayAnswer: false, mayCopy: false };

/** What the agent of such a session may do to its driver's terminal: answer for itself, be copied to. */
export function driverRights(spec: Pick<SessionSpec, 'mode' | 'config'>): Rights {
  return { mayAnswer: spec.mode !== 'autonomous', mayCopy: spec.config.cli.clipboard === 'driver' };
}

/** A terminal with the status line taken off. */
export function agentSize(own: Size): Size {
  return { cols: own.cols, rows: Math.max(2, own.rows - 1) };
}

export function terminalView(context: Context, options: TerminalViewOptions): Promise<number> {
  const viewing = new Viewing(context, options);
  return viewing.run(new TerminalView(context, options, viewing));
}

class TerminalView implements View {
  readonly incoming: View['incoming'];
  readonly #context: Context;
  readonly #options: TerminalViewOptions;
  readonly #viewing: Viewing;
  readonly #canvas: Canvas;
  readonly #background: BackgroundCall;
  #sifts = false;
  #lender: Lender | undefined;
  #keyboard: Keyboard | undefined;
  #viewer: string | undefined;
  #driver: string | null = null;
  #driverName: string | undefined;
  #sessionSize: Size | null = null;
  #isPaused = false;
  #isSilent = false;
  #isLive = false;
  #leaving = false;
  #isSuspended = false;
  #noted = '';
  /** Typed before anyone could take it. */
  #early: Uint8Array[] = [];
  readonly #undo: (() => void)[] = [];

  constructor(context: Context, options: TerminalViewOptions, viewing: Viewing) {
    this.#context = context;
    this.#options = options;
    this.#viewing = viewing;
    this.#canvas = new Canvas({
      out: (data) => context.channels.out(data),
      local: ownSize,
      rights: () => ({ ...(this.#drives ? options.rights : NO_RIGHTS), keepsFocus: this.#sifts }),
      isCopy: options.status !== undefined,
    });
    this.#background = new BackgroundCall({
      how: process.stdout.isTTY && options.keys && options.role === 'driver' ? options.calls : 'off',
      env: context.env,
      out: (text) => context.channels.out(text),
    });
    this.incoming = this.#incoming();
  }

  linked(client: HostClient): void {
    const { keys } = this.#options;
    this.#lender = this.#newLender(client);
    this.#undo.push(client.pulse((answers) => this.#answersIs(answers)));
    if (!keys) return;
    this.#keyboard = new Keyboard(keys, {
      typed: (bytes) => this.#typed(bytes),
      resized: () => this.#resized(),
      suspending: async () => {
        this.#isSuspended = true;
        await this.#takenBack();
        this.#canvas.close();
        this.freshLine();
      },
      resumed: () => this.#resumed(),
    });
  }

  request(): AttachAsk {
    const { role, take, tie, status } = this.#options;
    return {
      // Who draws a copy does not answer for its terminal.
      kind: status ? 'run' : 'terminal',
      role,
      take,
      visible: true,
      bytes: true,
      entries: status !== undefined,
      answers: 'screen',
      ...(role === 'driver' ? { size: this.#size } : {}),
      // Our own session begins where our terminal is: nothing to redraw, nothing to clear.
      ...(tie ? { since: { seq: 0, offset: 0 } } : {}),
    };
  }

  async attached({ viewer, driver, driver_name, size, session, focus }: Attached): Promise<void> {
    this.#viewer = viewer;
    this.#driver = driver;
    this.#driverName = driver_name;
    this.#sessionSize = size;
    this.#isPaused = session.state === 'paused';
    this.#fit();
    await this.#keyboard?.raw;
    this.#sifts = focus === true;
    this.#background.begin(session, { sifts: this.#sifts });
    for (const bytes of this.#early.splice(0)) this.#typed(bytes);
    if (!this.#options.status) return;
    const tick = setInterval(() => this.#note(), STATUS_MS);
    this.#undo.push(() => clearInterval(tick));
  }

  ended(exit: number, reason: string): EndWords | undefined {
    return this.#options.ended?.(exit, reason);
  }

  lost(): void {
    this.#lender?.lost();
  }

  async leave(): Promise<void> {
    for (const undo of this.#undo.splice(0)) undo();
    this.#leaving = true;
    await this.#takenBack();
    this.#background.end();
    await this.#keyboard?.giveBack();
    if (process.stdout.isTTY) this.#canvas.close();
  }

  /** Where the agent's cursor stood is anywhere on its screen: ours begins on a line of its own, with nothing below it. */
  freshLine(): void {
    if (process.stdout.isTTY) this.#context.channels.out('\r\n\x1b[J');
  }

  #incoming(): View['incoming'] {
    const { status } = this.#options;
    return {
      output: (bytes) => this.#show(() => this.#canvas.output(bytes)),
      snapshot: (bytes) => {
        this.#show(() => this.#canvas.snapshot(bytes));
        this.#lender?.offer();
      },
      stderr: (bytes) => this.#context.channels.childError(bytes),
      ...(status
        ? {
            entry: (entry: Entry) => {
              status.entry(entry);
              this.#note();
            },
          }
        : {}),
      live: () => {
        this.#isLive = true;
        this.#note();
        this.#lender?.offer();
      },
      lending: (news) => this.#lender?.news(news),
      call: () => this.#lender?.ours(() => this.#background.call()),
      size: (size) => {
        this.#sessionSize = size;
        this.#fit();
      },
      driver: (driver, name) => this.#driverIs(driver, name),
      paused: (paused) => {
        this.#isPaused = paused;
        this.#note();
      },
    };
  }

  get #drives(): boolean {
    return this.#viewer !== undefined && this.#driver === this.#viewer;
  }

  get #size(): Size {
    return this.#options.status ? agentSize(ownSize()) : ownSize();
  }

  #show(draw: () => void): void {
    draw();
    this.#viewing.wrote();
  }

  #driverIs(driver: string | null, name: string | undefined): void {
    const drove = this.#drives;
    // Told again because keys were ignored: the word may have been drawn over.
    if (driver === this.#driver) this.#noted = '';
    this.#driver = driver;
    this.#driverName = name;
    if (this.#isLive) this.#note();
    this.#fit();
    if (this.#drives && !drove) this.#resized();
  }

  #fit(): void {
    const fits = this.#canvas.fits(this.#sessionSize, { drives: this.#drives });
    if (!process.stdout.isTTY || fits) return;
    this.#lender?.ours(() => {
      const isStale = this.#canvas.fit(this.#sessionSize, { drives: this.#drives });
      this.#background.again();
      if (isStale) this.#redraw();
    });
  }

  #redraw(): void {
    // The link is gone: there is nothing more to draw.
    this.#viewing.client?.command('redraw').catch(() => undefined);
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
      isPlain: () => this.#isLive && !this.#leaving && !this.#isSuspended && canvas.isPlain,
      detached: () => this.#detach(0),
    });
  }

  /** A host that does not answer must not keep the person's terminal. */
  #takenBack(): Promise<void> {
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

  #typed(bytes: Uint8Array): void {
    const { detach: key, role, tie } = this.#options;
    const isAttached = this.#viewer !== undefined;
    // Nobody else could act on Ctrl-C now.
    if ((this.#isSilent || (!isAttached && !tie)) && bytes.includes(CTRL_C)) {
      this.#detach(SIGNALS.SIGINT.exit);
      return;
    }
    if (!isAttached && !this.#isSilent && tie) {
      this.#early.push(new Uint8Array(bytes));
      return;
    }
    const { pass, detach } = key.scan(bytes);
    if (pass.length > 0 && role === 'driver') {
      if (isAttached) this.#viewing.client?.input(pass);
      else this.#early.push(new Uint8Array(pass));
    }
    if (detach) this.#detach(0);
  }

  /** A host that is stopped or stuck says nothing, and nothing can be said to it; the person must be able to go. */
  #answersIs(answers: boolean): void {
    this.#isSilent = !answers;
    if (this.#isSilent) this.#lender?.seize();
    this.#note();
    if (!this.#isSilent) this.#lender?.offer();
  }

  #resized(): void {
    this.#fit();
    if (!this.#drives) return;
    // Taken over in between: whoever drives now owns the size, and we are told so anyway.
    this.#viewing.client?.command('resize', { ...this.#size }).catch(() => undefined);
  }

  /** Nothing of ours is on the terminal, and its size may be another. */
  #resumed(): void {
    this.#isSuspended = false;
    this.#canvas.begin();
    this.#background.again();
    this.#noted = '';
    this.#resized();
    this.#redraw();
    this.#note();
  }

  /** Only what changed: a word that comes with every key would be in the way. */
  #note(): void {
    const { session, detach, role, status } = this.#options;
    const said = noteOf({
      session,
      detach: detach.label,
      isSilent: this.#isSilent,
      isPaused: this.#isPaused,
      isWatching: this.#isLive && role === 'driver' && !this.#drives,
      driver: this.#driverName ?? this.#driver,
    });
    const text = said === '' && status ? status.text(ownSize()) : said;
    if (text === this.#noted || this.#leaving) return;
    this.#noted = text;
    const draw = () => {
      if (process.stdout.isTTY && this.#canvas.note(text)) this.#redraw();
    };
    if (this.#lender) this.#lender.ours(draw);
    else draw();
  }

  #detach(code: number): void {
    const isSilent = this.#isSilent || this.#viewer === undefined;
    this.#viewing.detach(code, leftWords(this.#options.session, { isSilent }));
  }
}

const ownSize = (): Size => windowSize() ?? USUAL;
