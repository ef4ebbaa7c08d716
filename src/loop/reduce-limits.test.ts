/** What ends or delays a loop from outside: limits, a stall, a usage limit. */
import { describe, expect, test } from 'vitest';
import { begun } from './begun.cases.js';
import { nextWake } from './limits.js';
import { type Bench, finished, started, T0 } from './loop.cases.js';
import { runtimeMs, totalUsage } from './state.js';

describe('limits', () => {
  test('iterations', () => {
    const bench = begun({ maxIterations: 3 });
    bench.ends();
    bench.ends();
    const end = finished(bench.ends());
    expect(end).toMatchObject({ outcome: 'limit', exitCode: 3 });
    expect(end.reason).toContain('3 iterations');
    expect(bench.state.iteration).toBe(3);
  });

  test('iterations run out while a person was missing: exit 4', () => {
    const bench = begun({ maxIterations: 1 });
    bench.tell({ kind: 'denied' });
    expect(finished(bench.ends())).toMatchObject({ outcome: 'denied', exitCode: 4 });
  });

  test('three iterations in a row that needed a person and changed nothing end it with 4', () => {
    const bench = begun();
    for (let n = 1; n < 3; n++) {
      bench.tell({ kind: 'denied' });
      expect(started(bench.ends()).iteration).toBe(n + 1);
    }
    bench.tell({ kind: 'denied' });
    expect(finished(bench.ends()).exitCode).toBe(4);
  });

  test('runtime stops a hung agent in mid-iteration', () => {
    const bench = begun({ maxRuntimeMs: 60_000 });
    expect(nextWake(bench.state)).toBe(T0 + 60_000);
    expect(bench.tell({ kind: 'tick', at: T0 + 59_999 })).toEqual([]);
    expect(bench.tell({ kind: 'tick', at: T0 + 60_000 })).toMatchObject([{ do: 'stop', how: 'stop' }]);
    expect(bench.tell({ kind: 'tick', at: T0 + 61_000 })).toEqual([]);
    expect(finished(bench.ends('stopped'))).toMatchObject({ outcome: 'limit', exitCode: 3 });
    expect(bench.entries('iteration.ended')[0]?.outcome).toBe('stopped');
  });

  test('an agent that finishes with a claim while it is being stopped for a limit has completed', () => {
    const bench = begun({ maxRuntimeMs: 60_000 });
    bench.tell({ kind: 'tick', at: T0 + 60_000 });
    expect(finished(bench.claims())).toMatchObject({ outcome: 'completed', exitCode: 0 });
  });

  test('cost, at the end of an iteration and in the middle of one', () => {
    const atEnd = begun({ maxCostUsd: 1 });
    atEnd.ends('ok', { costUsd: 0.6 });
    expect(finished(atEnd.ends('ok', { costUsd: 0.6 }))).toMatchObject({ outcome: 'limit', exitCode: 3 });
    expect(totalUsage(atEnd.state).costUsd).toBeCloseTo(1.2);
    const inside = begun({ maxCostUsd: 1 });
    inside.ends('ok', { costUsd: 0.6 });
    expect(inside.tell({ kind: 'usage', costUsd: 0.3 })).toEqual([]);
    expect(inside.tell({ kind: 'usage', costUsd: 0.5 })).toMatchObject([{ do: 'stop' }]);
  });

  test('usage figures are totals: a smaller one later takes nothing back', () => {
    const bench = begun();
    bench.tell({ kind: 'usage', costUsd: 0.5, inputTokens: 10 });
    bench.tell({ kind: 'usage', costUsd: 0.2, inputTokens: Number.NaN, outputTokens: 5 });
    bench.ends('ok', { costUsd: 0.4 });
    expect(totalUsage(bench.state)).toEqual({ costUsd: 0.5, inputTokens: 10, outputTokens: 5 });
  });

  test('failures in a row back off twice as long each time, then end it', () => {
    const bench = begun({ maxConsecutiveFailures: 4, cooldownMs: 100, backoffMs: 1000 });
    for (const pause of [1100, 2100, 4100]) {
      const [wait] = bench.ends('failed', { reason: 'no network' });
      expect(wait).toMatchObject({ do: 'wait', until: bench.at + pause, kind: 'backoff' });
      expect(nextWake(bench.state)).toBe(bench.at + pause);
      started(bench.tell({ kind: 'tick', at: bench.at + pause }));
    }
    const end = finished(bench.ends('failed', { reason: 'no network' }));
    expect(end).toMatchObject({ outcome: 'failed', exitCode: 1 });
    expect(end.reason).toBe('4 iterations failed in a row, the last: no network');
  });

  test('the backoff is at most five minutes', () => {
    const bench = begun({ maxConsecutiveFailures: 1000 });
    for (let n = 0; n < 40; n++) {
      const [wait] = bench.ends('failed');
      if (wait?.do !== 'wait') throw new Error('no wait');
      expect(wait.until - bench.at).toBeLessThanOrEqual(300_000);
      bench.tell({ kind: 'tick', at: wait.until });
    }
  });

  test('a success between failures starts the count anew; only timeouts in a row are 124', () => {
    const bench = begun({ maxConsecutiveFailures: 2 });
    const fail = (exit: 'failed' | 'timed-out') => {
      const effects = bench.ends(exit);
      const wait = effects.find((effect) => effect.do === 'wait');
      if (wait) bench.tell({ kind: 'tick', at: wait.until });
      return effects;
    };
    fail('failed');
    bench.ends();
    fail('timed-out');
    expect(finished(fail('timed-out'))).toMatchObject({ outcome: 'timed-out', exitCode: 124 });
  });

  test('a cooldown lies between healthy iterations', () => {
    const bench = begun({ cooldownMs: 5000 });
    expect(bench.ends()).toMatchObject([{ do: 'wait', until: T0 + 5000, kind: 'cooldown' }]);
    expect(bench.tell({ kind: 'tick', at: T0 + 4999 })).toEqual([]);
    expect(started(bench.tell({ kind: 'tick', at: T0 + 5000 })).iteration).toBe(2);
  });
});

describe('stall', () => {
  const same = { tree: 'abc' };

  test('warns the user and the agent before it stops', () => {
    const bench = begun({ stallIterations: 3 });
    bench.ends('ok', same);
    bench.ends('ok', same);
    const warned = started(bench.ends('ok', same));
    expect(warned.prompt.notes.join()).toContain('one more and the loop stops');
    expect(bench.entries('loop.stalled')).toHaveLength(1);
    const end = finished(bench.ends('ok', same));
    expect(end).toMatchObject({ outcome: 'limit', exitCode: 3 });
    expect(end.reason).toContain('no progress in 3 iterations');
  });

  test.each([
    ['a changed tree', (bench: Bench) => bench.ends('ok', { tree: 'def' })],
    [
      'an accepted event',
      (bench: Bench) => {
        bench.tell({ kind: 'event', topic: 'x', payload: '', by: 'text' });
        return bench.ends('ok', same);
      },
    ],
    ['an unknown tree', (bench: Bench) => bench.ends()],
  ])('%s is no stall', (_, act) => {
    const bench = begun({ stallIterations: 2 });
    bench.ends('ok', same);
    bench.ends('ok', same);
    act(bench);
    started(bench.ends('ok', same));
    expect(bench.state.ended).toBeUndefined();
  });

  test('a failed iteration neither counts nor helps', () => {
    const bench = begun({ stallIterations: 2, backoffMs: 0 });
    for (const exit of ['ok', 'ok', 'failed'] as const) bench.ends(exit, same);
    expect(finished(bench.ends('ok', same)).exitCode).toBe(3);
  });
});

describe('a usage limit', () => {
  test('parks until the stated time, then runs the same iteration again', () => {
    const bench = begun();
    bench.tell({ kind: 'guidance', id: 'g1', text: 'mind the gap' });
    bench.ends();
    const until = T0 + 5 * 3_600_000;
    bench.tell({ kind: 'limit', message: '5-hour limit reached', until });
    expect(bench.ends('failed')).toMatchObject([{ do: 'wait', until, kind: 'limit', why: '5-hour limit reached' }]);
    expect(bench.state.failures.count).toBe(0);
    expect(bench.tell({ kind: 'tick', at: until - 1 })).toEqual([]);
    const again = started(bench.tell({ kind: 'tick', at: until }));
    expect(again).toMatchObject({ iteration: 2, attempt: 2 });
    expect(again.prompt.guidance).toEqual([{ id: 'g1', text: 'mind the gap' }]);
  });

  test('the time it waits is not runtime', () => {
    const bench = begun({ maxRuntimeMs: 60_000 });
    bench.tell({ kind: 'limit', message: 'limit', until: T0 + 3_600_000 });
    bench.ends('failed');
    started(bench.tell({ kind: 'tick', at: T0 + 3_600_000 }));
    expect(runtimeMs(bench.state, T0 + 3_600_000 + 5000)).toBe(5000);
  });

  test('without a time, or with one that has passed, it still waits, longer each time', () => {
    const bench = begun();
    const waits = [undefined, T0 - 5000, T0 - 5000, T0 - 5000].map((until) => {
      bench.tell({ kind: 'limit', message: 'overloaded', ...(until === undefined ? {} : { until }) });
      const [wait] = bench.ends('failed');
      if (wait?.do !== 'wait') throw new Error('no wait');
      const length = wait.until - bench.at;
      bench.tell({ kind: 'tick', at: wait.until });
      return length / 60_000;
    });
    expect(waits).toEqual([5, 2, 4, 8]);
  });

  test('is forgotten when the agent recovers by itself', () => {
    const bench = begun();
    bench.tell({ kind: 'limit', message: 'limit', until: T0 + 1e6 });
    expect(started(bench.ends()).iteration).toBe(2);
  });
});
