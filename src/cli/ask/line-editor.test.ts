import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rowCells } from './draw.js';
import { type Key, KeyDecoder } from './keys.js';
import { type EditedLine, editLine, lineOf, lineView, textOf } from './line-editor.js';

/** Each string is one read of the terminal. */
function typing(line: EditedLine, reads: string[]): EditedLine {
  const decoder = new KeyDecoder();
  return reads.flatMap((read) => decoder.feed(Buffer.from(read))).reduce(editLine, line);
}

const LEFT = '\x1b[D';
const RIGHT = '\x1b[C';

describe('one line', () => {
  test.each<[string, string, string[], string]>([
    ['insert at the end', 'npm test', ['x'], 'npm testx'],
    ['insert in the middle', 'ac', [LEFT, 'b'], 'abc'],
    ['backspace', 'abc', ['\x7f'], 'ab'],
    ['backspace takes a whole letter', 'ae\u0301', ['\x7f'], 'a'],
    ['backspace at the start', 'a', [LEFT, '\x7f'], 'a'],
    ['left and right', 'abc', [LEFT, LEFT, RIGHT, 'x'], 'abxc'],
    ['right at the end', 'a', [RIGHT, 'b'], 'ab'],
    ['delete', 'abc', ['\x01', '\x1b[3~'], 'bc'],
    ['Ctrl-U erases to the start', 'abc', [LEFT, '\x15'], 'c'],
    ['Ctrl-K erases to the end', 'abc', ['\x01', RIGHT, '\x0b'], 'a'],
    ['Ctrl-W erases a word', 'rm -rf dist', ['\x17'], 'rm -rf '],
    ['home and end', 'bc', ['\x01', 'a', '\x05', 'd'], 'abcd'],
    ['a paste keeps its breaks', '', ['one\rtwo\r'], 'one\ntwo'],
  ])('%s', (_name, start, reads, text) => {
    expect(textOf(typing(lineOf(start), reads))).toBe(text);
  });

  test('the text cannot grow without bound', () => {
    const long = editLine(lineOf(''), { name: 'paste', text: 'x'.repeat(60_000) });
    expect(textOf(editLine(long, { name: 'paste', text: 'y'.repeat(60_000) }))).toHaveLength(60_000);
  });

  test('breaks and tabs are shown as signs, a secret not at all', () => {
    expect(lineView({ before: 'a\nb', after: '\tc' }, { width: 40 })).toEqual({
      row: [{ text: '› ', style: 'key' }, { text: 'a␤b␉c' }],
      cursor: 5,
    });
    const hidden = lineView(lineOf('hunter2'), { width: 40, hidden: true });
    expect(JSON.stringify(hidden)).not.toMatch(/hunter2|7/);
  });

  test('the cursor is always in sight, and left of it is what was typed', () => {
    const keys = fc.array(
      fc.oneof(
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }).map((text): Key => ({ name: 'paste', text })),
        fc.constantFrom<Key>({ name: 'left' }, { name: 'right' }, { name: 'home' }, { name: 'backspace' }),
      ),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(keys, fc.integer({ min: 20, max: 60 }), (pressed, width) => {
        const { row, cursor } = lineView(pressed.reduce(editLine, lineOf('')), { width });
        expect(cursor).toBeLessThan(width);
        expect(cursor).toBeLessThanOrEqual(rowCells(row));
      }),
    );
  });
});
