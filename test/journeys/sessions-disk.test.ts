/** A disk that is full when a session begins, goes on or fails: said as what it is, nothing lost, nothing left running. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CLI, type Ended, reins, startReins } from './support/cli.js';
import { entry, sessionDir, sessions } from './support/journal.js';
import { detached, row } from './support/session.js';
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
  // What came is drawn a moment later.
  await terminal.waitFor('cannot be used');
  return { code, said: terminal.screen() };
}

test('a session that cannot begin for want of disk says so and leaves nothing', async () => {
  const world = newWorld();
  const tried = await onFullDisk(world, ['exec', '-d', '--', 'cat']);
  expect(tried).toEqual({ code: 1, said: expect.stringMatching(/the state directory .* cannot be used: EFBIG/) });
  expect(sessions(world)).toEqual([]);
});

test.each([['pair'], ['serve', '--port', '0']])(
  '%s: a hub that can write nothing says so',
  async (...args: string[]) => {
    const world = newWorld();
    const tried = await onFullDisk(world, args);
    expect(tried).toEqual({ code: 1, said: expect.stringMatching(/the state directory .* cannot be used: EFBIG/) });
    expect(tried.said).not.toContain('/pair#');
  },
);

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

test('a loop whose next prompt cannot be written ends and says why; it is not our bug', async () => {
  const world = newWorld();
  const run = startReins(world, ['run', '-b', 'practice', '--set', 'event_loop.cooldown_seconds=2', 'loop please']);
  const { session: id } = await entry(world, 'iteration.ended');
  const prompts = join(sessionDir(world, id), 'prompts');
  rmSync(prompts, { recursive: true });
  writeFileSync(prompts, '');
  const ended = await run.done;
  expect([ended.code, ended.stderr]).toEqual([
    1,
    expect.stringMatching(/the state directory .* cannot be used: ENOTDIR/),
  ]);
  expect(ended.stderr).not.toContain('Reins failed');
  await world.empty();
  expect(await row(world, id)).toMatchObject({ outcome: 'failed', exit_code: 1, iteration: 2 });
});

test('a host that fails where its last words cannot be written ends its agent and itself', async () => {
  const world = newWorld();
  const now = join(world.project, 'now');
  // In the host alone: its standard error takes nothing, and when it is told to it has a bug.
  const bug = world.write(
    'bug.cjs',
    `const fs = require('node:fs');
     if (process.argv[1]?.endsWith('host/main.js')) {
       fs.closeSync(2);
       fs.openSync(__filename, 'r');
       const look = setInterval(() => {
         if (!fs.existsSync(${JSON.stringify(now)})) return;
         clearInterval(look);
         setTimeout(() => { throw new Error('another bug'); }, 1);
         throw new Error('a bug');
       }, 10);
     }`,
  );
  const env = { NODE_OPTIONS: `--require ${bug}` };
  const id = await detached(world, ['exec', '--', 'bash', '-c', 'trap "" TERM HUP; while :; do sleep 0.2; done'], {
    env,
  });
  writeFileSync(now, '');
  const { data } = await entry(world, 'session.ended', { session: id });
  expect(data).toMatchObject({ outcome: 'failed', exit_code: 70, reason: 'Reins failed: a bug' });
  await world.empty();
});
