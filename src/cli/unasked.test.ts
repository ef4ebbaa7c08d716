import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Unasked } from './unasked.js';

const QUERIES = [
  '\x1b[c',
  '\x1b[0c',
  '\x1b[>c',
  '\x1b[=c',
  '\x1b[5n',
  '\x1b[6n',
  '\x1b[?6n',
  '\x1b[?996n',
  '\x1b[>0q',
  '\x1b[?u',
  '\x1b[?4m',
  '\x1b[?2026$p',
  '\x1b[14t',
  '\x1b[18t',
  '\x1b[21t',
  '\x1b[x',
  '\u009b6n',
  '\x1b]11;?\x07',
  '\x1b]10;?\x1b\\',
  '\x1b]4;1;?\x07',
  '\x1b]52;c;?\x07',
  '\x1bP$qm\x1b\\',
  '\x1bP+q544e\x1b\\',
  '\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\',
  '\x1bZ',
  '\x05',
];
const KEPT = [
  'text 漢字 🐎',
  '\x1b[31m',
  '\x1b[2J',
  '\x1b[1;5H',
  '\x1b[?1049h',
  '\x1b[22;0;0t',
  '\x1b[1 q',
  '\x1b[>1u',
  '\x1b[>4;2m',
  '\x1b[!p',
  '\x1b]0;what?\x07',
  '\x1b]8;;https://example.com/?a=b\x07',
  '\x1b]11;#000000\x07',
  '\x1bPq#0;2;0;0;0~\x1b\\',
  '\x1b7',
  '\r\n',
];

test.each(QUERIES)('%j is left out', (query) => expect(new Unasked().feed(`a${query}b`)).toBe('ab'));
test.each(KEPT)('%j stays', (text) => expect(new Unasked().feed(`a${text}b`)).toBe(`a${text}b`));

test('however it is cut into pieces, the questions go and nothing else does', () => {
  const part = fc.oneof(fc.constantFrom(...QUERIES), fc.constantFrom(...KEPT));
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), fc.array(fc.nat(8), { maxLength: 40 }), (parts, cuts) => {
      const unasked = new Unasked();
      const all = `${parts.join('')}.`;
      let shown = '';
      let at = 0;
      for (const cut of cuts) {
        shown += unasked.feed(all.slice(at, at + cut));
        at += cut;
      }
      shown += unasked.feed(all.slice(at));
      expect(shown).toBe(`${parts.filter((one) => KEPT.includes(one)).join('')}.`);
    }),
  );
});

test('a string without an end is not held back for ever', () => {
  const unasked = new Unasked();
  const picture = `\x1b_Gf=100;${'A'.repeat(5000)}`;
  expect(unasked.feed(picture)).toBe(picture);
});
