import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { matchesTopic, overlaps, specificity } from './topics.js';

describe('topics', () => {
  test.each([
    ['build.done', 'build.done', true],
    ['build.done', 'build.done2', false],
    ['build.*', 'build.done', true],
    ['build.*', 'build.a.b', true],
    ['build.*', 'build', false],
    ['*', 'anything', true],
    ['*.done', 'build.done', true],
    ['b*d.*e', 'build.done', true],
    ['b*d.*x', 'build.done', false],
    ['build.?', 'build.x', false],
    ['', 'x', false],
  ])('%s fits %s: %s', (pattern, topic, fits) => {
    expect(matchesTopic(pattern, topic)).toBe(fits);
  });

  test.each([
    ['build.*', '*.done', true],
    ['build.*', 'test.*', false],
    ['a*b', 'a', false],
    ['a*b', 'ab', true],
    ['*', '*', true],
  ])('%s and %s overlap: %s', (a, b, expected) => {
    expect(overlaps(a, b)).toBe(expected);
    expect(overlaps(b, a)).toBe(expected);
  });

  test('the exact topic is more specific than any glob, a longer glob than a shorter one', () => {
    const order = ['*', '*.x', 'build.*', 'build.done*', 'a'];
    expect([...order].sort((a, b) => specificity(a) - specificity(b))).toEqual(order);
  });

  const small = fc.string({ unit: fc.constantFrom('a', 'b', '.', '*'), maxLength: 8 });
  const topic = fc.string({ unit: fc.constantFrom('a', 'b', '.'), maxLength: 8 });

  test('a glob means what the same regular expression means', () => {
    fc.assert(
      fc.property(small, topic, (pattern, text) => {
        const same = new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '.*')}$`);
        expect(matchesTopic(pattern, text)).toBe(same.test(text));
      }),
    );
  });

  test('two patterns made from one topic overlap', () => {
    // Each character of the topic stays, vanishes behind a star, or gets a star beside it.
    const mask = fc.array(fc.constantFrom('keep', 'hide', 'widen'), { minLength: 8, maxLength: 8 });
    const blur = (text: string, how: string[]) =>
      [...text].map((char, i) => (how[i] === 'keep' ? char : how[i] === 'hide' ? '*' : `${char}*`)).join('');
    fc.assert(
      fc.property(topic, mask, mask, (text, one, other) => {
        expect(matchesTopic(blur(text, one), text)).toBe(true);
        expect(overlaps(blur(text, one), blur(text, other))).toBe(true);
      }),
    );
  });

  test('an overlap with a plain topic is a match', () => {
    fc.assert(
      fc.property(small, topic, (pattern, text) => {
        expect(overlaps(pattern, text)).toBe(matchesTopic(pattern, text));
      }),
    );
  });
});
