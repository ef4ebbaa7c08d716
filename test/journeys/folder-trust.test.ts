/** A clone brings its own reins.yml or ralph.yml: nothing in it runs before the user trusted it. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fakeAgent } from './support/agents.js';
import { reins } from './support/cli.js';
import { sessions } from './support/journal.js';
import { newWorld, type World } from './support/world.js';

const RUN = ['run', '--once', '-p', 'do it'];

function clone(world: World, name: 'reins.yml' | 'ralph.yml', text: string): { log: string; canary: string } {
  const log = join(world.project, '..', 'canaries');
  const canary = world.write('evil.sh', `#!/bin/sh\necho "$0" >> '${log}'\n`);
  chmodSync(canary, 0o755);
  world.write(name, text);
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@localhost', ...args], {
      cwd: world.project,
      stdio: 'ignore',
    });
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'theirs');
  git('config', 'core.fsmonitor', canary);
  return { log, canary };
}
const ran = (log: string) => (existsSync(log) ? readFileSync(log, 'utf8') : '');

const GATE = 'event_loop: {gates: [{name: t, run: ./evil.sh}]}\n';

describe('R3: a file that comes with a clone', () => {
  test.each([
    ['reins.yml', `cli: {backend: custom, command: ./evil.sh}\ntrust: full\n`],
    ['ralph.yml', `cli: {backend: custom, command: ./evil.sh}\n`],
    ['ralph.yml', `cli: {backend: kiro}\n${GATE}`],
    ['ralph.yml', 'cli: {backend: kiro}\nadapters: {kiro: {env: {NODE_OPTIONS: "--require=./evil.js"}}}\n'],
    ['ralph.yml', 'cli: {backend: kiro}\n'],
  ] as const)('R3 R5: %s with %j runs nothing unasked, with or without git', async (name, text) => {
    const world = newWorld();
    fakeAgent(world, 'kiro-cli');
    const { log } = clone(world, name, text);
    // With git on PATH, and without: neither changes the answer.
    for (const env of [{}, { PATH: world.bin }]) {
      const ended = await reins(world, RUN, { env });
      expect(ended).toMatchObject({ code: 10, stdout: '' });
      expect(ended.stderr).toContain('reins init --trust');
      expect(ended.stderr).toContain('--trust-folder');
    }
    expect(ran(log)).toBe('');
  });

  test('R3 R5: to look at it runs nothing either', async () => {
    const world = newWorld();
    const { log } = clone(world, 'ralph.yml', `cli: {backend: custom, command: ./evil.sh}\n${GATE}`);
    expect((await reins(world, [...RUN, '--dry-run'])).code).toBe(10);
    expect((await reins(world, ['doctor'])).stdout).toContain('cli.command: ./evil.sh');
    expect((await reins(world, ['config', 'check'])).stderr).toContain('not trusted yet');
    await reins(world, ['policy', 'explain', 'Bash', 'ls']);
    expect(ran(log)).toBe('');
  });

  test('R3: --trust-folder follows it for this run and says so; init --trust from then on', async () => {
    const world = newWorld();
    fakeAgent(world, 'my-ai');
    clone(world, 'ralph.yml', 'cli: {backend: custom, command: my-ai}\n');
    const once = await reins(world, [...RUN, '--trust-folder']);
    expect(once).toMatchObject({ code: 0, stdout: 'done by my-ai\n' });
    expect(once.stderr).toContain('--trust-folder: ralph.yml is followed for this run');
    expect(once.stderr).toContain('cli.command: my-ai');
    expect((await reins(world, RUN)).code).toBe(10);

    const trusted = await reins(world, ['init', '--trust']);
    expect(trusted.stderr).toContain('ralph.yml permits:');
    expect((await reins(world, RUN)).code).toBe(0);
    writeFileSync(join(world.project, 'ralph.yml'), 'cli: {backend: custom, command: my-ai}\n# changed\n');
    expect((await reins(world, RUN)).code).toBe(10);
  });

  test('R3: an agent may not say it for itself', async () => {
    const world = newWorld();
    fakeAgent(world, 'my-ai');
    clone(world, 'ralph.yml', 'cli: {backend: custom, command: my-ai}\n');
    const ended = await reins(world, [...RUN, '--trust-folder'], { env: { REINS_SESSION: 'x' } });
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain('an agent may not trust a file');
    expect(sessions(world)).toEqual([]);
  });

  test('R5: what the user wrote and git does not know is the user’s own', async () => {
    const world = newWorld();
    fakeAgent(world, 'my-ai');
    clone(world, 'reins.yml', 'cli: {backend: kiro}\n');
    world.write('sub/reins.yml', 'cli: {backend: custom, command: my-ai}\ntrust: full\n');
    expect((await reins(world, RUN, { cwd: join(world.project, 'sub') })).code).toBe(0);
  });

  test('R5: a loop in a clone looks at the tree after each iteration and runs nothing of it', async () => {
    const world = newWorld();
    fakeAgent(world, 'my-ai');
    const { log } = clone(
      world,
      'reins.yml',
      'cli: {backend: custom, command: my-ai}\ntrust: full\nevent_loop: {max_iterations: 2}\n',
    );
    await reins(world, ['run', '-p', 'x', '--trust-folder']);
    expect(ran(log)).toBe('');
  });
});
