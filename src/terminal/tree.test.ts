import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { afterEach, expect, it } from 'vitest';
import { HandClock } from '../contract/index.js';
import { parseStat } from '../proc/index.js';
import {
  environHolds,
  isDead,
  type Mark,
  type ProcessRow,
  type ProcessTable,
  parsePs,
  procTable,
  psTable,
} from './table.js';
import { members, TreeWatch } from './tree.js';

const children: ChildProcess[] = [];
const pids = new Set<number>();
afterEach(() => {
  for (const child of children.splice(0)) if (child.pid && procTable.row(child.pid)) process.kill(child.pid, 'SIGKILL');
  for (const pid of pids) if (procTable.row(pid)) process.kill(pid, 'SIGKILL');
  pids.clear();
});

const newMark = (): Mark => ({ name: 'REINS_SESSION', value: randomUUID() });

/** Starts a shell in its own session and waits until it has printed `count` pids. */
async function family(script: string, ask: { count: number; mark?: Mark }): Promise<{ root: number; pids: number[] }> {
  const env = { PATH: process.env.PATH, ...(ask.mark ? { [ask.mark.name]: ask.mark.value } : {}) };
  const child = spawn('sh', ['-c', script], { detached: true, env, stdio: ['ignore', 'pipe', 'ignore'] });
  children.push(child);
  let text = '';
  const found = await new Promise<number[]>((resolve) => {
    child.stdout.on('data', (chunk) => {
      text += chunk;
      const seen = text.trim().split(/\s+/).map(Number);
      if (text.endsWith('\n') && seen.length >= ask.count) resolve(seen);
    });
  });
  for (const pid of found) pids.add(pid);
  return { root: child.pid ?? -1, pids: found };
}

const gone = async (pid: number): Promise<void> => {
  for (let row = procTable.row(pid); row && !isDead(row); row = procTable.row(pid))
    await new Promise((resolve) => setTimeout(resolve, 5));
};

it('a mark as new as its root is not looked for in older processes, and found in younger ones', async () => {
  const mark = newMark();
  const older = await family('echo $$; sleep 60', { count: 1, mark });
  const root = await family('setsid sh -c "echo \\$\\$; exec sleep 60" & sleep 60', { count: 1, mark });
  const looked: number[] = [];
  const table: ProcessTable = {
    ...procTable,
    // Ticks are coarse: told apart by hand.
    rows: () => procTable.rows().map((row) => (row.pid === older.root ? { ...row, startTicks: 1 } : row)),
    carries: (pid, wanted) => {
      looked.push(pid);
      return procTable.carries(pid, wanted);
    },
  };
  const [daemon] = root.pids as [number];
  const found = new TreeWatch({ root: root.root, mark, isNew: true, table }).sample().map(({ pid }) => pid);
  expect(found).toContain(daemon);
  expect(found).not.toContain(older.root);
  expect(looked).not.toContain(older.root);
  expect(looked).not.toContain(process.ppid);
  expect(new TreeWatch({ root: root.root, mark, table }).sample().map(({ pid }) => pid)).toContain(older.root);
});

it.each([
  [
    '42 (sh) S 1 42 41 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 987 1 2',
    { pid: 42, ppid: 1, pgid: 42, sid: 41, state: 'S', startTicks: 987 },
  ],
  [
    '7 (a) R (b c)) Z 3 7 7 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 12 1 2',
    { pid: 7, ppid: 3, pgid: 7, sid: 7, state: 'Z', startTicks: 12 },
  ],
  ['', undefined],
  ['7 (x', undefined],
  ['7 (x) S 1', undefined],
])('reads %j', (text, row) => {
  expect(parseStat(text)).toEqual(row === undefined ? undefined : expect.objectContaining(row));
});

it('reads a line of ps', () => {
  expect(parsePs('   42     1    41 Ss+  Thu Jan  2 03:04:05 2025 node a b')).toMatchObject({
    pid: 42,
    ppid: 1,
    pgid: 41,
    sid: 0,
    state: 'S',
    command: 'node a b',
  });
  expect(parsePs('garbage')).toBeUndefined();
});

it('finds a mark only as a whole variable', () => {
  const mark = { name: 'REINS_SESSION', value: 'abc' };
  const holds = (text: string): boolean => environHolds(Buffer.from(text), mark);
  expect(holds('A=1\0REINS_SESSION=abc\0B=2\0')).toBe(true);
  expect(holds('REINS_SESSION=abc')).toBe(true);
  expect(holds('REINS_SESSION=abcd\0')).toBe(false);
  expect(holds('XREINS_SESSION=abc\0')).toBe(false);
  expect(holds('A=REINS_SESSION=abc\0')).toBe(false);
  expect(holds('A=REINS_SESSION=abcREINS_SESSION=abc\0REINS_SESSION=abc\0')).toBe(true);
});

it('finds the group, descendants in other sessions, and marked orphans, and nobody else', async () => {
  const mark = newMark();
  // A group member, a setsid child, and a double-forked daemon whose parent is gone.
  const script =
    'sleep 60 & echo $!; setsid sh -c "echo \\$\\$; sleep 61 & echo \\$!; wait" & (setsid sh -c "echo \\$\\$; exec sleep 62" &) ; wait';
  const { root, pids: inside } = await family(script, { count: 4, mark });
  const stranger = await family('echo $$; exec sleep 60', { count: 1, mark: newMark() });
  const found = members({ root, mark });
  const foundPids = found.map((member) => member.pid);
  for (const pid of [root, ...inside]) expect(foundPids).toContain(pid);
  expect(foundPids).not.toContain(stranger.root);
  expect(foundPids).not.toContain(process.pid);
  expect(foundPids.indexOf(root)).toBe(0);
  expect(members({ root, mark, exclude: [root] }).map((member) => member.pid)).not.toContain(root);
  // Without /proc: no mark, but groups and descendants.
  const byPs = members({ root, mark, table: psTable }).map((member) => member.pid);
  for (const pid of [root, ...inside.slice(0, 1)]) expect(byPs).toContain(pid);
});

it('remembers a daemon that left the family and cleaned its environment', async () => {
  const mark = newMark();
  const script = 'env -i /usr/bin/setsid /bin/sh -c "echo \\$\\$; exec sleep 60" & wait';
  const { root, pids: inside } = await family(script, { count: 1, mark });
  const watch = new TreeWatch({ root, mark });
  expect(watch.sample().map((member) => member.pid)).toContain(inside[0]);
  process.kill(root, 'SIGKILL');
  await gone(root);
  expect(members({ root, mark })).toEqual([]);
  expect(watch.sample().map((member) => member.pid)).toEqual([inside[0]]);
});

it('remembers it also when it only glanced, without a look at every process of the machine', async () => {
  const mark = newMark();
  const script = 'env -i /usr/bin/setsid /bin/sh -c "echo \\$\\$; exec sleep 60" & wait';
  const { root, pids: inside } = await family(script, { count: 1, mark });
  let sweeps = 0;
  const table = {
    ...procTable,
    rows: () => {
      sweeps += 1;
      return procTable.rows();
    },
  };
  const watch = new TreeWatch({ root, mark, table });
  watch.glance(new HandClock());
  expect(watch.near()).toEqual([root, inside[0]]);
  expect(sweeps).toBe(0);
  process.kill(root, 'SIGKILL');
  await gone(root);
  expect(watch.sample().map((member) => member.pid)).toEqual([inside[0]]);
});

it('a glance forgets a number that is used again, and never follows its children', () => {
  const table = madeUp([{ pid: 100, pgid: 100, sid: 100, startTicks: 5 }]);
  const watch = new TreeWatch({ root: 100, table });
  const later = madeUp([
    { pid: 100, pgid: 100, sid: 100, startTicks: 9 },
    { pid: 101, ppid: 100, pgid: 101, sid: 101, startTicks: 9 },
  ]);
  Object.assign(table, { rows: later.rows, row: later.row, children: () => [101] });
  watch.glance(new HandClock());
  expect(watch.sample()).toEqual([]);
});

it('finds children below a zombie, and never the zombie', async () => {
  // The middle shell dies and is never waited for: its parent has become a sleep.
  const script = '(sleep 60 & echo $!; exec sleep 0.01) & echo $!; exec sleep 60';
  const { root, pids: inside } = await family(script, { count: 2 });
  const isZombie = (pid: number): boolean => procTable.row(pid)?.state === 'Z';
  while (!inside.some(isZombie)) await new Promise((resolve) => setTimeout(resolve, 5));
  const zombie = inside.find(isZombie);
  const found = members({ root }).map((member) => member.pid);
  expect(found).not.toContain(zombie);
  expect(found.sort()).toEqual([root, ...inside.filter((pid) => pid !== zombie)].sort());
});

/** A machine whose processes we make up: numbers used again cannot be had on demand from a real one. */
function madeUp(rows: Partial<ProcessRow>[]): ProcessTable {
  const full = rows.map((row) => ({ pid: 0, ppid: 1, pgid: 0, sid: 0, state: 'S', startTicks: 1, ...row }));
  return {
    ...procTable,
    rows: () => full,
    row: (pid) => full.find((row) => row.pid === pid),
    children: undefined,
    carries: () => false,
    command: () => 'x',
  };
}

it('a number used again is a stranger, and so is its group', () => {
  const rows: Partial<ProcessRow>[] = [
    { pid: 100, pgid: 100, sid: 100, startTicks: 5 },
    { pid: 101, ppid: 100, pgid: 100, sid: 100 },
  ];
  const table = madeUp(rows);
  const watch = new TreeWatch({ root: 100, table });
  expect(watch.sample().map((member) => member.pid)).toEqual([100, 101]);
  const later = madeUp([
    { pid: 100, pgid: 100, sid: 100, startTicks: 9 },
    { pid: 101, pgid: 100, sid: 100, startTicks: 9 },
  ]);
  Object.assign(table, { rows: later.rows, row: later.row });
  expect(watch.sample()).toEqual([]);
  expect(watch.current({ pid: 100, ppid: 1, pgid: 100, sid: 100, state: 'S', startTicks: 5 })).toBeUndefined();
});

it('a command that was over at once: what it left is found, who is older than us is not looked at, nor looked at twice', () => {
  const mark = { name: 'REINS_SESSION', value: 'x' };
  const made = madeUp([
    { pid: 7, startTicks: 1 },
    { pid: process.pid, startTicks: 5 },
    { pid: 200, startTicks: 6 },
  ]);
  const asked: number[] = [];
  const read: number[] = [];
  const table: ProcessTable = {
    ...made,
    rows: (isPassed) => {
      const rows = made.rows().filter(({ pid }) => !isPassed?.(pid));
      read.push(...rows.map(({ pid }) => pid));
      return rows;
    },
    carries: (pid) => {
      asked.push(pid);
      return pid === 200;
    },
  };
  const watch = new TreeWatch({ root: 100, mark, isNew: true, table });
  expect(watch.sample().map(({ pid }) => pid)).toEqual([200]);
  expect(asked).toEqual([200]);
  read.length = 0;
  expect(watch.sample({ again: true }).map(({ pid }) => pid)).toEqual([200]);
  expect(read).toEqual([process.pid, 200]);
  read.length = 0;
  watch.sample();
  expect(read).toContain(7);
});

it('glances at most every two seconds', () => {
  let looks = 0;
  const table = {
    ...madeUp([]),
    rows: () => {
      looks += 1;
      return [];
    },
  };
  const watch = new TreeWatch({ root: 100, table });
  const clock = new HandClock();
  for (let at = 0; at < 50; at += 1) {
    watch.glance(clock);
    clock.advance(100);
  }
  expect(looks).toBe(3);
});

it('sweeps the whole machine with every fifteenth glance only, where the system tells the children', () => {
  let looks = 0;
  const table = {
    ...madeUp([{ pid: 100 }]),
    children: () => [],
    rows: () => {
      looks += 1;
      return [];
    },
  };
  const watch = new TreeWatch({ root: 100, table });
  const clock = new HandClock();
  for (let at = 0; at < 31; at += 1) {
    watch.glance(clock);
    clock.advance(2000);
  }
  expect(looks).toBe(2);
});
