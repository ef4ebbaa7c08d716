import { describe, expect, it } from 'vitest';
import { Screen } from './screen.js';
import { widthOf } from './widths.js';

const cursorAfter = async (text: string): Promise<number> => {
  const screen = new Screen({ size: { cols: 40, rows: 4 } });
  screen.write(Buffer.from(text));
  const { cursor } = await screen.shot();
  screen.close();
  return cursor.x;
};

/** What tmux 3.3a says of each. */
const CELLS: [string, string, number][] = [
  ['an emoji', '🐎', 2],
  ['an emoji of 2021', '\u{1fae0}', 2],
  ['a check mark', '✅', 2],
  ['a heart that is text', '❤', 1],
  ['a heart that is told to be an emoji', '❤\ufe0f', 1],
  ['a warning sign', '⚠\ufe0f', 1],
  ['a family', '👨\u200d👩\u200d👧', 2],
  ['a flag', '🇩🇪', 2],
  ['a keycap', '1\ufe0f\u20e3', 1],
  ['an accent', 'e\u0301', 1],
  ['Han', '漢', 2],
  ['Hangul in parts', '\u1100\u1161', 2],
  ['a soft hyphen', '\u00ad', 1],
  ['a line', '─', 1],
];

describe('S4: a character takes the cells that terminals give it', () => {
  it.each(CELLS)('%s', async (_, text, cells) => expect(await cursorAfter(text)).toBe(cells));

  it('also in the middle of others, and cut by a chunk', async () => {
    const screen = new Screen({ size: { cols: 40, rows: 4 } });
    const bytes = Buffer.from('a🐎b👨\u200d👩\u200d👧c');
    for (const byte of bytes) screen.write(Uint8Array.of(byte));
    const shot = await screen.shot();
    expect([shot.cursor.x, shot.lines[0]]).toEqual([7, 'a🐎b👨\u200d👩\u200d👧c']);
    screen.close();
  });

  it('control characters take none', () => expect([0, 0x1b, 0x7f, 0x9b].map(widthOf)).toEqual([0, 0, 0, 0]));
});

describe('S4: a redraw shows what the screen showed', () => {
  const LOOKS = [
    ['a link', '\x1b]8;;https://example.com/a?b\x1b\\text\x1b]8;;\x1b\\ more', '\x1b]8;;https://example.com/a?b\x1b\\'],
    [
      'a link with a name',
      '\x1b]8;id=x;https://example.com/\x07text\x1b]8;;\x07',
      '\x1b]8;id=x;https://example.com/\x1b\\',
    ],
    ['a curly underline', '\x1b[4:3mtext', '\x1b[0;4:3m'],
    ['a double underline', '\x1b[21mtext', '\x1b[0;4:2m'],
    ['a dotted underline', '\x1b[4:4mtext', '\x1b[0;4:4m'],
    ['a dashed underline', '\x1b[4:5mtext', '\x1b[0;4:5m'],
    ['a coloured underline', '\x1b[4:3;58;2;1;2;3mtext', '\x1b[0;4:3;58;2;1;2;3m'],
    ['an underline of the palette', '\x1b[4;58;5;9mtext', '\x1b[0;4;58;5;9m'],
    ['the keypad', '\x1b=text', '\x1b='],
  ];

  it.each(LOOKS)('%s', async (_, text, expected) => {
    const drawn = async (bytes: Uint8Array | string): Promise<string> => {
      const screen = new Screen({ size: { cols: 40, rows: 4 } });
      screen.write(Buffer.from(bytes));
      const snapshot = Buffer.from((await screen.snapshot()).bytes).toString();
      screen.close();
      return snapshot;
    };
    const first = await drawn(text!);
    expect(first).toContain(expected);
    expect(await drawn(first)).toBe(first);
  });

  it('a link is not underlined because it is one', async () => {
    const screen = new Screen({ size: { cols: 40, rows: 4 } });
    screen.write(Buffer.from('\x1b]8;;https://example.com/\x1b\\text\x1b]8;;\x1b\\'));
    expect(Buffer.from((await screen.snapshot()).bytes).toString()).not.toContain('\x1b[0;4');
    screen.close();
  });
});
