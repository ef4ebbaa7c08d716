import { expect, test } from 'vitest';
import { isTyped } from './typed.js';

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
