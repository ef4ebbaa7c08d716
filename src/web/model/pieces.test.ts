import { expect, test } from 'vitest';
import { pieces } from './pieces.js';

test('all of it, in order, and never much at once', () => {
  const flood = Uint8Array.from({ length: 250_001 }, (_, at) => at % 251);
  const given = pieces(flood);
  expect(given.flatMap((piece) => [...piece])).toEqual([...flood]);
  expect(Math.max(...given.map(({ length }) => length))).toBeLessThanOrEqual(16 * 1024);
});

test('a little is given as it is; nothing is nothing', () => {
  const echo = Uint8Array.of(107);
  expect(pieces(echo)).toEqual([echo]);
  expect(pieces(new Uint8Array())).toEqual([]);
});
