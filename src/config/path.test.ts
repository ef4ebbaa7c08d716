import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatPath, parsePath } from './path.js';

test.each([
  ['cli.backend', ['cli', 'backend']],
  ['trust', ['trust']],
  ['events."build.done".description', ['events', 'build.done', 'description']],
  ['hats."a \\"b\\"".name', ['hats', 'a "b"', 'name']],
])('%s is a path', (text, path) => {
  expect(parsePath(text)).toEqual(path);
  expect(formatPath(path)).toBe(text);
});

test.each(['', '.', 'a.', '.a', 'a..b', '"open', 'a"b', '"x"y', '"\\q"'])('%j is no path', (text) => {
  expect(parsePath(text)).toBeUndefined();
});

test('every path survives being written and read', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ minLength: 1, unit: 'binary' }), { minLength: 1, maxLength: 5 }), (path) => {
      expect(parsePath(formatPath(path))).toEqual(path);
    }),
  );
});

test('any text is a path or none, and nothing is thrown', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void parsePath(text)));
});
