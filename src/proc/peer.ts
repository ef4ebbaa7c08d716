/**
 * How a process shows to another one which process it is. Node does not tell who holds the other end of a socket, and a
 * pid that someone names may be anybody's. But the kernel lets nobody write a process's name (`/proc/PID/comm`) except that
 * process: who is asked to bear a name for a moment, and bears it, is the process it says it is. The name holds the
 * session's id as the client knows it, so that what is shown to one host counts for no other.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { statOf } from './stat.js';

/** A pid with its start time: pids are used again. */
export interface ProcessIdentity {
  pid: number;
  startTicks: number;
}

/** The kernel keeps 15 bytes: a session's id, whole, and a nonce of seven. */
const ID_BYTES = 8;

const COMM = '/proc/self/comm';

/** The name to bear, or undefined where an id of that length could be mistaken for another one. */
export const proofName = (session: string, nonce: string): string | undefined =>
  Buffer.byteLength(session) === ID_BYTES && /^\w{7}$/.test(nonce) ? session + nonce : undefined;

export const ownIdentity = (): ProcessIdentity => ({
  pid: process.pid,
  startTicks: statOf('self')?.startTicks ?? 0,
});

/** One process has one name: whoever wants to show something waits for its turn. */
let turn: Promise<unknown> = Promise.resolve();

/** Bears the name while `use` runs, then the old one again. Contract: `use` ends by itself; it runs also where no name can be set. */
export function bearing<T>(name: string, use: () => Promise<T>): Promise<T> {
  const mine = turn.then(async () => {
    const before = rename(name);
    try {
      return await use();
    } finally {
      if (before !== undefined) rename(before);
    }
  });
  turn = mine.catch(() => undefined); // its own caller hears of it; the next one only waits for the turn
  return mine;
}

/** The name until now; undefined if it could not be changed. */
function rename(name: string): string | undefined {
  try {
    const before = readFileSync(COMM, 'utf8').trimEnd();
    writeFileSync(COMM, name);
    return before;
  } catch {
    return undefined; // no /proc, or one that is not to be written: then nothing is shown, and the other side sees that
  }
}

/** Whether this very process bears the name now. */
export function bears({ pid, startTicks }: ProcessIdentity, name: string): boolean {
  const stat = Number.isSafeInteger(pid) && pid > 0 ? statOf(pid) : undefined;
  return stat !== undefined && stat.startTicks === startTicks && stat.command === name && stat.state !== 'Z';
}
