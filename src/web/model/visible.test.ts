import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seen, seenText } from './visible.js';

describe('what nobody sees is drawn (W50)', () => {
  it.each([
    ['nothing strange', 'git push origin fix', 'git push origin fix'],
    ['an override', 'a\u202eb', 'a⟨U+202E⟩b'],
    ['zero width', 'rm\u200b -rf', 'rm⟨U+200B⟩ -rf'],
    ['an escape sequence', '\x1b[31mred', '⟨U+001B⟩[31mred'],
    ['a line break in one line', 'a\nb', 'a⟨U+000A⟩b'],
    ['a space that is none of ours', 'a\u00a0b\u3000c', 'a⟨U+00A0⟩b⟨U+3000⟩c'],
    ['letters of tags', 'a\u{e0041}', 'a⟨U+E0041⟩'],
    ['a heap of marks', 'a\u0301\u0301\u0301\u0301', 'a⟨U+0301⟩⟨U+0301⟩⟨U+0301⟩⟨U+0301⟩'],
    ['a mark without a letter', '\u0301a', '⟨U+0301⟩a'],
    ['marks as languages use them', 'é Ấ', 'é Ấ'],
    ['a picture, as it is meant', '❤\ufe0f!', '❤\ufe0f!'],
    ['half a character', 'a\ud800', 'a⟨U+D800⟩'],
  ])('%s', (_, text, drawn) => {
    expect(seenText(text)).toBe(drawn);
  });

  it('keeps lines and tabs where there may be some', () => {
    expect(seenText('a\n\tb\r\n', { lines: true })).toBe('a\n\tb⟨U+000D⟩\n');
  });

  it('leaves out nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const back = seen(text).map((piece) => (piece.hidden ? fromSign(piece.text) : piece.text));
        const steers = /[\u202a-\u202e\u2066-\u2069\u200b-\u200f\x00-\x1f\x7f-\x9f]/.test(seenText(text));
        return back.join('') === text && !steers;
      }),
      { numRuns: 40 },
    );
  });
});

const fromSign = (sign: string): string => {
  return String.fromCodePoint(Number.parseInt(sign.slice(3, -1), 16));
};
