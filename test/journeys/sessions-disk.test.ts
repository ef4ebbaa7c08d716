/** A disk that is full when a session begins or goes on: said as what it is, and nothing of it is lost. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CLI, type Ended, reins } from './support/cli.js';
import { entry, sessionDir, sessions } from './support/journal.js';
import { detached } from './support/session.js';
import { Terminal } from './support/terminal.js';
import { newWorld, type World } from './support/world.js';

/** Every file may have names but no content: what a full disk is, for whoever is started here. */
async function onFullDisk(world: World, args: string[]): Promise<Pick<Ended, 'code'> & { said: string }> {
  const terminal = new Terminal(
    world,
    ['bash', '-c', 'ulimit -f 0; exec "$0" "$@" </dev/null', process.execPath, CLI, ...args],
    { cols: 300 },
  );
  const code = await terminal.exit();
  return { code, said: terminal.screen() };
}

test('a session that cannot begin for want of disk says so and leaves nothing', async () => {
  const world = newWorld();
  const tried = await onFullDisk(world, ['exec', '-d', '--', 'cat']);
  expect(tried).toEqual({ code: 1, said: expect.stringMatching(/the state directory .* cannot be used: EFBIG/) });
  expect(sessions(world)).toEqual([]);
});

test('a session that cannot go on for want of disk is as it was, and goes on later', async () => {
  const world = newWorld();
  const id = await detached(world, ['run', '-b', 'practice', '--once', 'hello']);
  await entry(world, 'session.ended', { session: id });
  await world.empty();
  const dir = sessionDir(world, id);
  const before = readdirSync(dir).sort();
  const spec = readFileSync(join(dir, 'session.json'), 'utf8');
  const tried = await onFullDisk(world, ['run', '-d', '--continue', id]);
  expect(tried).toEqual({ code: 1, said: expect.stringMatching(/the state directory .* cannot be used: EFBIG/) });
  expect(tried.said).not.toContain('our bug');
  expect(readdirSync(dir).sort()).toEqual(before);
  expect(readFileSync(join(dir, 'session.json'), 'utf8')).toBe(spec);
  expect((await reins(world, ['run', '--continue', id])).code).toBe(0);
});
