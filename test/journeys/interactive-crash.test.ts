/**
 * F8, F9: an agent that dies before its prompt. Given an agent that exits before it is ready, When it is run
 * interactively, Then it is never reported ready, a few attempts are made with pauses, and the end is a clear error.
 */
import { expect, it } from 'vitest';
import { calls, fakeAgent } from './support/agents.js';
import { reins } from './support/cli.js';
import { entries, entry } from './support/journal.js';
import { detached } from './support/session.js';
import { newWorld } from './support/world.js';

const states = (world: ReturnType<typeof newWorld>, id: string) =>
  entries(world, id).flatMap((one) => (one.type === 'state.changed' ? [one.data.agent_state] : []));

it('F9: three attempts, each on record, never ready, then exit 20 with its last words', async () => {
  const world = newWorld();
  fakeAgent(world, 'claude', { version: '2.1.197', body: `print('cannot find my socks\\r\\n'); process.exit(3);` });
  const id = await detached(world, ['run', '-i', '-b', 'claude', 'go']);
  const ended = await entry(world, 'session.ended', { session: id });
  expect(ended.data).toMatchObject({ outcome: 'failed', exit_code: 20 });
  expect(ended.data.reason).toContain('cannot find my socks');
  expect(calls(world, 'claude')).toHaveLength(3);
  const all = entries(world, id);
  expect(all.filter((one) => one.type === 'agent.started')).toHaveLength(3);
  expect(all.filter((one) => one.type === 'notice' && one.data.code === 'respawn')).toHaveLength(2);
  expect(states(world, id)).not.toContain('ready');
  // Each attempt has a conversation of its own: a crashed one may have used its name up.
  const names = all.flatMap((one) => (one.type === 'agent.started' ? [one.data.agent_session] : []));
  expect(new Set(names).size).toBe(3);
});

it('a clean exit before the prompt is the agent’s own end: no second attempt', async () => {
  const world = newWorld();
  fakeAgent(world, 'claude', { version: '2.1.197', body: 'process.exit(0);' });
  const id = await detached(world, ['run', '-i', '-b', 'claude', 'go']);
  await entry(world, 'session.ended', { session: id });
  expect(calls(world, 'claude')).toHaveLength(1);
});

it('a stop between two attempts is a stop', async () => {
  const world = newWorld();
  fakeAgent(world, 'claude', { version: '2.1.197', body: 'process.exit(3);' });
  const id = await detached(world, ['run', '-i', '-b', 'claude', 'go']);
  await entry(world, 'notice', { session: id, is: ({ data }) => data.code === 'respawn' });
  await reins(world, ['stop', id]);
  const ended = await entry(world, 'session.ended', { session: id });
  expect(ended.data.outcome).toBe('stopped');
  expect(calls(world, 'claude').length).toBeLessThan(3);
});

it('an agent of which nothing is known is never started again', async () => {
  const world = newWorld();
  const path = fakeAgent(world, 'tool', { body: 'process.exit(3);' });
  const id = await detached(world, ['run', '-i', '-b', 'custom', '--trust', 'full', '--set', `cli.command=${path}`]);
  const ended = await entry(world, 'session.ended', { session: id });
  expect(ended.data.exit_code).toBe(1);
  expect(calls(world, 'tool')).toHaveLength(1);
});
