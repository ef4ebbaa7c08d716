/** A loop that goes on with other hats: what waited for the old ones is not lost. */
import { describe, expect, test } from 'vitest';
import { fold } from './fold.js';
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

describe('an interrupted iteration whose hat is gone', () => {
  const coder = hat('coder', { triggers: ['plan.*'], publishes: ['build.done'], instructions: 'Code it.' });

  test('runs again as the hat that is triggered by what it was given, and both are on record', () => {
    const bench = begun();
    bench.ends();
    const again = new Bench(settingsFor({ hats: [threeHats[0]!, coder] }), bench.journal);
    const start = started(again.tell({ kind: 'started' }));
    expect(start).toMatchObject({ iteration: 2, attempt: 2, hat: 'coder', prompt: { events: thePlan } });
    expect(start.prompt.hat).toMatchObject({ instructions: 'Code it.' });
    expect(again.entries('hat.worn').at(-1)).toMatchObject({ hat: 'coder' });
    expect(again.entries('notice').at(-1)).toMatchObject({ text: expect.stringContaining('hat builder is gone') });
    expect(again.entries('iteration.started').at(-1)).toMatchObject({ iteration: 2, attempt: 2, hat: 'coder' });
    expect(again.state).toMatchObject({ hat: 'coder', activations: { builder: 1, coder: 1 }, pending: [] });
    again.tell({ kind: 'event', topic: 'build.done', payload: '', by: 'text' });
    expect(again.entries('event.published').at(-1)).toMatchObject({ accepted: true });
    expect(fold(again.journal, again.settings)).toEqual({ ...again.state, live: false });
  });

  test('runs again as the coordinator where no hat is triggered by it', () => {
    const bench = begun();
    bench.ends();
    const again = new Bench(settingsFor({ hats: others }), bench.journal);
    const start = started(again.tell({ kind: 'started' }));
    expect(start).toMatchObject({ iteration: 2, attempt: 2, coordinator: true, prompt: { events: thePlan } });
    expect(start.hat).toBeUndefined();
    expect(again.state.hat).toBeUndefined();
  });

  test('runs again without any hat where there are none any more', () => {
    const bench = begun();
    bench.ends();
    const start = goesOn(bench, []);
    expect(start).toMatchObject({ iteration: 2, attempt: 2, prompt: { events: thePlan } });
    expect(start.hat ?? start.coordinator).toBeUndefined();
  });

  test('what only another hat is triggered by waits for that one', () => {
    const bench = new Bench(settingsFor({ hats: [hat('all', { triggers: ['*', '*.*'], publishes: ['*.*'] })] }));
    bench.tell({ kind: 'started' });
    planned(bench);
    bench.tell({ kind: 'event', topic: 'docs.ready', payload: 'the docs', by: 'text' });
    bench.ends();
    const two = [coder, hat('writer', { triggers: ['docs.*'] })];
    const again = new Bench(settingsFor({ hats: two }), bench.journal);
    expect(started(again.tell({ kind: 'started' }))).toMatchObject({ iteration: 2, hat: 'coder' });
    expect(again.state.current?.events).toMatchObject(thePlan);
    expect(again.state.pending).toMatchObject([{ topic: 'docs.ready' }]);
    again.tell({ kind: 'event', topic: 'build.done', payload: '', by: 'text' });
    expect(started(again.ends())).toMatchObject({ iteration: 3, hat: 'writer' });
  });

  test('what it had published already counts once', () => {
    const bench = begun();
    bench.ends();
    bench.tell({ kind: 'event', topic: 'build.done', payload: 'ok', by: 'text' });
    const again = new Bench(settingsFor({ hats: [coder, threeHats[2]!] }), bench.journal);
    again.tell({ kind: 'started' });
    again.tell({ kind: 'event', topic: 'build.done', payload: 'ok', by: 'text' });
    expect(again.entries('event.published').at(-1)).toMatchObject({ accepted: false });
    const next = started(again.ends());
    expect(next).toMatchObject({ iteration: 3, hat: 'reviewer' });
    expect(next.prompt.events).toHaveLength(1);
  });
});

test('hats where there were none: the interrupted iteration wears one', () => {
  const bench = new Bench(settingsFor());
  bench.tell({ kind: 'started' });
  planned(bench);
  bench.ends();
  expect(goesOn(bench, threeHats)).toMatchObject({
    iteration: 2,
    attempt: 2,
    hat: 'builder',
    prompt: { events: thePlan },
  });
});

test('a hat is gone whose work was handed on by default_publishes: it is not done again', () => {
  const hats = threeHats.map((one) => (one.id === 'builder' ? { ...one, defaultPublishes: 'build.done' } : one));
  const bench = new Bench(settingsFor({ hats }));
  bench.tell({ kind: 'started' });
  planned(bench);
  bench.ends();
  expect(started(bench.ends())).toMatchObject({ hat: 'reviewer' });
  const again = new Bench(settingsFor({ hats: [threeHats[0]!, threeHats[2]!] }), bench.journal);
  expect(started(again.tell({ kind: 'started' }))).toMatchObject({ iteration: 3, hat: 'reviewer' });
  expect(again.state).toMatchObject({ pending: [], held: {} });
});

test('what was an event stays one when its topic is the promise now', () => {
  const bench = begun();
  bench.tell({ kind: 'stop-asked', how: 'stop' });
  bench.ends('ok');
  const again = new Bench(settingsFor({ hats: threeHats, promise: 'plan.ready' }), bench.journal);
  expect(started(again.tell({ kind: 'started' }))).toMatchObject({ hat: 'builder', prompt: { events: thePlan } });
});

test('a gate that is gone is not waited for', () => {
  const bench = new Bench(settingsFor({ gates: ['test'] }));
  bench.tell({ kind: 'started' });
  bench.claims();
  const again = new Bench(settingsFor(), bench.journal);
  again.tell({ kind: 'started' });
  expect(finished(again.gates())).toMatchObject({ outcome: 'completed' });
});
