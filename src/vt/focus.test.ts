import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FocusWish, withoutFocus } from './focus.js';

const wish = (...pieces: string[]): boolean => {
  const one = new FocusWish();
  for (const piece of pieces) one.saw(Buffer.from(piece, 'latin1'));
  return one.wants;
};

describe('what a program says about reports of focus', () => {
  test.each([
    [['\x1b[?1004h'], true],
    [['\x1b[?2004;1004h text'], true],
    [['\x1b[?1004h', '\x1b[?1004l'], false],
    [['\x1b[?1004h\x1b[?1004l'], false],
    [['\x1b[?1004l', '\x1b[?25l', '\x1b[?1004h'], true],
    [['\x1b[?10041h', '1004h', '\x1b[1004h'], false],
  ])('%j: %s', (pieces, wants) => {
    expect(wish(...pieces)).toBe(wants);
  });

  test('the same, however it is cut', () => {
    const text = 'a\x1b[?2004;1004hb\x1b[31mc\x1b[?1004l\x1b\x1b[?1;1004h x';
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 12 }), (cuts) => {
        const at = [0, ...cuts.sort((a, b) => a - b), text.length];
        expect(wish(...at.slice(1).map((end, index) => text.slice(at[index], end)))).toBe(true);
      }),
    );
  });
});

describe('what a terminal sends', () => {
  test.each([
    ['abc', 'abc', undefined],
    ['\x1b[A', '\x1b[A', undefined],
    ['\x1b[I', '', true],
    ['\x1b[O', '', false],
    ['a\x1b[Ob\x1b[Ic', 'abc', true],
    ['\x1b[I\x1b[O\x1b[A', '\x1b[A', false],
    ['\x1bOA\x1b[1;2O', '\x1bOA\x1b[1;2O', undefined],
    ['\x1b', '\x1b', undefined],
  ])('%j: keys %j, in front %s', (sent, keys, focused) => {
    const { rest, ...said } = withoutFocus(Buffer.from(sent, 'latin1'));
    expect(Buffer.from(rest).toString('latin1')).toBe(keys);
    expect(said.focused).toBe(focused);
  });
});
