import { describe, expect, test } from 'vitest';
import { ReinsError } from '../contract/index.js';
import { KEY_NAMES, parseKeys } from './keys.js';

const typed = (text: string, options?: { applicationCursor?: boolean }): string =>
  Buffer.concat(parseKeys(text, options)).toString('utf8');

describe('keys', () => {
  test.each([
    ['Esc C-c Enter', '\x1b\x03\r'],
    ['Up Down Left Right Home End', '\x1b[A\x1b[B\x1b[D\x1b[C\x1b[H\x1b[F'],
    ['M-x C-M-x C-Space', '\x1bx\x1b\x18\x00'],
    ['F1 F5 F12', '\x1bOP\x1b[15~\x1b[24~'],
    ['Space Tab BSpace S-Tab BTab', ' \t\x7f\x1b[Z\x1b[Z'],
    ['PageUp PPage PgDn DC IC', '\x1b[5~\x1b[5~\x1b[6~\x1b[3~\x1b[2~'],
    ['^[ ^C ^c ^?', '\x1b\x03\x03\x7f'],
    ['C-Up S-F5 M-Left', '\x1b[1;5A\x1b[15;2~\x1b[1;3D'],
    ['M-Enter', '\x1b\r'],
    ['y 1 é 👍', 'y1é👍'],
    [`'hello world' Enter "it's"`, "hello world\rit's"],
    ["'Enter'", 'Enter'],
    ['C-\\ C-] C-[', '\x1c\x1d\x1b'],
    ['S-a', 'A'],
    ['', ''],
  ])('%s', (text, bytes) => {
    expect(typed(text)).toBe(bytes);
  });

  test('arrows in application mode', () => {
    expect(typed('Up C-Up', { applicationCursor: true })).toBe('\x1bOA\x1b[1;5A');
  });

  test('every known name gives bytes', () => {
    for (const name of KEY_NAMES) expect(typed(name).length, name).toBeGreaterThan(0);
  });

  test.each(['Entre', 'hello', 'C-é', 'X-a', 'constructor', 'C-Entre', 'ctrl-c'])(
    'an unknown key is named: %s',
    (word) => {
      const thrown = (() => {
        try {
          parseKeys(`Enter ${word}`);
        } catch (error) {
          return error;
        }
      })();
      expect(thrown).toBeInstanceOf(ReinsError);
      const error = thrown as ReinsError;
      expect([error.code, error.message]).toEqual(['USAGE', `"${word}" is not a key`]);
      expect(error.hint).toContain('BSpace');
    },
  );
});
