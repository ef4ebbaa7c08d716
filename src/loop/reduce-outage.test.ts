/** An outage of the model or the network is waited out: nobody failed, nothing is counted, the same iteration runs again. */
import { describe, expect, it } from 'vitest';
import { fold } from './fold.js';
import { Bench, finished, settingsFor, started, T0 } from './loop.cases.js';
import type { LoopSettings } from './settings.js';

const MINUTE = 60_000;
const REFUSED = { outage: true, reason: 'connection refused' } as const;

function begun(given: Partial<LoopSettings> = {}): Bench {
  const bench = new Bench(settingsFor(given));
  bench.tell({ kind: 'started' });
  return bench;
}

/** The agent fails for an outage, the pause passes, and it is tried again; until `at`, or until the loop ends. */
function outageUntil(bench: Bench, at: number): ReturnType<Bench['tell']> {
  let effects = bench.ends('failed', REFUSED);
  for (;;) {
    const wait = effects.find((effect) => effect.do === 'wait');
    if (!wait || wait.until > at) return effects;
    const again = bench.tell({ kind: 'tick', at: wait.until });
    expect(started(again)).toMatchObject({ iteration: 1 });
    effects = bench.ends('failed', REFUSED);
  }
}

describe('an outage', () => {
  it('of forty minutes: pauses that grow to five minutes, the same iteration, no failure, no runtime', () => {
    const bench = begun({ maxConsecutiveFailures: 2, maxIterations: 1, maxRuntimeMs: MINUTE });
    outageUntil(bench, T0 + 40 * MINUTE);
    const waits = bench.entries('loop.waiting');
    const at = [T0, ...waits.map(({ until }) => until)];
    expect(at.slice(1).map((until, index) => (until - at[index]!) / 1000)).toEqual([
      ...[10, 20, 40, 80, 160],
      ...Array.from({ length: waits.length - 5 }, () => 300),
    ]);
    expect(waits[0]).toMatchObject({ kind: 'outage', why: 'cannot reach the model (try 1): connection refused' });
    const again = started(bench.tell({ kind: 'tick', at: bench.state.wait!.until }));
    expect(again).toMatchObject({ iteration: 1, attempt: waits.length + 1 });
    expect(bench.state.failures.count).toBe(0);
    expect(finished(bench.claims())).toMatchObject({ outcome: 'completed' });
  });

  it('is over when something of the model is heard, and that is said once, with how long it was', () => {
    const bench = begun();
    outageUntil(bench, T0 + 40 * MINUTE);
    bench.tell({ kind: 'tick', at: bench.state.wait!.until });
    bench.tell({ kind: 'reached' });
    bench.tell({ kind: 'reached' });
    const [told, ...more] = bench.entries('loop.recovered');
    expect(more).toEqual([]);
    expect(told?.text).toMatch(/^the model answers again, after 40 minutes \(tried 12 times in vain\)$/);
    bench.ends('ok');
    // The next one begins anew.
    bench.ends('failed', REFUSED);
    expect(bench.entries('loop.outage').at(-1)).toMatchObject({ tries: 1, since: bench.at });
  });

  it('is not waited for longer than it is given, and the last try is at the end of that time', () => {
    const bench = begun({ maxOutageMs: 120 * MINUTE });
    const end = finished(outageUntil(bench, Number.POSITIVE_INFINITY));
    expect(end).toMatchObject({
      outcome: 'failed',
      exitCode: 1,
      reason: 'the model could not be reached for 120 minutes: connection refused',
      advice: expect.stringContaining('event_loop.max_outage_minutes'),
    });
    expect(bench.at).toBe(T0 + 120 * MINUTE);
    expect(bench.entries('loop.outage')).toHaveLength(29);
  });

  it('with no time given to it is a failure like any other; so it is with --once', () => {
    const none = begun({ maxOutageMs: 0 });
    none.ends('failed', REFUSED);
    expect(none.state.failures.count).toBe(1);
    expect(none.entries('loop.outage')).toEqual([]);
    expect(finished(begun({ once: true }).ends('failed', REFUSED))).toMatchObject({ exitCode: 1 });
  });

  it('does not hide a failure: an iteration that fails by itself is counted, before and after', () => {
    const bench = begun({ maxConsecutiveFailures: 2 });
    bench.ends('failed', { reason: 'it crashed' });
    bench.tell({ kind: 'tick', at: bench.state.wait!.until });
    bench.ends('failed', REFUSED);
    bench.tell({ kind: 'tick', at: bench.state.wait!.until });
    const end = finished(bench.ends('failed', { reason: 'it crashed again' }));
    expect(end.reason).toBe('2 iterations failed in a row, the last: it crashed again');
    expect(bench.entries('loop.recovered')).toHaveLength(1);
  });

  it('that turns into a usage limit is over: the provider was reached', () => {
    const bench = begun();
    outageUntil(bench, T0 + MINUTE);
    bench.tell({ kind: 'tick', at: bench.state.wait!.until });
    bench.tell({ kind: 'limit', message: 'usage limit', until: bench.at + 90 * MINUTE });
    const [wait] = bench.ends('failed');
    expect(wait).toMatchObject({ do: 'wait', kind: 'limit', until: bench.at + 90 * MINUTE });
    expect(bench.state.outage).toBeUndefined();
  });

  it('that cuts every answer off is a failure in the end: waiting does not help, and each try costs', () => {
    const bench = begun({ maxConsecutiveFailures: 2 });
    let tries = 0;
    let effects = bench.ends('failed', { ...REFUSED, spoke: true });
    for (; !effects.some((effect) => effect.do === 'finish'); tries += 1) {
      expect(tries).toBeLessThan(20);
      bench.tell({ kind: 'tick', at: bench.state.wait!.until });
      bench.tell({ kind: 'reached' });
      effects = bench.ends('failed', { ...REFUSED, spoke: true });
    }
    expect(finished(effects).reason).toBe('2 iterations failed in a row, the last: connection refused');
    expect(tries).toBe(5);
  });

  it('in the middle of the work is waited out, however long it takes', () => {
    const bench = begun();
    bench.ends('failed', { ...REFUSED, spoke: true });
    bench.tell({ kind: 'tick', at: bench.state.wait!.until });
    outageUntil(bench, T0 + 60 * MINUTE);
    expect(bench.state.failures.count).toBe(0);
    expect(fold(bench.journal, bench.settings).current).toMatchObject({ cuts: 1, iteration: 1 });
  });

  it('is stopped like any other pause', () => {
    const bench = begun();
    bench.ends('failed', REFUSED);
    expect(finished(bench.tell({ kind: 'stop-asked', how: 'stop' }))).toMatchObject({ outcome: 'stopped' });
  });

  it.each([
    ['within the pause: it goes on waiting', 5_000, 'wait'],
    ['long after it: it is tried at once', 600 * MINUTE, 'start'],
  ])('killed %s, with all of its time before it', (_when, later, effect) => {
    const before = begun();
    outageUntil(before, T0 + 100 * MINUTE);
    const bench = new Bench(before.settings, before.journal);
    bench.at += later;
    expect(bench.tell({ kind: 'started' })).toMatchObject([{ do: effect }]);
    if (effect === 'wait') bench.tell({ kind: 'tick', at: bench.state.wait!.until });
    expect(bench.ends('failed', REFUSED)).toMatchObject([{ do: 'wait', kind: 'outage' }]);
    expect(bench.state.iteration).toBe(1);
  });
});
