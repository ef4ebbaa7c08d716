/**
 * The machine's processes as rows: read from /proc, or from `ps` where there is none. Knows nothing about sessions. The
 * surprising thing: a pid alone names nobody, because pids are used again; a pid with its start time does.
 */
import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { parseStat } from '../proc/index.js';

export interface ProcessRow {
  pid: number;
  ppid: number;
  pgid: number;
  /** 0 where the system does not tell. */
  sid: number;
  /** One letter: R, S, D, T (stopped), Z (dead, not yet collected)… */
  state: string;
  /** Together with the pid it names one process for ever. Clock ticks since boot, or seconds where `ps` was asked. */
  startTicks: number;
}

/** A variable that every process of a session carries in its environment. */
export interface Mark {
  name: string;
  value: string;
}

/** Made by the kernel when a process is first looked at, and kept while it lives: the next one under its number gets another. */
export interface Badge {
  inode: number;
  /** Milliseconds since the epoch. */
  madeAt: number;
}

export interface ProcessTable {
  /** All, or all but those who need no second look; each is asked about right before it would be read. */
  rows(isPassed?: (pid: number) => boolean): ProcessRow[];
  row(pid: number): ProcessRow | undefined;
  /** The living children of one process without a look at all others; undefined where the system does not tell. */
  children: ((pid: number) => number[]) | undefined;
  /** Contract: false when it cannot be read (another user's, gone, no /proc). */
  carries(pid: number, mark: Mark): boolean;
  /** The command line, shortened. */
  command(pid: number): string;
  isSameStart(a: number, b: number): boolean;
  /** A fraction of what a row costs. Undefined when there is no such process; absent where the system has no badges. */
  badge?(pid: number): Badge | undefined;
}

const LONGEST_COMMAND = 200;

/** Dead processes that only wait to be collected by their parent. */
export const isDead = (row: ProcessRow): boolean => row.state === 'Z' || row.state === 'X' || row.state === 'x';

export const isStopped = (row: ProcessRow): boolean => row.state === 'T' || row.state === 't';

/** True if a NUL-separated environment holds exactly `name=value`. */
export function environHolds(environ: Buffer, mark: Mark): boolean {
  const wanted = Buffer.from(`${mark.name}=${mark.value}`);
  for (let at = environ.indexOf(wanted); at >= 0; at = environ.indexOf(wanted, at + 1)) {
    const end = at + wanted.length;
    if ((at === 0 || environ[at - 1] === 0) && (end === environ.length || environ[end] === 0)) return true;
  }
  return false;
}

/** Grows to the largest environment seen. One for all: nothing is read while another read is under way. */
let room = Buffer.allocUnsafe(16 * 1024);

/** A sweep reads hundreds of them: half the system calls of `readFileSync`, and no memory of its own. */
function procFile(pid: number, name: string): Buffer | undefined {
  try {
    const fd = openSync(`/proc/${pid}/${name}`, 'r');
    try {
      for (let length = 0; ; ) {
        const count = readSync(fd, room, length, room.length - length, null);
        length += count;
        if (count === 0 || name === 'stat') return Buffer.from(room.subarray(0, length));
        if (length === room.length) room = Buffer.concat([room, Buffer.allocUnsafe(length)]);
      }
    } finally {
      closeSync(fd);
    }
  } catch {
    // Gone since the listing, or another user's: for us it is not there.
    return undefined;
  }
}

/** A kernel may be built without it. */
const TELLS_CHILDREN = existsSync(`/proc/${process.pid}/task/${process.pid}/children`);

/** Each thread has children of its own. */
function procChildren(pid: number): number[] {
  let threads: string[];
  try {
    threads = readdirSync(`/proc/${pid}/task`);
  } catch {
    return []; // it is gone, and its children have another parent
  }
  return threads.flatMap((thread) => {
    const text = procFile(pid, `task/${thread}/children`)?.toString('latin1').trim();
    return text ? text.split(' ').map(Number) : [];
  });
}

const shorten = (text: string): string => (text.length > LONGEST_COMMAND ? `${text.slice(0, LONGEST_COMMAND)}…` : text);

export const procTable: ProcessTable = {
  rows(isPassed) {
    return readdirSync('/proc')
      .map(Number)
      .filter(Number.isInteger)
      .map((pid) => (isPassed?.(pid) ? undefined : procTable.row(pid)))
      .filter((row) => row !== undefined);
  },
  row(pid) {
    const stat = procFile(pid, 'stat');
    return stat && parseStat(stat.toString('latin1'));
  },
  children: TELLS_CHILDREN ? procChildren : undefined,
  carries(pid, mark) {
    const environ = procFile(pid, 'environ');
    return environ !== undefined && environHolds(environ, mark);
  },
  command(pid) {
    const line = procFile(pid, 'cmdline')?.toString('utf8').replace(/\0+$/, '').replaceAll('\0', ' ');
    if (line) return shorten(line);
    // Dying, or the kernel's own: only its name is left, in brackets as `ps` writes it.
    const name = procFile(pid, 'comm')?.toString('utf8').trim();
    return name ? `[${name}]` : '?';
  },
  isSameStart: (a, b) => a === b,
  badge(pid) {
    try {
      const { ino, mtimeMs } = statSync(`/proc/${pid}`);
      return { inode: ino, madeAt: mtimeMs };
    } catch {
      return undefined; // gone, or hidden from us
    }
  },
};

/** One line of `ps`, e.g. `  42     1    42 Ss   Thu Jan  2 03:04:05 2025 node agent.js`. */
export function parsePs(line: string): (ProcessRow & { command: string }) | undefined {
  const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\w{3} +\w{3} +\d+ +[\d:]+ +\d{4})\s+(.*)$/.exec(line);
  if (!match) return undefined;
  const [, pid, ppid, pgid, state = '?', started = '', command = ''] = match;
  const startTicks = Math.floor(Date.parse(started) / 1000);
  return {
    pid: Number(pid),
    ppid: Number(ppid),
    pgid: Number(pgid),
    sid: 0,
    state: state[0] ?? '?',
    startTicks,
    command,
  };
}

function askPs(which: string[]): (ProcessRow & { command: string })[] {
  try {
    const columns = 'pid=,ppid=,pgid=,stat=,lstart=,command=';
    const env = { PATH: process.env.PATH ?? '/bin:/usr/bin', LC_ALL: 'C', TZ: 'UTC' };
    const text = execFileSync('ps', [...which, '-o', columns], {
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return text
      .split('\n')
      .map(parsePs)
      .filter((row) => row !== undefined);
  } catch {
    // ps fails when the pid asked for is gone; without any ps there is nothing to see.
    return [];
  }
}

/** Without /proc there is no way to read another process's environment: groups and descendants have to do. */
export const psTable: ProcessTable = {
  rows: () => askPs(['-A']),
  row: (pid) => askPs(['-p', String(pid)])[0],
  children: undefined,
  carries: () => false,
  command: (pid) => shorten(askPs(['-p', String(pid)])[0]?.command ?? '?'),
  // ps computes the time from the age: it wobbles by a second.
  isSameStart: (a, b) => Math.abs(a - b) <= 2,
};

export const systemTable: ProcessTable = process.platform === 'linux' ? procTable : psTable;
