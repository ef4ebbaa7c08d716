import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Key, KeyDecoder } from './keys.js';

const feed = (...chunks: (string | number[])[]): Key[] => {
  const decoder = new KeyDecoder();
  return chunks.flatMap((chunk) => decoder.feed(Buffer.from(chunk as string)));
};
const text = (letter: string): Key => ({ name: 'text', text: letter });
const whole = (letters: string): Key => ({ name: 'paste', text: letters, whole: true });
const line = (letters: string): Key => ({ name: 'line', text: letters });
const paste = (letters: string): Key => ({ name: 'paste', text: letters });

describe('bytes to keys', () => {
  test.each<[string, string, Key[]]>([
    ['a letter', 'y', [text('y')]],
    ['a letter of several bytes', 'ü', [text('ü')]],
    ['a letter beyond the first plane', '🐎', [text('🐎')]],
    ['Enter', '\r', [{ name: 'enter' }]],
    ['line feed is Enter too', '\n', [{ name: 'enter' }]],
    ['Backspace', '\x7f', [{ name: 'backspace' }]],
    ['Ctrl-C', '\x03', [{ name: 'interrupt' }]],
    ['Ctrl-\\', '\x1c', [{ name: 'quit' }]],
    ['Ctrl-Z suspends', '\x1a', [{ name: 'suspend' }]],
    ['Ctrl-U', '\x15', [{ name: 'erase-line' }]],
    ['arrow', '\x1b[A', [{ name: 'up' }]],
    ['arrow in application mode', '\x1bOB', [{ name: 'down' }]],
    ['arrow with Ctrl', '\x1b[1;5C', [{ name: 'right' }]],
    ['page down', '\x1b[6~', [{ name: 'page-down' }]],
    ['delete', '\x1b[3~', [{ name: 'delete' }]],
    ['two arrows in one read', '\x1b[A\x1b[A', [{ name: 'up' }, { name: 'up' }]],
    ['Alt-y is not y', '\x1by', [{ name: 'unknown' }]],
    ['an unknown sequence is no text', '\x1b[99;5u', [{ name: 'unknown' }]],
    ['a report of the terminal is no text', '\x1b]11;rgb:ffff/ffff/ffff\x07', [{ name: 'unknown' }]],
    ['a report ended by ST', '\x1bP1$r0m\x1b\\', [{ name: 'unknown' }]],
    ['text in one read is a paste', 'yes', [paste('yes')]],
    ['its Enter is a line break, its last one is dropped', 'a\rb\r', [paste('a\nb')]],
    ['Enter twice in one read is no Enter', '\r\r', [paste('')]],
    ['a key before text in one read makes it a paste', '\x1b[Ay', [{ name: 'up' }, paste('y')]],
    ['a marked paste does not press its letters', '\x1b[200~y\x1b[201~', [whole('y')]],
    ['nor its Enter, nor what else it holds', '\x1b[200~a\r\nb\x03\x1b[A\tc\r\x1b[201~', [whole('a\nb[A\tc')]],
    ['one line and Enter', 'yes\r', [line('yes')]],
    ['a marked paste and Enter', '\x1b[200~a\rb\x1b[201~\r', [line('a\nb')]],
    ['a marked paste beside letters', 'x\x1b[200~y\x1b[201~', [paste('xy')]],
    ['a line feed at the end is no Enter of a keyboard', 'yes\n', [paste('yes')]],
    ['an arrow in it: no line', 'yes\x1b[A\r', [paste('yes'), { name: 'up' }, paste('')]],
    ['Ctrl-C inside a paste still counts', 'ab\x03', [paste('ab'), { name: 'interrupt' }]],
  ])('%s', (_name, bytes, keys) => {
    expect(feed(bytes)).toEqual(keys);
  });

  test.each<[string, (string | number[])[], Key[]]>([
    ['a sequence cut after Esc', ['\x1b', '[A'], [{ name: 'up' }]],
    ['a sequence cut in its middle', ['\x1b[1;', '5D'], [{ name: 'left' }]],
    ['a letter cut in its middle', [[0xc3], [0xbc]], [text('ü')]],
    ['a marked paste cut anywhere', [...'\x1b[200~a\r', ...'\x1b[20b\x1b[201~'], [whole('a\n[20b')]],
    ['a report cut in its middle', ['\x1b]11;rg', 'b:00\x07'], [{ name: 'unknown' }]],
  ])('%s', (_name, chunks, keys) => {
    expect(feed(...chunks)).toEqual(keys);
  });

  test('an Esc that stays alone is the key once the wait is over, and only then', () => {
    const decoder = new KeyDecoder();
    expect(decoder.feed(Buffer.from('\x1b'))).toEqual([]);
    expect(decoder.waiting).toBe(true);
    expect(decoder.flush()).toEqual([{ name: 'escape' }]);
    expect([decoder.waiting, decoder.flush()]).toEqual([false, []]);
  });

  test('a paste whose end never comes is one once the wait is over', () => {
    const decoder = new KeyDecoder();
    expect(decoder.feed(Buffer.from('\x1b[200~half\x1b[2'))).toEqual([]);
    expect(decoder.isPasting).toBe(true);
    expect(decoder.flush()).toEqual([whole('half')]);
    expect([decoder.isPasting, decoder.feed(Buffer.from('y'))]).toEqual([false, [text('y')]]);
  });

  test('whatever comes in one read of several characters, no single letter and no Enter is pressed by it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 2, maxLength: 40 }), (all) => {
        const keys = new KeyDecoder().feed(Buffer.from(all));
        if (keys.length > 1) expect(keys.filter(({ name }) => name === 'text' || name === 'enter')).toEqual([]);
      }),
    );
  });

  test('sequences come out the same however they are cut', () => {
    const keys = fc.constantFrom('\x1b[A', '\x1bOC', '\x1b[1;5D', '\x1b[3~', '\x1b]0;x\x07', '\x03');
    fc.assert(
      fc.property(fc.array(keys, { maxLength: 8 }), fc.array(fc.nat(6), { maxLength: 20 }), (typed, cuts) => {
        const whole = Buffer.from(typed.join(''));
        const pieces: Buffer[] = [];
        let at = 0;
        for (const cut of cuts) {
          pieces.push(whole.subarray(at, at + cut));
          at += cut;
        }
        pieces.push(whole.subarray(at));
        const decoder = new KeyDecoder();
        expect(pieces.flatMap((piece) => decoder.feed(piece))).toEqual(new KeyDecoder().feed(whole));
      }),
    );
  });
});
