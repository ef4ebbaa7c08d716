/** `--format json`: every line of stdout is an entry, the first one starts the session, the last one ends it, none is missing. */
import { describe, expect, test } from 'vitest';
import type { Entry } from '../../src/contract/index.js';
import { AnyEntry } from '../../src/contract/schemas.js';
import { type Ended, reins, startReins } from './support/cli.js';
import { entries, entry, onlySession } from './support/journal.js';
import { until } from './support/wait.js';
import { newWorld } from './support/world.js';

function linesOf({ stdout }: Pick<Ended, 'stdout'>): Entry[] {
  expect(stdout.endsWith('\n')).toBe(true);
  return stdout
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line) as Entry);
}

function expectWhole(lines: Entry[]): void {
  expect(lines[0]?.type).toBe('session.started');
  expect(lines.at(-1)?.type).toBe('session.ended');
  expect(lines.filter(({ type }) => type === 'session.ended')).toHaveLength(1);
  expect(lines.map(({ seq }) => seq)).toEqual(lines.map((_, index) => lines[0]!.seq + index));
  for (const line of lines) expect(AnyEntry.safeParse(line)).toMatchObject({ success: true });
}

const RUN = ['--format', 'json', 'run', '-b', 'practice', '--once', '-p', 'x'];

describe('--format json', () => {
  test.each([
    ['a greeting', 'hello', 'full', 0],
    ['a tour that is denied everything', 'tour', 'guarded', 0],
    ['a tour with full trust', 'tour', 'full', 0],
    ['a failure', 'fail', 'full', 1],
    ['an error result', 'error-result', 'guarded', 1],
    ['a death before anything was said', 'die-before-ready', 'full', 1],
    ['hostile text', 'hostile', 'full', 0],
    ['characters cut in the middle', 'split-utf8', 'full', 0],
    ['garbage', 'garbage', 'full', 0],
  ])('%s', async (_name, scenario, trust, code) => {
    const world = newWorld();
    const ended = await reins(world, [...RUN, '--trust', trust], { env: { PRACTICE_SCENARIO: scenario } });
    const lines = linesOf(ended);
    expectWhole(lines);
    expect(lines).toEqual(entries(world, await onlySession(world)));
    expect(lines.at(-1)).toMatchObject({ data: { exit_code: ended.code } });
    expect(ended.code).toBe(code);
    for (const line of ended.stderr.split('\n').filter(Boolean)) expect(() => JSON.parse(line)).not.toThrow();
  });

  test('the assistant’s text is in agent.text, to be put together as it is', async () => {
    const world = newWorld();
    const ended = await reins(world, [...RUN, '--trust', 'full'], { env: { PRACTICE_SCENARIO: 'split-utf8' } });
    const said = linesOf(ended).flatMap((line) => (line.type === 'agent.text' ? [line.data.text] : []));
    expect(said.join('')).toBe('größer 漢字 🙂 é\nWhole again.\n');
  });

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
    ['SIGQUIT', 131],
  ] as const)('the last line is session.ended also on %s', async (signal, code) => {
    const world = newWorld();
    const run = startReins(world, [...RUN, '--trust', 'full'], { env: { PRACTICE_SCENARIO: 'slow 60' } });
    await entry(world, 'agent.text');
    await until('the text on stdout', () => run.stdout.includes('agent.text'));
    run.signal(signal);
    const ended = await run.done;
    expect(ended.code).toBe(code);
    expectWhole(linesOf(ended));
    expect(linesOf(ended).at(-1)).toMatchObject({ data: { exit_code: code, outcome: 'stopped' } });
  });

  test('an error before there is a session is JSON on stderr, and stdout stays empty', async () => {
    const world = newWorld();
    const ended = await reins(world, ['--format', 'json', 'run', '-b', 'gemini', '-p', 'x']);
    expect(ended).toMatchObject({ code: 20, stdout: '' });
    const lines = ended.stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(JSON.stringify(lines)).toContain('AGENT_NOT_FOUND');
  });

  test('the flag may stand before or behind the command', async () => {
    const world = newWorld();
    const ended = await reins(world, [
      'run',
      '-b',
      'practice',
      '--trust',
      'full',
      '--once',
      '-p',
      'hello',
      '--format',
      'json',
    ]);
    expectWhole(linesOf(ended));
  });
});
