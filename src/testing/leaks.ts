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

/** A zombie is dead: only its parent has not looked yet. */
export function processesWith(mark: string): Leftover[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((name) => {
      try {
        if (!readFileSync(`/proc/${name}/environ`, 'utf8').split('\0').includes(mark)) return [];
        const state = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').at(-1)?.[0];
        if (state === 'Z' || state === 'X') return [];
        return [
          { pid: Number(name), command: readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() },
        ];
      } catch {
        // Gone meanwhile, or another user's: not ours.
        return [];
      }
    });
}

/** Longer than the whole stop ladder (SIGTERM, 5 s, SIGKILL). */
const PATIENCE_MS = 8_000;
const LOOK_EVERY_MS = 25;

/** Waits until no process carries the mark; throws with their names if some still do after a while. */
export async function expectNoProcesses(mark: string, patienceMs = PATIENCE_MS): Promise<void> {
  if (!mark.includes('=')) throw new Error(`a mark is NAME=value, not '${mark}'`);
  const until = Date.now() + patienceMs;
  for (;;) {
    const left = processesWith(mark);
    if (left.length === 0) return;
    if (Date.now() > until) {
      const names = left.map(({ pid, command }) => `${pid} ${command.slice(0, 120)}`).join('; ');
      throw new Error(`${left.length} processes still carry ${mark}: ${names}`);
    }
    await sleep(LOOK_EVERY_MS);
  }
}
