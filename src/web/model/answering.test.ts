import { describe, expect, it } from 'vitest';
import type { Card } from '../../contract/page.js';
import { HubSchemas } from '../../contract/schemas/hub.js';
import {
  type AnswerDraft,
  answerOf,
  type CardQuestion,
  type Deed,
  deedsOf,
  draftOf,
  editableText,
  isReview,
  ownWords,
  pick,
  pickedWords,
  stepTo,
  write,
} from './answering.js';

const DB: CardQuestion = {
  id: 'database',
  text: 'Which database?',
  options: ['PostgreSQL', 'SQLite', 'MongoDB'].map((label, at) => ({ id: String(at + 1), label })),
  multi: false,
  free_text: true,
};
const FEATURES: CardQuestion = { ...DB, id: 'features', multi: true, free_text: false };
const NAME: CardQuestion = { id: 'name', text: 'What name?', options: [], multi: false, free_text: true };

const card = (inquiry: Partial<Card['inquiry']>, rest: Partial<Card> = {}): Card =>
  ({
    inquiry: { id: 'k7f2m9qd.1', session: 'k7f2m9qd', kind: 'run', exclusive: false, opened_at: '', ...inquiry },
    digest: 'd1',
    view: { title: 'wants to run a command', shape: 'shell', lines: 1 },
    ...rest,
  }) as Card;
const asks = (...questions: CardQuestion[]) => card({ kind: 'question', questions });
const run = card(
  { tool: 'Bash', input: { command: 'git push', timeout: 5 }, editable: true },
  { offer: ['Bash(git push:*)'] },
);

const sent = (of: Card, draft: AnswerDraft, deed: Deed) => {
  const made = answerOf(of, draft, deed);
  if ('args' in made) HubSchemas.answer.args.parse(made.args);
  return made;
};

describe('a permission', () => {
  it.each<[Deed, Partial<AnswerDraft>, object]>([
    ['allow', {}, { words: ['allow'] }],
    ['allow-session', {}, { words: ['allow'], scope: 'session' }],
    ['deny', {}, { words: ['deny'] }],
    ['deny', { reason: '  not now ' }, { words: ['deny'], reason: 'not now' }],
    ['stop', { reason: 'stop' }, { words: ['deny'], reason: 'stop', interrupt: true }],
    ['edit', { edited: 'git push --dry-run' }, { input: { command: 'git push --dry-run', timeout: 5 } }],
  ])('%s %j', (deed, more, args) => {
    expect(sent(run, { ...draftOf(run), ...more }, deed)).toEqual({ args: { digest: 'd1', ...args } });
  });

  it('offers what the inquiry has, and nothing else', () => {
    expect([...deedsOf(run)]).toEqual(['deny', 'stop', 'allow-session', 'allow', 'edit']);
    expect([...deedsOf(run, false)]).toEqual(['deny', 'allow-session', 'allow']);
    expect([...deedsOf(card({ tool: 'Bash', input: {} }))]).toEqual(['deny', 'stop', 'allow']);
  });

  it('for a dialog nobody here can read offers nothing', () => {
    expect(deedsOf(card({ tool: 'dialog', exclusive: true })).size).toBe(0);
  });

  it('that is too long to be shown whole can only be denied', () => {
    const cut = { ...run, cut: true };
    expect([...deedsOf(cut)]).toEqual(['deny', 'stop']);
    expect([...deedsOf({ ...asks(DB), cut: true } as Card)]).toEqual(['else']);
  });

  it('is edited as JSON where there is no command, and refused if it is none', () => {
    const write = card({ tool: 'Write', input: { file_path: 'a' }, editable: true });
    expect(editableText(write)).toEqual({ text: '{\n  "file_path": "a"\n}', json: true });
    expect(sent(write, { ...draftOf(write), edited: '{"file_path":"b"}' }, 'edit')).toMatchObject({
      args: { input: { file_path: 'b' } },
    });
    expect(sent(write, { ...draftOf(write), edited: '{' }, 'edit')).toHaveProperty('wrong');
    expect(sent(run, { ...draftOf(run), edited: ' ' }, 'edit')).toHaveProperty('wrong');
  });
});

describe('a question', () => {
  it('W18: of one choice is sent with one value, never with two', () => {
    const one = asks(DB);
    let draft = draftOf(one);
    expect(sent(one, draft, 'answer')).toEqual({ wrong: 'Choose an answer first.' });
    draft = pick(pick(draft, 0, { question: DB, option: '1' }), 0, { question: DB, option: '2' });
    expect(sent(one, draft, 'answer')).toEqual({ args: { digest: 'd1', words: ['database=2'] } });
    draft = write(draft, 0, { question: DB, text: 'CockroachDB' });
    expect(sent(one, draft, 'answer')).toEqual({ args: { digest: 'd1', texts: ['CockroachDB'] } });
    const both = { ...draft, picked: [{ options: ['1'], text: 'x', own: true }] };
    expect(sent(one, both, 'answer')).toEqual({ wrong: 'Only one answer can be sent.' });
  });

  it('W18: a text that spells an option or a command stays a text', () => {
    const one = asks(DB);
    for (const text of ['1', 'deny', 'PostgreSQL', 'database=2'])
      expect(sent(one, write(draftOf(one), 0, { question: DB, text }), 'answer')).toEqual({
        args: { digest: 'd1', texts: [text] },
      });
  });

  it('W18: of several choices has them in the order they are offered', () => {
    const multi = asks(FEATURES);
    let draft = draftOf(multi);
    for (const option of ['3', '1', '2', '2']) draft = pick(draft, 0, { question: FEATURES, option });
    expect(sent(multi, draft, 'answer')).toEqual({ args: { digest: 'd1', words: ['features=1', 'features=3'] } });
  });

  it('W18: several are stepped through, reviewed, and sent together', () => {
    const several = asks(DB, FEATURES, NAME);
    let draft = draftOf(several);
    draft = stepTo(pick(draft, 0, { question: DB, option: '2' }), 1);
    draft = stepTo(pick(draft, 1, { question: FEATURES, option: '1' }), 2);
    expect(sent(several, draft, 'answer')).toEqual({ wrong: 'Question 3 has no answer yet.' });
    draft = stepTo(write(draft, 2, { question: NAME, text: 'a=b' }), 99);
    expect(isReview(draft)).toBe(true);
    expect(sent(several, draft, 'answer')).toEqual({
      args: { digest: 'd1', words: ['database=2', 'features=1'], texts: ['name=a=b'] },
    });
  });

  it('keeps one’s own words while another answer is looked at', () => {
    let draft = write(draftOf(asks(DB)), 0, { question: DB, text: 'mine' });
    draft = pick(draft, 0, { question: DB, option: '1' });
    expect(pickedWords(DB, draft.picked[0]!)).toEqual(['PostgreSQL']);
    draft = ownWords(draft, 0, { question: DB, own: true });
    expect(pickedWords(DB, draft.picked[0]!)).toEqual(['mine']);
  });

  it('begins with its default', () => {
    expect(draftOf(asks({ ...DB, default: ['2'] })).picked[0]!.options).toEqual(['2']);
    expect(draftOf(asks({ ...NAME, default: ['x'] })).picked[0]).toMatchObject({ text: 'x', own: true });
    expect(draftOf(asks({ ...NAME, secret: true, default: ['x'] })).picked[0]).toMatchObject({ text: '' });
  });

  it('W19: a secret is not in the review, and takes no suggestion', () => {
    const secret = asks({ ...NAME, secret: true });
    expect(pickedWords({ ...NAME, secret: true }, { options: [], text: 'hunter2', own: true })).toEqual([
      '(not shown)',
    ]);
    const suggestion = { verdict: { kind: 'values', values: {} }, by: { kind: 'default' }, mark: 'm1' } as const;
    expect(deedsOf({ ...secret, inquiry: { ...secret.inquiry, suggestion } }).has('take')).toBe(false);
  });

  it('W20: something else is a refusal with words, and takes some', () => {
    const one = asks(DB);
    expect(sent(one, draftOf(one), 'else')).toHaveProperty('wrong');
    expect(sent(one, { ...draftOf(one), reason: 'none of them' }, 'else')).toEqual({
      args: { digest: 'd1', words: ['deny'], reason: 'none of them' },
    });
    // The word would choose the option.
    expect(deedsOf(asks({ ...DB, options: [{ id: '1', label: 'deny' }] })).has('else')).toBe(false);
  });

  it('takes exactly the suggestion that was shown', () => {
    const suggestion: Card['inquiry']['suggestion'] = {
      verdict: { kind: 'values', values: { database: ['1'] } },
      by: { kind: 'default' },
      mark: 'm1',
    };
    const one = card({ kind: 'question', questions: [DB], suggestion });
    expect(sent(one, draftOf(one), 'take')).toEqual({ args: { digest: 'd1', suggested: 'm1' } });
    expect(sent(asks(DB), draftOf(asks(DB)), 'take')).toHaveProperty('wrong');
  });
});
