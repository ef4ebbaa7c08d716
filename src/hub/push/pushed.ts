/**
 * Which inquiries which device was told of: the one thing push remembers over a restart, so that nobody is told twice, and whoever
 * was told of something that was settled meanwhile hears of that.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { DISK_REFUSES, makeDir, writeWhole } from '../../disk/index.js';

const PushedFile = z.object({ v: z.literal(1), told: z.record(z.string(), z.array(z.string())) });

const FILE = 'pushed.json';
/** The oldest are forgotten: at worst somebody is told again. */
const MOST = 1_000;

export class PushedTags {
  readonly #dir: string;
  readonly #told: Map<string, Set<string>>;

  constructor(dir: string) {
    this.#dir = dir;
    this.#told = new Map(Object.entries(read(join(dir, FILE))).map(([tag, devices]) => [tag, new Set(devices)]));
  }

  has(tag: string, device: string): boolean {
    return this.#told.get(tag)?.has(device) === true;
  }

  add(tag: string, device: string): void {
    const devices = this.#told.get(tag) ?? new Set();
    this.#told.set(tag, devices.add(device));
    for (const oldest of [...this.#told.keys()].slice(0, Math.max(0, this.#told.size - MOST)))
      this.#told.delete(oldest);
    this.#write();
  }

  tags(): string[] {
    return [...this.#told.keys()];
  }

  /** Who was told of it; nobody from now on. */
  take(tag: string): ReadonlySet<string> {
    const devices = this.#told.get(tag) ?? new Set();
    if (this.#told.delete(tag)) this.#write();
    return devices;
  }

  /** A disk that takes nothing costs at worst a second message after a restart. */
  #write(): void {
    const told = Object.fromEntries([...this.#told].map(([tag, devices]) => [tag, [...devices]]));
    try {
      makeDir(this.#dir);
      writeWhole(join(this.#dir, FILE), `${JSON.stringify({ v: 1, told })}\n`);
    } catch (error) {
      if (!DISK_REFUSES.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }
}

function read(file: string): Record<string, string[]> {
  try {
    return PushedFile.parse(JSON.parse(readFileSync(file, 'utf8'))).told;
  } catch {
    return {}; // none yet, or damaged: whoever was told is told once more, in the same place
  }
}
