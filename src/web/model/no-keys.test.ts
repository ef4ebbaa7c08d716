import { expect, it } from 'vitest';
import { isReply } from './no-keys.js';
import { QUICK_KEYS } from './quick-keys.js';

it.each([
  '\x1b[I',
  '\x1b[O',
  '\x1b[?1;2c',
  '\x1b[>0;276;0c',
  '\x1b[12;40R',
  '\x1b[0n',
  '\x1b[?2004;1$y',
  '\x1b]11;rgb:0/0/0\x1b\\',
  '\x1bP1$r0m\x1b\\',
])('%j is no key', (data) => expect(isReply(data)).toBe(true));

it.each([
  ...QUICK_KEYS.flatMap(({ bytes, application }) => [bytes, application]).filter((one) => one !== undefined),
  'a',
  '\x1ba',
  '\x1b[200~paste\x1b[201~',
  '\x1b[15~',
  '\x1bOP',
  '\x1b[1;5A',
  '\x1b[<0;3;4M',
  '漢字',
])('%j is one', (data) => expect(isReply(data)).toBe(false));
