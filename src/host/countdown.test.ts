import { beforeEach, expect, it } from 'vitest';
import { HandClock } from '../contract/index.js';
import { Countdown } from './countdown.js';

let clock: HandClock;
let called: number[];
let countdown: Countdown;

beforeEach(() => {
  clock = new HandClock(0);
  called = [];
  countdown = new Countdown({ ms: 1000, clock, call: () => called.push(clock.now()) });
});

it('calls once, after its time', () => {
  clock.advance(999);
  expect(called).toEqual([]);
  clock.advance(5000);
  expect(called).toEqual([1000]);
});

it('stands still while it is held, however often it is told so', () => {
  clock.advance(400);
  countdown.hold();
  countdown.hold();
  clock.advance(10_000);
  countdown.release();
  countdown.release();
  clock.advance(599);
  expect(called).toEqual([]);
  clock.advance(1);
  expect([called, clock.waiting]).toEqual([[11_000], 0]);
});

it('that has called is not brought back by a pause', () => {
  clock.advance(1000);
  countdown.hold();
  countdown.release();
  clock.advance(5000);
  expect(called).toEqual([1000]);
});

it.each(['running', 'held'])('that is cancelled while it is %s never calls', (state) => {
  if (state === 'held') countdown.hold();
  countdown.cancel();
  countdown.cancel();
  countdown.release();
  clock.advance(5000);
  expect([called, clock.waiting]).toEqual([[], 0]);
});

it('of no time calls at the next tick, not before', () => {
  const now = new Countdown({ ms: 0, clock, call: () => called.push(-1) });
  expect(called).toEqual([]);
  clock.advance(0);
  expect(called).toEqual([-1]);
  now.cancel();
});
