/**
 * Which inquiries, and which ends of sessions, which device was told of: the one thing push remembers over a restart, so that
 * nobody is told twice, and whoever was told of something that was settled meanwhile hears of that.
 */
import { join } from 'node:path';
import { z } from 'zod';
import type { Env, ReinsError } from '../../contract/index.js';
import { makeHubDir, readState, writeState } from '../state.js';

const PushedFile = z.object({ v: z.literal(1), told: z.record(z.string(), z.array(z.string())) });

const FILES = { inquiries: 'pushed.json', ends: 'pushed-ends.json' } as const;
/** The oldest are forgotten: at worst somebody is told again. */
const MOST = 1_000;

export class PushedTags {
  readonly #file: string;
  readonly #told: Map<string, Set<string>>;

  constructor(env: Env, of: keyof typeof FILES) {
    this.#file = join(makeHubDir(env), FILES[of]);
    // None yet, or damaged: whoever was told is told once more, in the same place.
    const read = PushedFile.safeParse(readState(this.#file));
    const told = read.success ? Object.entries(read.data.told) : [];
    this.#told = new Map(told.map(([tag, devices]) => [tag, new Set(devices)]));
  }

  has(tag: string, device: string): boolean {
    return this.#told.get(tag)?.has(device) === true;
  }

  add(tag: string, ...told: string[]): void {
    this.#told.set(tag, new Set([...(this.#told.get(tag) ?? []), ...told]));
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
      writeState(this.#file, { v: 1, told });
    } catch (error) {
      if ((error as ReinsError).code !== 'STATE_DIR') throw error;
    }
  }
}
