/** C24: a rehearsal plays both sides of a consultation, offline: a real agent asks, the practice agent answers. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { reins } from '../journeys/support/cli.js';
import { entries, entry, onlySession, sessions } from '../journeys/support/journal.js';
import { ofType } from '../journeys/support/loop.js';
import { newWorld } from '../journeys/support/world.js';

const SCENARIO = `
consult: consult SQLite 0.8
turns:
  - ask: [{question: Which database?, header: Database, options: [PostgreSQL, SQLite]}]
  - {text: "It said {{result}}"}
`;

test('C24: the policy asks another agent, which answers as the scenario says; no turn of the asking one is taken', async () => {
  const world = newWorld();
  world.write(
    'reins.yml',
    'tools: {defaults: {detached: {question: auto}}}\nconsult: {backend: codex, model: gpt-5}\n',
  );
  const scenario = world.write('scenario.yml', SCENARIO);
  // Somebody tried the practice agent here before: what it decided then is not the rehearsal's to take back.
  const trial = [
    'run',
    '-b',
    'practice',
    '--once',
    '--trust-folder',
    '--set',
    'consult.backend=practice',
    'We run PostgreSQL.',
  ];
  await reins(world, trial, { env: { PRACTICE_SCENARIO: 'ask-single' } });
  const before = await onlySession(world);
  const [tried] = JSON.parse((await reins(world, ['decisions', '--json'])).stdout) as { id: string }[];
  const env = { XDG_CACHE_HOME: process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache') };
  const args = [
    'rehearse',
    scenario,
    '-b',
    'claude',
    '--once',
    '--here',
    '--trust-folder',
    'Build it. We know SQLite.',
  ];
  const ended = await reins(world, args, { env });
  expect(ended.stderr + ended.stdout).toContain('answered by the consultant practice');
  const id = sessions(world).find((one) => one !== before)!;
  expect((await entry(world, 'inquiry.answered', { session: id })).data.answer).toMatchObject({
    by: { kind: 'consultant', adapter: 'practice' },
    cites: [{ quote: 'Build it. We know SQLite.' }],
  });
  expect(ofType(entries(world, id), 'consultation.ended').map(({ data }) => data.how)).toEqual(['answered']);
  expect(ended.stdout).toContain('answered for the user by practice');
  // Nothing of it counts later.
  const kept = JSON.parse((await reins(world, ['decisions', '--json'])).stdout) as { id: string; revoked?: object }[];
  expect(kept.filter(({ revoked }) => revoked)).toMatchObject([{ revoked: { reason: 'it was a rehearsal' } }]);
  expect(kept.filter(({ revoked }) => !revoked)).toMatchObject([{ id: tried!.id }]);
});
