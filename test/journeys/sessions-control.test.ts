/** Pause, resume, interrupt, stop and kill: over the whole tree, with every pid accounted for. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { ProcessEnd } from '../../src/contract/index.js';
import { processesWith } from '../../src/testing/index.js';
import { reins } from './support/cli.js';
import { entries, entry } from './support/journal.js';
import { detached, json, keys, row, send, shows } from './support/session.js';
import { until } from './support/wait.js';
import { newWorld } from './support/world.js';

const TREE = 'setsid sleep 300 & sleep 300 & echo started; wait';

const stateOf = (pid: number): string => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)![0]!;

test('pause stops every process of the tree, a setsid child too, and resume lets them go on', async () => {
  const world = newWorld();
  const id = await detached(world, ['exec', '--', 'bash', '-c', TREE]);
  await shows(world, id, 'started');
  const tree = await until('the whole tree', () => {
    const found = processesWith(`REINS_SESSION=${id}`);
    return found.length === 3 && found.filter(({ command }) => command === 'sleep 300').length === 2
      ? found
      : undefined;
  });
  const { pids } = await json<{ pids: number[] }>(world, ['pause', id]);
  expect(pids.sort()).toEqual(tree.map(({ pid }) => pid).sort());
  expect(pids.map(stateOf)).toEqual(['T', 'T', 'T']);
  expect((await row(world, id)).state).toBe('paused');
  const resumed = await json<{ pids: number[] }>(world, ['resume', id]);
  expect(resumed.pids.sort()).toEqual(pids);
  expect((await row(world, id)).state).toBe('working');
  expect(pids.map(stateOf)).not.toContain('T');
});

test('a paused session’s deadline waits with it', async () => {
  const world = newWorld();
  const paused = await detached(world, ['exec', '--timeout', '2', '--', 'sleep', '300']);
  await json(world, ['pause', paused]);
  // Started later with the same time to live: when it is over, the first would have been.
  const other = await detached(world, ['exec', '--timeout', '2', '--', 'sleep', '300']);
  const ended = await entry(world, 'session.ended', { session: other });
  expect(ended.data).toMatchObject({ outcome: 'timed-out', exit_code: 124 });
  expect((await row(world, paused)).state).toBe('paused');
  await json(world, ['resume', paused]);
  expect((await entry(world, 'session.ended', { session: paused })).data.outcome).toBe('timed-out');
});

test('paused twice and resumed once, silence counts again; resumed without a pause, nothing changes', async () => {
  const world = newWorld();
  const id = await detached(world, ['run', '-i', '-b', 'practice', '--idle-timeout', '2', 'hello']);
  for (const command of ['pause', 'pause', 'resume', 'resume']) await json(world, [command, id]);
  expect((await entry(world, 'session.ended', { session: id })).data.reason).toContain('idle for 2 s');
});

test('a session whose inquiry waits for a person is not idle, also after a resume that nobody needed', async () => {
  const world = newWorld();
  const flags = ['--idle-timeout', '2', '--set', 'tools.defaults.detached=defer'];
  const id = await detached(world, ['run', '-i', '-b', 'practice', ...flags, 'ask for permission']);
  await until('the inquiry', async () => (await row(world, id)).inquiries === 1);
  await json(world, ['resume', id]);
  // Started later, with more time to live: when it is over, the first would have been.
  const other = await detached(world, ['exec', '--timeout', '3', '--', 'sleep', '300']);
  await entry(world, 'session.ended', { session: other });
  const { inquiries, state } = await row(world, id);
  expect({ inquiries, state }).toEqual({ inquiries: 1, state: 'asking' });
  await reins(world, ['answer', `${id}.1`, 'deny']);
  expect((await entry(world, 'session.ended', { session: id })).data.reason).toContain('idle for 2 s');
});

test('a loop paused between two iterations starts no agent until it is resumed, and can be stopped', async () => {
  const world = newWorld();
  const cooldown = ['--set', 'event_loop.cooldown_seconds=2', '--share-folder'];
  const paused = async () => {
    const id = await detached(world, ['run', '-b', 'practice', ...cooldown, 'loop please']);
    await entry(world, 'iteration.ended', { session: id });
    await json(world, ['pause', id]);
    return id;
  };
  const begun = (id: string) => entries(world, id).filter(({ type }) => type === 'iteration.started').length;
  const [goesOn, ends] = await Promise.all([paused(), paused()]);
  // Longer than the cooldown.
  const other = await detached(world, ['exec', '--timeout', '3', '--', 'sleep', '300']);
  await entry(world, 'session.ended', { session: other });
  expect([begun(goesOn), begun(ends)]).toEqual([1, 1]);
  await json(world, ['resume', goesOn]);
  expect((await entry(world, 'session.ended', { session: goesOn })).data.outcome).toBe('completed');
  await reins(world, ['stop', ends]);
  expect((await entry(world, 'session.ended', { session: ends })).data.outcome).toBe('stopped');
});

test('a paused session takes neither text nor keys, says why, and has the same message after it went on', async () => {
  const world = newWorld();
  const id = await detached(world, ['exec', '--', 'sh', '-c', 'echo up; exec cat']);
  await shows(world, id, 'up');
  await json(world, ['pause', id]);
  const refused = {
    verdict: 'refused',
    reason: `the session is paused; nothing was typed. Let it go on first: reins resume ${id}`,
  };
  expect(await send(world, id, 'while paused', ['--key', 'k1'])).toEqual(refused);
  expect(await keys(world, id, 'x Enter')).toEqual(refused);
  const told = await reins(world, ['send', id, 'again']);
  expect(told).toMatchObject({ code: 1, stdout: '', stderr: `refused (${refused.reason})\n` });
  await json(world, ['resume', id]);
  // The refusal was not the message's one try.
  await send(world, id, 'after it', ['--key', 'k1']);
  const { lines } = await shows(world, id, /after it\s+after it/);
  expect(lines.filter(Boolean)).toEqual(['up', 'after it', 'after it']);
});

test('kill and stop say of every process how it ended', async () => {
  const world = newWorld();
  for (const [how, end] of [
    ['kill', 'killed'],
    ['stop', 'terminated'],
  ] as const) {
    const id = await detached(world, ['exec', '--', 'bash', '-c', TREE]);
    await shows(world, id, 'started');
    const told = await json<{ processes: ProcessEnd[]; left: number }>(world, [how, id]);
    expect(told.left).toBe(0);
    expect(told.processes.map(({ command }) => command.replace(/.*bash -c.*/, 'bash')).sort()).toEqual([
      'bash',
      'sleep 300',
      'sleep 300',
    ]);
    // The one in the shell's own group may go with it, before we come.
    for (const one of told.processes) expect([end, 'exited']).toContain(one.how);
    expect(told.processes.some((one) => one.how === end)).toBe(true);
    const stopped = await entry(world, 'process.stopped', { session: id });
    expect(stopped.data.processes).toEqual(told.processes);
    await world.empty();
    const again = await reins(world, [how, id]);
    expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('has ended already')]);
  }
});

test('interrupt ends the command in a shell, not the shell', async () => {
  const world = newWorld();
  const id = await detached(world, ['exec', '--', 'bash', '--norc', '--noprofile', '-i']);
  await send(world, id, 'sleep 300');
  await until('the command', () => processesWith(`REINS_SESSION=${id}`).some(({ command }) => command === 'sleep 300'));
  expect((await reins(world, ['interrupt', id])).code).toBe(0);
  await send(world, id, 'echo "code $?"');
  await shows(world, id, 'code 130');
  expect((await row(world, id)).state).toBe('working');
});

test('when stop and kill return, the end is on record and the session can be removed', async () => {
  const world = newWorld();
  for (const how of ['stop', 'kill', 'stop', 'kill']) {
    const id = await detached(world, ['exec', '--', 'sleep', '300']);
    await reins(world, [how, id]);
    expect(entries(world, id).at(-1)?.type).toBe('session.ended');
    expect((await reins(world, ['rm', id])).code).toBe(0);
  }
});
