import { expect, test } from 'vitest';
import { answeredFor } from './by.js';

const by = { kind: 'consultant', adapter: 'codex' } as const;

test.each([
  ['the roadmap says so.', 'the roadmap says so'],
  ['the roadmap says so. ', 'the roadmap says so'],
  ['it goes on ...', 'it goes on ...'],
  ['it goes on...', 'it goes on...'],
  ['use e.g. 1.2', 'use e.g. 1.2'],
  ['why not?', 'why not?'],
  ['.', '.'],
])('the agent hears %j without a full stop of its own: it puts one', (reason, told) => {
  expect(answeredFor({ by, reason })).toBe(`answered for the user by codex, because: ${told}`);
});

test('without a reason there is none', () => {
  expect(answeredFor({ by })).toBe('answered for the user by codex');
  expect(answeredFor({ by: { kind: 'deadline' }, reason: 'x' })).toBeUndefined();
});
