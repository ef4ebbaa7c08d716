import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Answer, Inquiry, InquiryId, Question, SessionId } from '../contract/index.js';
import { takenSuggestion, wordsToVerdict } from './answer-words.js';
import { publicAnswer, verdictFits } from './verdict-fits.js';

const base = { id: 'k7f2m9qd.1' as InquiryId, session: 'k7f2m9qd' as SessionId, opened_at: '', exclusive: false };
const run: Inquiry = { ...base, kind: 'run', tool: 'Bash' };
const DB: Question = {
  id: 'db',
  text: 'Which database?',
  options: [
    { id: 'pg', label: 'PostgreSQL' },
    { id: 'my', label: 'My SQL' },
    { id: 'x=y', label: 'x=y' },
  ],
  multi: false,
  free_text: false,
};
const asks = (...questions: Question[]): Inquiry => ({ ...base, kind: 'question', questions });
const values = (given: Record<string, string[]>) => ({ kind: 'values', values: given });

describe('texts are taken as they stand', () => {
  const open = { ...DB, free_text: true };
  const name: Question = { id: 'name', text: 'Its name?', options: [], multi: false, free_text: true };

  it.each<[string, Inquiry, string[], string[], unknown]>([
    [
      'a number is no option',
      asks({ ...open, options: [{ id: '1', label: 'a' }] }),
      [],
      ['1'],
      { ...values({ db: ['1'] }), free: ['db'] },
    ],
    ['a number beyond the ids needs no word about it', asks(open), [], ['2'], values({ db: ['2'] })],
    ['a label', asks(open), [], ['My SQL'], { ...values({ db: ['My SQL'] }), free: ['db'] }],
    ['spaces stay', asks(open), [], [' postgresql '], values({ db: [' postgresql '] })],
    ['deny is a text', asks(open), [], ['deny'], values({ db: ['deny'] })],
    ['= is a letter, where there is one question', asks(open), [], ['db=pg'], values({ db: ['db=pg'] })],
    [
      'beside options that were chosen',
      asks({ ...open, multi: true }),
      ['pg', 'my'],
      ['pg'],
      { ...values({ db: ['pg', 'my', 'pg'] }), free: ['db'] },
    ],
    [
      'by name, where there are several',
      asks(open, name),
      ['db=pg'],
      ['name=a=b'],
      values({ db: ['pg'], name: ['a=b'] }),
    ],
    ['all of them', asks(open, name), [], ['db=x', 'name=y'], values({ db: ['x'], name: ['y'] })],
  ])('%s', (_, inquiry, words, texts, verdict) => {
    expect(wordsToVerdict(inquiry, words, texts)).toEqual(verdict);
  });

  it.each<[string, Inquiry, string[], string[]]>([
    ['a closed question', asks(DB), [], ['pg']],
    ['an empty text', asks(open), [], ['']],
    ['two texts for one question', asks(open), [], ['a', 'b']],
    ['an option and a text, where one may be chosen', asks(open), ['pg'], ['a']],
    ['no name, where there are several', asks(open, name), ['db=pg'], ['y']],
    ['a name nobody knows', asks(open, name), ['db=pg'], ['other=y']],
    ['a permission', run, [], ['sure']],
  ])('%s is refused', (_, inquiry, words, texts) => {
    expect(() => wordsToVerdict(inquiry, words, texts)).toThrow(expect.objectContaining({ code: 'ANSWER_INVALID' }));
  });
});

describe('words become a verdict', () => {
  it.each([
    ['allow', 'allow'],
    ['yes', 'allow'],
    ['Y', 'allow'],
    ['deny', 'deny'],
    ['NO', 'deny'],
    ['n', 'deny'],
  ])('run: %s is %s', (word, kind) => {
    expect(wordsToVerdict(run, [word])).toEqual({ kind });
    expect(wordsToVerdict({ ...run, kind: 'deliver' }, [word])).toEqual({ kind });
  });

  it.each([[[]], [['']], [['sure']], [['allow', 'deny']], [['allow', 'it']], [['1']]])(
    'run: %j is refused',
    (words) => {
      expect(() => wordsToVerdict(run, words)).toThrow(expect.objectContaining({ code: 'ANSWER_INVALID', exit: 2 }));
    },
  );

  it.each([
    ['an id', ['pg'], 'pg'],
    ['a label', ['PostgreSQL'], 'pg'],
    ['a label in another case', [' postgresql '], 'pg'],
    ['a label of several words', ['My', 'SQL'], 'my'],
    ['a number', ['2'], 'my'],
    ['its name and an id', ['db=pg'], 'pg'],
    ['its name and a label', ['db=My SQL'], 'my'],
    ['an option that looks like a name', ['x=y'], 'x=y'],
  ])('one question: by %s', (_, words, expected) => {
    expect(wordsToVerdict(asks(DB), words)).toEqual(values({ db: [expected] }));
  });

  it.each([
    [[]],
    [['']],
    [['mysql']],
    [['0']],
    [['4']],
    [['99']],
    [['pg', 'my']],
    [['other=pg']],
    [['db=']],
    [['constructor']],
  ])('one question: %j is refused, with the choices', (words) => {
    expect(() => wordsToVerdict(asks(DB), words)).toThrow(
      expect.objectContaining({ code: 'ANSWER_INVALID', hint: expect.stringMatching(/PostgreSQL|\|/) }),
    );
  });

  it('deny refuses a question, unless it is one of its answers', () => {
    expect(wordsToVerdict(asks(DB), ['deny'])).toEqual({ kind: 'deny' });
    const gate = {
      ...DB,
      options: [
        { id: '1', label: 'allow' },
        { id: '2', label: 'deny' },
      ],
    };
    expect(wordsToVerdict(asks(gate), ['deny'])).toEqual(values({ db: ['2'] }));
  });

  it('an id goes before a label, a label before a number', () => {
    const twisted = {
      ...DB,
      options: [
        { id: '2', label: '1' },
        { id: '1', label: '3' },
        { id: 'c', label: '2' },
      ],
    };
    expect(wordsToVerdict(asks(twisted), ['1'])).toEqual(values({ db: ['1'] }));
    expect(wordsToVerdict(asks(twisted), ['2'])).toEqual(values({ db: ['2'] }));
    expect(wordsToVerdict(asks(twisted), ['3'])).toEqual(values({ db: ['1'] }));
  });

  it('a label that two options have is not guessed', () => {
    const twins = {
      ...DB,
      options: [
        { id: 'a', label: 'Same' },
        { id: 'b', label: 'Same' },
      ],
    };
    expect(() => wordsToVerdict(asks(twins), ['Same'])).toThrow('no option');
    expect(wordsToVerdict(asks(twins), ['b'])).toEqual(values({ db: ['b'] }));
  });

  it('several answers where they are welcome', () => {
    const multi = { ...DB, multi: true };
    expect(wordsToVerdict(asks(multi), ['pg', '2'])).toEqual(values({ db: ['pg', 'my'] }));
    expect(wordsToVerdict(asks(multi), ['My', 'SQL'])).toEqual(values({ db: ['my'] }));
    expect(wordsToVerdict(asks(multi), ['db=pg', 'db=my'])).toEqual(values({ db: ['pg', 'my'] }));
    expect(() => wordsToVerdict(asks(DB), ['db=pg', 'db=my'])).toThrow('takes one answer');
  });

  it('free text as it was written', () => {
    const free: Question = { ...DB, id: 'name', options: [], free_text: true };
    expect(wordsToVerdict(asks(free), ['a=b', 'c'])).toEqual(values({ name: ['a=b c'] }));
    expect(wordsToVerdict(asks(free), ['name=x=y\nz'])).toEqual(values({ name: ['x=y\nz'] }));
    expect(wordsToVerdict(asks(free), ['3'])).toEqual(values({ name: ['3'] }));
    expect(() => wordsToVerdict(asks(free), ['x'.repeat(64 * 1024 + 1)])).toThrow('too long');
  });

  it('several questions are named, each of them', () => {
    const both = asks(DB, { ...DB, id: 'cache' });
    expect(wordsToVerdict(both, ['cache=pg', 'db=My SQL'])).toEqual(values({ cache: ['pg'], db: ['my'] }));
    expect(() => wordsToVerdict(both, ['db=pg'])).toThrow('question cache has no answer');
    expect(() => wordsToVerdict(both, ['pg', 'pg'])).toThrow('names no question');
    expect(() => wordsToVerdict(both, ['db=pg', 'other=pg'])).toThrow('"other=pg" names no question');
  });

  it('a question of any name is a question', () => {
    for (const id of ['__proto__', 'constructor', 'toString']) {
      const odd = asks({ ...DB, id });
      expect(wordsToVerdict(odd, ['pg'])).toEqual(values(Object.fromEntries([[id, ['pg']]])));
      expect(verdictFits(odd, { kind: 'values', values: {} })).toBe(`question ${id} has no answer`);
    }
  });

  it('whatever is said, it fits or it is refused', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string(), fc.constantFrom('pg', '1', 'db=', 'db=pg', 'deny'))), (words) => {
        const inquiry = asks(DB);
        try {
          expect(verdictFits(inquiry, wordsToVerdict(inquiry, words))).toBeUndefined();
        } catch (error) {
          expect(error).toMatchObject({ code: 'ANSWER_INVALID' });
        }
      }),
    );
  });
});

describe('a verdict fits', () => {
  it.each([
    ['allow for run', run, { kind: 'allow' }, undefined],
    ['deny for anything', asks(DB), { kind: 'deny' }, undefined],
    ['a changed input where it is taken', { ...run, editable: true }, { kind: 'allow', input: {} }, undefined],
    ['not a changed input elsewhere', run, { kind: 'allow', input: {} }, /changed input/],
    ['not allow for a question', asks(DB), { kind: 'allow' }, /wants a value/],
    ['not values for run', run, values({}), /allow or deny/],
    ['not a label', asks(DB), values({ db: ['PostgreSQL'] }), /no option/],
    ['not nothing', asks(DB), values({ db: [] }), /no answer/],
    ['not another question', asks(DB), values({ db: ['pg'], more: ['x'] }), /no question more/],
  ] as [string, Inquiry, Answer['verdict'], RegExp | undefined][])('%s', (_, inquiry, verdict, wrong) => {
    if (wrong) expect(verdictFits(inquiry, verdict)).toMatch(wrong);
    else expect(verdictFits(inquiry, verdict)).toBeUndefined();
  });
});

it('what was typed into a secret question is not written down', () => {
  const inquiry = asks({ ...DB, id: 'key', secret: true }, DB);
  const answer = {
    inquiry: base.id,
    by: { kind: 'default' },
    verdict: values({ key: ['s3cret', 'x'], db: ['pg'] }),
  } as Answer;
  expect(publicAnswer(inquiry, answer).verdict).toEqual(values({ key: ['(secret)'], db: ['pg'] }));
  expect(answer.verdict).toEqual(values({ key: ['s3cret', 'x'], db: ['pg'] }));
});

it('D1: a dialog nobody can read takes no word, and says where to answer it', () => {
  const unread: Inquiry = { ...base, kind: 'run', tool: 'dialog', input: { screen: '1. yes' }, exclusive: true };
  for (const kind of ['allow', 'deny'] as const)
    expect(verdictFits(unread, { kind })).toMatch(/reins attach.*send --keys/);
  // A tool that happens to have this name is no dialog.
  expect(verdictFits({ ...unread, exclusive: false }, { kind: 'allow' })).toBeUndefined();
});

describe('what is typed at a terminal', () => {
  const given = (of: Record<string, string[]>) => ({ kind: 'values' as const, values: of });
  const terminal: Inquiry = {
    ...asks({ ...DB, id: 'password', options: [], free_text: true, secret: true }),
    tool: 'terminal',
  };
  it.each(['a\nb', 'a\rb', '\x1b[200~x\x1b[201~', 'x\x03', '\x9b1A', 'ö'.repeat(2001)])(
    'is one line, not %j',
    (text) => {
      expect(verdictFits(terminal, given({ password: [text] }))).toMatch(/one line/);
      // Elsewhere a text may have several.
      const elsewhere = { ...terminal, tool: 'AskUserQuestion' };
      expect(verdictFits(elsewhere, given({ password: [text] }))).toBeUndefined();
    },
  );
  it('takes any other', () => expect(verdictFits(terminal, given({ password: ['p4 ss ö "$(x)'] }))).toBeUndefined());
});

describe('C8: a suggestion that is taken', () => {
  const suggestion = { verdict: { kind: 'deny' as const }, by: { kind: 'default' as const }, mark: 'abc' };
  it('is the one that was seen', () => expect(takenSuggestion(base.id, suggestion, 'abc')).toBe(suggestion));
  it.each([
    ['another one', suggestion, 'abd', /has changed/],
    ['none', undefined, 'abc', /nothing is suggested/],
    ['one without a name', { ...suggestion, mark: undefined }, '', /has changed/],
  ])('%s is refused, with what to do', (_, now, mark, why) => {
    expect(() => takenSuggestion(base.id, now, mark)).toThrow(why);
  });
});
