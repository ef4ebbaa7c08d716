/** C24: a rehearsal plays both sides of a consultation, offline: a real agent asks, the practice agent answers. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { reins } from '../journeys/support/cli.js';
import { all, entry } from '../journeys/support/journal.js';
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
  expect((await entry(world, 'inquiry.answered')).data.answer).toMatchObject({
    by: { kind: 'consultant', adapter: 'practice' },
    cites: [{ quote: 'Build it. We know SQLite.' }],
  });
  expect((await all(world, 'consultation.ended')).map(({ data }) => data.how)).toEqual(['answered']);
  expect(ended.stdout).toContain('answered for the user by practice');
  // Nothing of it counts later.
  const kept = JSON.parse((await reins(world, ['decisions', '--json'])).stdout) as { revoked?: object }[];
  expect(kept).toMatchObject([{ revoked: { reason: 'it was a rehearsal' } }]);
});
