import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HandClock } from '../contract/index.js';
import { detachKey } from './control-keys.js';

type Step = [afterMs: number, input: string, pass: string, detach?: true];

function play(steps: Step[], name = 'C-]'): void {
  const clock = new HandClock();
  const key = detachKey(name, clock);
  for (const [afterMs, input, pass, detach = false] of steps) {
    clock.advance(afterMs);
    const scanned = key.scan(Buffer.from(input));
    expect([Buffer.from(scanned.pass).toString(), scanned.detach]).toEqual([pass, detach]);
  }
}

const KEY = '\x1d';
const PASTE = `\x1b[200~text ${KEY} with the key \x1b[93;5u\x1b[201~`;

describe('the detach key', () => {
  it('leaves, with what was typed before it', () => play([[0, `ab${KEY}cd`, 'ab', true]]));
  it('leaves behind a lone Esc, and behind half a sequence', () => {
    play([
      [0, '\x1b', '\x1b'],
      [5000, KEY, '', true],
    ]);
    play([
      [0, '\x1b[', '\x1b['],
      [1, KEY, '', true],
    ]);
  });
  it.each(['\x1b[93;5u', '\x1b[93;5:1u', '\x1b[93;133u', '\x1b[27;5;93~'])('is also %j', (key) =>
    play([[0, `a${key}b`, 'a', true]]),
  );
  it.each(['\x1b[93;5:3u', '\x1b[93u', '\x1b[92;5u', '\x1b[A'])('is not %j', (key) => play([[0, key, key]]));
  it('encoded and cut in two goes out whole, and leaves', () =>
    play([
      [0, '\x1b[93', '\x1b[93'],
      [1, ';5ux', ';5u', true],
    ]));
  it.each(['C-a', '^A', 'Ctrl-a'])('may be another, named %s', (name) => play([[0, 'x\x01', 'x', true]], name));
  it.each(['C-[', 'x', 'F5', ''])('cannot be %j', (name) => expect(() => detachKey(name)).toThrow('is no control key'));
});

describe('a paste that holds the key', () => {
  it('is text, and behind it the key leaves again', () =>
    play([
      [0, PASTE, PASTE],
      [0, KEY, '', true],
    ]));
  it('is text when it comes in several reads, cut anywhere', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: PASTE.length - 1 })), (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), PASTE.length];
        const reads = places.slice(1).map((to, at) => PASTE.slice(places[at], to));
        play([...reads.map((read): Step => [10, read, read]), [0, `x${KEY}`, 'x', true]]);
      }),
    );
  });
  it('is text however long it takes, as long as it goes on', () =>
    play([[0, '\x1b[200~a', '\x1b[200~a'], ...Array.from({ length: 5 }, (): Step => [1900, `b${KEY}`, `b${KEY}`])]));
  it('does not disarm the key for ever when its end never comes', () =>
    play([
      [0, '\x1b[200~half', '\x1b[200~half'],
      [2001, KEY, '', true],
    ]));
});
