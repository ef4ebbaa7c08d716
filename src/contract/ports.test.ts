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

it('the system clock never calls before its own time: whoever waits for a time finds it reached', async () => {
  let called = 0;
  const early: number[] = [];
  await new Promise<void>((done) => {
    const one = () => {
      const due = systemClock.now() + 1 + (called % 40);
      systemClock.after(1 + (called % 40), () => {
        called += 1;
        if (systemClock.now() < due) early.push(due - systemClock.now());
        if (called < 2000) one();
        else done();
      });
    };
    for (let at = 0; at < 50; at += 1) one();
  });
  expect(early).toEqual([]);
});

it('a clock that was set back by an hour does not hold up what waits', () => {
  vi.useFakeTimers();
  let called = 0;
  systemClock.after(100, () => {
    called += 1;
  });
  vi.setSystemTime(Date.now() - 3_600_000);
  vi.advanceTimersByTime(100);
  expect(called).toBe(1);
});
