/**
 * Which processes still carry a mark (`NAME=value`) in their environment: the way to prove that a session left nothing
 * behind, whatever sessions and groups its children moved into. Linux only, as /proc is.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Leftover {
  pid: number;
  command: string;
}

export function processesWith(mark: string): Leftover[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((name) => carrying(mark, name));
}

/** A zombie is dead: only its parent has not looked yet. */
function carrying(mark: string, pid: string): Leftover[] {
  try {
    if (!readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(mark)) return [];
    const state = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.[0];
    if (state === 'Z' || state === 'X') return [];
    return [{ pid: Number(pid), command: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() }];
  } catch {
    // Gone meanwhile, or another user's: not ours.
    return [];
  }
}

/** Longer than the whole stop ladder (SIGTERM, 5 s, SIGKILL). */
const PATIENCE_MS = 8_000;
const LOOK_EVERY_MS = 25;

/** Waits until no process carries the mark; throws with their names if some still do after a while. */
export async function expectNoProcesses(mark: string, patienceMs = PATIENCE_MS): Promise<void> {
  if (!mark.includes('=')) throw new Error(`a mark is NAME=value, not '${mark}'`);
  const until = Date.now() + patienceMs;
  let left: Leftover[] = [];
  for (;;) {
    // While one that was found is there, the whole machine need not be gone through to know that it is not over.
    left = left.flatMap(({ pid }) => carrying(mark, String(pid)));
    if (left.length === 0) left = processesWith(mark);
    if (left.length === 0) return;
    if (Date.now() > until) {
      const names = processesWith(mark).map(({ pid, command }) => `${pid} ${command.slice(0, 120)}`);
      if (names.length === 0) return;
      throw new Error(`${names.length} processes still carry ${mark}: ${names.join('; ')}`);
    }
    await sleep(LOOK_EVERY_MS);
  }
}
