import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Inquiry, Verdict } from '../../contract/index.js';
import { wordsToVerdict } from '../../host/index.js';
import { around, asked, play, textRows } from './ask.cases.js';
import { pressQuestion, question } from './question.js';
import { questionView } from './question-view.js';

const UP = '\x1b[A';
const DOWN = '\x1b[B';

/** The verdict the host would make of what was pressed. */
function verdict(inquiry: Inquiry, reads: string[]): Verdict | undefined {
  const { does } = play(question(inquiry), reads, pressQuestion);
  return does?.do === 'answer' ? wordsToVerdict(inquiry, does.given.words ?? [], does.given.texts) : undefined;
}
const freely = (text: string): Verdict => ({ kind: 'values', values: { q1: [text] }, free: ['q1'] });
const values = (...given: string[][]): Verdict => ({
  kind: 'values',
  values: Object.fromEntries(given.map((one, at) => [`q${at + 1}`, one])),
});
const shown = (inquiry: Inquiry, reads: string[] = [], columns = 100, rows = 24) =>
  textRows(questionView(play(question(inquiry), reads, pressQuestion).state, around(columns, rows)));

const single = asked({ default: ['2'] });
const multi = asked({ multi: true, default: ['1'] });
const open = asked({ free_text: true });
const text = asked({ options: [], free_text: true });
const two = asked({ header: 'Database' }, { text: 'Which tests?', multi: true });

describe('keys of a question', () => {
  test.each<[string, Inquiry, string[], Verdict | undefined]>([
    ['Enter takes the default', single, ['\r'], values(['2'])],
    ['arrows', single, [DOWN, '\r'], values(['3'])],
    ['arrows go around', single, [DOWN, DOWN, '\r'], values(['1'])],
    ['up', single, [UP, '\r'], values(['1'])],
    ['a digit marks, Enter answers', single, ['3', '\r'], values(['3'])],
    ['a digit alone does not answer', single, ['3'], undefined],
    ['a digit without option', single, ['9', '\r'], values(['2'])],
    ['a paste does not answer', single, ['1\r'], undefined],
    ['d gives no answer', single, ['d'], { kind: 'deny' }],
    ['details and back', single, ['?', 'q', '\r'], values(['2'])],
    ['multi: the default is chosen', multi, ['\r'], values(['1'])],
    ['multi: Space toggles what is marked', multi, [DOWN, ' ', '\r'], values(['1', '2'])],
    ['multi: digits toggle', multi, ['1', '3', '\r'], values(['3'])],
    ['multi: nothing chosen is not sent', multi, ['1', '\r'], undefined],
    ['an own text', open, ['4', '\r', 'MariaDB', '\r'], values(['MariaDB'])],
    ['an own text that is a number stays a text', open, ['4', '\r', '2', '\r'], freely('2')],
    ['an own text that says deny is a text', open, ['4', '\r', 'deny', '\r'], values(['deny'])],
    ['an own text with = in it', open, ['4', '\r', 'a=b', '\r'], values(['a=b'])],
    ['Esc goes back to the options', open, ['4', '\r', 'x', 'Esc', '1', '\r'], values(['1'])],
    ['an empty text is not sent', open, ['4', '\r', '\r'], undefined],
    ['without options one types at once', text, ['a lot', '\r'], values(['a lot'])],
    ['pasted breaks stay in the text, and do not send it', text, ['one\rtwo\r', '\r'], values(['one\ntwo'])],
    ['Esc and d: no answer to a text', text, ['x', 'Esc', 'd'], { kind: 'deny' }],
    [
      'a default text is there to edit',
      asked({ options: [], free_text: true, default: ['main'] }),
      ['2', '\r'],
      values(['main2']),
    ],
    ['a default text beside options', asked({ free_text: true, default: ['main'] }), ['\r', '\r'], values(['main'])],
    [
      'multi with an own text',
      asked({ multi: true, free_text: true }),
      ['1', '4', 'mine', '\r', '\r'],
      values(['1', 'mine']),
    ],
    [
      'several: one after the other, then the review',
      two,
      ['1', '\r', '2', '3', '\r', '\r'],
      values(['1'], ['2', '3']),
    ],
    ['several: nothing leaves before the review', two, ['1', '\r', '2', '\r'], undefined],
    [
      'several: back from the review, changed',
      two,
      ['\r', '2', '\r', 'Esc', '2', '1', '\r', '\r'],
      values(['1'], ['1']),
    ],
    ['several: back to the first', two, ['\r', 'Esc', '3', '\r', '1', '\r', '\r'], values(['3'], ['1'])],
    ['several: d at the review', two, ['\r', '1', '\r', 'd'], { kind: 'deny' }],
  ])('%s', (_name, inquiry, reads, answer) => {
    expect(verdict(inquiry, reads)).toEqual(answer);
  });

  test('whatever is pressed, an answer fits the question', () => {
    const reads = fc.array(fc.constantFrom(UP, DOWN, '1', '2', '3', '4', ' ', '\r', 'Esc', 'x', '?', 'q', 'ab'), {
      maxLength: 25,
    });
    const inquiries = fc.constantFrom(
      single,
      multi,
      open,
      text,
      two,
      asked({ multi: true, free_text: true }, { free_text: true }),
    );
    fc.assert(
      fc.property(inquiries, reads, (inquiry, pressed) => {
        // The host throws on a value that fits no question.
        const answer = verdict(inquiry, pressed);
        if (answer) expect(answer.kind).toBe('values');
      }),
    );
  });
});

describe('how a question looks', () => {
  test('one of several, the default marked', () => {
    expect(shown(asked({ default: ['2'], header: 'Storage', free_text: true }))).toEqual([
      'claude asks · k7f2m9qd.3',
      'Storage: Which database?',
      '  1. PostgreSQL',
      '❯ 2. SQLite (default)',
      '  3. None',
      '  4. Type an answer…',
      '[↑↓ 1–4] move  [Enter] answer  [d] no answer  [?] details',
    ]);
  });

  test('several to choose', () => {
    expect(shown(multi, [DOWN, ' '])).toEqual([
      'claude asks · k7f2m9qd.3',
      'Which database?',
      '  [x] 1. PostgreSQL (default)',
      '❯ [x] 2. SQLite',
      '  [ ] 3. None',
      '[↑↓ 1–3] move, toggle  [Space] toggle  [Enter] answer  [d] no answer  [?] details',
    ]);
  });

  test('the review', () => {
    expect(shown(two, ['\r', '2', '3', '\r'])).toEqual([
      'claude asks · k7f2m9qd.3 · your answers',
      '  Database: PostgreSQL',
      '  Which tests?: SQLite, None',
      '[Enter] send  [Esc] back  [d] no answer',
    ]);
  });

  test('a secret is nowhere: not while it is typed, not in the review, not in the summary', () => {
    const secret = asked({ options: [], free_text: true, secret: true, default: ['hunter1'] }, {});
    const typing = ['hunter2'];
    expect(shown(secret, typing).join('\n')).not.toMatch(/hunter/);
    const all = [...typing, '\r', '\r'];
    expect(shown(secret, all)).toContain('  Which database?: (not shown)');
    const { does } = play(question(secret), [...all, '\r'], pressQuestion);
    expect(does).toMatchObject({ given: { words: ['q2=1'], texts: ['q1=hunter2'] } });
    expect(JSON.stringify((does as { summary: unknown }).summary)).not.toMatch(/hunter/);
  });

  test('a long list keeps the marked line in sight', () => {
    const options = Array.from({ length: 50 }, (_, at) => ({
      id: `o${at}`,
      label: `option ${at}`,
      description: 'd'.repeat(300),
    }));
    const reads = Array.from({ length: 30 }, () => DOWN);
    const rows = shown(asked({ options, text: 'long\n'.repeat(30) }), reads, 80, 20);
    expect(rows.length).toBeLessThan(20);
    expect(rows.some((row) => row.startsWith('❯ 31. option 30'))).toBe(true);
    expect(rows.some((row) => /↑ \d+ more/.test(row)) && rows.some((row) => /↓ \d+ more/.test(row))).toBe(true);
  });
});
