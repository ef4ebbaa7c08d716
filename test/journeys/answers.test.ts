/** `reins answer`: every form of answer, given exactly from the command line, as the agent hears it. */
import { describe, expect, test } from 'vitest';
import { reins } from './support/cli.js';
import { entry, onlySession } from './support/journal.js';
import { newWorld } from './support/world.js';

const DEFER = ['--set', 'tools.defaults.detached=defer'];

async function asked(scenario: string) {
  const world = newWorld();
  const parked = await reins(world, ['run', '-b', 'practice', '--once', ...DEFER, 'go'], {
    env: { PRACTICE_SCENARIO: scenario },
  });
  expect(parked).toMatchObject({ code: 5 });
  return { world, id: `${await onlySession(world)}.1` };
}

describe('an answer on the command line', () => {
  test.each<[string, string[], unknown, string[]]>([
    ['ask-single', ['2'], { database: ['2'] }, ['="SQLite"']],
    ['ask-single', ['sqlite'], { database: ['2'] }, ['="SQLite"']],
    ['ask-single', ['Maria', 'DB'], { database: ['Maria DB'] }, ['="Maria DB"']],
    ['ask-single', ['--text', '2'], { database: ['2'] }, ['="2"']],
    ['ask-single', ['--text', ' database=2 '], { database: [' database=2 '] }, ['=" database=2 "']],
    ['ask-single', ['--text=-v\nx'], { database: ['-v\nx'] }, ['="-v\nx"']],
    ['ask-multi', ['1', 'Cache'], { features: ['1', '2'] }, ['="Auth, Cache"']],
    ['ask-multi', ['1', '--text', '2'], { features: ['1', '2'] }, ['="Auth, 2"']],
    [
      'ask-several',
      ['database=2', 'features=1', 'features=3', '--text', 'name=a=1'],
      { database: ['2'], features: ['1', '3'], name: ['a=1'] },
      ['="SQLite"', '="Auth, ', '="a=1"'],
    ],
  ])('%s %j', async (scenario, words, values, heard) => {
    const { world, id } = await asked(scenario);
    const answered = await reins(world, ['answer', id, '--json', ...words]);
    expect(answered).toMatchObject({ code: 0 });
    expect(JSON.parse(answered.stdout)).toMatchObject({ inquiry: id, verdict: 'values', values });
    const { text } = (await entry(world, 'tool.returned')).data;
    for (const part of heard) expect(text).toContain(part);
    await entry(world, 'session.ended');
  });

  test('what does not fit is refused, and the question stays open', async () => {
    const { world, id } = await asked('ask-several');
    for (const words of [[], ['database=2'], ['--text', 'x'], ['2', '2'], ['--text', 'other=x']])
      expect(await reins(world, ['answer', id, ...words])).toMatchObject({ code: 2, stdout: '' });
    expect((await reins(world, ['inbox'])).stdout).toContain(
      `reins answer ${id} database=VALUE features=VALUE name=VALUE`,
    );
    expect(await reins(world, ['answer', id, 'deny', '--reason', 'later'])).toMatchObject({ code: 0 });
    expect((await entry(world, 'inquiry.answered')).data.answer.verdict).toEqual({ kind: 'deny' });
    await entry(world, 'session.ended');
  });
});
