import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isTyped, tokensOf, withoutAnswers } from './tokens.js';

test.each([
  ['a', true],
  ['\r', true],
  ['\x1b', true],
  ['\x1b[A', true],
  ['\x1b[97;5u', true],
  ['\x1b[200~pasted\x1b[201~', true],
  ['\x1b[?62;22c', false],
  ['\x1b[>0;276;0c', false],
  ['\x1b[12;5R', false],
  ['\x1b[?1u', false],
  ['\x1b[?2026;2$y', false],
  ['\x1bP>|xterm(379)\x1b\\', false],
  ['\x1b]11;rgb:0000/0000/0000\x07', false],
  ['\x1b[<35;10;4M', false],
  ['\x1b[M !!', false],
  ['\x1b[I\x1b[O', false],
  ['\x1b[?62c\x1b]10;rgb:ffff/ffff/ffff\x1b\\x', true],
  ['', false],
])('%j is typed: %s', (text, typed) => {
  expect(isTyped(Buffer.from(text))).toBe(typed);
});

test.each([
  ['ls\r', 'ls\r'],
  ['a\x1b[?62;22cb', 'ab'],
  ['\x1b[12;5R\x1b]11;rgb:0000/0000/0000\x07\x1bP>|xterm(379)\x1b\\', ''],
  ['\x1b[I\x1b[A\x1b[O', '\x1b[A'],
  ['\x1b[<0;10;4M\x1b[<0;10;4m', '\x1b[<0;10;4M\x1b[<0;10;4m'],
  ['\x1b[200~p\xc3\xa9\x1b[201~', '\x1b[200~p\xc3\xa9\x1b[201~'],
])('%j without a terminal’s answers', (text, left) => {
  expect(Buffer.from(withoutAnswers(Buffer.from(text, 'latin1'))).toString('latin1')).toBe(left);
});

function cutUp(text: string): { whole: string[]; rest: string } {
  const tokens = [...tokensOf(text)];
  const rest = tokens.at(-1)?.kind === 'cut' ? tokens.pop()!.text : '';
  return { whole: tokens.map((token) => token.text), rest };
}

test('every character is in exactly one token, as it came, however it is cut', () => {
  const pieces = ['a', '\x1b', '[', '200~', 'O', 'P', '\x07', '\x1b\\', ']', ';5u', 'M', '😀', '\r', '\x9b', '?'];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 40 }), fc.nat(60), (parts, cut) => {
      const text = parts.join('');
      const { whole, rest } = cutUp(text);
      expect(whole.join('') + rest).toBe(text);
      expect(whole).not.toContain('');
      // Cut where nothing is inside a character: the tokens before are the same, what is open is kept for the next read.
      const at = [...text].slice(0, cut).join('').length;
      const first = cutUp(text.slice(0, at));
      const second = cutUp(first.rest + text.slice(at));
      expect([...first.whole, ...second.whole]).toEqual(whole);
      expect(second.rest).toBe(rest);
    }),
  );
});

test.each([
  ['\x1b[1;5A', [['csi', '1;5', 'A']]],
  [
    '\x1b[<0;3;4Mx',
    [
      ['csi', '<0;3;4', 'M'],
      ['char', '', ''],
    ],
  ],
  [
    '\x1b[M !!x',
    [
      ['csi', '', 'M'],
      ['char', '', ''],
    ],
  ],
  ['\x1bOP', [['ss3', '', 'P']]],
  ['\x1by', [['escape', '', '']]],
  [
    '\x1b\x1b[A',
    [
      ['escape', '', ''],
      ['csi', '', 'A'],
    ],
  ],
  ['\x1b]11;rgb:0/0/0\x1b\\', [['string', '', '']]],
])('%j is %j', (text, expected) => {
  expect([...tokensOf(text)].map(({ kind, params, final }) => [kind, params, final])).toEqual(expected);
});

test('what never ends is not waited for without end', () => {
  const { whole, rest } = cutUp(`\x1b]${'x'.repeat(5000)}`);
  expect([whole.length, rest]).toEqual([5000 + 1, '']);
});
