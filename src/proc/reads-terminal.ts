/**
 * Whether somebody waits at a terminal for a line, as the kernel says it: a process of the foreground group that stands in
 * `read` of a terminal. What a program printed proves nothing; this is the program itself. Linux only; elsewhere, and of
 * other users' processes, it is unknown.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { statOf } from './stat.js';

/**
 * `reads`: by the thread it began with, which does nothing else meanwhile. `beside`: by another thread. `stopped`: nothing
 * of it runs, so nothing can be said.
 */
export type AtTerminal = 'reads' | 'beside' | 'other' | 'stopped' | 'unknown';

/** Numbers of system calls: those that read a descriptor, and those that wait for descriptors below a number. */
const CALLS: Partial<Record<NodeJS.Architecture, { read: number[]; select: number[] }>> = {
  x64: { read: [0, 19], select: [23, 270] },
  arm64: { read: [63, 65], select: [72] },
};

/** `leader` is the first process of the terminal, `pids` everyone who may be in front of it. Contract: never throws. */
export function atTerminal(leader: number, pids: readonly number[]): AtTerminal {
  const front = statOf(leader)?.foreground ?? -1;
  if (front <= 0) return 'unknown';
  const found = new Set<AtTerminal>();
  for (const pid of new Set([leader, ...pids])) {
    const stat = statOf(pid);
    if (stat?.pgid !== front || stat.state === 'Z' || stat.state === 'X') continue;
    found.add(stat.state === 'T' || stat.state === 't' ? 'stopped' : doingOf(pid));
  }
  return (['stopped', 'reads', 'beside', 'unknown', 'other'] as const).find((one) => found.has(one)) ?? 'unknown';
}

function doingOf(pid: number): AtTerminal {
  const first = isReading(pid, pid);
  if (first === undefined) return 'unknown';
  if (first) return 'reads';
  return threadsOf(pid).some((thread) => thread !== pid && isReading(pid, thread)) ? 'beside' : 'other';
}

/** Undefined where it may not be known. */
function isReading(pid: number, thread: number): boolean | undefined {
  const calls = CALLS[process.arch];
  try {
    // `running`, or the number of the call and its arguments in hexadecimal.
    const [call = '', first = ''] = readFileSync(`/proc/${pid}/task/${thread}/syscall`, 'latin1').split(' ');
    if (!calls) return undefined;
    if (calls.read.includes(Number(call))) return isTerminal(pid, Number(first));
    // Below 1 there is only standard input: line editors wait so.
    return calls.select.includes(Number(call)) && Number(first) === 1 && isTerminal(pid, 0);
  } catch {
    return undefined;
  }
}

const isTerminal = (pid: number, fd: number): boolean =>
  /^\/dev\/(?:pts\/\d+|tty)$/.test(readlinkSync(`/proc/${pid}/fd/${fd}`));

function threadsOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number);
  } catch {
    return []; // it is gone
  }
}
