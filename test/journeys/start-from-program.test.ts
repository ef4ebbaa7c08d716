/** The built room for sessions, as a program uses it that is no command line: nobody is told or asked, nothing printed. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ReinsError, SessionRow } from '../../src/contract/index.js';
import type * as Sessions from '../../src/sessions/index.js';
import type * as Run from '../../src/sessions/run.js';
import type * as Start from '../../src/sessions/start.js';
import { CLI, reins } from './support/cli.js';
import { entry, sessionDir } from './support/journal.js';
import { row, shows } from './support/session.js';
import { newWorld, type World } from './support/world.js';

const room = join(CLI, '../../sessions');
const { findSession, listed, rowOf, stopSession, tell }: typeof Sessions = await import(join(room, 'index.js'));
const { continueSession, removeSession, startSession }: typeof Run = await import(join(room, 'run.js'));
const { UNSEEN }: typeof Start = await import(join(room, 'start.js'));

const whereOf = (world: World) => ({ env: world.env, cwd: world.project, version: '0.0.0-test' });

test('an agent: started, found by name, ended, continued, removed', async () => {
  const world = newWorld();
  const where = whereOf(world);
  const task = { backend: 'practice', prompt: 'go', mode: 'autonomous', once: true, name: 'mine' } as const;
  const { place, spec } = await startSession(where, task, UNSEEN);
  expect(spec).toMatchObject({ mode: 'autonomous', trust: 'guarded', agent: { adapter: 'practice' }, seat: UNSEEN });
  expect(findSession(where, 'mine').id).toBe(place.id);
  expect((await entry(world, 'session.started')).data.presence).toEqual(UNSEEN.presence);
  expect((await entry(world, 'session.ended')).data.outcome).toBe('completed');
  await world.empty();
  expect(await rowOf(where, findSession(where, 'mine'))).toMatchObject({ state: 'ended', name: 'mine' });

  const on = await continueSession(where, findSession(where, place.id), UNSEEN, { ask: { maxIterations: 7 } });
  expect([on.place.id, on.spec.config.event_loop.max_iterations]).toEqual([place.id, 7]);
  expect(on.since).toBeGreaterThan(0);
  await world.empty();
  await removeSession(where, findSession(where, place.id));
  expect(existsSync(place.dir)).toBe(false);
});

test('one command: typed into, listed, stopped with a report', async () => {
  const world = newWorld();
  const where = whereOf(world);
  const { place } = await startSession(where, { argv: ['sh'], io: 'pty', name: 'shell' }, UNSEEN);
  await tell(where, place, 'keys', { keys: 'e c h o Space h $ ( ( 4 + 4 ) ) Enter' });
  await shows(world, place.id, 'h8');
  expect((await listed(where, { ended: false })).rows).toMatchObject([{ id: place.id, name: 'shell' }]);
  const report = await stopSession(where, place, { how: 'stop', why: 'enough' });
  expect(report.left).toBe(0);
  expect(report.processes.map(({ command }) => command)).toEqual([expect.stringContaining('sh')]);
  expect(await row(world, place.id)).toMatchObject({
    state: 'ended',
    outcome: 'stopped',
  } satisfies Partial<SessionRow>);
});

test.each([
  ['a folder’s file that permits more', { 'reins.yml': 'trust: full\n' }, {}, 'FOLDER_UNTRUSTED'],
  ['an agent that is not there', {}, { backend: 'claude' }, 'AGENT_NOT_FOUND'],
  ['an agent without a gate', {}, { backend: 'custom', set: ['cli.command=/bin/cat'] }, 'AGENT_UNGATED'],
  ['a folder that is not there', {}, { cwd: 'nowhere' }, 'CWD_INACCESSIBLE'],
  ['no prompt', {}, { prompt: ' ' }, 'PROMPT_MISSING'],
])('%s: refused before anything is started', async (_, files, task, code) => {
  const world = newWorld();
  for (const [name, text] of Object.entries(files)) world.write(name, text);
  for (const args of [
    ['init', '-q'],
    ['add', '.'],
  ])
    execFileSync('git', args, { cwd: world.project, env: world.env });
  const started = startSession(
    whereOf(world),
    { backend: 'practice', prompt: 'go', mode: 'autonomous', ...task },
    UNSEEN,
  );
  expect(await started.catch((error: ReinsError) => error.code)).toBe(code);
  expect(existsSync(sessionDir(world, ''))).toBe(false);
  expect((await reins(world, ['ls', '-a'])).stdout).toBe('');
});
