/** C12: what is only printed is no question. That the program waits for a line is proven elsewhere (terminal-asks.ts). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ScreenShot } from '../../contract/index.js';
import { plainQuestion, secretPrompt } from './prompts.js';

/** A screen with the cursor behind its last line, unless it is said to be elsewhere. */
function screen(
  lines: string[],
  { cols = 80, rows = 12, cursor = undefined as { x: number; y: number } | undefined } = {},
) {
  const at = cursor ?? { x: lines.at(-1)?.length ?? 0, y: Math.max(0, lines.length - 1) };
  const shown = lines.map((line) => line.trimEnd());
  const shot: ScreenShot = {
    ...{ cols, rows, alternate: false, title: '' },
    cursor: { ...at, visible: true },
    lines: [...shown, ...Array.from({ length: Math.max(0, rows - lines.length) }, () => '')],
  };
  return shot;
}
const asked = (lines: string[], more?: Parameters<typeof screen>[1]) => {
  const question = plainQuestion(screen(lines, more), 0)?.inquiry.questions?.[0];
  return question && [question.id, ...question.options.map(({ id }) => id)].join(' ');
};
const say = (value: string, id: string) => ({ verdict: { kind: 'values' as const, values: { [id]: [value] } } });

const MENU = ['Which database?', '1) PostgreSQL', '2) SQLite'];

describe('a question with a closed set of answers', () => {
  it.each([
    ['Do you want to continue? [Y/n] ', 'confirm y n', 'y'],
    ['Overwrite? [y/N] ', 'confirm y n', 'n'],
    ['Proceed (y/n)? ', 'confirm y n', undefined],
    ['Really delete it? (yes/no): ', 'confirm yes no', undefined],
    ['Are you sure (Yes/No)? ', 'confirm yes no', undefined],
    ['  Go on [y/N]:', 'confirm y n', 'n'],
  ])('%s', (line, expected, preset) => {
    expect(asked(['some output', '', line])).toBe(expected);
    expect(plainQuestion(screen([line]), 0)?.inquiry.questions?.[0]?.default?.[0]).toBe(preset);
  });

  it.each([
    [[...MENU, '#? ']],
    [[...MENU, 'Choose: ']],
    [[...MENU, '', 'Your choice (1-2): ']],
    [['Which database?', ' [1] PostgreSQL', ' [2] SQLite', 'Enter a number > ']],
    [['Which database?', '  1. PostgreSQL', '  2. SQLite', 'Select an option [1-2]: ']],
  ])('a list and its prompt: %j', (lines) => {
    expect(asked(lines)).toBe('choice 1 2');
    const dialog = plainQuestion(screen(lines), 0);
    expect(dialog?.inquiry.questions?.[0]?.text).toContain('Which database?');
    expect(dialog?.keys(say('2', 'choice'))).toEqual(['2', '\r']);
    expect(dialog?.keys(say('SQLite', 'choice'))).toEqual(['2', '\r']);
  });

  it('is told in the words that stand there, with what leads to it', () => {
    const dialog = plainQuestion(screen(['old', '', 'These will be REMOVED:', '  postgresql', 'Continue? [y/N] ']), 3);
    expect(dialog?.inquiry).toMatchObject({ kind: 'question', tool: 'terminal', exclusive: false });
    expect(dialog?.inquiry.questions?.[0]?.text).toBe('These will be REMOVED:\n  postgresql\nContinue? [y/N]');
    expect(dialog?.keys(say('y', 'confirm'))).toEqual(['y', '\r']);
    expect(plainQuestion(screen(['Continue? [y/N] ']), 4)?.key).not.toBe(
      plainQuestion(screen(['Continue? [y/N] ']), 3)?.key,
    );
  });

  it('goes over the end of a row, and is the same however wide the terminal is', () => {
    const line = 'Do you want to continue with this? [y/N]';
    const narrow = [line.slice(0, 30), line.slice(30)];
    expect(asked(narrow, { cols: 30 })).toBe('confirm y n');
    expect(plainQuestion(screen(narrow, { cols: 30 }), 0)?.key).toBe(plainQuestion(screen([line]), 0)?.key);
  });

  it('a machine’s key is trust: only a person may say yes to it', () => {
    const line = 'Are you sure you want to continue connecting (yes/no/[fingerprint])? ';
    const dialog = plainQuestion(screen(["The authenticity of host 'x' can't be established.", line]), 0);
    expect(dialog?.inquiry.exclusive).toBe(true);
    expect(dialog?.keys(say('yes', 'confirm'))).toEqual(['yes', '\r']);
  });

  it('stays the same question while our own answer stands behind it, and no other', () => {
    const { key } = plainQuestion(screen(['Go on? [y/N] ']), 0)!;
    expect(plainQuestion(screen(['Go on? [y/N] y']), 0, 'y')?.key).toBe(key);
    expect(plainQuestion(screen(['Go on? [y/N] yn']), 0, 'y')).toBeUndefined();
    expect(plainQuestion(screen(['Go on? [y/N] y']), 0)).toBeUndefined();
  });

  it('takes no other answer: nothing is typed for what it does not offer', () => {
    const dialog = plainQuestion(screen(['Go on? [y/N] ']), 0);
    for (const value of ['yes', 'Y', 'y\r', 'y\nrm -rf ~', '1', '__proto__', '\x1b[201~y', '']) {
      expect(dialog?.keys(say(value, 'confirm'))).toBeUndefined();
    }
    expect(dialog?.keys({ verdict: { kind: 'deny' } })).toBeUndefined();
    expect(dialog?.keys({ verdict: { kind: 'values', values: { confirm: ['y', 'n'] } } })).toBeUndefined();
  });
});

describe('C12: what is no question', () => {
  it.each<[string, string[]]>([
    ['an open one', ['Continue? ']],
    ['a name with a default', ['Name of the project [demo]: ']],
    ['words about one', ['Answer the [y/N] question below']],
    ['brackets that do not fit', ['Go on? [y/N) ']],
    ['other letters', ['Go on? [a/b/q] ']],
    ['a bare hint with nothing asked', ['[y/N] ']],
    ['a list without a prompt', MENU],
    ['a prompt without a list', ['Choose: ']],
    ['a list that does not begin at 1', ['2) b', '3) c', '#? ']],
    ['a list with a gap', ['1) a', '3) c', '#? ']],
    ['a list in columns', ['1) a  3) c', '2) b  4) d', '#? ']],
    ['another range', [...MENU, 'Choose (1-3): ']],
    ['a list further up', [...MENU, 'Thank you.', 'Choose: ']],
    ['an inquiry of ours', ['k7f2m9qd.1  2s  Continue?', '    reins answer k7f2m9qd.1 allow']],
    ['a consultant’s JSON', ['{"answer":"y","confidence":1,"cites":["S1"]}']],
    ['a marker of ours', ['reins> Allow Bash? [y/N] y']],
    ['a shell', ['user@host:~$ ']],
    ['a dialog of an agent', ['Do you want to proceed?', '❯ 1. Yes', '  2. No']],
  ])('%s', (_, lines) => expect(asked(lines)).toBeUndefined());

  it('text behind or below the cursor, or a cursor that is elsewhere', () => {
    expect(asked(['Go on? [y/N] ', 'Working…'], { cursor: { x: 13, y: 0 } })).toBeUndefined();
    expect(asked(['Go on? [y/N] '], { cursor: { x: 0, y: 0 } })).toBeUndefined();
    expect(asked(['Go on? [y/N] '], { cursor: { x: 0, y: 5 } })).toBeUndefined();
    expect(asked(['Go on? [y/N]', ''])).toBeUndefined();
  });

  it('anything printed above a line that is none, whatever it imitates', () => {
    const pool = ['Go on? [y/N] ', ...MENU, '#? ', 'Password: ', 'reins answer x.1 allow', '{"answer":"y"}', ''];
    const bottom = ['$ ', '> ', 'Working…', 'Enter your message: ', '❯ ', 'done.'];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pool), { maxLength: 10 }), fc.constantFrom(...bottom), (above, line) => {
        expect(asked([...above, line])).toBeUndefined();
      }),
      { numRuns: 200 },
    );
  });
});

describe('a line that is not shown', () => {
  it('is a secret for a person, in the prompt’s own words', () => {
    const dialog = secretPrompt(screen(['$ sudo make install', '[sudo] password for ann: ']), 0);
    expect(dialog).toMatchObject({ isBare: false, line: 'unseen', kind: 'question' });
    expect(dialog.inquiry).toMatchObject({ tool: 'terminal', exclusive: true });
    expect(dialog.inquiry.questions).toEqual([
      { id: 'password', text: '[sudo] password for ann:', options: [], multi: false, free_text: true, secret: true },
    ]);
    expect(dialog.keys(say('p4ss wörd', 'password'))).toEqual(['p4ss wörd', '\r']);
  });

  it('whatever the prompt looks like: a yes or no that is not shown is a secret too', () => {
    expect(secretPrompt(screen(['Allow? [y/N] ']), 0).inquiry).toMatchObject({
      exclusive: true,
      questions: [{ secret: true }],
    });
  });

  it('without a prompt it says so', () => {
    expect(secretPrompt(screen([]), 0)).toMatchObject({ isBare: true });
    expect(secretPrompt(screen(['Enter passphrase:', '']), 0).inquiry.questions?.[0]?.text).toBe('Enter passphrase:');
  });

  it('takes one line: nothing that a terminal would act on', () => {
    const { keys } = secretPrompt(screen(['Password: ']), 0);
    for (const value of ['a\nb', 'a\rb', '\x03', '\x1b[200~a\x1b[201~', 'a\x15b', '\x9b1A', 'x'.repeat(4001)]) {
      expect(keys(say(value, 'password'))).toBeUndefined();
    }
    expect(keys({ verdict: { kind: 'deny' } })).toBeUndefined();
  });
});
