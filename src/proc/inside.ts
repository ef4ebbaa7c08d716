/**
 * Whether a process belongs to any session. Two marks say so. The variable `REINS_SESSION`, in its own environment or in
 * that of one it descends from, which a process can take off. And a limit that it can not: a host, with everything below
 * it, lives under a hard limit of file locks (the kernel has ignored it since 2.4.25), which is inherited over `fork`,
 * `exec`, `setsid` and a cleaned environment, and which only the system's administrator can raise again. See decision 032.
 */
import { readFileSync } from 'node:fs';
import { LIMIT_MARK, SESSION_MARK } from '../contract/ids.js';
import { type ProcStat, statOf } from './stat.js';

/** Deeper than any real family. */
const MOST_ANCESTORS = 64;

export interface Inside {
  /** In words, behind "it ". */
  why: string;
  /** Whose, where the mark says it. */
  session?: string;
}

interface InsideAsk {
  /** What a host remembers of its own tree. */
  isMember?(row: Pick<ProcStat, 'pid' | 'pgid' | 'sid' | 'startTicks'>): boolean;
  /** Where there is no /proc. */
  row?(pid: number): Pick<ProcStat, 'pid' | 'ppid' | 'pgid' | 'sid' | 'startTicks'> | undefined;
}

/** Undefined: outside, as far as the system tells. Contract: what cannot be looked at counts as inside. */
export function insideOf(pid: number, look: InsideAsk = {}): Inside | undefined {
  const row = look.row ?? statOf;
  if (process.platform === 'linux') {
    const limit = hardLimit(pid);
    if (limit === undefined) return { why: 'is gone, or not to be looked at' };
    const mark = markOf(pid);
    if (limit !== 'unlimited' && TELLS) return named(mark ?? '', 'was started inside a session (by its limits)');
    // One with more capabilities than ours shows its limits alone; where they tell, they are the stronger fact.
    if (mark === undefined && !TELLS) return { why: 'has an environment that cannot be read' };
  } else if (!look.row) return undefined; // nothing is known of processes here: see docs/security.md
  let at = row(pid);
  if (!at) return { why: 'is gone, or not to be looked at' };
  for (let steps = 0; at && steps < MOST_ANCESTORS; steps += 1) {
    if (look.isMember?.(at)) return { why: steps === 0 ? 'belongs to this session' : 'descends from this session' };
    const mark = markOf(at.pid);
    // Not to be read: another user's, which no process of a session is the child of.
    if (mark) return named(mark, steps === 0 ? 'carries a session’s mark' : 'descends from one that carries a mark');
    if (at.ppid <= 1 || at.ppid === at.pid) return undefined;
    at = row(at.ppid);
  }
  return undefined;
}

const named = (session: string, why: string): Inside => (session ? { why, session } : { why });

/** The session in its environment. */
const markOf = (pid: number): string | undefined => variableOf(pid, SESSION_MARK);

/** What a process was started with under this name, '' for nothing, undefined where it cannot be read. */
export function variableOf(pid: number, name: string): string | undefined {
  const environ = procText(pid, 'environ');
  const line = environ?.split('\0').find((one) => one.startsWith(`${name}=`));
  return environ === undefined ? undefined : (line?.slice(name.length + 1) ?? '');
}

/** Whether this process, or one it descends from, carries a mark of this name. */
export function descendsFromMarked(name: string): boolean {
  for (const { pid } of ancestry()) if (variableOf(pid, name)) return true;
  return false;
}

function hardLimit(pid: number | 'self'): string | undefined {
  return /^Max file locks\s+\S+\s+(\S+)/m.exec(procText(pid, 'limits') ?? '')?.[1];
}

/**
 * On a system that limits everyone's locks, the limit says nothing. Known from the first process of the system, if that is another
 * user's: one of our own (a container's, a namespace's) an agent can have lowered, for everyone who looks after that. Known once,
 * before any agent runs.
 */
const TELLS = ((): boolean => {
  const first = hardLimit(1);
  // The mark itself there: a namespace of processes that was made inside a session.
  return first === undefined || ['unlimited', LIMIT_MARK].includes(first) || isOurs(1);
})();

/** Whether some process of this user could change its limits; so it counts where that cannot be read. */
function isOurs(pid: number): boolean {
  const users = /^Uid:((?:\s+\d+)+)/m
    .exec(procText(pid, 'status') ?? '')?.[1]
    ?.trim()
    .split(/\s+/);
  return users === undefined || users.some((uid) => Number(uid) === process.getuid?.());
}

/** Whether this process descends from that one. */
export function descendsFrom(ancestor: { pid: number; startTicks: number }, pid: number = process.pid): boolean {
  for (const at of ancestry(pid)) if (at.pid === ancestor.pid && at.startTicks === ancestor.startTicks) return true;
  return false;
}

/** This process, its parent, and so on, as far as the system tells. */
export function* ancestry(pid: number = process.pid): Generator<ProcStat> {
  let at = statOf(pid);
  for (let steps = 0; at && steps < MOST_ANCESTORS; steps += 1) {
    yield at;
    if (at.ppid <= 1 || at.ppid === at.pid) return;
    at = statOf(at.ppid);
  }
}

function procText(pid: number | 'self', name: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1');
  } catch {
    return undefined; // gone, another user's, or no /proc: each caller says what that means
  }
}
