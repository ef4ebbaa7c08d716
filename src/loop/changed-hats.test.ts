/** A loop that goes on with other hats: what waited for the old ones is not lost. */
import { expect, test } from 'vitest';
import { Bench, finished, hat, settingsFor, started, threeHats } from './loop.cases.js';
import type { HatSettings } from './settings.js';

const planned = (bench: Bench) => bench.tell({ kind: 'event', topic: 'plan.ready', payload: 'the plan', by: 'text' });

function begun(): Bench {
  const bench = new Bench(settingsFor({ hats: threeHats, backoffMs: 0 }));
  bench.tell({ kind: 'started' });
  planned(bench);
  return bench;
}

function goesOn(bench: Bench, hats: HatSettings[]) {
  return started(new Bench(settingsFor({ hats, backoffMs: 0 }), bench.journal).tell({ kind: 'started' }));
}

const others = [hat('planner', { triggers: ['task.start'], publishes: ['*'] }), hat('coder', { triggers: ['code.*'] })];
const thePlan = [{ topic: 'plan.ready', payload: 'the plan' }];

test('an event that no hat is triggered by any more goes to the coordinator', () => {
  const bench = begun();
  bench.tell({ kind: 'stop-asked', how: 'stop' });
  bench.ends('ok');
  expect(goesOn(bench, others)).toMatchObject({ coordinator: true, prompt: { events: thePlan } });
});

test('the iteration that was interrupted has the same events again', () => {
  const bench = begun();
  expect(started(bench.ends())).toMatchObject({ hat: 'builder', prompt: { events: thePlan } });
  expect(goesOn(bench, others)).toMatchObject({ iteration: 2, prompt: { events: thePlan } });
});

test('what a hat was given and did not hand on goes to the one that has its triggers now', () => {
  const bench = begun();
  bench.ends();
  bench.ends();
  bench.tell({ kind: 'stop-asked', how: 'stop' });
  bench.ends();
  const renamed = threeHats.map((one) => (one.id === 'builder' ? { ...one, id: 'coder' } : one));
  expect(goesOn(bench, renamed)).toMatchObject({ iteration: 4, hat: 'coder', prompt: { events: thePlan } });
});

test('an older build said that an event went to nobody, and it still does', () => {
  const bench = begun();
  const entry = bench.journal.find(
    ({ type, data }) => type === 'event.published' && 'topic' in data && data.topic === 'plan.ready',
  )!;
  Object.assign(entry.data, { reason: 'no hat is triggered by this topic' });
  bench.tell({ kind: 'stop-asked', how: 'stop' });
  bench.ends('ok');
  expect(goesOn(bench, others)).toMatchObject({ hat: 'planner', prompt: { events: [] } });
});

test.each([{ hats: [] }, { hats: threeHats }])(
  'a claim by an event is none of the events under another promise',
  ({ hats }) => {
    const bench = new Bench(settingsFor({ hats }));
    bench.tell({ kind: 'started' });
    bench.tell({ kind: 'event', topic: 'LOOP_COMPLETE', payload: '', by: 'emit' });
    expect(finished(bench.ends())).toMatchObject({ outcome: 'completed' });
    const again = new Bench(settingsFor({ hats, promise: 'ALL_DONE' }), bench.journal);
    expect(started(again.tell({ kind: 'started' }))).toMatchObject({ iteration: 2, prompt: { events: [] } });
  },
);
