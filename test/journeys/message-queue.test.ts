/** W34, W35, L4, L5 with a real host and the practice agent in its own terminal: what is said while it works. */
import { expect, test } from 'vitest';
import type { EntryType } from '../../src/contract/index.js';
import { reins } from './support/cli.js';
import { entries } from './support/journal.js';
import { detached, linkTo, row } from './support/session.js';
import { until } from './support/wait.js';
import { newWorld } from './support/world.js';

test('two wait while it works, changed on the way; killed with its host, they are given to the next; a stop tells', async () => {
  const world = newWorld();
  const id = await detached(world, ['run', '-i', '-b', 'practice', '--set', 'tools.defaults.detached=defer']);
  const of = (type: EntryType) =>
    entries(world, id).flatMap((entry) => (entry.type === type ? [entry.data as never as Record<string, string>] : []));
  const prompts = () => of('prompt.given').map(({ text, key }) => [text, key]);
  const has = (count: number, type: EntryType) =>
    until(
      `${count} × ${type}`,
      () => of(type).length >= count || undefined,
      () => JSON.stringify(entries(world, id).slice(-15), null, 1),
    );
  await until('idle', () => of('state.changed').some(({ state }) => state === 'idle') || undefined);
  let client = await linkTo(world, id);
  const say = (text: string, key: string) => client.command('message', { text, key });

  // L6: at rest an interrupt changes nothing.
  await client.command('interrupt');
  expect(of('input.sent')).toEqual([]);

  expect(await say('slow 600', 'k-slow')).toMatchObject({ verdict: 'submitted' });
  expect(
    (await Promise.all(['k-one', 'k-two', 'k-three'].map((key) => say(`hello ${key}`, key)))).map((one) => one.verdict),
  ).toEqual(['queued', 'queued', 'queued']);
  // Sent again, as after a connection that was cut: still one.
  expect(await say('hello k-one', 'k-one')).toMatchObject({ verdict: 'queued' });
  expect(await say('slow 600', 'k-slow')).toMatchObject({ verdict: 'submitted' });
  await client.command('queue-edit', { key: 'k-two', text: 'hello, changed' });
  await client.command('queue-cancel', { key: 'k-three' });
  const left = await client.command('queue-move', { key: 'k-two', before: 'k-one' });
  expect(left.map(({ key, text }) => [key, text])).toEqual([
    ['k-two', 'hello, changed'],
    ['k-one', 'hello k-one'],
  ]);
  await expect(client.command('queue-edit', { key: 'k-slow', text: 'x' })).rejects.toMatchObject({
    code: 'MESSAGE_NOT_WAITING',
  });
  // Nothing of it was typed into the turn that runs.
  expect((await client.command('screen')).lines.join('\n')).not.toContain('hello');
  expect(of('input.sent')).toHaveLength(1);

  await client.command('interrupt');
  await has(3, 'message.sent');
  await until('both in its record', () => prompts().length >= 3 || undefined);
  expect(prompts()).toEqual([
    ['slow 600', 'k-slow'],
    ['hello, changed', 'k-two'],
    ['hello k-one', 'k-one'],
  ]);

  // Its host is killed while one waits: the next host gives it to the agent, once.
  expect(await say('slow 600', 'k-again')).toMatchObject({ verdict: expect.stringMatching(/submitted|queued/) });
  await has(4, 'message.sent');
  await say('after the kill', 'k-kept');
  process.kill(Number(of('session.started').at(-1)!.host_pid), 'SIGKILL');
  await until('its end', async () => (await row(world, id)).state === 'ended' || undefined);
  await reins(world, ['stop', id]);
  expect((await reins(world, ['run', '--continue', id, '-d'])).code).toBe(0);
  await until('what waited, in its record', () => prompts().some(([, key]) => key === 'k-kept') || undefined);
  client = await linkTo(world, id);
  expect(await say('after the kill', 'k-kept')).toMatchObject({ verdict: 'submitted' });

  await say('slow 600', 'k-last');
  await has(6, 'message.sent');
  await say('too late', 'k-late');
  await reins(world, ['stop', id]);
  await has(2, 'message.dropped');
  expect(of('message.dropped')).toMatchObject([
    { key: 'k-three', how: 'cancelled' },
    { key: 'k-late', how: 'ended', reason: expect.stringContaining('stopped') },
  ]);
  expect(entries(world, id).at(-1)?.type).toBe('session.ended');
}, 120_000);
