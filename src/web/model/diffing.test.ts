import { describe, expect, it } from 'vitest';
import { fileDiff } from './diffing.js';

const many = (count: number, word = 'line') => Array.from({ length: count }, (_, n) => `${word} ${n + 1}\n`).join('');
const drawn = (file: Parameters<typeof fileDiff>[0]) => fileDiff(file).rows.map(({ is, text }) => `${is}${text}`);

describe('a change in rows', () => {
  it('keeps why what is there now is not known', () => {
    expect(fileDiff({ path: 'a', before: '', after: 'x', unseen: 'it is outside the folder' })).toMatchObject({
      added: 1,
      unseen: 'it is outside the folder',
    });
  });

  it('has what goes, what comes, and a little around it', () => {
    const before = many(20);
    const file = { path: 'a.txt', before, after: before.replace('line 10\n', 'line ten\n') };
    expect(drawn(file)).toEqual([
      '@',
      ...[7, 8, 9].map((n) => ` line ${n}`),
      '-line 10',
      '+line ten',
      ...[11, 12, 13].map((n) => ` line ${n}`),
    ]);
    expect(fileDiff(file)).toMatchObject({ added: 1, removed: 1, created: false });
    expect(fileDiff(file).rows.find(({ is }) => is === '+')).toMatchObject({ line: 10 });
  });

  it('of a new file is all of it', () => {
    const made = fileDiff({ path: 'b.md', before: '', after: '# Title\n\ntext\n', created: true });
    expect(made).toMatchObject({ added: 3, removed: 0, created: true });
    expect(made.rows.map(({ text }) => text)).toEqual(['# Title', '', 'text']);
  });

  it('tells a line break that is missing at the end', () => {
    expect(drawn({ path: 'c', before: 'a\n', after: 'a' })).toEqual(['-a', '+a', '@no line break at the end']);
  });

  it('of a piece of a file claims neither lines nor an end', () => {
    const piece = { path: 'p', before: 'floor(x)', after: 'half(x)\n// more', part: true };
    expect(drawn(piece)).toEqual(['-floor(x)', '+half(x)', '+// more']);
    expect(fileDiff(piece).rows.some(({ line }) => line !== undefined)).toBe(false);
    // A line break that comes or goes is part of the change, and is told.
    expect(drawn({ path: 'p', before: 'a', after: 'a\n', part: true })).toContain('@no line break at the end');
    expect(drawn({ path: 'p', before: 'gone', after: '', part: true })).toEqual(['-gone']);
    const far = many(40).trimEnd();
    expect(drawn({ path: 'p', before: far, after: far.replace('line 20', 'x'), part: true })[0]).toBe('@⋯');
  });

  it('gives up on what is too much, and shows the new text whole', () => {
    const huge = fileDiff({ path: 'd', before: many(40_000), after: many(40_000, 'other') });
    expect(huge).toMatchObject({ uncompared: true, added: 40_000 });
    const slow = fileDiff({
      path: 'e',
      before: many(12_000, 'x'),
      after: many(12_000, 'y').split('\n').reverse().join('\n'),
    });
    expect(slow.rows.length).toBeGreaterThan(12_000 - 2);
  });
});
