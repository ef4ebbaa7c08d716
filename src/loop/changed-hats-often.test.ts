/**
 * Hats that change again and again within one session, also to none. What is owed is read from the journal alone, by
 * who was given what and what came of it; the loop's state has to have exactly that, wherever it was killed.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Entry } from '../contract/index.js';
import { fold } from './fold.js';
import { Bench, hat, settingsFor, started, threeHats } from './loop.cases.js';
import type { HatSettings } from './settings.js';
import type { LoopState } from './state.js';

/** Every accepted event that is no claim is owed to somebody until whoever was given it is done with it. */
function owed(journal: Entry[]): number[] {
  const open = new Set<number>();
  let count = 0;
  let run: { iteration: number; plain: boolean; given: number[]; published: number } | undefined;
  let given: { iteration: number; ids: number[] } | undefined;
  const done = (ids: number[]) => {
    for (const id of ids) open.delete(id);
  };
  for (const { type, data } of journal) {
    if (type === 'event.published' && data.accepted) {
      count += 1;
      if (!data.claims) open.add(count);
      if (data.by === 'loop') {
        if (given && data.iteration === given.iteration) done(given.ids);
      } else if (run && !data.claims) run.published += 1;
    }
    if (type === 'iteration.started') {
      const published = run?.iteration === data.iteration ? run.published : 0;
      const plain = data.hat === undefined && !data.coordinator;
      run = { iteration: data.iteration, plain, given: data.events ?? [], published };
    }
    if (type === 'loop.dropped') done((data as unknown as { events: number[] }).events);
    if (type === 'iteration.ended' && run && data.outcome !== 'stopped' && data.outcome !== 'parked') {
      const handedOn = run.published > 0 || data.completion?.accepted === true;
      if (handedOn || (run.plain && data.outcome === 'completed')) done(run.given);
      given = { iteration: run.iteration, ids: run.given };
      run = undefined;
    }
  }
  return [...open];
}

/** Where the loop has them now, each once. */
const kept = ({ pending, held, current }: LoopState): number[] =>
  [...pending, ...Object.values(held).flat(), ...(current?.events ?? [])].map(({ id }) => id);

const sorted = (ids: number[]) => ids.toSorted((a, b) => a - b);

const kinds = fc.constantFrom<HatSettings[]>(
  [],
  [],
  threeHats,
  [hat('planner', { triggers: ['task.start'], publishes: ['*'] }), hat('coder', { triggers: ['code.*'] })],
  threeHats.slice(0, 1),
  threeHats.slice(1),
  [hat('one', { triggers: ['*', '*.*'], publishes: ['*', '*.*'] })],
  [hat('builder', { triggers: ['build.done', 'free'], publishes: ['*', '*.*'] })],
  threeHats.map((one) => ({ ...one, defaultPublishes: one.publishes[0]! })),
  threeHats.map((one) => ({ ...one, maxActivations: 1 })),
);
const doing = fc.record({
  topics: fc.array(fc.constantFrom('plan.ready', 'build.done', 'review.failed', 'free', 'LOOP_COMPLETE'), {
    maxLength: 3,
  }),
  exit: fc.constantFrom('ok' as const, 'ok' as const, 'failed' as const, 'stopped' as const),
});
const leg = fc.record({ hats: kinds, script: fc.array(doing, { maxLength: 4 }), cut: fc.nat({ max: 12 }) });

test('an event that was dropped for good does not come again where there are no hats any more', () => {
  const most = threeHats.map((one) => ({ ...one, maxActivations: 1 }));
  const bench = new Bench(settingsFor({ hats: [hat('builder', { triggers: ['free'], publishes: ['*', '*.*'] })] }));
  bench.tell({ kind: 'started' });
  bench.tell({ kind: 'event', topic: 'free', payload: '', by: 'text' });
  bench.ends();
  bench.tell({ kind: 'event', topic: 'plan.ready', payload: 'the plan', by: 'text' });
  bench.ends();
  const limited = new Bench(settingsFor({ hats: most, backoffMs: 0 }), bench.journal);
  limited.tell({ kind: 'started' });
  limited.ends('failed');
  expect(limited.entries('loop.dropped')).toHaveLength(1);
  const plain = new Bench(settingsFor(), limited.journal);
  expect(started(plain.tell({ kind: 'started' })).prompt.events).toEqual([]);
});

test('whatever the hats were in between, no event is lost, none is given to two, none comes again', () => {
  fc.assert(
    fc.property(fc.array(leg, { minLength: 2, maxLength: 6 }), (legs) => {
      let journal: Entry[] = [];
      for (const { hats, script, cut } of legs) {
        const from = journal.length + 1;
        const bench = new Bench(settingsFor({ hats, backoffMs: 0, stallIterations: 0 }), journal);
        bench.tell({ kind: 'started' });
        expect(sorted(kept(bench.state))).toEqual(sorted(owed(bench.journal)));
        for (const { topics, exit } of script) {
          for (const topic of topics) bench.tell({ kind: 'event', topic, payload: `${bench.at}`, by: 'text' });
          const ended = bench.ends(exit).some((effect) => effect.do === 'finish');
          expect(sorted(kept(bench.state))).toEqual(sorted(owed(bench.journal)));
          if (ended) break;
          bench.at += 1;
        }
        expect(fold(bench.journal, bench.settings)).toEqual({ ...bench.state, live: false });
        journal = bench.journal.slice(0, Math.max(from, bench.journal.length - cut));
      }
    }),
    { numRuns: 300 },
  );
});
