/** Only a person may answer: the user's word is on the inquiry from its opening, for everyone who reads it. */
import { expect, test } from 'vitest';
import { ConfigSchema } from '../config/schema.js';
import type { Question } from '../contract/index.js';
import { Inquiries } from '../library/inquiries.js';
import { type Trial, trial } from './host.cases.js';

const question = (id: string, more: Partial<Question> = {}): Question => ({
  id,
  text: 'Which database?',
  options: [{ id: 'a', label: 'Postgres' }],
  multi: false,
  free_text: false,
  ...more,
});

function asking(set: Record<string, boolean>, tool = 'AskUserQuestion'): Trial {
  const questions = Object.fromEntries(Object.entries(set).map(([id, exclusive]) => [id, { exclusive }]));
  const config = ConfigSchema.parse({ tools: { [tool]: { questions } } });
  return trial({ spec: { config, sources: {} } });
}

const opened = ({ entries }: Trial) =>
  entries.flatMap((entry) => (entry.type === 'inquiry.opened' ? [entry.data.inquiry.exclusive] : []));

const CASES: { why: string; set: Record<string, boolean>; asker: boolean; asked: Question[]; expected: boolean }[] = [
  { why: 'the user alone says so', set: { db: true }, asker: false, asked: [question('db')], expected: true },
  { why: 'the user says otherwise', set: { db: false }, asker: true, asked: [question('db')], expected: false },
  { why: 'the asker alone says so', set: {}, asker: true, asked: [question('db')], expected: true },
  { why: 'nobody says so', set: {}, asker: false, asked: [question('db')], expected: false },
  {
    why: 'a secret, whatever is said',
    set: { db: false },
    asker: false,
    asked: [question('db', { secret: true })],
    expected: true,
  },
  { why: 'one of two', set: { db: true }, asker: false, asked: [question('os'), question('db')], expected: true },
  { why: 'of another question', set: { db: true }, asker: false, asked: [question('os')], expected: false },
  {
    why: 'a question that cannot be read',
    set: { db: false },
    asker: false,
    asked: [{ id: 'db' } as Question],
    expected: true,
  },
];

test.each(CASES)('exclusive at the opening: $why', ({ set, asker, asked, expected }) => {
  const one = asking(set);
  one.host.desk.open({ kind: 'question', tool: 'AskUserQuestion', questions: asked, exclusive: asker });
  expect(opened(one)).toEqual([expected]);
});

test('also under another name of the same tool', () => {
  const one = asking({ db: true });
  one.host.desk.open({ kind: 'question', tool: 'request_user_input', questions: [question('db')], exclusive: false });
  expect(opened(one)).toEqual([true]);
});

test('a program without a person is not given it', () => {
  const one = asking({ db: true });
  const asked: string[] = [];
  const inquiries = new Inquiries({ answer: async () => undefined, present: () => undefined });
  inquiries.on((inquiry) => {
    asked.push(inquiry.id);
    return 'a';
  });
  one.host.desk.open({ kind: 'question', tool: 'AskUserQuestion', questions: [question('db')], exclusive: false });
  for (const inquiry of one.host.desk.unsettled()) inquiries.opened(inquiry);
  expect(one.host.desk.unsettled()).toHaveLength(1);
  expect(asked).toEqual([]);
});
