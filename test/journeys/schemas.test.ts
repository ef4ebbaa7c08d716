/** Every `--json` output has a published JSON Schema, and keeps to it. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { type Ended, reins } from './support/cli.js';
import { detached, json, shows } from './support/session.js';
import { until } from './support/wait.js';
import { newWorld, type World } from './support/world.js';

async function keepsTo(world: World, of: string, ended: Ended): Promise<void> {
  const published = await reins(world, ['config', 'schema', '--of', of]);
  const schema = z.fromJSONSchema(JSON.parse(published.stdout));
  expect(schema.safeParse(JSON.parse(ended.stdout)).error, `${of}: ${ended.stdout}`).toBeUndefined();
  // A schema that takes anything proves nothing.
  expect(schema.safeParse({ nothing: 'of the kind' }).success).toBe(false);
}

test('what the commands about one session print keeps to its schema', async () => {
  const world = newWorld();
  const id = await detached(world, ['exec', '--', 'sh', '-c', 'echo up; exec cat']);
  await shows(world, id, 'up');
  await keepsTo(world, 'ls', await reins(world, ['ls', '--json']));
  await keepsTo(world, 'screen', await reins(world, ['screen', id, '--json']));
  await keepsTo(world, 'send', await reins(world, ['send', id, 'hi', '--json']));
  await keepsTo(world, 'pause', await reins(world, ['pause', id, '--json']));
  await keepsTo(world, 'pause', await reins(world, ['resume', id, '--json']));
  await keepsTo(world, 'stop', await reins(world, ['kill', id, '--json']));
  await keepsTo(world, 'stop', await reins(world, ['stop', id, '--json']));
});

test('what waits, and guidance for a loop', async () => {
  const world = newWorld();
  const defer = ['--set', 'tools.defaults.detached=defer'];
  const id = await detached(world, ['run', '-b', 'practice', ...defer, 'go'], {
    env: { PRACTICE_SCENARIO: 'ask-permission' },
  });
  await until('the inquiry', async () => (await json<unknown[]>(world, ['inbox'])).length > 0 || undefined);
  await keepsTo(world, 'inbox', await reins(world, ['inbox', '--json']));
  await keepsTo(world, 'guide', await reins(world, ['guide', id, 'mind the gap', '--json']));
});

test('what is said about the configuration', async () => {
  const world = newWorld();
  world.write('reins.yml', 'hats: {one: {triggers: [task.start], publishes: [a.b]}}\n');
  await keepsTo(world, 'hats', await reins(world, ['hats', 'graph', '--json']));
  await keepsTo(world, 'check', await reins(world, ['config', 'check', '--json']));
  await keepsTo(world, 'policy', await reins(world, ['policy', 'explain', 'Bash', 'ls', '--json']));
  await keepsTo(world, 'doctor', await reins(world, ['doctor', '--json']));
  await keepsTo(world, 'pair', await reins(world, ['pair', '--json']));
  await keepsTo(world, 'devices', await reins(world, ['devices', '--json']));
  world.write('reins.yml', 'trsut: full\n');
  await keepsTo(world, 'check', await reins(world, ['config', 'check', '--json']));
});
