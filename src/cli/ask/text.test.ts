import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cutRows, erase, paint, plain, rowCells, wrap } from './draw.js';
import { cells, cut, safe, safeLines } from './text.js';

const STEERING = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

describe('text from outside', () => {
  test.each([
    ['plain text stays', 'npm test', 'npm test'],
    ['escape sequences are shown, not obeyed', '\x1b[2Jx', '␛[2Jx'],
    ['an eight-bit CSI', '\u009b2J', '⟨9b⟩2J'],
    ['carriage return', 'safe\rrm -rf', 'safe␍rm -rf'],
    ['backspace', 'ab\b', 'ab␈'],
    ['right-to-left override', 'a\u202eb', 'a⟨202e⟩b'],
    ['zero width space', 'r\u200bm', 'r⟨200b⟩m'],
    ['soft hyphen', 'r\u00adm', 'r⟨ad⟩m'],
    ['hangul filler', '\u3164', '⟨3164⟩'],
    ['tag characters', '\u{e0041}', '⟨e0041⟩'],
    ['no-break space is no space', 'rm\u00a0x', 'rm␣x'],
    ['line separator', 'a\u2028b', 'a⟨2028⟩b'],
    ['half a surrogate pair', '\ud800', '⟨d800⟩'],
    ['tab', 'a\tb', 'a    b'],
    ['accents stay', 'e\u0301', 'e\u0301'],
    ['a mark without a letter', '\u0301', '⟨301⟩'],
    ['a tower of marks', `a${'\u0301'.repeat(5)}`, `a${'\u0301'.repeat(3)}⟨301⟩⟨301⟩`],
    ['the emoji form of a sign', '⚠\ufe0f', '⚠'],
  ])('%s', (_name, text, shown) => {
    expect(safe(text)).toBe(shown);
  });

  test('no text can steer the terminal or hide', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        for (const line of safeLines(text)) expect(line).not.toMatch(STEERING);
      }),
    );
  });

  test.each([
    ['abc', 3],
    ['日本', 4],
    ['🐎', 2],
    ['e\u0301', 1],
  ])('%s is %i columns wide', (text, width) => {
    expect(cells(text)).toBe(width);
  });

  test('cutting never exceeds the width and marks the cut', () => {
    expect(cut('日本語', 5)).toBe('日本…');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 30 }), (text, width) => {
        const line = safe(text);
        const short = cut(line, width);
        expect(cells(short)).toBeLessThanOrEqual(width);
        if (short !== line) expect(short.endsWith('…')).toBe(true);
      }),
    );
  });
});

describe('rows', () => {
  const textOf = (rows: ReturnType<typeof wrap>) => rows.map((row) => row.map(({ text }) => text).join(''));

  test('breaks at spaces, else anywhere, later rows indented', () => {
    expect(textOf(wrap(plain('one two three'), { width: 9, indent: 1 }))).toEqual(['one two ', ' three']);
    expect(textOf(wrap(plain('abcdefghijkl'), { width: 10 }))).toEqual(['abcdefghij', 'kl']);
  });

  test('wrapping loses nothing and no row is too wide', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.integer({ min: 10, max: 60 }), (text, width) => {
        const rows = wrap(plain(safe(text)), { width });
        expect(textOf(rows).join('')).toBe(safe(text));
        for (const row of rows) expect(rowCells(row)).toBeLessThanOrEqual(width);
      }),
    );
  });

  test('what is left out is counted', () => {
    const rows = Array.from({ length: 15 }, (_, at) => plain(`${at}`));
    expect(textOf(cutRows(rows, 4))).toEqual(['0', '1', '2', '… 12 more lines, ? shows all']);
  });

  test('every row stands behind the bar, with the terminal’s own wrapping off', () => {
    const size = { columns: 30, rows: 10 };
    const { text, height } = paint({ rows: [plain('a'), plain('b'.repeat(100))] }, { size, pretty: false });
    expect(text).toBe(`\x1b[?7l┃ a\r\n┃ ${'b'.repeat(26)}…\x1b[?7h`);
    expect(erase(height)).toBe('\r\x1b[1A\x1b[J');
  });
});
