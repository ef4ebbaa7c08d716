import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { afterEach, expect, it, vi } from 'vitest';
import { Strangers } from './strangers.js';
import { isDead, type Mark, type ProcessRow, type ProcessTable, procTable } from './table.js';
import { TreeWatch } from './tree.js';

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

const newMark = (): Mark => ({ name: 'REINS_SESSION', value: randomUUID() });

/** A session of its own that prints a line when it is what it is meant to be. */
async function started(script: string, mark?: Mark): Promise<{ pid: number; child: ChildProcess }> {
  const env = { PATH: process.env.PATH, ...(mark ? { [mark.name]: mark.value } : {}) };
  const child = spawn('sh', ['-c', script], { detached: true, env, stdio: ['pipe', 'pipe', 'ignore'] });
  children.push(child);
  await new Promise((resolve) => child.stdout.once('data', resolve));
  return { pid: child.pid!, child };
}

/** The real processes, and which of them were read. */
function counting(table: ProcessTable = procTable): { table: ProcessTable; read: number[]; environs: number[] } {
  const [read, environs]: [number[], number[]] = [[], []];
  return {
    read,
    environs,
    table: {
      ...table,
      rows: (isPassed) => {
        const rows = table.rows(isPassed);
        read.push(...rows.map(({ pid }) => pid));
        return rows;
      },
      carries: (pid, mark) => {
        environs.push(pid);
        return table.carries(pid, mark);
      },
    },
  };
}

it('from one agent to the next, only who is new is read', async () => {
  const mark = newMark();
  const { table, read, environs } = counting();
  // The youngest process there is stands for the host: everyone else is older.
  const us = await started('echo; read x');
  const strangers = new Strangers({ table, us: us.pid });
  const first = await started('echo; read x', mark);
  expect(new TreeWatch({ root: first.pid, mark, table, strangers }).sample().map(({ pid }) => pid)).toContain(
    first.pid,
  );
  expect(read).toContain(process.ppid);
  read.length = environs.length = 0;
  const second = await started('(setsid sleep 60 &) ; echo; read x', mark);
  // The daemon that left the family is found, once it is what it will be, and what the first agent left is: they bear the mark.
  const found = await vi.waitFor(() => {
    const all = new TreeWatch({ root: second.pid, mark, table, strangers }).sample();
    expect(all.map(({ command }) => command)).toContain('sleep 60');
    return all;
  });
  expect(found.map(({ pid }) => pid)).toEqual(expect.arrayContaining([first.pid, second.pid]));
  expect(read).not.toContain(process.ppid);
  expect(environs).not.toContain(process.ppid);
  for (const { pid, command } of found) if (command === 'sleep 60') process.kill(pid, 'SIGKILL');
});

it('who is older than us and carries the mark is found in every look: an earlier host of the session left it', async () => {
  const mark = newMark();
  const left = await started('echo; read x', mark);
  const us = await started('echo; read x');
  // Ticks are coarse: told apart by hand.
  const table: ProcessTable = {
    ...procTable,
    row: (pid) => older(procTable.row(pid), left.pid),
    rows: (isPassed) => procTable.rows(isPassed).map((row) => older(row, left.pid)!),
  };
  const strangers = new Strangers({ table, us: us.pid });
  for (let look = 0; look < 3; look += 1) {
    const { pid } = await started('echo; read x', mark);
    expect(new TreeWatch({ root: pid, mark, table, strangers }).sample().map((one) => one.pid)).toContain(left.pid);
  }
});

const older = (row: ProcessRow | undefined, pid: number) => (row?.pid === pid ? { ...row, startTicks: 1 } : row);

/** Numbers that are used again cannot be had on demand from a real machine. */
class MadeUp {
  rows: ProcessRow[] = [];
  inodes = new Map<number, number>();
  marked = new Set<number>();
  read: number[] = [];
  readonly table: ProcessTable;
  /** Called when a badge was taken, before the row is read. */
  between: (pid: number) => void = () => undefined;

  constructor() {
    this.table = {
      ...procTable,
      children: undefined,
      rows: (isPassed) => {
        const all = this.rows.map(({ pid }) => pid).filter((pid) => !isPassed?.(pid));
        this.read = all;
        return all.map((pid) => this.table.row(pid)!);
      },
      row: (pid) => this.rows.find((row) => row.pid === pid),
      carries: (pid) => this.marked.has(pid),
      command: () => 'x',
      badge: (pid) => {
        const badge = { inode: this.inodes.get(pid) ?? 0, madeAt: 1 };
        this.between(pid);
        return badge;
      },
    };
  }

  put(pid: number, startTicks: number, more: Partial<ProcessRow> = {}): void {
    this.rows = [...this.rows.filter((row) => row.pid !== pid), { ...blank(pid), startTicks, ...more }];
    this.inodes.set(pid, (this.inodes.get(pid) ?? pid * 1000) + 1);
  }

  look(root: number, strangers: Strangers): number[] {
    const mark = { name: 'REINS_SESSION', value: 'x' };
    return new TreeWatch({ root, mark, table: this.table, strangers }).sample().map(({ pid }) => pid);
  }
}

const blank = (pid: number): ProcessRow => ({ pid, ppid: 1, pgid: pid, sid: pid, state: 'S', startTicks: 1 });

function machine(): { made: MadeUp; strangers: Strangers } {
  const made = new MadeUp();
  made.put(50, 10); // us
  made.put(7, 1);
  made.put(100, 20);
  return { made, strangers: new Strangers({ table: made.table, us: 50 }) };
}

it('a number that is used again is read again, and its new process found', () => {
  const { made, strangers } = machine();
  expect(made.look(100, strangers)).toEqual([100]);
  made.look(100, strangers);
  expect(made.read).toEqual([50, 100]);
  made.put(7, 30);
  made.marked.add(7);
  expect(made.look(100, strangers)).toContain(7);
});

it('also when it is used again between the badge and the row', () => {
  const { made, strangers } = machine();
  made.between = (pid) => {
    if (pid !== 7) return;
    made.put(7, 2); // older than we are, as the table says, and none of ours: it is remembered
    made.between = () => undefined;
  };
  made.look(100, strangers);
  made.marked.add(7);
  expect(made.look(100, strangers)).toContain(7);
});

it('nobody younger than us is remembered, dead ones are not, and who is gone is forgotten', () => {
  const { made, strangers } = machine();
  made.put(60, 11);
  made.put(8, 1, { state: 'Z' });
  made.look(100, strangers);
  made.marked.add(60);
  expect(made.look(100, strangers)).toContain(60);
  expect(made.read).toContain(8);
  made.rows = made.rows.filter(({ pid }) => pid !== 7);
  made.look(100, strangers);
  made.rows = [...made.rows, { ...blank(7), startTicks: 1 }];
  made.look(100, strangers);
  expect(made.read).toContain(7);
});

it('the very same process has the same badge, another one another; without badges everyone is read', async () => {
  const one = await started('echo; read x; exec sleep 60');
  const before = procTable.badge!(one.pid);
  expect(before).toBeDefined();
  expect(procTable.badge!(one.pid)).toEqual(before);
  const other = await started('echo; read x');
  expect(procTable.badge!(other.pid)?.inode).not.toBe(before?.inode);
  const ended = new Promise((resolve) => other.child.once('exit', resolve));
  other.child.kill('SIGKILL');
  await ended;
  const row = procTable.row(other.pid);
  expect(row === undefined || isDead(row)).toBe(true);
  expect(procTable.badge!(other.pid)).toBeUndefined();
  const { badge: _, ...bare } = procTable;
  const { table, read } = counting(bare);
  const strangers = new Strangers({ table, us: one.pid });
  for (let look = 0; look < 2; look += 1) {
    read.length = 0;
    new TreeWatch({ root: one.pid, mark: newMark(), table, strangers }).sample();
    expect(read).toContain(process.ppid);
  }
});
