import { describe, expect, test } from 'vitest';
import { readDuration, readMode, readModes } from './settings.js';

const source = (key?: string) => (key ? `f:${key}` : 'f:1');

describe('scalar or struct', () => {
  test.each(['ask', 'auto', 'deny', 'defaults', 'defer'])('%s is for every kind', (mode) => {
    expect(readModes(mode, source)).toEqual({ modes: { all: { value: mode, source: 'f:1' } }, problems: [] });
  });

  test('a struct is per kind, and the seed’s word tool is a question', () => {
    expect(readModes({ run: 'auto', deliver: 'deny', tool: 'defer' }, source)).toEqual({
      modes: {
        run: { value: 'auto', source: 'f:run' },
        deliver: { value: 'deny', source: 'f:deliver' },
        question: { value: 'defer', source: 'f:tool' },
      },
      problems: [],
    });
  });

  test('a list is a ladder, whole or per kind', () => {
    const ladder = [{ mode: 'ask', forMs: 300_000 }, { mode: 'auto' }, { mode: 'defer' }];
    expect(readMode([{ ask: '5m' }, 'auto', 'defer'])).toEqual(ladder);
    expect(readModes({ run: [{ ask: '5m' }, 'auto', 'defer'] }, source).modes.run?.value).toEqual(ladder);
  });

  test.each([
    ['sometimes', 'expected one of'],
    [{ running: 'auto' }, 'running: not a kind'],
    [{ run: 'sometimes' }, 'run: expected one of'],
    [{ run: [{ ask: 'soon' }] }, 'run: expected one of'],
    [[], 'expected one of'],
    [[{ ask: '5m', deny: '1m' }], 'expected one of'],
    [null, 'expected one of'],
    [7, 'expected one of'],
    [{ constructor: 'auto' }, 'constructor: not a kind'],
  ])('%j is a problem', (raw, problem) => {
    const read = readModes(raw, source);
    expect(read.problems.join()).toContain(problem);
    expect(read.modes).toEqual({});
  });
});

test.each([
  ['5m', 300_000],
  ['90s', 90_000],
  ['1.5h', 5_400_000],
  ['500ms', 500],
  ['10', 10_000],
  [10, 10_000],
  ['-1s', undefined],
  [Number.NaN, undefined],
  ['', undefined],
  ['m', undefined],
])('duration %j', (text, ms) => {
  expect(readDuration(text)).toBe(ms);
});
