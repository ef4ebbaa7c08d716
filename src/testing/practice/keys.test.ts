import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Box } from './box.js';
import { KeyReader, type PracticeKey } from './keys.js';
import { clip, visible, width, wrap } from './painter.js';
import { scenarioByPrompt } from './script.js';

/** Feeds the bytes cut at the given places. */
function read(text: string, cuts: number[] = []): PracticeKey[] {
  const bytes = Buffer.from(text);
  const reader = new KeyReader();
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return places.slice(1).flatMap((end, index) => reader.feed(bytes.subarray(places[index], end)));
}
/** Neighbouring runs of text are one. */
const joined = (keys: PracticeKey[]) =>
  keys.reduce<PracticeKey[]>((all, key) => {
    const last = all.at(-1);
    if (key.name === 'text' && last?.name === 'text' && 'text' in last && 'text' in key) last.text += key.text;
    else all.push({ ...key });
    return all;
  }, []);

describe('keys', () => {
  it.each([
    ['a\r', ['text', 'enter']],
    ['\x1b[A\x1b[B\x1bOC', ['up', 'down', 'right']],
    ['\x1b\r', ['newline']],
    ['\x03\x04\x15', ['ctrl-c', 'ctrl-d', 'ctrl-u']],
    ['\x1b[200~a\rb\x1b[201~\r', ['paste', 'enter']],
    ['\x1b[1;5C\x1b[I', ['unknown', 'unknown']],
  ])('%j', (text, names) => {
    expect(read(text).map((key) => key.name)).toEqual(names);
  });

  it('a lone ESC is held until it is asked for', () => {
    const reader = new KeyReader();
    expect(reader.feed(Buffer.from('\x1b'))).toEqual([]);
    expect(reader.loneEscape).toBe(true);
    expect(reader.flush()).toEqual([{ name: 'escape' }]);
  });

  it('reads the same however the bytes are cut', () => {
    const piece = fc.constantFrom(
      'ä',
      '漢',
      '🙂',
      'word',
      '\r',
      '\x1b[A',
      '\x1b[200~one\ntwo 🙂\x1b[201~',
      '\x7f',
      ' ',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.array(fc.nat(), { maxLength: 6 }), (pieces, cuts) => {
        const text = pieces.join('');
        expect(joined(read(text, cuts))).toEqual(joined(read(text)));
      }),
    );
  });
});

describe('what is shown', () => {
  it('wrap never exceeds the width and loses no letter', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 4, max: 40 }), (raw, columns) => {
        const text = visible(raw).replaceAll('\n', ' ');
        const rows = wrap(text, columns);
        for (const row of rows) expect(width(row)).toBeLessThanOrEqual(columns);
        expect(rows.join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
      }),
    );
  });

  it('clip keeps colours and the width', () => {
    expect(clip('\x1b[1m漢字漢字\x1b[22m', 5)).toBe('\x1b[1m漢字\x1b[22m');
  });

  it('a control character of a model never reaches the terminal', () => {
    fc.assert(fc.property(fc.string(), (text) => !/[\x00-\x09\x0b-\x1f\x7f-\x9f]/.test(visible(text))));
  });

  it('the box edits by characters, not by bytes', () => {
    const box = new Box();
    for (const key of read('a🙂b\x1b[D\x7fc\x1b[F!')) box.key(key);
    expect(box.text).toBe('acb!');
  });
});

describe('choosing a scenario by words', () => {
  it.each([
    ['hello there', 'hello'],
    ['something nobody knows', 'hello'],
    ['give me the tour', 'tour'],
    ['please ask me a question', 'ask-single'],
    ['lines 30', 'lines'],
    ['a long preamble [[hats]] and so on', 'hats'],
    ['then do ask-multi now', 'ask-multi'],
    ['fail to do this and that', 'hello'],
    [`loop and tour, in a text that a program wrote: ${'x'.repeat(300)}`, 'hello'],
    ['echo these words', 'echo'],
  ])('%j plays %s', (prompt, name) => {
    expect(scenarioByPrompt(prompt).scenario.name).toBe(name);
  });
  it('the number goes with it', () => expect(scenarioByPrompt('lines 30').arg).toBe('30'));
});
