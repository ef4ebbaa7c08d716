/** What was decided and what happened meanwhile, from outside: listed, corrected, revoked, told. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { publishedSchema } from '../../src/cli/output-schemas.js';
import { reins } from './support/cli.js';
import { entry, onlySession } from './support/journal.js';
import { json } from './support/session.js';
import { newWorld } from './support/world.js';

interface Shown {
  id: string;
  unverified?: string;
}

function keepsTo(of: string, value: unknown): void {
  const schema = z.fromJSONSchema(publishedSchema(of) as never);
  expect(schema.safeParse(value).error, of).toBeUndefined();
  expect(schema.safeParse({ nothing: 'of the kind' }).success).toBe(false);
}

test('C21, C23: a person’s answer is listed with its origin, corrected, told to its loop, made a rule and revoked', async () => {
  const world = newWorld();
  await reins(world, ['run', '-b', 'practice', '--once', '--set', 'tools.defaults.detached=defer', 'go'], {
    env: { PRACTICE_SCENARIO: 'ask-single' },
  });
  const session = await onlySession(world);
  await reins(world, ['answer', `${session}.1`, 'PostgreSQL', '--reason', 'we know it']);
  await entry(world, 'session.ended');

  const [decision] = await json<Shown[]>(world, ['decisions']);
  keepsTo('decisions', [decision]);
  expect(decision).toMatchObject({
    session,
    inquiry: `${session}.1`,
    values: ['1'],
    by: { kind: 'viewer' },
    scope: 'project',
  });
  const id = decision!.id;

  // The repository, or the agent, writes a line of its own.
  const copy = join(world.project, '.reins', 'decisions.jsonl');
  appendFileSync(copy, readFileSync(copy, 'utf8').replace('"values":["1"]', '"values":["2"]').replace(id, 'd-forged'));
  const listed = (await reins(world, ['decisions'])).stdout;
  expect(listed).toMatch(new RegExp(`${id} .*PostgreSQL`));
  expect(listed).toMatch(/d-forged .*unverified: SQLite +\?/);
  expect(await reins(world, ['decisions', 'rule', 'd-forged'])).toMatchObject({ code: 2, stdout: '' });

  const inside = await reins(world, ['decisions', 'correct', id, 'SQLite'], { env: { REINS_SESSION: session } });
  expect(inside).toMatchObject({ code: 2, stderr: expect.stringContaining('an agent may not correct decisions') });
  expect(await reins(world, ['decisions', 'correct', id, 'sqlite', '--reason', 'one file'])).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(`session ${session} hears it in the prompt of iteration 2`),
  });
  const guidance = (await entry(world, 'guidance.given')).data.text;
  expect(guidance).toContain('The answer is: SQLite');
  expect(guidance).toContain('Before it was: PostgreSQL');
  const ruled = await reins(world, ['decisions', 'rule', id, '--json']);
  expect(JSON.parse(ruled.stdout)).toMatchObject({ set: 'tools.AskUserQuestion.questions.database.answer=["SQLite"]' });

  const users = join(world.env.XDG_CONFIG_HOME!, 'reins', 'config.yml');
  expect(existsSync(users)).toBe(false);
  world.write(users, '# mine\nnotify: {terminal: bell}\n');
  const byAgent = await reins(world, ['decisions', 'rule', id, '--write'], { env: { REINS_SESSION: session } });
  expect(byAgent).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('may not turn decisions into'),
  });
  const wrote = await json<{ file: string; kept: string }>(world, ['decisions', 'rule', id, '--write']);
  expect(readFileSync(wrote.file, 'utf8')).toMatch(/^# mine\n[\s\S]*database:\s+answer:\s+- SQLite\n$/);
  expect(readFileSync(wrote.kept, 'utf8')).toBe('# mine\nnotify: {terminal: bell}\n');

  const digest = await json<Record<string, unknown>>(world, ['digest', '--since', '1h']);
  keepsTo('digest', digest);
  expect(digest).toMatchObject({
    counts: { sessions: 1, ended: 1, inquiries: 1, answered: { viewer: 1 }, corrections: 1 },
    corrections: [{ decision: id, from: 'PostgreSQL', to: 'SQLite', reason: 'one file' }],
  });

  expect((await reins(world, ['decisions', 'revoke', id])).code).toBe(0);
  expect((await reins(world, ['decisions', 'show', id])).stdout).toMatch(/^revoked /m);
  // The rule does not rest on the decision it was made from.
  const env = { PRACTICE_SCENARIO: 'ask-single' };
  expect((await reins(world, ['run', '-b', 'practice', '--once', 'go'], { env })).stdout).toContain(
    'Understood: SQLite',
  );
});

test('with nothing decided, nothing is written and nothing is wrong', async () => {
  const world = newWorld();
  expect((await reins(world, ['decisions', 'revoke', 'd-none'])).code).toBe(30);
  expect(await reins(world, ['decisions'])).toMatchObject({ code: 0, stdout: '' });
  expect((await reins(world, ['digest'])).stdout).toContain('0 sessions');
  expect(existsSync(join(world.project, '.reins'))).toBe(false);
});
