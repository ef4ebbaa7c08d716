import { describe, expect, test } from 'vitest';
import { begun } from './begun.cases.js';
import type { StopSignal } from './facts.js';
import { nextWake } from './limits.js';
import { Bench, finished, settingsFor, started, T0 } from './loop.cases.js';
import { runtimeMs } from './state.js';

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
    bench.tell({ kind: 'denied' });
    expect(finished(bench.ends())).toMatchObject({
      outcome: 'denied',
      exitCode: 4,
      reason: '1 denied because nobody was there to answer (iteration 1); the agent finished',
    });
    const claiming = begun({ once: true });
    claiming.tell({ kind: 'denied' });
    const end = finished(claiming.claims());
    expect(end.exitCode).toBe(0);
    expect(end.reason).toContain('1 denied because nobody was there to answer');
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

  test('the last line and an event both count', () => {
    expect(finished(begun().claims())).toMatchObject({ outcome: 'completed', exitCode: 0 });
    const byEvent = begun();
    byEvent.tell({ kind: 'event', topic: 'LOOP_COMPLETE', payload: '', by: 'emit' });
    expect(finished(byEvent.ends()).exitCode).toBe(0);
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
    bench.tell({ kind: 'resumed', at: T0 + 3_600_000 });
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

describe('before the start', () => {
  const asked = { kind: 'stop-asked', how: 'stop', signal: 'SIGTERM', why: 'stopped (asked for)' } as const;

  test.each(['new', 'interrupted', 'judging'])('a stop that came before it ends a %s loop at once', (which) => {
    const bench = new Bench(settingsFor({ gates: ['test'] }));
    if (which !== 'new') bench.tell({ kind: 'started' });
    if (which === 'judging') bench.claims();
    const again = new Bench(bench.settings, bench.journal);
    const effects = again.tell({ kind: 'started', stop: asked });
    expect(effects).toMatchObject([{ do: 'finish', outcome: 'stopped', exitCode: 143, reason: asked.why }]);
    expect(again.state.ended).toBeDefined();
  });

  test('guidance that came before it, also to a loop that had ended, is in its first prompt', () => {
    const bench = new Bench(settingsFor());
    bench.tell({ kind: 'started' });
    bench.claims();
    const again = new Bench(bench.settings, bench.journal);
    expect(again.tell({ kind: 'guidance', id: 'g1', text: 'mind the gap' })).toEqual([]);
    expect(started(again.tell({ kind: 'started' })).prompt.guidance).toMatchObject([{ text: 'mind the gap' }]);
  });
});
