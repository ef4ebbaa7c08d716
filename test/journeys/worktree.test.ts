/** A loop in a folder of its own: made, listed, gone on with, merged and removed, by the command line and real git. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { SessionRow } from '../../src/contract/index.js';
import { type Ended, reins, startReins } from './support/cli.js';
import { entry } from './support/journal.js';
import { worker } from './support/loop.js';
import { json } from './support/session.js';
import { reinsInTerminal } from './support/terminal.js';
import { until } from './support/wait.js';
import { newWorld, type World } from './support/world.js';

const git = (world: World, args: string[], cwd = world.project): string =>
  execFileSync('git', ['-c', 'user.name=Me', '-c', 'user.email=me@localhost', ...args], {
    cwd,
    env: world.env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();

function repository(files: Record<string, string> = {}): World {
  const world = newWorld();
  for (const [name, text] of Object.entries({ 'sub/a.txt': 'one\n', ...files })) world.write(name, text);
  git(world, ['init', '-q', '-b', 'main']);
  git(world, ['add', '.']);
  git(world, ['commit', '-qm', 'first']);
  return world;
}

const folder = (world: World, name = 'night') => join(world.project, '.reins/worktrees', name);
const HELD = `say('at work'); setInterval(() => undefined, 1000);`;

async function keepsTo(world: World, of: string, ended: Ended): Promise<void> {
  const { stdout } = await reins(world, ['config', 'schema', '--of', of]);
  expect(z.fromJSONSchema(JSON.parse(stdout)).safeParse(JSON.parse(ended.stdout)).error, ended.stdout).toBeUndefined();
}

test('L9: beside a loop, with the config of where it was started; listed, gone on with, and found again', async () => {
  const world = repository();
  // Neither is committed: they are of the folder the user stands in, and hold all the same.
  world.write('PROMPT.md', 'from the file');
  world.write('sub/mine.txt', 'x');
  const run = [...worker(world, HELD), '-d'];
  expect(await reins(world, [...run, '-p', 'go'])).toMatchObject({ code: 0 });
  const beside = await reins(world, [...run, '-P', '../PROMPT.md', '--worktree=night'], {
    cwd: join(world.project, 'sub'),
  });
  expect(beside).toMatchObject({ code: 0 });
  expect(beside.stderr).toContain('Made the worktree night: branch reins/night from');
  expect(beside.stderr).toContain('! not in it, because not committed here: 2 files');
  const id = beside.stdout.trim();
  await entry(world, 'agent.text', { session: id });
  const row = (await json<SessionRow[]>(world, ['ls'])).find((one) => one.id === id);
  expect(row).toMatchObject({ name: 'night', worktree: 'night', cwd: join(folder(world), 'sub') });
  expect((await reins(world, ['ls'])).stdout).toContain(`${world.project} (worktree night)/sub`);
  expect(git(world, ['status', '--porcelain'])).not.toContain('.reins');
  const listed = await reins(world, ['worktree', 'ls', '--json']);
  await keepsTo(world, 'worktrees', listed);
  expect(JSON.parse(listed.stdout)).toMatchObject([{ name: 'night', sessions: [id], live: [id], dirty: 0 }]);
  for (const verb of ['merge', 'rm']) {
    const busy = await reins(world, ['worktree', verb, 'night']);
    expect(busy).toMatchObject({ code: 2 });
    expect(busy.stderr).toContain(`session ${id} works in the worktree night`);
  }
  // In it, as anywhere, one loop at a time.
  expect(await reins(world, [...run, '-p', 'go', '--worktree=night'])).toMatchObject({ code: 2 });
  for (const one of await json<SessionRow[]>(world, ['ls'])) await reins(world, ['kill', one.id]);
  // Gone, and brought back by the line that is printed.
  rmSync(folder(world), { recursive: true });
  const gone = await reins(world, ['run', '--continue', id, '-d']);
  expect(gone).toMatchObject({ code: 21 });
  const line = /: (git -C .+)$/m.exec(gone.stderr)![1]!.split(' ');
  git(world, line.slice(1));
  expect(await reins(world, ['run', '--continue', id, '-d'])).toMatchObject({ code: 0 });
  await reins(world, ['kill', id]);
  // The session's record goes; its folder is the user's.
  await reins(world, ['prune', '--all']);
  expect([await json(world, ['ls', '--all']), existsSync(folder(world))]).toEqual([[], true]);
});

test('L9: merged and removed, with what would be lost said first', async () => {
  const world = repository();
  const WORK = `const { execFileSync } = require('node:child_process'); fs.writeFileSync('b.txt', 'b');
const git = (...a) => execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@localhost', ...a]);
git('add', '.'); git('commit', '-qm', 'work'); fs.writeFileSync('left.txt', 'x'); say('LOOP_COMPLETE'); done();`;
  const ended = await reins(world, [...worker(world, WORK), '-p', 'go', '--worktree=night']);
  expect(ended).toMatchObject({ code: 0 });
  const refused = await reins(world, ['worktree', 'rm', 'night']);
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toContain('1 commit that is on no other branch, 1 file that is not committed');
  const no = reinsInTerminal(world, ['worktree', 'rm', 'night']);
  await no.waitFor('Remove it, and lose that? [y/N]');
  no.type('\r');
  expect(await no.exit()).toBe(1);
  expect(existsSync(join(folder(world), 'left.txt'))).toBe(true);
  const merged = await reins(world, ['worktree', 'merge', 'night', '--json']);
  await keepsTo(world, 'worktree-merge', merged);
  expect(JSON.parse(merged.stdout)).toMatchObject({ into: 'main', how: 'forward', commits: 1, dirty: 1 });
  expect(readFileSync(join(world.project, 'b.txt'), 'utf8')).toBe('b');
  const yes = reinsInTerminal(world, ['worktree', 'rm', 'night']);
  await yes.waitFor('Remove it, and lose that? [y/N]');
  expect(yes.screen()).not.toContain('commit that');
  yes.type('y');
  expect(await yes.exit()).toBe(0);
  expect([existsSync(folder(world)), git(world, ['branch', '--list', 'reins/*'])]).toEqual([false, '']);
  expect(await reins(world, ['worktree', 'rm', 'night'])).toMatchObject({ code: 30 });
});

test('L9: commits of an agent that left its branch are not taken for merged', async () => {
  const world = repository();
  const WORK = `const { execFileSync } = require('node:child_process');
const git = (...a) => execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@localhost', ...a]);
git('checkout', '-q', '--detach'); fs.writeFileSync('b.txt', 'b'); git('add', 'b.txt'); git('commit', '-qm', 'work');
say('LOOP_COMPLETE'); done();`;
  expect(await reins(world, [...worker(world, WORK), '-p', 'go', '--worktree=night'])).toMatchObject({ code: 0 });
  const listed = await reins(world, ['worktree', 'ls', '--json']);
  await keepsTo(world, 'worktrees', listed);
  expect(JSON.parse(listed.stdout)).toMatchObject([{ ahead: 0, strays: 1, unmerged: 1, merged: false }]);
  expect((await reins(world, ['worktree', 'ls'])).stdout).toContain('1 not on it');
  const refused = await reins(world, ['worktree', 'merge', 'night']);
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toContain('1 commit in its folder is not on it');
  // As it is advised.
  git(world, ['checkout', '-q', '-B', 'reins/night'], folder(world));
  const merged = await reins(world, ['worktree', 'merge', 'night', '--json']);
  expect(JSON.parse(merged.stdout)).toMatchObject({ how: 'forward', commits: 1 });
  expect(await reins(world, ['worktree', 'rm', 'night'])).toMatchObject({ code: 0 });
});

test('L9: a filter runs only with a yes; who is killed meanwhile leaves what is listed and can be removed', async () => {
  const world = repository({ '.gitattributes': '*.txt filter=slow\n' });
  const pid = join(world.root, 'pid');
  git(world, ['config', 'filter.slow.smudge', `sh -c 'echo $$ > ${pid}; exec sleep 300'`]);
  const run = [...worker(world, HELD), '-d', '-p', 'go', '--worktree=night'];
  const refused = await reins(world, run);
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.stderr).toContain('filter slow: sh -c');
  expect([existsSync(pid), existsSync(join(world.project, '.reins'))]).toEqual([false, false]);
  const started = startReins(world, [...run, '--trust-folder']);
  await until('the filter', () => existsSync(pid) && readFileSync(pid, 'utf8') !== '');
  started.signal('SIGKILL');
  await started.done;
  process.kill(Number(readFileSync(pid, 'utf8')), 'SIGKILL');
  await until('its end', () => world.running().length === 0);
  const left = await reins(world, ['worktree', 'ls', '--json']);
  expect(JSON.parse(left.stdout)).toMatchObject([{ name: 'night', state: 'unfinished', unmerged: 0 }]);
  const again = await reins(world, run);
  expect(again.stderr).toContain('reins worktree rm night');
  expect(await reins(world, ['worktree', 'rm', 'night'])).toMatchObject({ code: 0, stdout: 'night\n' });
  expect((await reins(world, ['worktree', 'ls', '--json'])).stdout).toBe('[]\n');
});
