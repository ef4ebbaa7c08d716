/** Seed 002: stdout carries the assistant's text or data and nothing else, ever: one look at every command. */
import { describe, expect, test } from 'vitest';
import { reins, startReins } from './support/cli.js';
import { entry } from './support/journal.js';
import { newWorld, type World } from './support/world.js';

const isJson = (text: string) => {
  JSON.parse(text);
  return true;
};

async function detached(world: World, name = 'cat'): Promise<string> {
  const started = await reins(world, ['exec', '-d', '--name', name, '--', 'cat']);
  expect(started.stdout).toMatch(/^[a-z0-9]{8}\n$/);
  return started.stdout.trim();
}

describe('stdout', () => {
  test.each<[string[], (out: string) => void]>([
    [['--version'], (out) => expect(out).toMatch(/^\d+\.\d+\.\d+\n$/)],
    [
      ['run', '-b', 'practice', '--once', 'hello'],
      (out) => expect(out).toMatch(/^Hello! I am the practice agent.*\n$/),
    ],
    [
      ['run', '-b', 'practice', '--once', '-q', 'hello'],
      (out) => expect(out).toMatch(/^Hello! I am the practice agent.*\n$/),
    ],
    [['ls'], (out) => expect(out).toBe('')],
    [['ls', '--all', '--json'], (out) => expect(JSON.parse(out)).toEqual([])],
    [['inbox'], (out) => expect(out).toBe('')],
    [['inbox', '--json'], (out) => expect(JSON.parse(out)).toEqual([])],
    [['config', 'show', '--json'], (out) => expect(isJson(out)).toBe(true)],
    [['config', 'schema'], (out) => expect(isJson(out)).toBe(true)],
    [['config', 'schema', '--events'], (out) => expect(isJson(out)).toBe(true)],
    ...['ls', 'inbox', 'screen', 'send', 'events'].map((of): [string[], (out: string) => void] => [
      ['config', 'schema', '--of', of],
      (out) => expect(isJson(out)).toBe(true),
    ]),
    [['config', 'check'], (out) => expect(out).toBe('')],
    [['policy', 'explain', 'Bash', 'ls', '--json'], (out) => expect(isJson(out)).toBe(true)],
    [['policy', 'explain', 'Bash', 'ls'], (out) => expect(out).toMatch(/^attached: .*\ndetached: .*\n$/)],
    [['trust'], (out) => expect(out).toBe('')],
    [['trust', '--json'], (out) => expect(JSON.parse(out)).toEqual([])],
    [['trust', 'claude'], (out) => expect(out).toBe('')],
    [['doctor', '--json'], (out) => expect(isJson(out)).toBe(true)],
    [['hats', 'graph'], (out) => expect(out).not.toContain('\x1b')],
    [['run', '-b', 'practice', '--dry-run', '--format', 'json', 'x'], (out) => expect(isJson(out)).toBe(true)],
  ])('%j', async (args, check) => {
    const world = newWorld();
    const ended = await reins(world, args);
    check(ended.stdout);
    expect(ended.stdout).not.toContain('\x1b');
  });

  test('of commands about one session', async () => {
    const world = newWorld();
    const id = await detached(world);
    const sent = await reins(world, ['send', id, '--json', 'hello']);
    expect(JSON.parse(sent.stdout)).toMatchObject({ verdict: 'submitted', evidence: 'screen' });
    const shot = await reins(world, ['screen', id, '--json']);
    expect(JSON.parse(shot.stdout)).toMatchObject({ alternate: false, lines: expect.arrayContaining(['hello']) });
    expect((await reins(world, ['screen', id])).stdout).toBe('hello\nhello\n');
    const rows = JSON.parse((await reins(world, ['ls', '--json'])).stdout);
    expect(rows).toMatchObject([{ id, name: 'cat', mode: 'exec', state: 'working', inquiries: 0 }]);
    expect(isJson((await reins(world, ['pause', id, '--json'])).stdout)).toBe(true);
    expect(isJson((await reins(world, ['resume', id, '--json'])).stdout)).toBe(true);
    expect((await reins(world, ['resize', id, '90x20'])).stdout).toBe('');
    // Interrupted, this program would end: it comes last, in a session of its own.
    const other = await detached(world, 'other');
    expect((await reins(world, ['interrupt', other])).stdout).toBe('');
    const stopped = JSON.parse((await reins(world, ['kill', id, '--json'])).stdout);
    expect(stopped).toMatchObject({ session: id, left: 0, processes: [{ how: 'killed' }] });
    const logs = await reins(world, ['logs', id, '--format', 'json']);
    expect(logs.stdout.trimEnd().split('\n').every(isJson)).toBe(true);
    expect((await reins(world, ['replay', id, '--export', 'x.cast'])).stdout).toBe('');
  });

  test.each([
    [['ls', '--nonsense'], 2],
    [['attach', 'nosuch'], 30],
    [['send', 'nosuch', 'x'], 30],
    [['answer', 'nosuch.1', 'allow'], 30],
    [['emit', 'x'], 30],
    [['frobnicate'], 2],
    [['run', '-b', 'nobody', 'x'], 2],
    [['config', 'show', '--config', 'missing.yml'], 10],
    [['policy', 'explain', 'Bash', '{"command":'], 2],
    [['replay', 'nosuch'], 30],
  ])('is empty when %j fails with %d', async (args, code) => {
    const ended = await reins(newWorld(), args);
    expect(ended).toMatchObject({ code, stdout: '' });
    expect(ended.stderr).not.toBe('');
  });

  test('`--format json` never holds a line that is not JSON, whatever the agent prints', async () => {
    const world = newWorld();
    const run = startReins(world, [
      'run',
      '-b',
      'practice',
      '--once',
      '--format',
      'json',
      '--trust',
      'full',
      'hostile',
    ]);
    const ended = await run.done;
    const lines = ended.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { seq: number; type: string });
    expect(lines[0]?.type).toBe('session.started');
    expect(lines.at(-1)?.type).toBe('session.ended');
    expect(lines.map((line) => line.seq)).toEqual(lines.map((_, index) => index + 1));
    expect(ended.stderr.trimEnd().split('\n').filter(Boolean).every(isJson)).toBe(true);
    await entry(world, 'session.ended');
  });
});
