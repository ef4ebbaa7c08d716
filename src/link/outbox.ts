/**
 * What one viewer is owed. A slow viewer never slows the agent and never grows our memory: beyond a limit it gets
 * nothing more, and once it has caught its breath it is brought up to date from the journal and a fresh snapshot. That
 * is also how a new viewer starts, so there is one way to catch up. Output is gathered per turn of the event loop,
 * never by a timer, and not at all when it comes alone. What happens while a catch-up is being made waits, and follows it: nothing lost, nothing doubled.
 * In a flood, who only watches is brought up to date now and then in the same way: nobody reads it, and the driver waits.
 */
import type { Clock, Entry, Frame } from '../contract/index.js';
import type { Link } from './link.js';

/** Enough for a second of flood over a fast link; above it the viewer is behind. */
const MOST_QUEUED = 4 * 1024 * 1024;

/** Output goes out in pieces: the queue never outgrows its limit by more than one of them. */
const PIECE_BYTES = 256 * 1024;

/** Rough cost of an entry that waits: small beside any output, and enough to bound their number. */
const ENTRY_COST = 1024;

/** So much within this time is a flood to who only watches: a screen of text is a hundredth of it. */
const SPARED_MS = 250;
const SPARED_BYTES = 512 * 1024;

export interface OutboxOptions {
  link: Link;
  catchUp: CatchUp;
  since: Partial<Point>;
  bytes: boolean;
  entries: boolean;
  clock: Clock;
  /** Whether this viewer is one that a flood may pass by. */
  isSpared(): boolean;
}

export interface Point {
  seq: number;
  offset: number;
}

export interface CaughtUp {
  frames: Frame[];
  /** Where they lead; without an offset the bytes come later. */
  at: { seq: number; offset?: number };
  /** They do not lead to now: a long journal comes in pages. */
  more?: boolean;
}

/** Frames that bring a viewer from a point to now, or on the way there. Contract: does not reject. */
export type CatchUp = (from: Partial<Point>, wants: { bytes: boolean; entries: boolean }) => Promise<CaughtUp>;

type Owed = { offset: number; bytes: Uint8Array } | { stderr: Uint8Array } | { entry: Entry };

export class Outbox {
  readonly #link: Link;
  readonly #catchUp: CatchUp;
  readonly #clock: Clock;
  readonly #isSpared: () => boolean;
  #window = { start: 0, bytes: 0 };
  /** Set while a flood passes by; called, it ends that. */
  #sparing: (() => void) | undefined;
  #state: 'new' | 'catching' | 'live' | 'behind' = 'new';
  /** What the viewer has been sent, never more. */
  #at: Partial<Point>;
  #held: Owed[] = [];
  #heldCost = 0;
  /** The catch-up under way does not cover everything: one more is due. */
  #again = false;
  /** What the viewer has is of no use: from nothing, the next time. */
  #isAnew = false;
  /** What a viewer that fell behind in the middle of a catch-up has not got of it, and where it leads. */
  #rest: (CaughtUp & { bytes: boolean }) | undefined;
  #gathering = false;
  #sentAt = Number.NEGATIVE_INFINITY;
  /** A hidden viewer gets entries only. */
  #bytes: boolean;
  readonly #entries: boolean;
  #closed = false;
  #waiters: { until: () => boolean; done: () => void }[] = [];

  constructor(options: OutboxOptions) {
    this.#link = options.link;
    this.#clock = options.clock;
    this.#isSpared = options.isSpared;
    this.#catchUp = options.catchUp;
    this.#at = { ...options.since };
    this.#bytes = options.bytes;
    this.#entries = options.entries;
    this.#link.onDrain(() => this.#drained());
    this.#link.onClose(() => {
      this.#closed = true;
      this.#sparing?.();
      this.#drop();
      this.#rest = undefined;
      this.#tell();
    });
  }

  get state(): string {
    return this.#state;
  }

  /** So much is on its way that a little more makes the viewer fall behind: time for those who may to slow the agent. */
  get crowded(): boolean {
    return !this.#closed && this.#link.queued + this.#heldCost > MOST_QUEUED / 2;
  }

  /** Resolves when the viewer has taken what was on its way, or is gone. */
  room(): Promise<void> {
    return this.#when(() => !this.crowded);
  }

  /** Brings the viewer up to date, then keeps it so. Resolves when it is live for the first time, or gone. */
  start(): Promise<void> {
    if (this.#state === 'new') void this.#catch();
    return this.upToDate();
  }

  /** Resolves when the viewer has been sent everything there is, or is gone. */
  upToDate(): Promise<void> {
    this.#sparing?.();
    return this.#when(() => this.#state === 'live' && this.#held.length === 0);
  }

  /** Hidden or shown. Shown again, the bytes missed meanwhile come as a catch-up. */
  setBytes(wanted: boolean): void {
    if (wanted === this.#bytes) return;
    this.#flush();
    this.#bytes = wanted;
    if (!wanted) return;
    if (this.#state === 'live') void this.#catch();
    else this.#again = true;
  }

  /** A redraw instead of what the viewer has: its own terminal changed, so the bytes it got are of no use any more. */
  redraw(): void {
    if (this.#state === 'new' || !this.#bytes) return;
    this.#flush();
    this.#isAnew = true;
    if (this.#state === 'live') void this.#catch();
    else this.#again = true;
  }

  output(offset: number, bytes: Uint8Array): void {
    if (!this.#bytes || this.#closed) return;
    if (this.#state === 'live' && this.#held.length === 0 && this.#isFirst()) {
      // Mostly the only one: past everything that is there for more.
      this.#sendOutput(offset, bytes);
      if (!this.#tooMuch()) this.#tell();
    } else this.#push({ offset, bytes }, bytes.length);
    if (this.#state === 'live' && this.#floods(bytes.length) && this.#isSpared()) this.#spare();
  }

  /** Bytes of a separate standard error: in order with the output, but not kept for a viewer that is behind. */
  stderr(bytes: Uint8Array): void {
    if (this.#bytes) this.#push({ stderr: bytes }, bytes.length);
  }

  entry(entry: Entry): void {
    if (this.#entries) this.#push({ entry }, ENTRY_COST);
  }

  /** Sends what is gathered now, e.g. before the last message. */
  flush(): void {
    this.#flush();
  }

  #push(item: Owed, cost: number): void {
    if (this.#closed || this.#state === 'behind' || this.#state === 'new') return;
    this.#held.push(item);
    this.#heldCost += cost;
    if (this.#state === 'catching') {
      if (this.#heldCost <= MOST_QUEUED) return;
      this.#again = true;
      this.#drop();
    } else if (this.#heldCost > PIECE_BYTES) {
      this.#flush();
    } else if (this.#isFirst()) this.#flush();
    else this.#gather();
  }

  /** The first of a millisecond goes at once, for it may be the echo of a key; what else its turn brings goes together. */
  #isFirst(): boolean {
    const now = this.#clock.now();
    const isFirst = now !== this.#sentAt && !this.#gathering;
    this.#sentAt = now;
    return isFirst;
  }

  #gather(): void {
    if (this.#gathering) return;
    this.#gathering = true;
    setImmediate(() => {
      this.#gathering = false;
      if (this.#held.length > 0) this.#flush();
    });
  }

  #drop(): void {
    this.#held = [];
    this.#heldCost = 0;
  }

  async #catch(): Promise<void> {
    this.#state = 'catching';
    do {
      this.#again = false;
      this.#drop();
      const bytes = this.#bytes;
      try {
        const caughtUp = await this.#catchUp(this.#from(), { bytes, entries: this.#entries });
        this.#rest = { ...caughtUp, bytes };
        this.#again ||= caughtUp.more === true;
      } catch (error) {
        this.#link.close(`it could not be brought up to date: ${(error as Error).message}`);
        return;
      }
      if (!this.#sendRest()) return;
      // Others have their turn between two pages.
      if (this.#again) await new Promise((resolve) => setImmediate(resolve));
    } while (this.#again);
    this.#state = 'live';
    this.#flush();
  }

  /** Where to begin. A redraw that was asked for in the middle of a catch-up is not forgotten over its end. */
  #from(): Partial<Point> {
    if (this.#isAnew) delete this.#at.offset;
    this.#isAnew = false;
    return { ...this.#at };
  }

  /** False if the viewer fell behind; the queue's end then brings us back. */
  #sendRest(): boolean {
    const rest = this.#rest;
    if (!rest || this.#closed) return false;
    for (let frame = rest.frames.shift(); frame; frame = rest.frames.shift()) {
      this.#sendCaughtUp(frame);
      if (this.#tooMuch()) return false;
    }
    this.#rest = undefined;
    this.#at.seq = rest.at.seq;
    // The bytes were left out if the viewer was hidden before or meanwhile: it still has what it had.
    if (rest.bytes && this.#bytes && rest.at.offset !== undefined) this.#at.offset = rest.at.offset;
    return true;
  }

  #sendCaughtUp(frame: Frame): void {
    if (frame.kind === 'json') {
      this.#link.send(frame);
      if (frame.json.t === 'entry') this.#at.seq = frame.json.entry.seq;
    } else if (this.#bytes && (frame.kind === 'output' || frame.kind === 'snapshot')) {
      this.#link.send(frame);
      this.#at.offset = frame.offset + (frame.kind === 'output' ? frame.bytes.length : 0);
    }
  }

  #tooMuch(): boolean {
    if (this.#link.queued <= MOST_QUEUED) return false;
    this.#state = 'behind';
    this.#drop();
    return true;
  }

  #drained(): void {
    if (!this.#sparing) this.#breathe();
    this.#tell();
  }

  /** Behind, and able to take more: up to date again. */
  #breathe(): void {
    if (this.#state !== 'behind') return;
    this.#state = 'catching';
    if (!this.#rest || this.#sendRest()) void this.#catch();
  }

  #floods(bytes: number): boolean {
    const now = this.#clock.now();
    if (now - this.#window.start >= SPARED_MS || now < this.#window.start) this.#window = { start: now, bytes: 0 };
    this.#window.bytes += bytes;
    return this.#window.bytes > SPARED_BYTES;
  }

  /** Nothing more until the moment is over; the catch-up then shows what came of it. */
  #spare(): void {
    this.#flush();
    if (this.#state !== 'live') return;
    this.#state = 'behind';
    this.#drop();
    const end = () => {
      cancel();
      this.#sparing = undefined;
      // What is still on its way brings us back by itself when it is gone.
      if (this.#link.queued === 0) this.#breathe();
    };
    const cancel = this.#clock.after(this.#window.start + SPARED_MS - this.#clock.now(), end);
    this.#sparing = end;
  }

  #flush(): void {
    if (this.#state !== 'live') return;
    const items = this.#held;
    this.#drop();
    let run: { start: number; parts: Uint8Array[]; length: number } | undefined;
    const send = () => {
      if (run) this.#sendOutput(run.start, run.parts.length === 1 ? run.parts[0]! : Buffer.concat(run.parts));
      run = undefined;
    };
    for (const item of items) {
      if ('offset' in item) {
        const fresh = this.#bytes ? this.#fresh(item.offset, item.bytes) : item.bytes.subarray(0, 0);
        if (fresh.length === 0) continue;
        run ??= { start: item.offset + item.bytes.length - fresh.length, parts: [], length: 0 };
        run.parts.push(fresh);
        run.length += fresh.length;
        if (run.length >= PIECE_BYTES) send();
      } else {
        send();
        this.#sendItem(item);
      }
      // What is left of the items comes again, as part of the catch-up.
      if (this.#tooMuch()) return;
    }
    send();
    if (!this.#tooMuch()) this.#tell();
  }

  #sendItem(item: { stderr: Uint8Array } | { entry: Entry }): void {
    if ('stderr' in item) {
      this.#link.send({ kind: 'stderr', bytes: item.stderr });
    } else if (item.entry.seq > (this.#at.seq ?? 0)) {
      this.#at.seq = item.entry.seq;
      this.#link.send({ kind: 'json', json: { t: 'entry', entry: item.entry } });
    }
  }

  #sendOutput(offset: number, bytes: Uint8Array): void {
    if (this.#at.offset === offset && bytes.length <= PIECE_BYTES) {
      this.#link.send({ kind: 'output', offset, bytes });
      this.#at.offset = offset + bytes.length;
    } else this.#sendPieces(offset, bytes);
  }

  #sendPieces(offset: number, given: Uint8Array): void {
    const bytes = this.#fresh(offset, given);
    const start = offset + given.length - bytes.length;
    for (let at = 0; at < bytes.length && this.#link.queued <= MOST_QUEUED; at += PIECE_BYTES) {
      const piece = bytes.subarray(at, at + PIECE_BYTES);
      this.#link.send({ kind: 'output', offset: start + at, bytes: piece });
      this.#at.offset = start + at + piece.length;
    }
  }

  /** The part of an output that the viewer has not got yet: a catch-up may end in the middle of one. */
  #fresh(offset: number, bytes: Uint8Array): Uint8Array {
    const seen = Math.max(0, (this.#at.offset ?? offset) - offset);
    return seen === 0 ? bytes : bytes.subarray(Math.min(bytes.length, seen));
  }

  #when(until: () => boolean): Promise<void> {
    if (this.#closed || until()) return Promise.resolve();
    return new Promise((done) => this.#waiters.push({ until, done }));
  }

  #tell(): void {
    if (this.#waiters.length === 0) return;
    const due = this.#waiters.filter((waiter) => this.#closed || waiter.until());
    this.#waiters = this.#waiters.filter((waiter) => !due.includes(waiter));
    for (const waiter of due) waiter.done();
  }
}
