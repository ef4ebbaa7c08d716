/** Any sequence of facts, sensible or not: what must always hold, and that the journal alone gives the same state. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EntryData } from '../contract/schemas.js';
import { fold } from './fold.js';
import { Bench, hat, type LooseFact, settingsFor, T0, threeHats } from './loop.cases.js';
import type { LoopSettings } from './settings.js';
import { type LoopState, runtimeMs, totalUsage } from './state.js';

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const tree = fc.constantFrom('t1', 't2');
const cost = fc.double({ min: 0, max: 3, noNaN: true });

/** A fact for the state at hand: mostly about the iteration that runs, sometimes about none. */
type Make = (state: LoopState) => LooseFact;

const made = fc.oneof(
  { weight: 6, arbitrary: ended() },
  { weight: 4, arbitrary: gates() },
  {
    weight: 4,
    arbitrary: fc
      .record({
        topic: fc.constantFrom('plan.ready', 'build.done', 'review.failed', 'other', '', 'LOOP_COMPLETE', 'free'),
        payload: fc.constantFrom('a', 'b'),
        by: fc.constantFrom('text' as const, 'emit' as const),
      })
      .map(
        (event): Make =>
          () => ({ kind: 'event', ...event }),
      ),
  },
  cost.map(
    (costUsd): Make =>
      () => ({ kind: 'usage', costUsd, inputTokens: Math.round(costUsd * 100) }),
  ),
  maybe(fc.integer({ min: -1000, max: 100_000 })).map(
    (ms): Make =>
      () => ({
        kind: 'limit',
        message: 'limit',
        ...(ms === undefined ? {} : { until: T0 + ms }),
      }),
  ),
  fc.nat(20).map(
    (n): Make =>
      () => ({ kind: 'guidance', id: `g${n}`, text: `do ${n}` }),
  ),
  fc
    .constantFrom<LooseFact[]>(
      { kind: 'denied' },
      { kind: 'parked', why: 'waits' },
      { kind: 'resumed' },
      { kind: 'tick' },
      { kind: 'started' },
      { kind: 'garbled', mistakes: ['<event> has no topic'] },
    )
    .map(
      (fact): Make =>
        () =>
          fact,
    ),
  { weight: 3, arbitrary: fc.constant<Make>((state) => ({ kind: 'tick', at: state.wait?.until ?? T0 })) },
);

function ended(): fc.Arbitrary<Make> {
  return fc
    .record({
      exit: fc.constantFrom('ok', 'ok', 'failed', 'timed-out', 'stopped'),
      claimed: fc.boolean(),
      costUsd: maybe(cost),
      tree: maybe(tree),
      off: fc.constantFrom(0, 0, 0, 1),
    })
    .map(({ exit, claimed, costUsd, tree: hash, off }) => (state) => ({
      kind: 'iteration-ended',
      iteration: state.iteration - off,
      exit: exit as 'ok',
      claim: { claimed, reason: claimed ? 'claimed in the last line' : 'not claimed' },
      ...(costUsd === undefined ? {} : { costUsd }),
      ...(hash === undefined ? {} : { tree: hash }),
    }));
}

function gates(): fc.Arbitrary<Make> {
  const result = fc.boolean().map((ok) => ({ gate: 'test', ok, exitCode: ok ? 0 : 1, seconds: 1 }));
  return fc
    .array(result, { minLength: 0, maxLength: 2 })
    .map((results) => (state) => ({ kind: 'gates-ran', iteration: state.iteration, results }));
}

const stops: fc.Arbitrary<Make> = fc
  .constantFrom('SIGINT' as const, 'SIGQUIT' as const, undefined)
  .map((signal) => () => ({ kind: 'stop-asked', how: 'stop', ...(signal ? { signal } : {}) }));

const settings: fc.Arbitrary<LoopSettings> = fc
  .record({
    once: fc.constantFrom(false, false, false, true),
    maxIterations: fc.integer({ min: 1, max: 6 }),
    maxCostUsd: fc.constantFrom(5, 50),
    maxRuntimeMs: fc.constantFrom(60_000, 10_000_000),
    maxConsecutiveFailures: fc.integer({ min: 1, max: 3 }),
    stallIterations: fc.integer({ min: 0, max: 3 }),
    cooldownMs: fc.constantFrom(0, 1000),
    gates: fc.constantFrom<string[][]>([], ['test']),
    hats: fc.constantFrom(
      [],
      threeHats,
      threeHats.map((hat) => ({ ...hat, maxActivations: 2 })),
      threeHats.map((hat) => ({ ...hat, publishes: ['*'], defaultPublishes: hat.publishes[0]! })),
      // Nobody begins: the coordinator does.
      [hat('a', { triggers: ['plan.*'], publishes: ['free'], maxActivations: 2 }), hat('b', { triggers: ['build.*'] })],
      [hat('a', { triggers: ['task.start'], publishes: ['free'], defaultPublishes: 'LOOP_COMPLETE' })],
    ),
    requiredEvents: fc.constantFrom<string[][]>([], [], ['build.*']),
  })
  .map((given) => settingsFor(given));

const story = fc.record({
  settings,
  facts: fc.array(fc.tuple(fc.oneof({ weight: 30, arbitrary: made }, stops), fc.nat(20_000)), { maxLength: 60 }),
});

describe('any sequence of facts', () => {
  test('keeps the invariants', () => {
    fc.assert(
      fc.property(story, ({ settings, facts }) => {
        const bench = new Bench(settings);
        bench.tell({ kind: 'started' });
        for (const [make, ms] of facts) {
          const before = bench.state;
          bench.at += ms;
          const fact = make(before);
          const effects = bench.tell(fact);
          const after = bench.state;
          expect(after.iteration).toBeLessThanOrEqual(settings.maxIterations!);
          expect(after.iteration - before.iteration).toBeOneOf([0, 1]);
          expect(totalUsage(after).costUsd).toBeGreaterThanOrEqual(totalUsage(before).costUsd - 1e-9);
          expect(runtimeMs(after, bench.at)).toBeGreaterThanOrEqual(runtimeMs(before, bench.at - ms));
          expect(effects.filter((effect) => effect.do === 'start').length).toBeLessThanOrEqual(1);
          if (before.ended) {
            expect(effects).toEqual([]);
            expect(after).toBe(before);
          }
          const end = effects.findIndex((effect) => effect.do === 'finish');
          if (end >= 0) expect(end).toBe(effects.length - 1);
          for (const effect of effects) {
            if (effect.do === 'start') {
              expect(effect.hat === undefined).toBe(settings.hats.length === 0 || effect.coordinator === true);
              expect(effect.coordinator === true && settings.hats.length === 0).toBe(false);
            }
            if (effect.do === 'start' && before.phase === 'working') expect(fact.kind).toBe('iteration-ended');
            if (effect.do === 'finish' && effect.exitCode === 0) {
              expect(after.last?.outcome).toBe('completed');
              if (!settings.once) expect(after.seen).toEqual(settings.requiredEvents);
            }
          }
          if (!after.ended) expect(hasNext(after)).toBe(true);
        }
      }),
      { numRuns: 400 },
    );
  });

  test('leaves a journal that fits its schemas and folds, at every point, to the same state', () => {
    fc.assert(
      fc.property(story, ({ settings, facts }) => {
        const bench = new Bench(settings);
        bench.tell({ kind: 'started' });
        for (const [make, ms] of facts) {
          bench.at += ms;
          const before = bench.journal.length;
          bench.tell(make(bench.state));
          expect(fold(bench.journal, settings)).toEqual(comparable(bench.state));
          for (const entry of bench.journal.slice(before)) {
            if (!['session.started', 'session.ended'].includes(entry.type)) EntryData[entry.type].parse(entry.data);
          }
        }
      }),
      { numRuns: 200 },
    );
  });

  test('folds garbage without a word', () => {
    const bench = new Bench(settingsFor());
    bench.write('notice', { level: 'info', text: 'x', code: 'loop.wait' });
    bench.write('notice', { level: 'info', text: 'x', code: 'constructor', facts: { until: 'soon' } });
    bench.write('iteration.ended', { iteration: 9, outcome: 'completed', seconds: 1 });
    bench.write('gate.ran', { gate: 'x', ok: true, exit_code: 0, seconds: 1 });
    bench.write('some.future', { type: 1 });
    expect(() => fold(bench.journal, bench.settings)).not.toThrow();
  });
});

/** A loop that has not ended is at work, is being judged, or knows what it waits for. */
function hasNext(state: LoopState): boolean {
  return state.phase === 'waiting'
    ? state.wait !== undefined
    : state.current !== undefined && state.phase !== 'between';
}

/** Advice is for the screen and not journaled with the end. */
function comparable(state: LoopState): LoopState {
  return JSON.parse(JSON.stringify({ ...state, live: false })) as LoopState;
}
