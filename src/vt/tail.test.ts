import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Tail } from './tail.js';

function tailOf(...chunks: string[]): string {
  const tail = new Tail();
  for (const chunk of chunks) tail.feed(Buffer.from(chunk, 'latin1'));
  return Buffer.from(tail.bytes()).toString('latin1');
}

describe('the unfinished end', () => {
  test.each([
    [['text'], ''],
    [['text\x1b'], '\x1b'],
    [['text\x1b[3', '1'], '\x1b[31'],
    [['text\x1b[3', '1m'], ''],
    [['\x1b]0;ti', 'tle'], '\x1b]0;title'],
    [['\x1b]0;ti', 'tle\x07x'], ''],
    [['\x1b]0;title\x1b'], '\x1b'],
    [['\x1b[3\x1b[4'], '\x1b[4'],
    [['\x1b[3\x18x'], ''],
    [['a\xe6\x97'], '\xe6\x97'],
    [['a\xe6', '\x97'], '\xe6\x97'],
    [['a\xe6', '\x97', '\xa5'], ''],
    [['a\xf0\x9f\x91'], '\xf0\x9f\x91'],
    [['a\xc2'], '\xc2'],
    [['a\xc2', '\xa9'], ''],
    [['a\xc2\x9b3'], '\xc2\x9b3'],
  ])('%j leaves %j', (chunks, left) => {
    expect(tailOf(...chunks)).toBe(left);
  });

  test('is bounded', () => {
    const tail = new Tail();
    tail.feed(Buffer.from('\x1b]0;'));
    for (let i = 0; i < 100; i++) tail.feed(Buffer.alloc(1000, 0x61));
    expect(tail.bytes().length).toBe(8192);
  });

  test('property: cut anywhere, the end is the same', () => {
    const piece = fc.constantFrom(
      '\x1b',
      '[',
      ']',
      '0',
      ';',
      'm',
      '\x07',
      'a',
      '\xc2',
      '\x9b',
      '\x9c',
      '\xe6',
      '\x97',
      '\xa5',
      'P',
      '\\',
      '\n',
      '\x18',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 25 }), (pieces) => {
        expect(tailOf(...pieces)).toBe(tailOf(pieces.join('')));
      }),
      { numRuns: 3000 },
    );
  });
});
