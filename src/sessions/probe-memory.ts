/**
 * What probes have found, kept per program as it lies on the disk (place, size, time of its last change) and per version of
 * Reins: `$XDG_CACHE_HOME/reins/probes.json`. Only a hint: a file that is missing, broken or cannot be written changes
 * nothing, and no start waits for it.
 */
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Env } from '../contract/index.js';
import { makeDir, writeWhole } from '../disk/index.js';
import { type ProbedAgent, SIGNS, type Sign } from './probe-signs.js';

/** More programs than anyone has; the oldest are forgotten. */
const MOST_KEPT = 50;
const LARGEST_BYTES = 256 * 1024;

export interface ProbeFact {
  agent: string;
  program: string;
  size: number;
  mtime: number;
  reins: string;
  /** ISO time. */
  at: string;
  /** Signs that did not hold. */
  broken: Sign[];
}

export function memoryFile(env: Env): string {
  return join(env.XDG_CACHE_HOME || join(env.HOME || homedir(), '.cache'), 'reins', 'probes.json');
}

/** Contract: never throws. */
export function remember(env: Env, probed: ProbedAgent, about: { reins: string; at: Date }): void {
  const lies = onDisk(probed.program);
  if (!lies) return;
  const broken = [...new Set(probed.signs.filter(({ ok }) => !ok).map(({ sign }) => sign))];
  const fact: ProbeFact = { agent: probed.agent, ...lies, reins: about.reins, at: about.at.toISOString(), broken };
  const others = all(env).filter((one) => one.program !== fact.program || one.agent !== fact.agent);
  const file = memoryFile(env);
  try {
    makeDir(dirname(file));
    writeWhole(file, `${JSON.stringify([fact, ...others].slice(0, MOST_KEPT), null, 1)}\n`);
  } catch {
    // A cache that cannot be written costs a hint, not the probe.
  }
}

/** What a probe found about this program, unless it or Reins changed since. Contract: never throws. */
export function recall(env: Env, found: { adapter: string; path: string }, reins: string): ProbeFact | undefined {
  const lies = onDisk(found.path);
  if (!lies) return undefined;
  return all(env).find(
    (one) =>
      one.agent === found.adapter &&
      one.reins === reins &&
      one.program === lies.program &&
      one.size === lies.size &&
      one.mtime === lies.mtime,
  );
}

function onDisk(path: string): Pick<ProbeFact, 'program' | 'size' | 'mtime'> | undefined {
  try {
    const program = realpathSync(path);
    const { size, mtimeMs } = statSync(program);
    return { program, size, mtime: Math.floor(mtimeMs) };
  } catch {
    return undefined; // gone meanwhile
  }
}

function all(env: Env): ProbeFact[] {
  try {
    const file = memoryFile(env);
    if (statSync(file).size > LARGEST_BYTES) return [];
    const kept: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return Array.isArray(kept) ? kept.filter(isRemembered) : [];
  } catch {
    return []; // never probed, or not ours to read
  }
}

function isRemembered(one: unknown): one is ProbeFact {
  const { agent, program, size, mtime, reins, at, broken } = (one ?? {}) as Partial<ProbeFact>;
  const texts = [agent, program, reins, at].every((text) => typeof text === 'string');
  const numbers = [size, mtime].every((number) => typeof number === 'number');
  return texts && numbers && Array.isArray(broken) && broken.every((sign) => Object.hasOwn(SIGNS, String(sign)));
}
