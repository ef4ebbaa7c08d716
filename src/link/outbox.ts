/**
 * What one viewer is owed. A slow viewer never slows the agent and never grows our memory: beyond a limit it gets
 * nothing more, and once it has caught its breath it is brought up to date from the journal and a fresh snapshot. That
 * is also how a new viewer starts, so there is one way to catch up. Output is gathered per turn of the event loop,
 * never by a timer. What happens while a catch-up is being made waits, and follows it: nothing lost, nothing doubled.
 */
import type { Entry, Frame } from '../contract/index.js';
import type { Link } from './link.js';

/** Enough for a second of flood over a fast link; above it the viewer is behind. */
const MOST_QUEUED = 4 * 1024 * 1024;

/** Rough cost of an entry that waits: small beside any output, and enough to bound their number. */
const ENTRY_COST = 1024;

export interface Point {
  seq: number;
  offset: number;
}

/** Frames that bring a viewer from a point to now, and the point they lead to. Contract: does not reject. */
export type CatchUp = (
  from: Partial<Point>,
  wants: { bytes: boolean; entries: boolean },
) => Promise<{ frames: Frame[]; at: Point }>;

type Item = { offset: number; bytes: Uint8Array } | { entry: Entry };

export class Outbox {
  readonly #link: Link;
  readonly #catchUp: CatchUp;
  #state: 'new' | 'catching' | 'live' | 'behind' = 'new';
  #at: Partial<Point>;
  #held: Item[] = [];
  #heldCost = 0;
  #overflowed = false;
  #flushing = false;
  /** A hidden viewer gets entries only. */
  #bytes: boolean;
  readonly #entries: boolean;

  constructor(options: { link: Link; catchUp: CatchUp; since: Partial<Point>; bytes: boolean; entries: boolean }) {
    this.#link = options.link;
    this.#catchUp = options.catchUp;
    this.#at = options.since;
    this.#bytes = options.bytes;
    this.#entries = options.entries;
    this.#link.onDrain(() => {
      if (this.#state === 'behind') void this.start();
    });
  }

  get state(): string {
    return this.#state;
  }

  /** Brings the viewer up to date, then keeps it so. Resolves when it is live for the first time. */
  async start(): Promise<void> {
    this.#state = 'catching';
    do {
      this.#overflowed = false;
      this.#hold();
      const { frames, at } = await this.#catchUp(this.#at, { bytes: this.#bytes, entries: this.#entries });
      for (const frame of frames) this.#link.send(frame);
      this.#at = at;
    } while (this.#overflowed);
    this.#state = 'live';
    this.#flush();
  }

  /** Hidden or shown. Shown again, the bytes missed meanwhile come as a catch-up. */
  setBytes(wanted: boolean): void {
    if (wanted === this.#bytes) return;
    this.#flush();
    this.#bytes = wanted;
    if (!wanted) delete this.#at.offset;
    else if (this.#state === 'live') void this.start();
  }

  output(offset: number, bytes: Uint8Array): void {
    if (!this.#bytes || this.#state === 'behind' || this.#state === 'new') return;
    this.#push({ offset, bytes }, bytes.length);
  }

  entry(entry: Entry): void {
    if (!this.#entries || this.#state === 'behind' || this.#state === 'new') return;
    this.#push({ entry }, ENTRY_COST);
  }

  /** Sends what is gathered now, e.g. before the last message. */
  flush(): void {
    this.#flush();
  }

  #push(item: Item, cost: number): void {
    this.#held.push(item);
    this.#heldCost += cost;
    if (this.#state === 'catching') {
      if (this.#heldCost <= MOST_QUEUED) return;
      this.#overflowed = true;
      this.#hold();
    } else if (!this.#flushing) {
      this.#flushing = true;
      setImmediate(() => this.#flush());
    }
  }

  #hold(): void {
    this.#held = [];
    this.#heldCost = 0;
  }

  #flush(): void {
    this.#flushing = false;
    if (this.#state !== 'live' || this.#held.length === 0) return;
    const items = this.#held;
    this.#hold();
    let run: Uint8Array[] = [];
    let start = 0;
    const send = () => {
      if (run.length === 0) return;
      this.#link.send({ kind: 'output', offset: start, bytes: run.length === 1 ? run[0]! : Buffer.concat(run) });
      run = [];
    };
    for (const item of items) {
      if ('entry' in item) {
        if (item.entry.seq <= (this.#at.seq ?? 0)) continue;
        send();
        this.#at.seq = item.entry.seq;
        this.#link.send({ kind: 'json', json: { t: 'entry', entry: item.entry } });
      } else {
        const fresh = this.#fresh(item);
        if (fresh.length === 0) continue;
        if (run.length === 0) start = item.offset + item.bytes.length - fresh.length;
        run.push(fresh);
        this.#at.offset = item.offset + item.bytes.length;
      }
    }
    send();
    if (this.#link.queued > MOST_QUEUED) this.#state = 'behind';
  }

  /** The part of an output that the viewer has not got yet: a catch-up may end in the middle of one. */
  #fresh(item: { offset: number; bytes: Uint8Array }): Uint8Array {
    const seen = Math.max(0, (this.#at.offset ?? item.offset) - item.offset);
    return seen === 0 ? item.bytes : item.bytes.subarray(Math.min(item.bytes.length, seen));
  }
}
