/** A host and a viewer in small, for the tests of what a viewer is owed. */
import { expect } from 'vitest';
import type { Entry, Frame } from '../contract/index.js';
import type { Link } from './link.js';
import type { CatchUp, Outbox } from './outbox.js';

const RING = 64;

/** A host in small: all its output, a short ring, a journal; a snapshot is the whole output so far. */
export class TinyHost {
  output = Buffer.alloc(0);
  entries: Entry[] = [];
  outbox: Outbox | undefined;
  /** Catch-ups that wait for their turn, as snapshots do. */
  waiting: (() => void)[] = [];
  slow = false;

  readonly catchUp: CatchUp = async (from, wants) => {
    if (this.slow) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else await Promise.resolve();
    const frames: Frame[] = [];
    if (wants.entries) {
      for (const entry of this.entries.filter(({ seq }) => seq > (from.seq ?? 0))) {
        frames.push({ kind: 'json', json: { t: 'entry', entry } });
      }
    }
    const at = { seq: this.entries.length, offset: this.output.length };
    if (!wants.bytes || from.offset === at.offset) return { frames, at };
    const inRing = from.offset !== undefined && at.offset - from.offset <= RING;
    frames.push(
      inRing
        ? { kind: 'output', offset: from.offset!, bytes: this.output.subarray(from.offset) }
        : { kind: 'snapshot', offset: at.offset, bytes: this.output },
    );
    return { frames, at };
  };

  write(text: string): void {
    const bytes = Buffer.from(text);
    const at = this.output.length;
    this.output = Buffer.concat([this.output, bytes]);
    this.outbox?.output(at, bytes);
  }

  note(): void {
    const entry = { v: 1, seq: this.entries.length + 1, type: 'notice', data: {} } as unknown as Entry;
    this.entries.push(entry);
    this.outbox?.entry(entry);
  }
}

/** Applies frames as a terminal would, and insists that nothing is missing or doubled. */
export class TinyViewer {
  screen = '';
  next: number | undefined;
  seqs: number[] = [];
  frames = 0;
  bytes = 0;

  constructor(link: Link) {
    link.onFrame((frame) => this.take(frame));
  }

  take(frame: Frame): void {
    this.frames += 1;
    if (frame.kind === 'json' && frame.json.t === 'entry') this.seqs.push(frame.json.entry.seq);
    if (frame.kind === 'snapshot') {
      this.screen = Buffer.from(frame.bytes).toString();
      this.next = frame.offset;
    }
    if (frame.kind === 'output') {
      expect(frame.offset).toBe(this.next ?? 0);
      this.screen += Buffer.from(frame.bytes).toString();
      this.next = frame.offset + frame.bytes.length;
      this.bytes += frame.bytes.length;
    }
  }
}

export const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
