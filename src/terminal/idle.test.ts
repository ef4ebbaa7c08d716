import { expect, it } from 'vitest';
import { HandClock } from '../contract/index.js';
import { IdleTimer } from './idle.js';

function timer(secs: number) {
  const clock = new HandClock();
  let calls = 0;
  const idle = new IdleTimer({ secs, clock, onIdle: () => (calls += 1) });
  return { clock, idle, calls: () => calls };
}

it('Given idle_timeout_secs: 30, When neither agent nor user does anything for 30 seconds, Then it fires, once', () => {
  const { clock, calls } = timer(30);
  clock.advance(29_999);
  expect(calls()).toBe(0);
  clock.advance(1);
  expect(calls()).toBe(1);
  clock.advance(100_000);
  expect(calls()).toBe(1);
  expect(clock.waiting).toBe(0);
});

it('Given idle_timeout_secs: 30, When the user presses a key at 29 seconds, Then the timeout resets', () => {
  const { clock, idle, calls } = timer(30);
  clock.advance(29_000);
  idle.touch();
  clock.advance(29_999);
  expect(calls()).toBe(0);
  clock.advance(1);
  expect(calls()).toBe(1);
});

it('Given idle_timeout_secs: 0, Then no timeout', () => {
  const { clock, idle, calls } = timer(0);
  idle.touch();
  idle.hold();
  idle.release();
  clock.advance(10_000_000);
  expect([calls(), clock.waiting]).toEqual([0, 0]);
});

it('sets no timer per touch', () => {
  const { clock, idle } = timer(30);
  for (let at = 0; at < 1000; at += 1) {
    clock.advance(1);
    idle.touch();
    expect(clock.waiting).toBe(1);
  }
});

it('does not count while held, and starts afresh at the last release', () => {
  const { clock, idle, calls } = timer(10);
  idle.hold();
  idle.hold();
  clock.advance(60_000);
  idle.release();
  clock.advance(60_000);
  idle.release();
  idle.release();
  clock.advance(9_999);
  expect(calls()).toBe(0);
  clock.advance(1);
  expect(calls()).toBe(1);
});

it('may be closed twice and is silent afterwards', () => {
  const { clock, idle, calls } = timer(10);
  idle.close();
  idle.close();
  idle.touch();
  idle.hold();
  idle.release();
  clock.advance(60_000);
  expect([calls(), clock.waiting]).toEqual([0, 0]);
});
