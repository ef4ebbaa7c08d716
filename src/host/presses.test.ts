import { describe, expect, it } from 'vitest';
import { HandClock, type ViewerId } from '../contract/index.js';
import { Presses } from './presses.js';

const me = 'v1' as ViewerId;
const bytes = (text: string) => Buffer.from(text, 'latin1');

describe('keys as evidence', () => {
  it.each([
    ['1', 1],
    ['\r', 1],
    ['y', 1],
    ['11', 2],
    ['\x1b[B\r', 1],
    ['\x1b[49u', 1],
    ['\x1b', 0],
    ['\x1b[27u', 0],
    ['\x03', 0],
    ['\x1b[A\x1b[B\x1bOC', 0],
    ['\x1b[I', 0],
    ['\x1b[12;40R', 0],
    ['\x1b[<0;5;7M\x1b[<0;5;7m', 0],
    ['\x1b]11;rgb:0000/0000/0000\x1b\\', 0],
    ['\x1b[?62;22c', 0],
  ])('%j is %i', (typed, count) => {
    const presses = new Presses(new HandClock());
    const since = presses.since({ call: 'c' });
    presses.pressed(bytes(typed), me);
    const taken = Array.from({ length: 3 }, () => presses.take(since)).filter((press) => press !== undefined);
    expect(taken).toEqual(Array.from({ length: count }, () => ({ viewer: me })));
  });

  it('a key before the dialog, and one that answered another, are no answer', () => {
    const presses = new Presses(new HandClock());
    presses.pressed(bytes('1'));
    const [first, second] = [presses.since({ call: 'a' }), presses.since({ call: 'b' })];
    expect(presses.take(first)).toBeUndefined();
    presses.pressed(bytes('1'));
    expect([presses.take(first), presses.take(second)]).toEqual([{}, undefined]);
  });

  it('counts from when the agent was left to its own dialog, also for a gate that does not know the id', () => {
    const presses = new Presses(new HandClock());
    const call = { tool: 'Bash', input: { command: 'ls' } };
    expect(presses.leftSince({ call: 'a', ...call })).toBeUndefined();
    presses.left({ call: 'a', ...call });
    presses.pressed(bytes('1'));
    expect(presses.since({ call: 'a', ...call })).toBe(0);
    expect(presses.take(presses.since(call))).toEqual({});
  });

  it('a dialog read off the screen was painted a moment before', () => {
    const clock = new HandClock();
    const presses = new Presses(clock);
    const shown = { tool: 'Shell', input: { screen: 'Allow?' } };
    presses.pressed(bytes('a'));
    clock.advance(10_000);
    expect(presses.take(presses.since(shown))).toBeUndefined();
    presses.pressed(bytes('1'));
    clock.advance(500);
    expect(presses.take(presses.since(shown))).toEqual({});
  });

  it('is bounded', () => {
    const presses = new Presses(new HandClock());
    presses.pressed(bytes('x'.repeat(100_000)));
    for (let n = 0; n < 1000; n += 1) presses.left({ call: `c${n}` });
    expect(presses.leftSince({ call: 'c0' })).toBeUndefined();
  });
});

describe('a line that somebody has begun', () => {
  it.each([
    ['', false],
    ['p', true],
    ['pass\r', false],
    ['pass\rnext', true],
    ['pass\x15', false],
    ['pass\x03', false],
    ['\x1b[I', false],
    ['\x1b[12;40R', false],
    ['\x1b[A', false],
  ])('%j: %s', (typed, expected) => {
    const presses = new Presses(new HandClock());
    presses.pressed(bytes(typed));
    expect(presses.isLineBegun).toBe(expected);
    // What a terminal says by itself changes nothing about it.
    presses.pressed(bytes('\x1b[O'));
    expect(presses.isLineBegun).toBe(expected);
    presses.pressed(bytes('\r'));
    expect(presses.isLineBegun).toBe(false);
  });
});
