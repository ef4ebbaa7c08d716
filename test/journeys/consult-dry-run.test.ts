/** C24 from outside: what would leave this machine can be seen before it does. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { CommandResult } from '../../src/contract/index.js';
import { reins } from './support/cli.js';
import { entry } from './support/journal.js';
import { detached } from './support/session.js';
import { newWorld } from './support/world.js';

test('C24: `consult --dry-run` prints the pack that a consultant has got, without secrets, and starts nothing', async () => {
  const world = newWorld();
  world.write('ROADMAP.md', 'Everything on PostgreSQL. The key is n0t-for-models and t0ken-of-env.\n');
  world.write('.env', 'API_KEY=n0t-for-models\n');
  const auto = ['--set', 'tools.defaults.detached.question=auto'];
  const id = await detached(world, ['run', '-b', 'practice', '--once', ...auto, 'Build the shop.'], {
    env: { PRACTICE_SCENARIO: 'ask-single', PRACTICE_CONSULT: 'consult-late 60', MY_TOKEN: 't0ken-of-env' },
  });
  const { data } = await entry(world, 'consultation.started');
  const inquiry = `${id}.1`;
  const shown = await reins(world, ['consult', '--dry-run', inquiry, '--json']);
  const told = JSON.parse(shown.stdout) as CommandResult<'pack'>;
  expect(data.pack).toEqual({ digest: told.digest, bytes: told.bytes, sources: told.sources.length });
  expect(told.sources.map(({ name, changed }) => [name, changed])).toContainEqual(['ROADMAP.md', undefined]);
  expect(told.prompt).toContain('| Everything on PostgreSQL. The key is [redacted] and [redacted].');
  expect(shown.stdout).not.toMatch(/n0t-for-models|t0ken-of-env/);
  const published = await reins(world, ['config', 'schema', '--of', 'consult']);
  const schema = z.fromJSONSchema(JSON.parse(published.stdout));
  expect(schema.safeParse(told).error).toBeUndefined();
  expect(schema.safeParse({ nothing: 'of the kind' }).success).toBe(false);

  const plain = await reins(world, ['consult', '--dry-run', inquiry]);
  expect(plain).toMatchObject({ code: 0, stdout: told.prompt });
  expect(plain.stderr).toContain(`sha256 ${told.digest}`);
  expect(plain.stderr).toContain('practice (practice-script) would be asked.');

  const bare = await reins(world, ['consult', inquiry]);
  expect(bare.code).toBe(2);
  expect(bare.stderr).toContain(`reins consult --dry-run ${inquiry}`);
  expect((await reins(world, ['consult', '--dry-run', `${id}.9`])).code).toBe(30);
  expect((await reins(world, ['answer', inquiry, 'PostgreSQL'])).code).toBe(0);
  const over = await reins(world, ['consult', '--dry-run', inquiry]);
  expect(over.code).toBe(31);
  expect(over.stderr).toMatch(/answered/);
});
