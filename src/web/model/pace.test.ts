import { expect, test } from 'vitest';
import { HandClock } from '../../contract/ports.js';
import { Pace } from './pace.js';

/** A terminal that reads so many bytes in a millisecond, and does nothing else meanwhile. */
function terminal(bytesPerMs = 10_000) {
  const clock = new HandClock();
  const seen = { read: [] as number[], words: [] as string[], drawn: 0, at: [] as number[] };
  const waiting: (() => void)[] = [];
  const pace = new Pace({
    clock,
    write: (piece, done) => {
      waiting.push(() => {
        clock.advance(piece.length / bytesPerMs);
        if (piece[0] === 0x1b) seen.words.push(new TextDecoder().decode(piece));
        else seen.read.push(...piece.subarray(0, 1));
        seen.at.push(clock.now());
        done();
      });
    },
    drawn: (bytes) => {
      seen.drawn += bytes;
    },
  });
  const read = () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) next();
  };
  return { clock, pace, seen, read, start: clock.now() };
}

const of = (length: number, first = 1): Uint8Array => new Uint8Array(length).fill(first);

test('a little is given at once, again and again', () => {
  const { clock, pace, seen, read } = terminal();
  for (let key = 0; key < 50; key++) {
    pace.output(of(200, 100 + key));
    read();
    expect(seen.read.length).toBe(key + 1);
    clock.advance(20);
  }
  expect(seen.drawn).toBe(50 * 200);
  expect(clock.waiting).toBe(0);
});

test('a flood is given in slices, ten a second, all of it in order', () => {
  const { clock, pace, seen, read, start } = terminal();
  for (let part = 0; part < 64; part++) pace.output(of(16 * 1024, 100 + part));
  read();
  while (clock.waiting > 0) {
    clock.advance(1);
    read();
  }
  expect(seen.read).toEqual(Array.from({ length: 64 }, (_, part) => 100 + part));
  expect(seen.drawn).toBe(64 * 16 * 1024);
  // 1 MB at 10 MB/s are 100 ms of reading: in a second and a little less than it takes to be drawn 60 times.
  const rounds = new Set(seen.at.map((at) => Math.floor((at - start) / 50)));
  expect(rounds.size).toBeLessThan(16);
  for (const round of rounds) {
    const times = seen.at.filter((at) => Math.floor((at - start) / 50) === round);
    expect(Math.max(...times) - Math.min(...times)).toBeLessThanOrEqual(20);
  }
});

test('a redraw takes the place of all that waits, which then counts as drawn', () => {
  const { clock, pace, seen, read } = terminal();
  for (let part = 0; part < 64; part++) pace.output(of(16 * 1024, 100 + part));
  read();
  pace.snapshot(of(20_000, 200));
  while (clock.waiting > 0) {
    clock.advance(1);
    read();
  }
  expect(seen.read.at(-1)).toBe(200);
  expect(seen.read.length).toBeLessThan(12);
  // Begun anew, and not shown before it is whole.
  expect(seen.words).toEqual(['\x1bc\x1b[?2026h', '\x1b[?2026l']);
  expect(seen.drawn).toBe(64 * 16 * 1024 + 20_000);
});

test('after a flood a key is echoed at once again', () => {
  const { clock, pace, seen, read } = terminal();
  pace.output(of(300_000, 1));
  while (clock.waiting > 0 || seen.drawn < 300_000) {
    clock.advance(1);
    read();
  }
  clock.advance(150);
  pace.output(of(1, 107));
  read();
  expect(seen.read.at(-1)).toBe(107);
});

test('closed, it gives nothing more and waits for nothing', () => {
  const { clock, pace, seen, read } = terminal();
  pace.output(of(300_000));
  pace.close();
  read();
  clock.advance(1_000);
  read();
  expect(seen.drawn).toBe(0);
  expect(clock.waiting).toBe(0);
});
