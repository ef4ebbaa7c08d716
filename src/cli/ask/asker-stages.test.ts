/** What the prompt says about time, and about an answer that somebody suggests. */
import { describe, expect, test } from 'vitest';
import type { Suggestion } from '../../contract/index.js';
import { asked, inquiryOf } from './ask.cases.js';
import { answers, asker, call, clock, settled, show, start, tty } from './asker.cases.js';

const until = (ms: number) => new Date(clock.now() + ms).toISOString();
const suggestion: Suggestion = {
  verdict: { kind: 'values', values: { q1: ['1'] } },
  by: { kind: 'consultant', adapter: 'codex' },
  reason: 'it is what ROADMAP.md names',
  cites: [{ source: 'S2', name: 'ROADMAP.md' }],
  mark: 'a1b2c3',
};
/** Everything written to the terminal from here on. */
function listen(): () => string {
  let written = '';
  const write = tty.write.bind(tty);
  tty.write = (text) => {
    written += text;
    write(text);
  };
  return () => written;
}

describe('the time that is left', () => {
  test('counts down on one row, and nothing else is drawn again', async () => {
    show(inquiryOf());
    asker.moved('k7f2m9qd.3', { stage: 'asking', until: until(252_000), next: 'consult', who: 'codex' });
    expect((await tty.lines())[1]).toBe('┃ answered by codex in 4 min 12 s if you do not answer');
    const before = await tty.lines();
    const written = listen();
    clock.advance(2_000);
    const after = await tty.lines();
    expect(after[1]).toBe('┃ answered by codex in 4 min 10 s if you do not answer');
    expect(after.toSpliced(1, 1)).toEqual(before.toSpliced(1, 1));
    expect(written()).not.toContain('\x1b[J');
    expect(written()).not.toContain('npm test');
    expect(written().length).toBeLessThan(200);
  });

  test('leaves the cursor and what is typed where they were', async () => {
    show(inquiryOf());
    asker.moved('k7f2m9qd.3', { stage: 'asking', until: until(60_000), next: 'deny' });
    tty.press('r');
    for (const key of 'not n') tty.press(key);
    clock.advance(3_000);
    for (const key of 'ow') tty.press(key);
    expect((await tty.lines()).at(-1)).toMatch(/not now$/);
    tty.press('\r');
    await settled();
    expect(answers).toEqual([['k7f2m9qd.3', { words: ['deny'], reason: 'not now' }]]);
  });

  test('stops with the prompt, and ends at zero', async () => {
    show(inquiryOf());
    asker.moved('k7f2m9qd.3', { stage: 'asking', until: until(1_500), next: 'deny' });
    clock.advance(10_000);
    expect((await tty.lines())[1]).toBe('┃ denied in 0 s if you do not answer');
    expect(clock.waiting).toBe(0);
    tty.press('n');
    await settled();
    expect(clock.waiting).toBe(0);
  });

  test('is written once where a row cannot be drawn over', () => {
    asker.close();
    start({ env: { TERM: 'dumb' } });
    show(inquiryOf());
    asker.moved('k7f2m9qd.3', { stage: 'asking', until: until(60_000), next: 'deny' });
    const written = listen();
    clock.advance(30_000);
    expect(written()).toBe('');
  });
});

test('what was decided before on a like question stands below it, as text', async () => {
  asker.close();
  start({ earlier: () => 'earlier: Which database? → \x1b[31mPostgreSQL (by you, 2026-01-02)' });
  show(asked({}));
  expect((await tty.lines()).find((line) => line.includes('earlier'))).toMatch(
    /Which database\? → .*PostgreSQL \(by you, 2026-01-02\)$/,
  );
  expect(tty.written).not.toContain('\x1b[31m');
});

describe('C8: a suggestion on the prompt', () => {
  test('is shown with its reason; s and Enter take it, by its mark', async () => {
    show(asked({}));
    asker.moved('k7f2m9qd.3', { stage: 'asking', suggestion });
    expect(await tty.lines()).toContain('┃ codex suggests PostgreSQL: it is what ROADMAP.md names (ROADMAP.md)');
    tty.press('s');
    await settled();
    expect(answers).toEqual([]);
    tty.press('\r');
    await settled();
    expect(answers).toEqual([['k7f2m9qd.3', { suggested: 'a1b2c3' }]]);
    expect(await tty.lines()).toEqual(['┃ ✓ answered as codex suggested: PostgreSQL · Which database?']);
  });

  test('on a permission: t and Enter take it; y and n stay what they are', async () => {
    const no = { ...suggestion, verdict: { kind: 'deny' as const }, reason: 'nothing needs it' };
    show(call('make', 3));
    asker.moved('k7f2m9qd.3', { stage: 'asking', suggestion: no });
    expect(await tty.lines()).toContain('┃ codex suggests deny: nothing needs it (ROADMAP.md)');
    for (const key of ['t', '\x1b', '\r']) tty.press(key);
    clock.advance(100);
    await settled();
    expect(answers).toEqual([]);
    for (const key of ['t', '\r']) tty.press(key);
    await settled();
    expect(answers).toEqual([['k7f2m9qd.3', { suggested: 'a1b2c3' }]]);
    expect(await tty.lines()).toEqual(['┃ ✗ denied as codex suggested · Bash: make']);
  });

  test.each([
    ['Esc', ['s', '\x1b']],
    ['another key', ['s', 'x']],
    ['a paste', ['\x1b[200~s\r\x1b[201~']],
  ])('is not taken with %s', async (_, keys) => {
    show(asked({}));
    asker.moved('k7f2m9qd.3', { stage: 'asking', suggestion });
    for (const key of keys) tty.press(key);
    clock.advance(100);
    await settled();
    expect(answers).toEqual([]);
  });

  test('one that came since is not taken in the place of the one that was shown', async () => {
    show(asked({}));
    asker.moved('k7f2m9qd.3', { stage: 'asking', suggestion });
    tty.press('s');
    const other = { ...suggestion, verdict: { kind: 'values' as const, values: { q1: ['2'] } }, mark: 'ffffff' };
    asker.moved('k7f2m9qd.3', { stage: 'deferred', suggestion: other });
    tty.press('\r');
    await settled();
    expect(answers).toEqual([['k7f2m9qd.3', { suggested: 'a1b2c3' }]]);
  });

  test('without one the key means nothing; typed into a text it is a letter', async () => {
    show(asked({ free_text: true, options: [] }));
    asker.moved('k7f2m9qd.3', { stage: 'asking', suggestion });
    for (const key of ['s', 'q', 'l', '\r']) tty.press(key);
    await settled();
    expect(answers).toEqual([['k7f2m9qd.3', { words: [], texts: ['sql'] }]]);
  });

  test('its words come from a model: they draw nothing of their own', async () => {
    show(asked({}));
    const evil = { ...suggestion, reason: 'x\x1b[2J\r\n┃ [y] allow everything' };
    asker.moved('k7f2m9qd.3', { stage: 'asking', suggestion: evil });
    const lines = await tty.lines();
    expect(lines.every((line) => line.startsWith('┃'))).toBe(true);
    expect(lines.filter((line) => line.startsWith('┃ [y]'))).toEqual([]);
    expect(lines[0]).toBe('┃ claude asks · k7f2m9qd.3');
  });
});
