import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CastText } from './cast-text.js';

const lines = (parts: Uint8Array[]): { at: number; text: string }[] => {
  const text = new CastText(0);
  let offset = 0;
  return parts
    .map((bytes, at) => {
      const event = { code: 'o' as const, at, offset, bytes };
      offset += bytes.length;
      return Buffer.from(text.lines([event])).toString('utf8');
    })
    .flatMap((line) => line.split('\n').filter(Boolean))
    .map((line) => JSON.parse(line) as [number, string, string])
    .map(([at, , shown]) => ({ at, text: shown }));
};

test('property: text cut anywhere comes out whole, with every control character there is', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('\x1b[31m"\\\x07', '\x00\x1f\x7f\b\f\t', '\u2028\ufeff', '日本 👍 é'),
  );
  fc.assert(
    fc.property(fc.array(piece), fc.array(fc.nat(40)), (pieces, cuts) => {
      const whole = pieces.join('');
      const bytes = Buffer.from(whole);
      const parts: Buffer[] = [];
      let at = 0;
      for (const cut of cuts) {
        parts.push(bytes.subarray(at, at + cut));
        at += cut;
      }
      parts.push(bytes.subarray(at));
      const shown = lines(parts).map(({ text }) => text);
      expect(shown.join('')).toBe(bytes.toString('utf8'));
    }),
  );
});

test('property: a line is what JSON.stringify would have made of it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1 }), (text) => {
      const bytes = Buffer.from(text);
      const [line] = Buffer.from(new CastText(0).lines([{ code: 'o', at: 1500, offset: 0, bytes }]))
        .toString()
        .split('\n');
      expect(line).toBe(`[1.5,"o",${JSON.stringify(bytes.toString('utf8'))}]`);
    }),
  );
});

test('property: bytes that are no text become replacement characters, and nothing else is lost', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 60 }), (bytes) => {
      const end = Buffer.from('end of it');
      const shown = lines([Buffer.concat([bytes, end])]).map(({ text }) => text);
      expect(shown.join('')).toBe(new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.concat([bytes, end])));
    }),
  );
});

test('neighbouring output is one event at the time of its first byte, other events stay apart', () => {
  const text = new CastText(1000);
  const out = text.lines([
    { code: 'o', at: 1100, offset: 0, bytes: Buffer.from('a') },
    { code: 'o', at: 1120, offset: 1, bytes: Buffer.from('b') },
    { code: 'm', at: 1130, offset: 2, text: 'here "it" is' },
    { code: 'o', at: 1090, offset: 2, bytes: Buffer.from('c') },
  ]);
  expect(Buffer.from(out).toString()).toBe('[0.1,"o","ab"]\n[0.13,"m","here \\"it\\" is"]\n[0.13,"o","c"]\n');
});
