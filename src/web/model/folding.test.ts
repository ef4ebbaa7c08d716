import { describe, expect, it } from 'vitest';
import { fold, SHOWN_LINES, withoutGaps } from './folding.js';

const plain = (text: string) => ({ text, is: 'plain' as const });
const lines = (count: number) => Array.from({ length: count }, (_, n) => `line ${n + 1}`).join('\n');
const textOf = (pieces: readonly { text: string }[]) => pieces.map(({ text }) => text).join('');

describe('a long thing', () => {
  it('is shown whole up to where a fold is worth a tap', () => {
    for (const count of [1, SHOWN_LINES, SHOWN_LINES + 3])
      expect(fold([plain(lines(count))])).toMatchObject({ lines: 0, chars: 0 });
  });

  it('shows twelve lines, and says how many more there are', () => {
    const folded = fold([plain(lines(340))]);
    expect(textOf(folded.shown)).toBe(`${lines(12)}\n`);
    expect(folded.lines).toBe(328);
  });

  it('is folded across spans at the same place', () => {
    const spans = lines(40)
      .split(/(?<=\n)/)
      .map(plain);
    expect(textOf(fold(spans).shown)).toBe(`${lines(12)}\n`);
    expect(fold(spans).lines).toBe(28);
  });

  it('of one line is folded by its length, never inside a character', () => {
    const folded = fold([plain('😀'.repeat(2001))]);
    expect(folded.chars).toBeGreaterThan(2000);
    expect(textOf(folded.shown)).toMatch(/^(😀)+$/u);
  });

  it('does not hide what comes behind empty lines', () => {
    const folded = fold([plain(`ls${'\n'.repeat(200)}rm -rf ~`)]);
    expect(textOf(folded.shown)).toBe('ls\n⋯ 199 empty lines\nrm -rf ~');
    expect(withoutGaps([plain('a\n\nb')])).toEqual([plain('a\n\nb')]);
  });
});
