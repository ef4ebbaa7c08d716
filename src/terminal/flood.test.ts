import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { withoutUnseen } from './flood.js';
import { Screen } from './screen.js';

const ROWS = 6;
const SCROLLBACK = 20;
const bytes = (text: string): Buffer => Buffer.from(text, 'utf8');

async function look(output: Uint8Array[]): Promise<unknown> {
  const screen = new Screen({ size: { cols: 20, rows: ROWS }, scrollback: SCROLLBACK });
  screen.answering = false;
  for (const part of output) screen.write(part);
  const seen = {
    shot: await screen.shot({ scrollback: SCROLLBACK }),
    ansi: await screen.ansi({ scrollback: SCROLLBACK }),
    // The colour of the next character is part of a snapshot.
    snapshot: Buffer.from((await screen.snapshot()).bytes).toString(),
  };
  screen.close();
  return seen;
}

const shortened = (output: Uint8Array): Uint8Array[] | undefined =>
  withoutUnseen(output, { rows: ROWS, scrollback: SCROLLBACK, cursorY: 0 });

describe('leaving out what nobody can see', () => {
  test('of many lines only the last ones are parsed', async () => {
    const output = bytes(Array.from({ length: 500 }, (_, i) => `\x1b[3${i % 8}mline ${i}\x1b[0m\r\n`).join(''));
    const shorter = shortened(output);
    expect(Buffer.concat(shorter ?? []).length).toBeLessThan(output.length / 10);
    expect(await look(shorter ?? [])).toEqual(await look([output]));
  });

  test('frames and a hidden cursor do not keep the lines before them', async () => {
    const frame = '\x1b[?2026h\x1b[?25l\x1b[2;1Hrow\x1b[K\x1b[6;1H\x1b[?2026l\r\n';
    const output = bytes(`${frame}line\r\n`.repeat(300));
    const shorter = shortened(output);
    expect(Buffer.concat(shorter ?? []).length).toBeLessThan(output.length / 5);
    expect(await look(shorter ?? [])).toEqual(await look([output]));
  });

  test.each([
    ['a title', '\x1b]0;x\x07'],
    ['margins', '\x1b[2;4r'],
    ['the alternate screen', '\x1b[?1049h'],
    ['a mode', '\x1b[?7l'],
    ['the last word on a harmless mode', '\x1b[?25l'],
    ['a mode that only begins like a harmless one', '\x1b[?2504h'],
    ['two modes at once', '\x1b[?25;7l'],
    ['a question', '\x1b[6n'],
    ['clearing the scrollback', '\x1b[3J'],
    ['inserted lines', '\x1b[2L'],
    ['a bell', '\x07'],
    ['a C1 control', '\u009b2L'],
    ['a saved cursor', '\x1b7'],
  ])('%s is never left out', async (_name, sequence) => {
    const lines = 'line\r\n'.repeat(200);
    const output = bytes(lines + sequence + lines);
    const kept = shortened(output) ?? [output];
    expect(Buffer.concat(kept).includes(bytes(sequence))).toBe(true);
    expect(await look(kept)).toEqual(await look([output]));
  });

  const line = fc.oneof(
    {
      weight: 20,
      arbitrary: fc.constantFrom(
        'short',
        'a line that wraps around the edge',
        '日本語のテキストを書く行です',
        '',
        '\ttab',
        'é 👍',
      ),
    },
    {
      weight: 6,
      arbitrary: fc.constantFrom(
        '\x1b[31mred',
        '\x1b[0m',
        '\x1b[44;1mblue',
        '\x1b[m',
        '\x1b[38;5;200mpink',
        '\x1b[7m',
        '\x1b[K',
        '\x1b[1K',
        '\x1b[3C',
        '\x1b[2X',
      ),
    },
    {
      weight: 2,
      arbitrary: fc.constantFrom(
        '\x1b[H',
        '\x1b[2J',
        '\x1b[H\x1b[2J',
        '\x1b[?2026h\x1b[2;2Hframe\x1b[?2026l',
        '\x1b[?2026h',
        '\x1b[?25l',
        '\x1b[?25h',
        '\x1b[3;4Hframe',
        '\x1b[2A',
        '\x1b[B',
        '\x1b[6;1H',
        '\x1b[J',
        '\x1b[4d',
      ),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '\x1b[?25l',
        '\x1b[2;5r',
        '\x1b[r',
        '\x1b7',
        '\x1b8',
        '\x1bM',
        '\x1b[2L',
        '\x1b]0;t\x07',
        '\x1b[3J',
        '\b',
        '\x0b',
      ),
    },
  );
  const end = fc.constantFrom('\r\n', '\r\n', '\r\n', '\r\n', '\n', '\r', '');

  test('property: the screen, its scrollback and its colours are the same', async () => {
    let shorter = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(line, end), { minLength: 60, maxLength: 300, size: 'max' }), async (lines) => {
        const output = bytes(lines.flat().join(''));
        const kept = shortened(output);
        if (!kept) return;
        shorter++;
        expect(await look(kept)).toEqual(await look([output]));
      }),
      { numRuns: 150 },
    );
    expect(shorter).toBeGreaterThan(0);
  });
});
