/**
 * What the agent's terminal shows now. The emulator behind it is loaded only when someone asks, when the agent asks its
 * terminal something, or when more output waits than is worth keeping raw: a quiet session never pays for it. It runs in
 * the host's own thread, in short slices: a worker would cost each session some megabytes for as long as it lives.
 */
import { type Clock, type Log, once, type ScreenShot, type Size, silentLog, systemClock } from '../contract/index.js';
import type { TerminalModes } from './emulator.js';
import { Frames } from './frames.js';
import { ScreenFeed } from './screen-feed.js';

/** More raw output than this is not kept waiting for someone to ask. */
const LAZY_BYTES = 256 * 1024;

/** A question to the terminal (DA, DSR, DECRQM, XTVERSION, kitty, OSC colours, DCS) cannot wait for someone to ask. */
const QUESTION = /\x1b(\[[?>=]?[\d;]*\$?[cnpqtu]|P|\]\d+;\?)/;

export type { TerminalModes } from './emulator.js';

export const loadEmulator = once(() => import('./emulator.js'));

export interface Snapshot {
  /** How many bytes of output the snapshot contains; what comes next starts here. */
  offset: number;
  bytes: Uint8Array;
  /** The size it is drawn for. */
  size: Size;
}

interface ScreenOptions {
  size: Size;
  /** Lines kept above the visible ones. */
  scrollback?: number;
  clock?: Clock;
  log?: Log;
}

/** Contract: `write` never throws and does not wait; promises reject only when the screen is closed. */
export class Screen {
  readonly #scrollback: number;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #startSize: Size;
  readonly #feed: ScreenFeed;
  readonly #frames: Frames;
  readonly #calls = {
    osc: new Set<(code: number, text: string) => void>(),
    bell: new Set<() => void>(),
    reply: new Set<(bytes: Uint8Array) => void>(),
  };
  #emulator: import('./emulator.js').Emulator | undefined;
  #loading = false;
  #closed = false;
  #size: Size;
  #answering = true;
  #shared: { key: string; snapshot: Promise<Snapshot> } | undefined;

  constructor({ size, scrollback = 1000, clock = systemClock, log = silentLog }: ScreenOptions) {
    this.#size = size;
    this.#startSize = size;
    this.#scrollback = scrollback;
    this.#clock = clock;
    this.#log = log;
    this.#frames = new Frames(clock, () => this.#emulator?.shot(0));
    this.#feed = new ScreenFeed(clock, {
      isWatched: () => this.#isWatched(),
      afterSlice: (emulator) => this.#frames.changed({ inFrame: emulator.inSyncFrame }),
    });
  }

  write(bytes: Uint8Array): void {
    if (this.#closed || bytes.length === 0) return;
    const isWatched = this.#isWatched();
    const asks = this.#answering && !isWatched && this.#mayAsk(bytes);
    this.#feed.put(isWatched && this.#emulator ? bytes : owned(bytes));
    if (asks)
      this.#settled().catch(() => undefined); // closed meanwhile: nobody is left to hear the answer
    else if (this.#feed.backlog > LAZY_BYTES) this.#load();
  }

  resize(size: Size): void {
    if (this.#closed || size.cols < 1 || size.rows < 1) return;
    this.#size = size;
    this.#feed.put(size);
  }

  get size(): Size {
    return this.#size;
  }

  /** Bytes written so far. */
  get offset(): number {
    return this.#feed.written;
  }

  /** Whether the emulator is in memory. */
  get isLoaded(): boolean {
    return this.#emulator !== undefined;
  }

  /** Whether so much output waits to be parsed that the agent should be held back until `drained`. */
  get behind(): boolean {
    return this.#feed.behind;
  }

  drained(): Promise<void> {
    return this.#feed.drained();
  }

  async shot({ scrollback = 0 }: { scrollback?: number } = {}): Promise<ScreenShot> {
    return (await this.#settled()).shot(scrollback);
  }

  /** Rows with their colours, joined by newlines. */
  async ansi({ scrollback = 0 }: { scrollback?: number } = {}): Promise<string> {
    return (await this.#settled()).ansi(scrollback);
  }

  async modes(): Promise<TerminalModes> {
    return (await this.#settled()).terminalModes();
  }

  /**
   * Bytes that redraw this screen with its modes on any terminal, ending with the beginning of a sequence that output
   * has not finished yet. Made once per offset and shared by all who ask.
   */
  snapshot({ scrollback = this.#scrollback }: { scrollback?: number } = {}): Promise<Snapshot> {
    const key = `${this.#feed.step}:${scrollback}`;
    if (this.#shared?.key === key) return this.#shared.snapshot;
    const snapshot = this.#settled().then((emulator) => ({
      offset: this.#feed.parsed,
      bytes: Buffer.concat([emulator.snapshot(scrollback), this.#feed.tail.bytes()]),
      size: emulator.size,
    }));
    this.#shared = { key, snapshot };
    return snapshot;
  }

  /** The screen at the end of each frame, at most every 16 ms while the agent draws, and once after the last change. */
  onFrame(call: (shot: ScreenShot) => void): () => void {
    const off = this.#frames.add(this.#guarded(call));
    this.#watched();
    return off;
  }

  /** Operating system commands of the agent: titles (0, 2), notifications (9, 777), its state (7501); bounded text. */
  onOsc(call: (code: number, text: string) => void): () => void {
    const off = add(this.#calls.osc, this.#guarded(call));
    this.#watched();
    return off;
  }

  onBell(call: () => void): () => void {
    const off = add(this.#calls.bell, this.#guarded(call));
    this.#watched();
    return off;
  }

  /** Answers to the agent's questions to its terminal, in order; the caller writes them to the agent's input. */
  onReply(call: (bytes: Uint8Array) => void): () => void {
    return add(this.#calls.reply, this.#guarded(call));
  }

  /** False while a driver's real terminal answers the agent's questions: the agent must not hear two answers. */
  get answering(): boolean {
    return this.#answering;
  }

  set answering(on: boolean) {
    if (on === this.#answering) return;
    this.#answering = on;
    // In order with the output: what was asked of the one is not answered by the other as well.
    this.#feed.put({ answering: on });
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#frames.close();
    this.#feed.close();
    this.#emulator?.close();
    this.#emulator = undefined;
    this.#shared = undefined;
  }

  #isWatched(): boolean {
    return this.#frames.watched || this.#calls.osc.size > 0 || this.#calls.bell.size > 0;
  }

  #watched(): void {
    this.#load();
    this.#feed.watched();
  }

  #settled(): Promise<import('./emulator.js').Emulator> {
    const settled = this.#feed.settled();
    this.#load();
    return settled;
  }

  /** Looks at what came before as well: a question may be cut by the end of a read. */
  #mayAsk(bytes: Uint8Array): boolean {
    const text = (part: Uint8Array): string =>
      Buffer.from(part.buffer, part.byteOffset, part.length).toString('latin1');
    return QUESTION.test(text(this.#feed.tail.bytes()) + text(this.#feed.lastWaiting(32)) + text(bytes));
  }

  #load(): void {
    if (this.#emulator || this.#loading || this.#closed) return;
    this.#loading = true;
    loadEmulator()
      .then(({ Emulator }) => {
        if (this.#closed) return;
        const { osc, bell, reply } = this.#calls;
        this.#emulator = new Emulator({
          size: this.#startSize,
          scrollback: this.#scrollback,
          clock: this.#clock,
          events: {
            osc: (code, text) => each(osc, (call) => call(code, text)),
            bell: () => each(bell, (call) => call()),
            frameEnd: () => this.#frames.ended(),
            reply: (bytes) => each(reply, (call) => call(bytes)),
          },
        });
        this.#feed.start(this.#emulator);
      })
      .catch((error: unknown) => {
        this.#log.log('error', 'the terminal emulator cannot be loaded', { error: String(error) });
        this.close();
      });
  }

  /** A listener that throws must not stop the parser in the middle of the agent's output. */
  #guarded<Args extends unknown[]>(call: (...args: Args) => void): (...args: Args) => void {
    return (...args) => {
      try {
        call(...args);
      } catch (error) {
        this.#log.log('error', 'a listener of the screen failed', { error: String(error) });
      }
    };
  }
}

function add<Call>(set: Set<Call>, call: Call): () => void {
  set.add(call);
  return () => set.delete(call);
}

function each<Call>(set: Set<Call>, run: (call: Call) => void): void {
  for (const call of set) run(call);
}

/** A small view of a large read buffer would keep the whole of it alive while it waits. */
function owned(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength * 2 < bytes.buffer.byteLength ? new Uint8Array(bytes) : bytes;
}
