/**
 * Writes the agent's terminal to disk as asciicast v2 while it happens. Output of 50 ms is one event (a repaint storm is
 * one line), lines are appended in batches, and closed parts are compressed (`segments.ts`), each beginning with a
 * keyframe: an ordinary `o` event that redraws the screen, so every part plays alone in any asciicast player. Nothing is
 * thinned out: replay shows the same screens. Never throws or waits in the agent's path: on trouble it stops, says so, and tries again later.
 */
import { type FileHandle, lstat, mkdir, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Clock, type Size, systemClock } from '../contract/index.js';
import { CastText, type HeldEvent, headerLine } from './cast-text.js';
import { ClosedParts, FLOOD_MS } from './closed-parts.js';
import type { Snapshot } from './screen.js';
import { readSegment } from './segments.js';

/** What comes within this time is one write: a spinner should not wake the disk eight times a second. A crash loses it. */
const BATCH_MS = 500;
/** So much is written without waiting for the time. */
const BATCH_BYTES = 256 * 1024;
/** A part is closed at this size: small enough to open any moment at once, large enough to compress well. */
const SEGMENT_BYTES = 256 * 1024;
/** In a flood parts are larger: closing one costs a keyframe, for which the whole flood before it has to be parsed. */
const FLOOD_SEGMENT_BYTES = 16 * 1024 * 1024;
/** A disk that takes nothing for so long that this much waits: the output is left out, and a keyframe closes the gap. */
const MAX_HELD_BYTES = 8 * 1024 * 1024;

/** A disk that refused is tried again after so long, with a new part that begins with the screen as it is then. */
const RETRY_MS = 10_000;

export interface RecordingOptions {
  /** The file being written, `…/terminal.cast`; its closed parts lie beside it. */
  path: string;
  size: Size;
  maxBytes: number;
  clock?: Clock;
  /** The screen as bytes: what `Screen.snapshot({ scrollback: 0 })` gives, with offsets counted as in `output`. */
  keyframe: () => Promise<Snapshot>;
  /** Recording stopped: disk full, read-only, gone. Called once until it goes on. */
  onTrouble: (reason: string) => void;
  /** It goes on after that. What was there to record meanwhile is not in it. */
  onAgain?: () => void;
  title?: string;
}

/** Something was typed that is not shown. */
const HIDDEN = '•••';

export class Recording {
  #isHiding = false;
  readonly #options: Required<Omit<RecordingOptions, 'title'>> & { title: string | undefined };
  #held: HeldEvent[] = [];
  #heldBytes = 0;
  #offset = 0;
  #text = new CastText(0);
  #file: FileHandle | undefined;
  #liveBytes = 0;
  #liveStart = 0;
  readonly #closed: ClosedParts;
  #size: Size;
  #cancelTimer: (() => void) | undefined;
  #busy: Promise<void>;
  #working = true;
  #begun = false;
  #gap = false;
  /** The disk took nothing the last time. */
  #refused = false;
  #stopped = false;

  constructor(options: RecordingOptions) {
    this.#options = { clock: systemClock, title: undefined, onAgain: () => undefined, ...options };
    this.#size = options.size;
    const { path, maxBytes, clock } = this.#options;
    this.#closed = new ClosedParts({ path, maxBytes, clock, liveBytes: () => this.#segmentBytes() });
    this.#busy = this.#begin();
  }

  /** Agent output, in the order and with the bytes the screen got. */
  output(bytes: Uint8Array): void {
    const offset = this.#offset;
    this.#offset += bytes.length;
    if (this.#gap || bytes.length === 0) return;
    if (this.#heldBytes + bytes.length > MAX_HELD_BYTES) {
      this.#gap = true;
      this.#held = this.#held.filter((event) => event.code !== 'o');
      this.#heldBytes = 0;
      return;
    }
    this.#heldBytes += bytes.length;
    this.#hold({ code: 'o', at: this.#now(), offset, bytes });
  }

  resize(size: Size): void {
    this.#size = size;
    this.#hold({ code: 'r', at: this.#now(), offset: this.#offset, text: `${size.cols}x${size.rows}` });
  }

  /** A chapter: an inquiry, an answer, an iteration. */
  marker(label: string): void {
    this.#hold({ code: 'm', at: this.#now(), offset: this.#offset, text: label.slice(0, 200) });
  }

  /**
   * Input to the agent. `redact` while the agent has echo off: only that something was typed. Once for all keys in a row:
   * how many, and how fast, would tell the length of a password.
   */
  input(bytes: Uint8Array, { redact }: { redact: boolean }): void {
    if (redact && this.#isHiding) return;
    this.#isHiding = redact;
    const text = redact ? HIDDEN : Buffer.from(bytes).toString('utf8');
    this.#hold({ code: 'i', at: this.#now(), offset: this.#offset, text });
  }

  /** Everything given so far is in the file (not necessarily on the platter) when this resolves. */
  async flush(): Promise<void> {
    do {
      await this.#busy;
      if (this.#held.length > 0 && !this.#stopped) this.#work();
    } while (this.#working && !this.#stopped);
    await this.#busy;
  }

  /** Writes what is held, waits for compression, closes the file. The last part stays plain. */
  async close(): Promise<void> {
    await this.flush();
    await this.#closed.close();
    this.#stopped = true;
    this.#cancelTimer?.();
    const file = this.#file;
    this.#file = undefined;
    await file?.close().catch(() => {
      // Everything was written; a failing close changes nothing that can still be mended.
    });
  }

  #now(): number {
    return this.#options.clock.now();
  }

  #hold(event: HeldEvent): void {
    if (this.#stopped || (this.#refused && this.#gap)) return;
    this.#held.push(event);
    if (this.#working) return;
    if (this.#heldBytes >= BATCH_BYTES) this.#work();
    else this.#cancelTimer ??= this.#options.clock.after(BATCH_MS, () => this.#work());
  }

  /** Starts a write of all that is held; one at a time, so lines never mix. */
  #work(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    if (this.#working || this.#stopped) return;
    this.#working = true;
    this.#busy = this.#write();
  }

  async #begin(): Promise<void> {
    const { path } = this.#options;
    await this.#trying(async () => {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await this.#closed.load();
      const isFile = await lstat(path).then(
        (found) => found.isFile() && found.size > 0,
        () => false,
      );
      if (isFile) {
        // A session that goes on: what the host before it wrote stays, also if its last line is torn.
        const head = (await readSegment({ path, compressed: false })).slice(0, 4096);
        const startedAt = Number(/"at":(\d+)/.exec(head)?.[1] ?? this.#now());
        await this.#closed.take(startedAt, 'thorough');
      }
      await this.#openLive({ size: this.#size });
      this.#begun = true;
    });
    this.#done();
  }

  async #write(): Promise<void> {
    await this.#trying(async () => {
      const events = this.#take();
      await this.#append(this.#text.lines(events));
      const limit = this.#segmentBytes();
      if (this.#liveBytes >= limit || this.#gap) await this.#rotate(limit);
    });
    this.#done();
  }

  #done(): void {
    this.#working = false;
    if (this.#held.length > 0) {
      if (this.#heldBytes >= BATCH_BYTES) this.#work();
      else this.#cancelTimer ??= this.#options.clock.after(BATCH_MS, () => this.#work());
    }
  }

  #segmentBytes(): number {
    const wanted = this.#now() - this.#liveStart < FLOOD_MS ? FLOOD_SEGMENT_BYTES : SEGMENT_BYTES;
    return Math.min(wanted, this.#options.maxBytes / 4);
  }

  #take(): HeldEvent[] {
    const events = this.#held;
    this.#held = [];
    this.#heldBytes = 0;
    return events;
  }

  async #append(bytes: Uint8Array): Promise<void> {
    if (bytes.length === 0 || !this.#file) return;
    this.#liveBytes += bytes.length;
    await this.#file.appendFile(bytes);
  }

  /**
   * The keyframe shows the screen after exactly `offset` bytes: output before that still belongs to the old part, what
   * follows to the new one, so neither loses nor doubles a byte whenever the screen answers.
   */
  async #rotate(limit: number): Promise<void> {
    const hadGap = this.#gap;
    this.#gap = false;
    const frame = await this.#options.keyframe().catch(() => undefined);
    // Without a screen (it is closed, at the end) the part may grow a while; then bounded disk is worth more than a keyframe.
    if (!frame && !hadGap && this.#liveBytes < 4 * limit) return;
    const [before, after] = splitAt(this.#take(), frame?.offset ?? this.#offset);
    await this.#append(this.#text.lines(hadGap ? before.filter((event) => event.code !== 'o') : before));
    await this.#file?.close();
    this.#file = undefined;
    const how = this.#now() - this.#liveStart < FLOOD_MS ? 'quick' : 'thorough';
    if (this.#liveBytes > 0) await this.#closed.take(this.#liveStart, how);
    this.#held = [...after, ...this.#held];
    this.#heldBytes = this.#held.reduce((sum, event) => sum + (event.bytes?.length ?? 0), 0);
    const first = { size: frame?.size ?? this.#size, keyframe: frame?.bytes, afterGap: hadGap };
    await this.#openLive(first).catch(async (error: unknown) => {
      // Half a header is no part: the next try begins anew. The name is ours, for a part of ours was moved away from it.
      this.#liveBytes = 0;
      await rm(this.#options.path, { force: true }).catch(() => undefined); // the error says what is wrong with the disk
      throw error;
    });
    if (!this.#refused) return;
    this.#refused = false;
    this.#options.onAgain();
  }

  async #openLive(part: { size: Size; keyframe?: Uint8Array | undefined; afterGap?: boolean }): Promise<void> {
    const { size, keyframe, afterGap } = part;
    const { path, title } = this.#options;
    this.#liveStart = this.#now();
    this.#text = new CastText(this.#liveStart);
    this.#file = await open(path, 'a', 0o600);
    this.#liveBytes = 0;
    // After a gap no earlier part has shown it: whoever plays them all needs it too.
    const isRepeated = keyframe !== undefined && !afterGap;
    const head = Buffer.from(headerLine({ size, at: this.#liveStart, keyframe: isRepeated, title }));
    const first = keyframe && this.#text.lines([{ code: 'o', at: this.#liveStart, offset: 0, bytes: keyframe }]);
    await this.#append(first ? Buffer.concat([head, first]) : head);
  }

  async #trying(run: () => Promise<void>): Promise<void> {
    if (this.#stopped) return;
    try {
      await run();
    } catch (error) {
      if (this.#stopped) return;
      const isNews = !this.#refused;
      this.#refused = true;
      this.#gap = true;
      this.#held = [];
      this.#heldBytes = 0;
      this.#cancelTimer?.();
      // Where it could not even begin, there may be something of somebody else's: not touched again.
      if (this.#begun) this.#cancelTimer = this.#options.clock.after(RETRY_MS, () => this.#work());
      else this.#stopped = true;
      const file = this.#file;
      this.#file = undefined;
      await file?.close().catch(() => {
        // The trouble is told already; a file that cannot be closed adds nothing to it.
      });
      if (isNews) this.#options.onTrouble(error instanceof Error ? error.message : String(error));
    }
  }
}

function splitAt(events: HeldEvent[], offset: number): [before: HeldEvent[], after: HeldEvent[]] {
  const before: HeldEvent[] = [];
  const after: HeldEvent[] = [];
  for (const event of events) {
    const length = event.bytes?.length ?? 0;
    if (event.offset + length <= offset && (event.bytes || event.offset < offset)) before.push(event);
    else if (event.offset >= offset || !event.bytes) after.push(event);
    else {
      const cut = offset - event.offset;
      before.push({ ...event, bytes: event.bytes.subarray(0, cut) });
      after.push({ ...event, offset, bytes: event.bytes.subarray(cut) });
    }
  }
  return [before, after];
}
