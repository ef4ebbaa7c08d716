/**
 * The closed parts of a recording that is being written: numbered, compressed one after the other in the background, the
 * oldest let go beyond the bound. A part that cannot be compressed stays plain, and is read as well like that; what is
 * wrong with the disk, the next write of the recording tells.
 */
import { rm } from 'node:fs/promises';
import type { Clock } from '../contract/index.js';
import { closedSegments, closeSegment, compressSegment, type Segment } from './segments.js';

/** A part that was full so soon is a flood: compressed quickly, and when it is over, for who floods needs the processor. */
export const FLOOD_MS = 2000;

export interface ClosedPartsOptions {
  /** The file being written. */
  path: string;
  maxBytes: number;
  clock: Clock;
  /** What the part being written may still take. */
  liveBytes: () => number;
}

export class ClosedParts {
  readonly #options: ClosedPartsOptions;
  #parts: Segment[] = [];
  #nextNumber = 1;
  #packing: Promise<void> = Promise.resolve();
  #floodedAt = Number.NEGATIVE_INFINITY;
  #hasten: () => void = () => undefined;
  #isClosing = false;

  constructor(options: ClosedPartsOptions) {
    this.#options = options;
  }

  /** What a host before us left. */
  async load(): Promise<void> {
    this.#parts = await closedSegments(this.#options.path);
    this.#nextNumber = (this.#parts.at(-1)?.number ?? 0) + 1;
  }

  /** Moves the file being written among them. One that somebody removed is none. */
  async take(startedAt: number, how: 'quick' | 'thorough'): Promise<void> {
    const part = await closeSegment(this.#options.path, this.#nextNumber, startedAt).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      return undefined;
    });
    if (!part) return;
    this.#nextNumber += 1;
    this.#parts.push(part);
    if (how === 'quick') this.#floodedAt = this.#options.clock.now();
    this.#packing = this.#packing
      .then(() => this.#pack(part, how))
      .catch(() => {
        // It stays plain.
      });
  }

  /** Resolves when all of them are compressed. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#hasten();
    await this.#packing;
  }

  async #pack(part: Segment, how: 'quick' | 'thorough'): Promise<void> {
    if (how === 'quick') await this.#calm();
    await this.#trim();
    if (!this.#parts.includes(part)) return;
    const packed = await compressSegment(part, how);
    this.#parts = this.#parts.map((other) => (other === part ? packed : other));
    await this.#trim();
  }

  /** Resolves when no flood is under way, or when waiting would cost older parts their place. */
  async #calm(): Promise<void> {
    const { clock, maxBytes } = this.#options;
    const plainBytes = (): number => this.#parts.reduce((sum, part) => sum + (part.compressed ? 0 : part.bytes), 0);
    while (!this.#isClosing && clock.now() - this.#floodedAt < FLOOD_MS && plainBytes() < maxBytes / 4) {
      await new Promise<void>((resolve) => {
        const cancel = clock.after(FLOOD_MS / 4, resolve);
        this.#hasten = () => {
          cancel();
          resolve();
        };
      });
    }
  }

  async #trim(): Promise<void> {
    const { maxBytes, liveBytes } = this.#options;
    const total = (): number => this.#parts.reduce((sum, part) => sum + part.bytes, liveBytes());
    while (this.#parts.length > 1 && total() > maxBytes) {
      const oldest = this.#parts.shift();
      if (oldest) await rm(oldest.path, { force: true });
    }
  }
}
