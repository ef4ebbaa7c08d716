/**
 * One at a time: whoever ends what a dead host left behind, or starts another host for its session, holds the session's
 * claim meanwhile. Two at once would end each other's work: a sweep finds processes by the session's mark, and the next
 * host's agent carries it too. A claim names its holder by pid and start time, so that a dead one's counts for nothing.
 */
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { newViewerId, ReinsError } from '../contract/index.js';
import { forget } from '../disk/index.js';
import { isAlive, statOf } from '../proc/index.js';

const CLAIM = 'claim';
const LOOK_EVERY_MS = 20;

/** Longer than a whole stop ladder: a holder that takes longer is stuck, and the user decides about it. */
const PATIENCE_MS = 20_000;

interface Holder {
  pid: number;
  start_ticks: number;
}

/** Throws when another process holds the claim for too long; goes on without one where none can be written. */
export function withClaim<T>(
  { id, dir }: { id: string; dir: string },
  call: () => Promise<T>,
  patienceMs: number = PATIENCE_MS,
): Promise<T> {
  return withClaimOn({ file: join(dir, CLAIM), held: `ending or continuing session ${id}` }, call, patienceMs);
}

/** What is claimed, as the file that says so, and what its holder does meanwhile, in words. */
export interface Claimed {
  file: string;
  held: string;
}

export async function withClaimOn<T>({ file, held }: Claimed, call: () => Promise<T>, patienceMs: number): Promise<T> {
  const mine = `${file}.${newViewerId()}`;
  try {
    const me: Holder = { pid: process.pid, start_ticks: statOf('self')?.startTicks ?? 0 };
    writeFileSync(mine, JSON.stringify(me), { mode: 0o600 });
  } catch {
    forget(mine);
    return call(); // no directory, or one that takes nothing: there can be no other host in it either
  }
  try {
    await take({ file, mine, held, patienceMs });
    try {
      return await call();
    } finally {
      rmSync(file, { force: true });
    }
  } finally {
    rmSync(mine, { force: true });
  }
}

interface Wanted extends Claimed {
  mine: string;
  patienceMs: number;
}

async function take({ file, mine, held, patienceMs }: Wanted): Promise<void> {
  for (const end = Date.now() + patienceMs; ; await sleep(LOOK_EVERY_MS)) {
    try {
      linkSync(mine, file); // with its content, or not at all
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const holder = read(file);
    if (holder && !isAlive(holder.pid, holder.start_ticks)) discard(file, mine);
    else if (Date.now() > end) {
      throw new ReinsError('USAGE', {
        problem: `another reins (pid ${holder?.pid ?? '?'}) is ${held}`,
        fix: 'try again when it is done',
      });
    }
  }
}

function read(file: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Holder;
  } catch {
    return undefined; // given back between the two looks
  }
}

/** Two may find the same dead holder. Taken away first and looked at again: a living one's is put back. */
function discard(file: string, mine: string): void {
  const dead = `${mine}.dead`;
  try {
    renameSync(file, dead);
    const holder = read(dead);
    if (holder && isAlive(holder.pid, holder.start_ticks)) linkSync(dead, file);
  } catch {
    // Another was faster: the next look tells.
  }
  rmSync(dead, { force: true });
}
