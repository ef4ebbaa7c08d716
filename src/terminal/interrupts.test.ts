import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Interrupts } from './interrupts.js';

type Step = [at: number, input: string, forward: string, action?: 'stop' | 'kill'];

const play = (steps: Step[]): void => {
  const interrupts = new Interrupts({ windowMs: 1000 });
  for (const [at, input, forward, action] of steps) {
    const fed = interrupts.feed(Buffer.from(input), at);
    expect(Buffer.from(fed.forward).toString()).toBe(forward);
    expect(fed.action).toBe(action);
  }
};

const C = '\x03';
const Q = '\x1c';

describe('Ctrl-C and Ctrl-\\ (seed 000, interactive mode)', () => {
  it('Given interactive mode, When the user presses Ctrl+C once, Then it is forwarded', () => play([[0, C, C]]));
  it('Given interactive mode, When Ctrl+C comes twice within 1 second, Then stop', () =>
    play([
      [0, C, C],
      [999, C, '', 'stop'],
    ]));
  it('takes a second one after the window for a first', () =>
    play([
      [0, C, C],
      [1000, C, C],
      [1500, C, '', 'stop'],
    ]));
  it('Given interactive mode, When the user presses Ctrl+\\, Then kill', () => play([[0, `ab${Q}cd`, 'ab', 'kill']]));
  it('acts on two in one chunk', () => play([[0, `a${C}b${C}c`, `a${C}bc`, 'stop']]));
  it('other keys between do not close the window', () =>
    play([
      [0, C, C],
      [10, 'x\x1b[A', 'x\x1b[A'],
      [20, C, '', 'stop'],
    ]));
  it('after a stop the count starts anew', () =>
    play([
      [0, `${C}${C}`, C, 'stop'],
      [10, C, C],
      [20, C, '', 'stop'],
    ]));
  it('a kill behind a stop wins', () => play([[0, `${C}${C}${Q}x`, C, 'kill']]));
});

describe('other encodings', () => {
  const pressed = [
    '\x1b[99;5u',
    '\x1b[99;5:1u',
    '\x1b[99;69u',
    '\x1b[99;133u',
    '\x1b[99:67:99;5u',
    '\x1b[99;5;3u',
    '\x1b[27;5;99~',
  ];
  it.each(pressed)('%j is Ctrl-C', (key) =>
    play([
      [0, key, key],
      [5, `a${key}b`, 'ab', 'stop'],
    ]),
  );
  it.each(['\x1b[92;5u', '\x1b[92;5:1u', '\x1b[27;5;92~'])('%j is Ctrl-\\', (key) =>
    play([[0, `a${key}`, 'a', 'kill']]),
  );
  it.each([
    '\x1b[99;5:3u',
    '\x1b[99;5:2u',
    '\x1b[99;6u',
    '\x1b[99;3u',
    '\x1b[99u',
    '\x1b[98;5u',
    '\x1b[199;5u',
    '\x1b[99;5~',
  ])('%j is neither', (key) => play([[0, `${C}${key}${key}`, `${C}${key}${key}`]]));
  it('plain and encoded count together', () => play([[0, `${C}\x1b[99;5u`, C, 'stop']]));
});

describe('bracketed paste', () => {
  it('is text, whatever it holds', () => {
    const paste = `\x1b[200~a${C}b${C}${Q}\x1b[99;5u\x1b[201~`;
    play([
      [0, paste, paste],
      [1, C, C],
      [2, C, '', 'stop'],
    ]);
  });
  it('spans chunks split anywhere', () => {
    const paste = `\x1b[200~${C}${C}\x1b[201~`;
    play([...paste].map((char, at): Step => [at, char, char]));
  });
  it('does not disarm Ctrl-C for ever when its end never comes', () =>
    play([
      [0, '\x1b[200~half', '\x1b[200~half'],
      [1000, C, C],
      [4000, C, C],
      [4001, C, '', 'stop'],
    ]));
});

describe('sequences split over chunks', () => {
  it('forwards a key that has partly gone out whole, and acts', () =>
    play([
      [0, C, C],
      [1, '\x1b[99', '\x1b[99'],
      [2, ';5u', ';5u', 'stop'],
    ]));
  it('a lone ESC is never held back', () => play([[0, '\x1b', '\x1b']]));
});

it('whatever comes: forwarded bytes are a subsequence, and without the two keys nothing changes', () => {
  const byte = fc.oneof(
    fc.constantFrom(0x03, 0x1b, 0x1c, 0x5b, 0x39, 0x3b, 0x35, 0x75),
    fc.integer({ min: 0, max: 255 }),
  );
  fc.assert(
    fc.property(fc.array(fc.array(byte, { maxLength: 12 }), { maxLength: 12 }), (chunks) => {
      const interrupts = new Interrupts();
      const all = chunks.flat();
      let at = 0;
      let acted = false;
      for (const [now, chunk] of chunks.entries()) {
        const fed = interrupts.feed(Uint8Array.from(chunk), now);
        acted ||= fed.action !== undefined;
        for (const value of fed.forward) {
          while (at < all.length && all[at] !== value) at += 1;
          expect(at).toBeLessThan(all.length);
          at += 1;
        }
      }
      const plain = new Interrupts();
      const harmless = all.filter((value) => value !== 0x03 && value !== 0x1c && value !== 0x1b);
      expect([...plain.feed(Uint8Array.from(harmless), 0).forward]).toEqual(harmless);
      if (!all.includes(0x1c) && all.filter((value) => value === 0x03).length < 1 && !all.includes(0x1b))
        expect(acted).toBe(false);
    }),
  );
});
