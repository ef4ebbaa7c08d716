import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isTable, readToml, type TomlTable } from './toml.js';

type Plain = { [key: string]: Plain | string | (Plain | string)[] };
const plain = (table: TomlTable): Plain =>
  Object.fromEntries(
    [...table].map(([key, value]) => {
      if (isTable(value)) return [key, plain(value)];
      if (typeof value === 'string') return [key, value];
      if (value.raw === '[[]]') return [key, value.items!.map((item) => (isTable(item) ? plain(item) : '?'))];
      return [key, value.raw];
    }),
  );
const read = (text: string): Plain => {
  const made = readToml(text);
  if ('unreadable' in made) throw new Error(made.unreadable);
  return plain(made.table);
};

describe('TOML, as far as names of tables and keys go', () => {
  it.each([
    ['[a.b]\nc = "x"', { a: { b: { c: 'x' } } }],
    ['a.b.c = "x"', { a: { b: { c: 'x' } } }],
    ['a = { b = { c = "x" } }', { a: { b: { c: 'x' } } }],
    ['[a]\nb = { c = "x", }\n', { a: { b: { c: 'x' } } }],
    ["[ a . \"b\" ]\n'c' = 'x'", { a: { b: { c: 'x' } } }],
    ['[a]\n[a.b]\nc = "x" # [d]\n', { a: { b: { c: 'x' } } }],
    ['["a.b"]\nc = 1', { 'a.b': { c: '1' } }],
    ['a = """\n[b]\n"quoted" \\\n   c"""', { a: '[b]\n"quoted" c' }],
    ["a = '''\nb''''", { a: "b'" }],
    ['a = "\\u0041\\t\\""', { a: 'A\t"' }],
    ['a = [1, "]", # no\n {b = 2}]\nc = 3', { a: '[1, "]", # no\n {b = 2}]', c: '3' }],
    ['[[a]]\nb = 1\n[[a]]\nb = 2\n[a.c]\nd = 3', { a: [{ b: '1' }, { b: '2', c: { d: '3' } }] }],
    ['\uFEFFa = true\r\nb = 1979-05-27T07:32:00Z\r\n', { a: 'true', b: '1979-05-27T07:32:00Z' }],
    ['', {}],
  ])('%j', (text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  it.each([
    'a',
    'a =',
    '[a',
    '[a]]',
    'a = "x',
    'a = "\\q"',
    'a = {b = 1',
    'a = [1',
    'a = 1 b = 2',
    'a = 1\na = 2',
    'a = 1\na.b = 2',
    'a = []\n[[a]]',
    '[a]\n[[a]]',
  ])('is not guessed at: %j', (text) => {
    expect(readToml(text)).toMatchObject({ unreadable: expect.stringMatching(/^line \d/) });
  });

  it('finds every key again, whatever it is called', () => {
    const key = fc.string({ minLength: 1, unit: 'grapheme' });
    const quoted = (text: string) => JSON.stringify(text).replaceAll('\x7f', '\\u007f');
    fc.assert(
      fc.property(key, key, fc.string(), (table, name, value) => {
        const written = `[${quoted(table)}]\n${quoted(name)} = ${quoted(value)}\n`;
        const made = readToml(written);
        if ('unreadable' in made) throw new Error(made.unreadable);
        const inner = made.table.get(table);
        expect(isTable(inner) && inner.get(name)).toBe(value);
      }),
    );
  });
});
