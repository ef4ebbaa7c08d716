/** What is said when something small goes wrong or is empty: the right words, on the right channel, with the right code. */
import { openSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { CLI, reins } from './support/cli.js';
import { detached, shows } from './support/session.js';
import { Terminal } from './support/terminal.js';
import { newWorld } from './support/world.js';

describe('errors', () => {
  test.each([
    ['--format json', ['--format', 'json', 'attach', 'nosuch'], 30, 'NO_SUCH_SESSION'],
    ['--json', ['answer', 'nosuch.1', 'allow', '--json'], 30, 'NO_SUCH_INQUIRY'],
    ['a run that cannot start', ['run', '--format', 'json'], 2, 'PROMPT_MISSING'],
  ])('%s: an error is one JSON object, not text in text', async (_what, args, exit, code) => {
    const ended = await reins(newWorld(), args);
    expect(ended).toMatchObject({ code: exit, stdout: '' });
    const line = JSON.parse(ended.stderr) as Record<string, unknown>;
    expect(line).toMatchObject({ v: 1, type: 'error', code });
    expect(line.message).toEqual(expect.any(String));
    expect(line.hint).toEqual(expect.any(String));
  });

  test('several mistakes in a file stand below each other', async () => {
    const world = newWorld();
    world.write('reins.yml', 'trsut: full\ncli: {backnd: claude}\n');
    const ended = await reins(world, ['run', '-b', 'practice', 'x']);
    expect(ended.code).toBe(10);
    expect(ended.stderr).toMatch(/^error: reins\.yml:1:1 .*\n {7}reins\.yml:2:7 .*\n {2}see/);
  });

  test('a full disk behind stdout is said, and is no success', async () => {
    const world = newWorld();
    for (const args of [
      ['config', 'show'],
      ['run', '-b', 'practice', '--once', 'hi'],
    ]) {
      const ended = await reins(world, args, { stdout: openSync('/dev/full', 'w') });
      expect(ended.code).toBe(1);
      expect(ended.stderr).toContain('stdout cannot be written: ENOSPC');
    }
    const version = await reins(world, ['--version'], { stdout: openSync('/dev/full', 'w') });
    expect(version).toMatchObject({ code: 1, stderr: '' });
  });

  test('a folder that is not there is said in words', async () => {
    const ended = await reins(newWorld(), ['exec', '-C', '/nowhere', '--', 'sh']);
    expect(ended.code).toBe(21);
    expect(ended.stderr).toContain('/nowhere is inaccessible: it does not exist');
  });
});

describe('colours on a terminal', () => {
  const colours = async (env: Record<string, string>) => {
    // Not by the terminal's own environment: it says which TERM it is.
    const set = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    const run = [process.execPath, CLI, 'run', '-b', 'practice', '--once', 'hi'];
    const terminal = new Terminal(newWorld(), ['env', ...set, ...run], {});
    expect(await terminal.exit()).toBe(0);
    return /\x1b\[\d*m/.test(terminal.bytes);
  };

  test.each<[Record<string, string>, boolean]>([
    [{}, true],
    [{ NO_COLOR: '1' }, false],
    [{ TERM: 'dumb' }, false],
    [{ CI: 'true' }, false],
    [{ CI: 'false' }, true],
    [{ CI: 'true', FORCE_COLOR: '1' }, true],
  ])('%j: %s', async (env, expected) => {
    expect(await colours(env)).toBe(expected);
  });
});

describe('a session', () => {
  test('keys, sizes, chapters and exports that make no sense', async () => {
    const world = newWorld();
    const id = await detached(world, ['exec', '--name', '漢字 name', '--', 'sh', '-c', 'echo up; exec cat']);
    await shows(world, id, 'up');
    const wrong: [string[], string][] = [
      [['send', id, '--keys', ''], 'there are no keys'],
      [['resize', id, '0x0'], '0x0 is no size'],
      [['resize', id, '9999x40'], 'from 1x1 to 1000x1000'],
      [['replay', id, '--export', `${world.root}/none/x.cast`], 'x.cast cannot be written'],
    ];
    for (const [args, words] of wrong) {
      const ended = await reins(world, args);
      expect(ended).toMatchObject({ code: 2, stdout: '' });
      expect(ended.stderr).toContain(words);
    }
    expect(await reins(world, ['replay', id, '--chapters'])).toMatchObject({ code: 0, stdout: '' });
    expect((await reins(world, ['replay', id, '--chapters'])).stderr).toContain('No chapters');
    expect((await reins(world, ['pause', id])).stderr).toBe('Paused 1 process.\n');
    await reins(world, ['resume', id]);
    // Wide characters take two columns: what stands behind them is still below its title.
    const [head = '', row = ''] = (await reins(world, ['ls'])).stdout.split('\n');
    expect(row.replace('漢字', '----').indexOf('exec')).toBe(head.indexOf('MODE'));
  });

  test('ls tells an empty machine from one on which nothing runs', async () => {
    const world = newWorld();
    expect((await reins(world, ['ls'])).stderr).toContain('No sessions yet');
    await reins(world, ['exec', '--', 'sh', '-c', ':']);
    expect((await reins(world, ['ls'])).stderr).toContain('See ended ones: reins ls --all');
  });
});
