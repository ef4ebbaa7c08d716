import { expect, it, test } from 'vitest';
import type { Question } from '../contract/index.js';
import { DATABASE, decided, sandbox } from './decisions.cases.js';
import { keyOf, valuesFor } from './index.js';

const asked = (more: Partial<Question>): Question => ({ ...DATABASE, ...more });
const [postgres, sqlite] = DATABASE.options as [Question['options'][0], Question['options'][0]];

it.each<[string, Partial<Question>]>([
  ['other case and spacing', { text: ' which  DATABASE should I use?\n' }],
  ['invisible characters', { text: 'Which data\u200bbase should\u202e I use?' }],
  ['the same letters, put together otherwise', { text: DATABASE.text.normalize('NFD') }],
  ['another id', { id: 'q7' }],
  ['another order', { options: [sqlite, postgres] }],
  [
    'other option ids',
    {
      options: [
        { ...postgres, id: 'a' },
        { ...sqlite, id: 'b' },
      ],
    },
  ],
])('the same question: %s', (_, more) => {
  expect(keyOf(asked(more))).toBe(keyOf(DATABASE));
});

it.each<[string, Partial<Question>]>([
  ['another text', { text: 'Which database should I drop?' }],
  ['an option more', { options: [postgres, sqlite, { id: '3', label: 'None' }] }],
  [
    'an option that means something else by itself',
    { options: [{ ...postgres, description: 'delete all data first' }, sqlite] },
  ],
  ['several may be chosen', { multi: true }],
  ['another header', { header: 'Production' }],
  ['two options made of one', { options: [{ id: '1', label: 'PostgreSQL SQLite' }] }],
])('another question: %s', (_, more) => {
  expect(keyOf(asked(more))).not.toBe(keyOf(DATABASE));
});

test('an old answer is found by what the option is called, never by its number', () => {
  const { open } = sandbox();
  open().remember(decided());
  const old = open().list()[0]!;
  const swapped = asked({
    options: [
      { ...sqlite, id: '1' },
      { ...postgres, id: '2' },
    ],
  });
  expect(valuesFor(old, swapped, false)).toEqual(['2']);
  expect(valuesFor(old, asked({ options: [sqlite] }), true)).toBe(undefined);
  expect(valuesFor(old, asked({ options: [postgres, { ...postgres, id: '9', label: 'POSTGRESQL' }] }), false)).toBe(
    undefined,
  );
});

test('a text of one’s own answers again only where there is nothing to choose from, or where that is allowed', () => {
  const { open } = sandbox();
  open().remember(decided({ values: ['CockroachDB'] }));
  const old = open().list()[0]!;
  expect([valuesFor(old, DATABASE, false), valuesFor(old, DATABASE, true)]).toEqual([undefined, ['CockroachDB']]);
  expect(valuesFor(old, asked({ options: [] }), false)).toEqual(['CockroachDB']);
  expect(valuesFor(old, asked({ options: [], free_text: false }), true)).toBe(undefined);
  expect(valuesFor(old, asked({ options: [{ id: 'CockroachDB', label: 'Something else' }] }), true)).toBe(undefined);
});

test('C21: a like question is offered the decision with its origin, the nearest first, and others are not', () => {
  const { open } = sandbox();
  open().remember(
    decided({ question: asked({ text: 'Which colour should the button have?', options: [] }), values: ['red'] }),
  );
  open().remember(decided());
  const like = open().like(asked({ text: 'Which database should we use for the orders service?' }));
  expect(like).toMatchObject([{ question: { text: DATABASE.text }, by: { kind: 'consultant' }, session: 'k7f2m9qd' }]);
  expect(open().like(asked({ text: 'How many retries?', options: [] }))).toEqual([]);
  open().revoke(like[0]!.id, { at: 1 });
  expect(open().like(DATABASE)).toEqual([]);
  open().remember(decided({ question: asked({ text: 'どのデータベースを使いますか', options: [] }) }));
  expect(open().like(asked({ text: 'データベースはどれを使いますか？', options: [] })).length).toBe(1);
});

it.each([
  ['Keep 10² copies?', 'Keep 102 copies?'],
  ['Use ½ of the memory?', 'Use 1⁄2 of the memory?'],
  ['Is the unit µs or ㎲?', 'Is the unit µs or μs?'],
  ['Round at 1⒈5?', 'Round at 11.5?'],
])('a sign that only decomposes into others is not those: %s', (one, other) => {
  expect(keyOf(asked({ text: one }))).not.toBe(keyOf(asked({ text: other })));
  const options = [one, other].map((label, at) => ({ id: String(at), label }));
  expect(keyOf(asked({ options }))).not.toBe(keyOf(asked({ options: options.toReversed().slice(1) })));
});
