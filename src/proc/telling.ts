/**
 * How a process says, without being asked, that what it wrote into a file is true now. Two facts that the kernel keeps: the
 * name of a process, which nobody else can write, holds the number of what counts; and a process that sleeps in its event loop
 * has done all it had to do, so that the name is not late. One that is busy, stopped or stuck does not sleep there: then the
 * file says nothing, and who wants to know asks. Where the system does not tell, nothing counts either.
 */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import type { ProcessIdentity } from './peer.js';
import { statOf } from './stat.js';

const BEFORE = 'reins-';

/** The kernel's own names of the place where an event loop waits; newer ones, older ones. */
const WAITS = new Set(['do_epoll_wait', 'ep_poll']);

export interface Telling {
  /** Only what bears this number is true from now on. Throws if that cannot be said. */
  counts(number: number): void;
  close(): void;
}

/** Kept open: what was said must be taken back also by a process that has no descriptor left. Undefined where it cannot be said. */
export function telling(): Telling | undefined {
  try {
    const fd = openSync('/proc/self/comm', 'r+');
    return {
      // Without a place to write to: the kernel takes none here.
      counts: (number) => void writeSync(fd, `${BEFORE}${number.toString(36)}`),
      close: () => closeSync(fd),
    };
  } catch {
    return undefined;
  }
}

/** The number of what is true now. Undefined: it must be asked. */
export function countsNow({ pid, startTicks }: ProcessIdentity): number | undefined {
  // In this order: what it did before it slept is in its name by now.
  if (startTicks <= 0 || !isWaiting(pid)) return undefined;
  const stat = statOf(pid);
  if (stat?.startTicks !== startTicks || !stat.command.startsWith(BEFORE)) return undefined;
  const number = Number.parseInt(stat.command.slice(BEFORE.length), 36);
  return Number.isSafeInteger(number) ? number : undefined;
}

function isWaiting(pid: number): boolean {
  try {
    return WAITS.has(readFileSync(`/proc/${pid}/wchan`, 'utf8'));
  } catch {
    return false; // gone, or a system that does not tell
  }
}
