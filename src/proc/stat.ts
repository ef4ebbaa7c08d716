/**
 * What the operating system says about one process. A pid alone is no identity (it is used again); pid and start time
 * are. Linux answers from /proc; elsewhere the start time is unknown and `ps` stands in for the rest.
 */
import { readFileSync } from 'node:fs';

export interface ProcStat {
  pid: number;
  ppid: number;
  pgid: number;
  sid: number;
  /** The terminal's foreground process group, -1 without a terminal. */
  foreground: number;
  state: string;
  /** Clock ticks since boot: with the pid, the identity of a process. */
  startTicks: number;
  command: string;
}

/** One line of /proc/<pid>/stat. The command stands in parentheses and may itself hold spaces and parentheses. */
export function parseStat(line: string): ProcStat | undefined {
  const open = line.indexOf(' (');
  const close = line.lastIndexOf(')');
  if (open < 1 || close < open) return undefined;
  const rest = line.slice(close + 2).split(' ');
  // Field 22 of the whole line, the start time, is the 20th behind the name.
  const [pid, ppid, pgid, sid, foreground, startTicks] = [
    line.slice(0, open),
    rest[1],
    rest[2],
    rest[3],
    rest[5],
    rest[19],
  ].map(Number) as [number, number, number, number, number, number];
  const state = rest[0] ?? '';
  if (![pid, ppid, pgid, sid, foreground, startTicks].every(Number.isInteger) || state === '') return undefined;
  return { pid, ppid, pgid, sid, foreground, state, startTicks, command: line.slice(open + 2, close) };
}

/** Undefined when there is no such process, or no /proc. */
export function statOf(pid: number | 'self'): ProcStat | undefined {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return undefined; // gone, or a system without /proc: both mean "unknown" to every caller
  }
}

/** Whether this very process still lives. A zombie is dead. `startTicks` 0 means the system could not say. */
export function isAlive(pid: number, startTicks: number): boolean {
  if (startTicks > 0) {
    const stat = statOf(pid);
    return stat !== undefined && stat.startTicks === startTicks && stat.state !== 'Z' && stat.state !== 'X';
  }
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
