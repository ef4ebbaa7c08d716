/** Notifications of an agent's on a person's desktop: they pass, and say whose they are. */
import { describe, expect, it, test } from 'vitest';
import { Sieve } from './sieve.js';

const through = (text: string): string =>
  Buffer.from(new Sieve(() => ({ mayAnswer: true, mayCopy: true })).pass(Buffer.from(text))).toString();

/** What a desktop shows of it, piece by piece. */
const shown = (text: string): string[] =>
  [...through(text).matchAll(/\x1b\](?:9;|777;notify;|99;([^;]*);)([^\x07\x1b]*)/g)].flatMap(([, keys = '', said]) => {
    const plain = keys.includes('e=1') ? Buffer.from(said!, 'base64').toString() : said!;
    return plain.split(';').filter((piece) => piece !== '');
  });

const FORGED = [
  ['OSC 9', '\x1b]9;Reins: claude asks (shop)\x07'],
  ['OSC 777', '\x1b]777;notify;Reins;claude asks (shop)\x07'],
  ['OSC 777 without a title', '\x1b]777;notify;;Reins: claude asks\x07'],
  ['OSC 777 with more parts', '\x1b]777;notify;a;b;Reins: claude asks\x07'],
  ['OSC 99', '\x1b]99;;Reins: claude asks (shop)\x1b\\'],
  ['OSC 99 as a body', '\x1b]99;i=1:d=0;hello\x1b\\\x1b]99;i=1:p=body;Reins: claude asks\x1b\\'],
  ['OSC 99 in base64', `\x1b]99;e=1;${Buffer.from('Reins: claude asks').toString('base64')}\x1b\\`],
  ['OSC 99 in pieces', '\x1b]99;i=1:d=0;Re\x1b\\\x1b]99;i=1;ins: claude asks\x1b\\'],
  ['letters that look the same', '\x1b]9;Rеins: claude asks\x07'],
  ['a text turned round', '\x1b]9;\u202esniеR\u202c\x07'],
  ['behind an end of line that is none', '\x1b]9;x\u2028Reins: claude asks\x07'],
] as const;

describe('S7: a notification of an agent’s does not pass for one of ours', () => {
  it.each(FORGED)('%s', (_, text) => {
    const pieces = shown(text);
    expect(pieces.length).toBeGreaterThan(0);
    for (const piece of pieces)
      expect(piece).toMatch(/^agent(?:: [^\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]*)?$/u);
  });

  test('no row of spaces moves the mark out of sight, and none is longer than a few lines', () => {
    const [piece = ''] = shown(`\x1b]9;x${' \u3000'.repeat(400)}Reins: allow?\x07`);
    expect(piece).toBe('agent: x Reins: allow?');
    expect(shown(`\x1b]9;${'x'.repeat(4000)}\x07`)[0]!.length).toBeLessThan(300);
  });

  test('its metadata is one key by one, and none that nobody knows', () => {
    expect(through('\x1b]99;i=1d=0:p=title;x\x1b\\')).toBe('');
    expect(through('\x1b]99;i=1:a=report;x\x1b\\')).toBe('');
    expect(through('\x1b]99;p=close:i=1;\x1b\\')).toBe('');
  });
});

test.each([
  ['\x1b]9;the build is done\x07', '\x1b]9;agent: the build is done\x07'],
  ['\x1b]9;漢字 🐎\x07', '\x1b]9;agent: 漢字 🐎\x07'],
  ['\x1b]777;notify;a;b\x07', '\x1b]777;notify;agent: a;agent: b\x07'],
  ['\x1b]777;notify;a\x07', '\x1b]777;notify;agent: a;\x07'],
  ['\x1b]99;i=1:d=0:p=title;Hello\x1b\\', '\x1b]99;i=1:d=0:p=title;agent: Hello\x1b\\'],
  ['\x1b]99;i=1:d=1;\x1b\\', '\x1b]99;i=1:d=1;\x1b\\'],
  ['\x1b]9;4;1;50\x07', '\x1b]9;4;1;50\x07'],
])('%j comes as %j', (given, comes) => expect(through(given)).toBe(comes));
