import { describe, expect, test } from 'vitest';
import type { StopSignal } from './facts.js';
import { nextWake } from './limits.js';
import { Bench, finished, settingsFor, started, T0 } from './loop.cases.js';
import type { LoopSettings } from './settings.js';
import { runtimeMs, totalUsage } from './state.js';

function begun(given: Partial<LoopSettings> = {}): Bench {
  const bench = new Bench(settingsFor(given));
  bench.tell({ kind: 'started' });
  return bench;
}

describe('a single iteration', () => {
  test.each([
    ['ok', 'completed', 0],
    ['failed', 'failed', 1],
    ['timed-out', 'timed-out', 124],
  ] as const)('%s ends as %s with exit code %i, no promise needed', (exit, outcome, exitCode) => {
    expect(finished(begun({ once: true }).ends(exit))).toMatchObject({ outcome, exitCode });
  });

  test('a gate still has to pass', () => {
    const bench = begun({ once: true, gates: ['test'] });
    expect(bench.ends()).toEqual([{ do: 'run-gates', iteration: 1, gates: ['test'] }]);
    expect(finished(bench.gates(false))).toMatchObject({ outcome: 'failed', exitCode: 1 });
    const good = begun({ once: true, gates: ['test'] });
    good.ends();
    expect(finished(good.gates(true))).toMatchObject({ outcome: 'completed', exitCode: 0 });
  });

  test('a gate that nobody ran has not passed', () => {
    const bench = begun({ once: true, gates: ['test', 'lint'] });
    bench.ends();
    expect(finished(bench.gates(true))).toMatchObject({ exitCode: 1 });
  });

  test('something denied for want of a person is exit 4, unless completion was still claimed', () => {
    const bench = begun({ once: true });
    bench.tell({ kind: 'denied', forWantOfPerson: true });
    expect(finished(bench.ends())).toMatchObject({
      outcome: 'denied',
      exitCode: 4,
      reason: '1 denied because nobody was there to answer (iteration 1); the agent finished',
    });
    const claiming = begun({ once: true });
    claiming.tell({ kind: 'denied', forWantOfPerson: true });
    const end = finished(claiming.claims());
    expect(end.exitCode).toBe(0);
    expect(end.reason).toContain('1 denied because nobody was there to answer');
    const byRule = begun({ once: true });
    byRule.tell({ kind: 'denied', forWantOfPerson: false });
    expect(finished(byRule.ends()).exitCode).toBe(0);
  });

  test('a usage limit fails it instead of parking: one iteration is one iteration', () => {
    const bench = begun({ once: true });
    bench.tell({ kind: 'limit', message: 'limit reached', until: T0 + 1e6 });
    expect(finished(bench.ends('failed'))).toMatchObject({ exitCode: 1, reason: 'the agent failed: limit reached' });
  });
});

describe('completion', () => {
  test('an iteration without a claim is followed by another', () => {
    const bench = begun();
    expect(started(bench.ends())).toMatchObject({ iteration: 2, attempt: 1, backend: 'practice' });
    expect(bench.entries('iteration.ended')[0]?.completion).toEqual({
      claimed: false,
      accepted: false,
      reason: 'not claimed',
    });
  });

  test('the last line, an event and an explicit claim all count', () => {
    expect(finished(begun().claims())).toMatchObject({ outcome: 'completed', exitCode: 0 });
    const byEvent = begun();
    byEvent.tell({ kind: 'event', topic: 'LOOP_COMPLETE', payload: '', by: 'emit' });
    expect(finished(byEvent.ends()).exitCode).toBe(0);
    const byFact = begun();
    byFact.tell({ kind: 'claimed', how: 'claimed by the protocol' });
    expect(finished(byFact.ends()).exitCode).toBe(0);
  });

  test.each(['failed', 'timed-out'] as const)('a claim in an iteration that %s is refused with the reason', (exit) => {
    const bench = begun();
    const claim = { claimed: true, reason: 'claimed in the last line' };
    expect(bench.ends(exit, { claim })[0]?.do).toBe('wait');
    expect(bench.entries('iteration.ended')[0]?.completion).toMatchObject({ claimed: true, accepted: false });
    expect(bench.entries('iteration.ended')[0]?.completion?.reason).toContain('refused because');
  });

  test('a failing gate refuses it, its tail goes into the next prompt, and the verdict is journaled', () => {
    const bench = begun({ gates: ['test', 'lint'] });
    expect(bench.claims()).toEqual([{ do: 'run-gates', iteration: 1, gates: ['test', 'lint'] }]);
    const next = started(bench.gates(false, true));
    expect(next.prompt.failedGates).toMatchObject([{ gate: 'test', tail: 'it broke' }]);
    expect(bench.entries('iteration.ended')[0]?.completion).toEqual({
      claimed: true,
      accepted: false,
      reason: 'claimed in the last line, refused because gate `test` failed (exit 1)',
    });
    bench.claims();
    expect(finished(bench.gates(true, true)).exitCode).toBe(0);
  });

  test('completion on the last allowed iteration is completion, not a limit', () => {
    const bench = begun({ maxIterations: 2, maxCostUsd: 1, gates: ['test'] });
    bench.ends();
    bench.ends('ok', { claim: { claimed: true, reason: 'claimed in the last line' }, costUsd: 5 });
    expect(finished(bench.gates(true))).toMatchObject({ outcome: 'completed', exitCode: 0 });
  });

  test('a promise that was seen but not counted is explained to the agent', () => {
    const reason = 'inside a code fence: not counted';
    const next = started(begun().ends('ok', { claim: { claimed: false, reason } }));
    expect(next.prompt.notes).toEqual([`Completion in the previous iteration: ${reason}.`]);
  });
});

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
    bench.tell({ kind: 'denied', forWantOfPerson: true });
    expect(finished(bench.ends())).toMatchObject({ outcome: 'denied', exitCode: 4 });
  });

  test('three iterations in a row that needed a person and changed nothing end it with 4', () => {
    const bench = begun();
    for (let n = 1; n < 3; n++) {
      bench.tell({ kind: 'denied', forWantOfPerson: true });
      expect(started(bench.ends()).iteration).toBe(n + 1);
    }
    bench.tell({ kind: 'denied', forWantOfPerson: true });
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
    bench.tell({ kind: 'progress', tree: 'abc' });
    bench.ends('ok', same);
    bench.ends('ok', same);
    const warned = started(bench.ends('ok', same));
    expect(warned.prompt.notes.join()).toContain('one more and the loop stops');
    expect(bench.entries('notice').filter((notice) => notice.code === 'loop.stall')).toHaveLength(1);
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

describe('stop', () => {
  test.each([
    ['SIGINT', 130, 'stop'],
    ['SIGTERM', 143, 'stop'],
    ['SIGHUP', 129, 'stop'],
    ['SIGQUIT', 131, 'kill'],
  ] as [StopSignal, number, string][])('%s ends with %i', (signal, exitCode, how) => {
    const bench = begun();
    expect(bench.tell({ kind: 'stop-asked', how: 'stop', signal })).toMatchObject([{ do: 'stop', how }]);
    expect(finished(bench.ends('stopped'))).toMatchObject({ outcome: 'stopped', exitCode });
  });

  test('nothing runs: it ends at once', () => {
    const bench = begun({ cooldownMs: 5000 });
    bench.ends();
    expect(finished(bench.tell({ kind: 'stop-asked', how: 'stop', signal: 'SIGINT' })).exitCode).toBe(130);
  });

  test('a second, harder ask wins', () => {
    const bench = begun();
    bench.tell({ kind: 'stop-asked', how: 'stop', signal: 'SIGTERM' });
    expect(bench.tell({ kind: 'stop-asked', how: 'stop', signal: 'SIGQUIT' })).toMatchObject([
      { do: 'stop', how: 'kill' },
    ]);
    expect(finished(bench.ends('stopped')).exitCode).toBe(131);
  });

  test('parking leaves with 5', () => {
    const bench = begun();
    bench.tell({ kind: 'stop-asked', how: 'park' });
    expect(finished(bench.ends('stopped'))).toMatchObject({ outcome: 'parked', exitCode: 5 });
  });

  test('ended is final', () => {
    const bench = begun();
    bench.claims();
    const { state } = bench;
    expect(bench.tell({ kind: 'started' })).toEqual([]);
    expect(bench.tell({ kind: 'guidance', id: 'g', text: 'late' })).toEqual([]);
    expect(bench.ends('failed')).toEqual([]);
    expect(bench.state).toBe(state);
    expect(nextWake(state)).toBeUndefined();
  });
});

describe('odds and ends', () => {
  test('a failure that trying again cannot mend ends it at once', () => {
    const end = finished(begun().ends('failed', { fatal: true, reason: 'claude is not on PATH' }));
    expect(end).toMatchObject({ outcome: 'failed', exitCode: 1, reason: 'claude is not on PATH' });
  });

  test('guidance reaches the next prompt, once, with a receipt', () => {
    const bench = begun();
    bench.tell({ kind: 'guidance', id: 'g1', text: 'use tabs' });
    expect(started(bench.ends()).prompt.guidance).toEqual([{ id: 'g1', text: 'use tabs' }]);
    expect(started(bench.ends()).prompt.guidance).toEqual([]);
    expect(bench.entries('guidance.given')).toEqual([
      { id: 'g1', text: 'use tabs' },
      { id: 'g1', text: 'use tabs', delivered_in: 2 },
    ]);
  });

  test('a late exit of an older process does not touch the new one', () => {
    const bench = begun();
    bench.ends();
    const { state } = bench;
    expect(bench.tell({ kind: 'iteration-ended', iteration: 1, exit: 'failed' })).toEqual([]);
    expect(bench.tell({ kind: 'iteration-ended', iteration: 2, attempt: 7, exit: 'failed' })).toEqual([]);
    expect(bench.state).toEqual(state);
  });

  test('time spent parked on an inquiry is not runtime', () => {
    const bench = begun({ maxRuntimeMs: 60_000 });
    bench.tell({ kind: 'parked', why: 'an inquiry waits', at: T0 + 1000 });
    expect(nextWake(bench.state)).toBeUndefined();
    expect(bench.tell({ kind: 'tick', at: T0 + 3_600_000 })).toEqual([]);
    bench.tell({ kind: 'answered', at: T0 + 3_600_000 });
    expect(runtimeMs(bench.state, T0 + 3_601_000)).toBe(2000);
  });

  test('a pause between two iterations is not runtime either', () => {
    const bench = begun({ maxRuntimeMs: 60_000, cooldownMs: 5000 });
    bench.ends();
    bench.tell({ kind: 'parked', why: 'paused', at: T0 + 1000 });
    expect(bench.tell({ kind: 'guidance', id: 'g1', text: 'mind the gap', at: T0 + 1_800_000 })).toEqual([]);
    started(bench.tell({ kind: 'resumed', at: T0 + 3_600_000 }));
    expect(runtimeMs(bench.state, T0 + 3_601_000)).toBe(2000);
  });

  test('a pause in a wait for a limit leaves that time uncounted to its end', () => {
    const bench = begun({ maxRuntimeMs: 60_000 });
    bench.tell({ kind: 'limit', message: 'limit', until: T0 + 3_600_000 });
    bench.ends('failed');
    bench.tell({ kind: 'parked', why: 'paused', at: T0 + 1000 });
    bench.tell({ kind: 'resumed', at: T0 + 2000 });
    started(bench.tell({ kind: 'tick', at: T0 + 3_600_000 }));
    expect(runtimeMs(bench.state, T0 + 3_601_000)).toBe(1000);
  });

  test('facts before the start change nothing', () => {
    const bench = new Bench(settingsFor());
    expect(bench.tell({ kind: 'tick' })).toEqual([]);
    expect(bench.tell({ kind: 'event', topic: 'x', payload: '', by: 'emit' })).toEqual([]);
    expect(bench.journal).toEqual([]);
  });
});
