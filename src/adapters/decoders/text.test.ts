import { describe, expect, it } from 'vitest';
import { text } from './text.js';

function read(...pieces: (string | Uint8Array)[]): string {
  const decoder = text();
  const outputs = pieces.flatMap((piece) =>
    decoder.feed(typeof piece === 'string' ? new TextEncoder().encode(piece) : piece),
  );
  return [...outputs, ...decoder.end()].map((one) => (one.kind === 'text' ? one.text : `<${one.kind}>`)).join('');
}

describe('plain text', () => {
  it.each([
    ['plain lines', ['one\ntwo\n'], 'one\ntwo\n'],
    ['a last line without end', ['one\ntwo'], 'one\ntwo\n'],
    ['CRLF', ['one\r\ntwo\r\n'], 'one\ntwo\n'],
    ['colours', ['\x1b[1;32mgreen\x1b[0m\n'], 'green\n'],
    ['a sequence cut in two', ['a\x1b[3', '1mb\n'], 'ab\n'],
    ['a title cut in two', ['\x1b]0;ti', 'tle\x1b\\b\n'], 'b\n'],
    ['a spinner', ['\r⠋ Thinking\r⠙ Thinking\r\x1b[Kdone\n'], 'done\n'],
    ['an event split over reads', ['<event topic="x', '">y</event>\n'], '<event topic="x">y</event>\n'],
    ['tabs stay', ['a\tb\n'], 'a\tb\n'],
    ['nothing', [], ''],
  ])('%s', (_name, pieces, expected) => expect(read(...pieces)).toBe(expected));

  it('a character split over reads', () => {
    const euro = new TextEncoder().encode('€\n');
    expect(read(euro.subarray(0, 1), euro.subarray(1, 2), euro.subarray(2))).toBe('€\n');
  });

  it('an escape string that never ends does not swallow the rest', () => {
    expect(read(`\x1b]0;${'x'.repeat(5000)}\nLOOP_COMPLETE\n`)).toContain('LOOP_COMPLETE\n');
  });

  it('a line without end is passed on in bounded pieces', () => {
    const decoder = text();
    const outputs = decoder.feed(new Uint8Array(200_000).fill(0x61));
    expect(outputs).toEqual([{ kind: 'text', text: 'a'.repeat(196_608) }]);
  });

  it('takes a stripper from outside', () => {
    const decoder = text({ strip: (piece) => piece.replaceAll('x', '') });
    expect(decoder.feed(new TextEncoder().encode('axb\n'))).toEqual([{ kind: 'text', text: 'ab\n' }]);
  });
});
