import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { afterEach, expect, it } from 'vitest';
import { pauseTree, resumeTree } from './pause.js';
import { listen, specOf, started, untilTrue } from './process.cases.js';
import { stopTree } from './stop.js';
import { isDead, isStopped, procTable } from './table.js';
import { TreeWatch } from './tree.js';

const newMark = () => ({ name: 'REINS_SESSION', value: randomUUID() });
const isAlive = (pid: number): boolean => {
  const row = procTable.row(pid);
  return row !== undefined && !isDead(row);
};

const pids = new Set<number>();
afterEach(() => {
  for (const pid of pids) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  pids.clear();
});

/** An agent in a pty or behind pipes that prints the pids of its family, then `ready`. */
async function agent(io: 'pty' | 'pipe', script: string) {
  const mark = newMark();
  const env = { PATH: process.env.PATH ?? '', [mark.name]: mark.value };
  const proc = await started(specOf(io, ['sh', '-c', script], { env }));
  pids.add(proc.pid);
  const heard = listen(proc);
  await heard.until(/ready\n/);
  const family = [...heard.text().matchAll(/^pid (\d+)$/gm)].map((match) => Number(match[1]));
  for (const pid of family) pids.add(pid);
  return { proc, mark, heard, family, root: proc.pid };
}

const STUBBORN = `
  (setsid sh -c 'echo "pid $$"; exec sleep 60' &)
  trap "" TERM HUP
  (trap "" TERM HUP; echo "pid $(sh -c 'echo $PPID')"; exec sleep 60) &
  setsid sh -c 'trap "" TERM; echo "pid $$"; exec sleep 60' &
  until [ -n "$done" ]; do sleep 0.05; done & echo "pid $!"
  sleep 0.3; echo ready
  while :; do sleep 1; done`;

it.each(['pty', 'pipe'] as const)(
  'ends an agent (%s) that ignores SIGTERM, with its setsid and double-forked children',
  async (io) => {
    const { proc, mark, family, root } = await agent(io, STUBBORN);
    expect(family).toHaveLength(4);
    const report = await stopTree({ root, proc, mark, how: 'stop', graceMs: 300 });
    expect(report.left).toBe(0);
    for (const pid of [root, ...family]) {
      expect(isAlive(pid)).toBe(false);
      expect(report.processes.map((end) => end.pid)).toContain(pid);
    }
    const how = (pid: number | undefined) => report.processes.find((end) => end.pid === pid);
    expect(how(root)).toMatchObject({ how: 'killed', signal: 'SIGKILL' });
    const daemon = report.processes.filter((end) => end.command === 'sleep 60');
    expect(daemon.map((end) => end.how).sort()).toEqual(['killed', 'killed', 'terminated']);
    expect((await proc.exited).signal).toBe('SIGKILL');
    // A second stop finds nobody and says so.
    expect(await stopTree({ root, mark, how: 'stop' })).toEqual({ processes: [], left: 0 });
  },
);

it('Given an agent that ends on SIGTERM, Then nobody is killed and nothing waits for the grace to pass', async () => {
  const { proc, mark, root } = await agent('pipe', 'echo ready; sleep 60');
  const report = await stopTree({ root, proc, mark, how: 'stop', graceMs: 3_600_000 });
  expect(report.left).toBe(0);
  expect(new Set(report.processes.map((end) => end.how))).toEqual(new Set(['terminated']));
});

it('tries the polite way first: a signal, keys, or the end of its input', async () => {
  const bySignal = await agent('pipe', 'trap "exit 5" INT; echo ready; while :; do sleep 0.02; done');
  const report = await stopTree({
    root: bySignal.root,
    proc: bySignal.proc,
    mark: bySignal.mark,
    how: 'stop',
    polite: { signal: 'SIGINT', waitMs: 30_000 },
  });
  expect(report.processes.find((end) => end.pid === bySignal.root)).toMatchObject({ how: 'exited', signal: 'SIGINT' });
  expect((await bySignal.proc.exited).code).toBe(5);

  const byKeys = await agent('pty', 'echo ready; read word; exit 6');
  const second = await stopTree({
    root: byKeys.root,
    proc: byKeys.proc,
    mark: byKeys.mark,
    how: 'stop',
    polite: { keys: 'bye\r', waitMs: 30_000 },
  });
  expect(second.processes.find((end) => end.pid === byKeys.root)).toMatchObject({ how: 'exited' });
  expect((await byKeys.proc.exited).code).toBe(6);

  const byEnd = await agent('pipe', 'trap "" TERM; echo ready; while read word; do :; done; exit 7');
  const third = await stopTree({
    root: byEnd.root,
    proc: byEnd.proc,
    mark: byEnd.mark,
    how: 'stop',
    polite: { eof: true, waitMs: 700 },
  });
  expect(third.processes.find((end) => end.pid === byEnd.root)).toMatchObject({ how: 'exited' });
  expect((await byEnd.proc.exited).code).toBe(7);
});

it('a kill during a stop escalates, and both share one report', async () => {
  const { proc, mark, root } = await agent('pipe', 'trap "" TERM; echo ready; while :; do sleep 1; done');
  const stop = stopTree({ root, proc, mark, how: 'stop', graceMs: 3_600_000 });
  const kill = stopTree({ root, mark, how: 'kill' });
  expect(await kill).toBe(await stop);
  expect((await stop).processes.find((end) => end.pid === root)?.how).toBe('killed');
});

it('kill is SIGKILL at once, for everyone', async () => {
  const { mark, root, family } = await agent(
    'pty',
    `setsid sh -c 'echo "pid $$"; exec sleep 60' & sleep 0.2; echo ready; wait`,
  );
  const report = await stopTree({ root, mark, how: 'kill' });
  expect(report.left).toBe(0);
  expect(new Set(report.processes.map((end) => end.how))).toEqual(new Set(['killed']));
  for (const pid of [root, ...family]) expect(isAlive(pid)).toBe(false);
});

it('a stopped process is woken so that it can end by SIGTERM', async () => {
  const { proc, mark, root } = await agent('pipe', 'trap "exit 9" TERM; echo ready; while :; do sleep 0.02; done');
  await pauseTree({ root, mark });
  const report = await stopTree({ root, proc, mark, how: 'stop', graceMs: 3_600_000 });
  expect(report.processes.find((end) => end.pid === root)?.how).toBe('terminated');
  expect((await proc.exited).code).toBe(9);
});

it('ends a tree that keeps forking, in a bounded number of rounds', async () => {
  // Each generation starts the next in a group of its own and dies; TERM is ignored. Limited to some seconds by itself.
  const respawn = `trap "" TERM; n=0; while [ $n -lt 400 ]; do n=$((n+1)); (trap "" TERM; sleep 0.2; sleep 0.2) & sleep 0.01; done; wait`;
  const { mark, root } = await agent('pipe', `echo ready; ${respawn}`);
  const report = await stopTree({ root, mark, how: 'stop', graceMs: 200 });
  expect(report.left).toBe(0);
  expect(report.processes.length).toBeGreaterThan(3);
  expect(new TreeWatch({ root, mark }).sample()).toEqual([]);
});

it('says who survives: what it may not signal is left, and it still comes to an end', async () => {
  const row = { pid: 2_000_000_000, ppid: 1, pgid: 2_000_000_000, sid: 2_000_000_000, state: 'D', startTicks: 5 };
  const table = { ...procTable, rows: () => [row], row: () => row, carries: () => false, command: () => 'stuck' };
  const report = await stopTree({ root: row.pid, table, how: 'kill' });
  expect(report).toEqual({
    processes: [{ pid: row.pid, command: 'stuck', how: 'survived', signal: 'SIGKILL' }],
    left: 1,
  });
});

it('never touches itself, init, or the excluded, even if they carry the mark', async () => {
  const mark = newMark();
  const env = { PATH: process.env.PATH ?? '', [mark.name]: mark.value };
  const spared = spawn('sleep', ['60'], { env, detached: true, stdio: 'ignore' });
  const doomed = spawn('sleep', ['60'], { env, detached: true, stdio: 'ignore' });
  for (const child of [spared, doomed]) if (child.pid) pids.add(child.pid);
  await untilTrue(() =>
    [spared, doomed].every((child) => child.pid !== undefined && procTable.carries(child.pid, mark)),
  );
  const report = await stopTree({ root: [process.pid, 1, 0, -1], mark, exclude: [spared.pid ?? 0], how: 'kill' });
  expect(report.processes.map((end) => end.pid)).toEqual([doomed.pid]);
  expect(isAlive(spared.pid ?? 0)).toBe(true);
});

it('pauses the whole tree, also what lives in other sessions, and resumes it', async () => {
  const script = `
    setsid sh -c 'echo "pid $$"; while :; do sleep 0.02; done' &
    sleep 0.2; echo ready
    n=0; while :; do n=$((n+1)); echo "tick $n"; sleep 0.02; done`;
  const { mark, root, family, heard } = await agent('pty', script);
  await heard.until(/tick 3/);
  const watch = new TreeWatch({ root, mark });
  const paused = await pauseTree({ root, mark, watch });
  for (const pid of [root, ...family]) expect(paused).toContain(pid);
  expect(watch.sample().every(isStopped)).toBe(true);
  expect(await pauseTree({ root, mark, watch })).toEqual(paused);
  const ticks = (): number => heard.text().split('tick').length;
  const before = ticks();
  const resumed = await resumeTree({ root, mark, watch });
  expect([...resumed].sort()).toEqual([...paused].sort());
  await untilTrue(() => ticks() > before + 2);
  expect((await stopTree({ root, mark, watch, how: 'kill' })).left).toBe(0);
});
