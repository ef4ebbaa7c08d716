import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Strip, stripAnsi } from './strip.js';

const bytes = (text: string): Uint8Array => Buffer.from(text, 'utf8');
const text = (output: Uint8Array): string => Buffer.from(output).toString('utf8');

const CASES: [name: string, input: string, output: string][] = [
  ['colours', '\x1b[31mred\x1b[0m \x1b[38;2;1;2;3mrgb\x1b[m', 'red rgb'],
  ['tabs and newlines stay', 'a\tb\nc', 'a\tb\nc'],
  ['CR LF is one newline', 'a\r\nb\r\n', 'a\nb\n'],
  ['CR CR LF is one newline', 'a\r\r\nb', 'a\nb'],
  ['a sequence between CR and LF', 'a\r\x1b[K\nb', 'a\nb'],
  ['a progress bar gives a line per state', '10%\r20%\r100%\n', '10%\n20%\n100%\n'],
  ['a CR on an empty line is nothing', '\r\ra\n\rb', 'a\nb'],
  ['a CR at the end ends the line', 'a\r', 'a\n'],
  ['title ended by BEL', '\x1b]0;a title\x07text', 'text'],
  ['title ended by ST', '\x1b]0;a title\x1b\\text', 'text'],
  ['title ended by C1 ST', '\x1b]0;a title\u009ctext', 'text'],
  ['device control string', '\x1bP+q544e\x1b\\text', 'text'],
  ['application command, BEL inside', '\x1b_G\x07f=100\x1b\\text', 'text'],
  ['C1 CSI and C1 OSC', '\u009b31mred\u009d0;title\u0007!', 'red!'],
  ['next line as C1', 'a\u0085b', 'a\nb'],
  ['character sets and keypad', '\x1b(B\x1b=a\x1b>', 'a'],
  ['controls without text', 'a\x00\x07\b\x7fb', 'ab'],
  ['a control inside a sequence is carried out', '\x1b[3\n1mx', '\nx'],
  ['CAN ends a sequence', '\x1b[31\x18x', 'x'],
  ['an ESC starts anew inside a sequence', '\x1b[3\x1b[1mx', 'x'],
  ['characters that begin with C2', '£ © \u00a0!', '£ © \u00a0!'],
  ['wide and joined characters', '日本 👩‍👩‍👧 é', '日本 👩‍👩‍👧 é'],
  ['a character where a sequence should go on', '\x1b[3é', 'é'],
  ['an unfinished sequence at the end', 'a\x1b[3', 'a'],
  ['an unfinished title at the end', 'a\x1b]0;never', 'a'],
  ['a link keeps its text', '\x1b]8;;https://x.test\x1b\\name\x1b]8;;\x1b\\', 'name'],
];

describe('strip', () => {
  test.each(CASES)('%s', (_name, input, output) => {
    expect(text(stripAnsi(bytes(input)))).toBe(output);
  });

  test('bytes that are no UTF-8 are passed on as they are', () => {
    expect([...stripAnsi(Uint8Array.of(0xff, 0x61, 0x9b, 0xc2))]).toEqual([0xff, 0x61, 0x9b, 0xc2]);
  });

  test('a string that never ends hides no more than its bound', () => {
    const strip = new Strip();
    strip.feed(bytes('\x1b]0;'));
    let shown = 0;
    for (let i = 0; i < 40; i++) shown += strip.feed(bytes('x'.repeat(65_536))).length;
    expect(shown).toBeGreaterThan(1_000_000);
    expect(text(strip.feed(bytes('\nnormal again\n')))).toBe('\nnormal again\n');
  });

  const piece = fc.oneof(
    fc.constantFrom(
      '\x1b',
      '\x1b[',
      '\x1b]',
      '\x1bP',
      '\x1b\\',
      '\x07',
      '\r',
      '\n',
      '\t',
      ';',
      '0',
      'm',
      '?',
      '\x18',
      '\u009b',
      '\u009c',
      '\u0090',
      'é',
      '日',
      '👍',
    ),
    fc.string({ unit: 'binary', maxLength: 4 }),
  );
  const output = fc.oneof(
    fc.array(piece, { maxLength: 60 }).map((pieces) => bytes(pieces.join(''))),
    fc.uint8Array({ maxLength: 80 }),
  );

  test('property: whole and byte by byte give the same', () => {
    fc.assert(
      fc.property(output, (input) => {
        const strip = new Strip();
        const parts = [...input].map((byte) => strip.feed(Uint8Array.of(byte)));
        expect(Buffer.concat([...parts, strip.end()])).toEqual(Buffer.from(stripAnsi(input)));
      }),
      { numRuns: 2000 },
    );
  });

  test('property: no ESC, no CR and no other control but tab and newline comes out', () => {
    fc.assert(
      fc.property(output, (input) => {
        expect([...stripAnsi(input)].filter((byte) => byte < 0x20 && byte !== 9 && byte !== 10)).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });
});
