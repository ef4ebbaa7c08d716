import { afterEach, expect, it, vi } from 'vitest';
import { HandClock, systemClock } from './index.js';

afterEach(() => vi.useRealTimers());

it('a hand-moved clock calls in order of time, also what is added meanwhile', () => {
  const clock = new HandClock(0);
  const called: string[] = [];
  clock.after(20, () => called.push(`b@${clock.now()}`));
  clock.after(10, () => {
    called.push(`a@${clock.now()}`);
    clock.after(5, () => called.push(`c@${clock.now()}`));
  });
  const cancel = clock.after(15, () => called.push('never'));
  cancel();
  cancel();
  clock.advance(100);
  expect(called).toEqual(['a@10', 'c@15', 'b@20']);
  expect([clock.now(), clock.waiting]).toEqual([100, 0]);
});

it('the system clock waits longer than one timer can', () => {
  vi.useFakeTimers();
  const month = 30 * 24 * 3600 * 1000;
  let called = 0;
  systemClock.after(month, () => {
    called += 1;
  });
  vi.advanceTimersByTime(month - 1);
  expect(called).toBe(0);
  vi.advanceTimersByTime(1);
  expect(called).toBe(1);
});

it('the system clock can be cancelled in the middle of a long wait', () => {
  vi.useFakeTimers();
  let called = 0;
  const cancel = systemClock.after(2 ** 31 + 10, () => {
    called += 1;
  });
  vi.advanceTimersByTime(2 ** 31);
  cancel();
  cancel();
  vi.advanceTimersByTime(2 ** 31);
  expect([called, vi.getTimerCount()]).toEqual([0, 0]);
});
