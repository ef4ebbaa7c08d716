import { expect, test } from 'vitest';
import type { EntryPayload, Question } from '../contract/index.js';
import { AnswersTold, noAnswer } from './answers-told.js';

const question: Question = {
  ...{ id: 'db', text: 'Which?', multi: false, free_text: false },
  options: [
    { id: '1', label: 'PostgreSQL' },
    { id: '2', label: 'SQLite' },
  ],
};
const opened = { inquiry: { id: 's.1', questions: [question] } } as unknown as EntryPayload<'inquiry.opened'>;
const answered = (by: object, more: object = {}) =>
  ({
    answer: { inquiry: 's.1', verdict: { kind: 'values', values: { db: ['1'] } }, by, ...more },
  }) as unknown as EntryPayload<'inquiry.answered'>;

test('who answered for the user is told with the option’s name and the reason', () => {
  const told = new AnswersTold();
  told.opened(opened);
  expect(told.answered(answered({ kind: 'consultant', adapter: 'codex' }, { reason: 'the roadmap says so' }))).toMatch(
    /^answered by the consultant codex.*: PostgreSQL, because: the roadmap says so$/,
  );
  expect(told.answered(answered({ kind: 'viewer', viewer: 'v1' }))).toBeUndefined();
  told.closed({ inquiry: 's.1', how: 'delivered' });
  expect(told.answered(answered({ kind: 'default' }))).toBe('answered by the default: 1');
});

test('a consultation without an answer says why; one that was called off says nothing', () => {
  const ended = { consultation: 'c', inquiry: 's.1', adapter: 'codex', for: 'answer', seconds: 1 } as const;
  expect(noAnswer({ ...ended, how: 'late' })).toBe('no answer from codex: late');
  expect(noAnswer({ ...ended, how: 'none', reason: 'not sure' })).toBe('no answer from codex: not sure');
  for (const how of ['cancelled', 'answered', 'suggested'] as const)
    expect(noAnswer({ ...ended, how })).toBeUndefined();
});
