/** Events that no hat is triggered by, hats that say nothing, events that have to be seen. */
import { describe, expect, test } from 'vitest';
import { fold } from './fold.js';
import { Bench, finished, hat, settingsFor, started, threeHats } from './loop.cases.js';
import { buildPrompt } from './prompt.js';
import type { LoopSettings } from './settings.js';

function begun(given: Partial<LoopSettings>): { bench: Bench; first: ReturnType<typeof started> } {
  const bench = new Bench(settingsFor({ backoffMs: 0, ...given }));
  return { bench, first: started(bench.tell({ kind: 'started' })) };
}

const publish = (bench: Bench, topic: string, payload = '') =>
  bench.tell({ kind: 'event', topic, payload, by: 'text' });

const nobodyBegins = [
  hat('builder', { triggers: ['build.*'], publishes: ['build.done', 'review.wanted'], description: 'writes code' }),
  hat('reviewer', { triggers: ['review.*'], publishes: ['approved'], maxActivations: 2 }),
];

describe('the coordinator', () => {
  test('begins when no hat is triggered by the starting event, and knows all hats', () => {
    const { bench, first } = begun({ hats: nobodyBegins });
    expect(first).toMatchObject({ iteration: 1, coordinator: true, backend: 'practice' });
    expect(first.hat).toBeUndefined();
    const text = buildPrompt(first.prompt);
    expect(text).toContain('- builder: writes code; triggered by build.*; publishes build.done, review.wanted');
    expect(text).toContain('- reviewer; triggered by review.*; publishes approved');
    expect(text).toContain('Iteration 1 of 100, coordinator;');
    publish(bench, 'build.now', 'the door first');
    const next = started(bench.ends());
    expect(next).toMatchObject({
      hat: 'builder',
      prompt: { events: [{ topic: 'build.now', payload: 'the door first' }] },
    });
    expect(bench.entries('iteration.started')[0]).toMatchObject({ coordinator: true, events: [1] });
    expect(bench.entries('hat.worn')).toMatchObject([{ hat: 'builder', because: 'event build.now' }]);
  });

  test('takes an event that no hat is triggered by, and may say that all is done', () => {
    const { bench } = begun({ hats: nobodyBegins });
    publish(bench, 'review.wanted');
    expect(started(bench.ends()).hat).toBe('reviewer');
    publish(bench, 'approved', 'well made');
    const next = started(bench.ends());
    expect(next).toMatchObject({
      coordinator: true,
      prompt: { events: [{ topic: 'approved', payload: 'well made' }] },
    });
    expect(bench.entries('event.published').at(-1)).toMatchObject({ accepted: true, unrouted: true });
    expect(finished(bench.claims()).exitCode).toBe(0);
  });

  test('work for a hat comes first; what nobody takes comes along with it', () => {
    const { bench } = begun({ hats: [hat('a', { triggers: ['task.start', 'go'], publishes: ['*'] })] });
    publish(bench, 'heard', 'a noise');
    publish(bench, 'go');
    const next = started(bench.ends());
    expect(next.prompt.events.map(({ topic }) => topic)).toEqual(['heard', 'go']);
    expect(next.hat).toBe('a');
    expect(bench.state.pending).toEqual([]);
  });

  test('may publish what triggers a hat that can still be worn, and nothing else', () => {
    const { bench } = begun({ hats: nobodyBegins });
    publish(bench, 'lunch');
    const again = started(bench.ends());
    expect(again.coordinator).toBe(true);
    expect(again.prompt.notes[0]).toBe(
      'Event lunch was dropped: no hat is triggered by it; hats are triggered by build.*, review.*.',
    );
    for (let turn = 0; turn < 2; turn++) {
      publish(bench, 'review.now');
      expect(started(bench.ends()).hat).toBe('reviewer');
      publish(bench, 'approved');
      expect(started(bench.ends()).coordinator).toBe(true);
    }
    publish(bench, 'review.now');
    expect(bench.entries('event.published').at(-1)?.reason).toContain('was worn its most');
  });

  test('ends with the limit when nobody is left to hand the work to', () => {
    const { bench } = begun({ hats: [hat('a', { triggers: ['go'], publishes: ['back'], maxActivations: 1 })] });
    publish(bench, 'go');
    bench.ends();
    publish(bench, 'back');
    expect(started(bench.ends()).coordinator).toBe(true);
    expect(finished(bench.ends())).toMatchObject({ outcome: 'limit', exitCode: 3 });
  });

  test('one that says nothing is told so, keeps what it was given, and is a stall like every other', () => {
    const { bench } = begun({ hats: nobodyBegins, stallIterations: 2 });
    publish(bench, 'build.now');
    bench.ends('ok', { tree: 't' });
    publish(bench, 'build.done');
    bench.ends('ok', { tree: 't' });
    publish(bench, 'review.wanted');
    bench.ends('ok', { tree: 't' });
    publish(bench, 'approved', 'yes');
    bench.ends('ok', { tree: 't' });
    const again = started(bench.ends('ok', { tree: 't' }));
    expect(again.prompt.events).toMatchObject([{ topic: 'approved', payload: 'yes' }]);
    expect(again.prompt.notes[0]).toContain('published no event, so the work is still with the coordinator');
    expect(finished(bench.ends('ok', { tree: 't' })).reason).toContain('no progress in 2 iterations');
  });

  test('one that fails is tried again with what it had', () => {
    const { bench } = begun({ hats: nobodyBegins });
    publish(bench, 'build.now');
    bench.ends();
    publish(bench, 'review.wanted');
    bench.ends();
    publish(bench, 'approved', 'yes');
    bench.ends();
    expect(started(bench.ends('failed'))).toMatchObject({
      coordinator: true,
      prompt: { events: [{ payload: 'yes' }] },
    });
  });

  test('a journal of before there was one folds as it did', () => {
    const bench = new Bench(settingsFor({ hats: nobodyBegins }));
    bench.write('session.started', {});
    bench.write('event.published', { topic: 'task.start', payload: '', by: 'loop', iteration: 0, accepted: true });
    bench.write('hat.worn', { hat: 'builder', because: 'no event is waiting' });
    bench.write('iteration.started', { iteration: 1, hat: 'builder', agent: 'practice' });
    const reason = 'no hat is triggered by this topic';
    bench.write('event.published', { topic: 'odd', payload: '', by: 'text', iteration: 1, accepted: true, reason });
    const state = fold(bench.journal, bench.settings);
    expect(state).toMatchObject({ pending: [], hat: 'builder', eventCount: 2, current: { hat: 'builder' } });
  });
});

describe('what a hat was given', () => {
  test('stays in its prompt until it publishes', () => {
    const { bench } = begun({ hats: threeHats });
    publish(bench, 'plan.ready', 'three steps');
    for (let turn = 0; turn < 3; turn++) {
      const next = started(bench.ends());
      expect(next).toMatchObject({
        hat: 'builder',
        prompt: { events: [{ topic: 'plan.ready', payload: 'three steps' }] },
      });
    }
    publish(bench, 'build.done');
    expect(started(bench.ends()).hat).toBe('reviewer');
    publish(bench, 'review.failed', 'no');
    expect(started(bench.ends()).prompt.events).toMatchObject([{ topic: 'review.failed', payload: 'no' }]);
  });

  test('waits for it while another hat is worn', () => {
    const hats = [
      hat('a', { triggers: ['task.start', 'a'], publishes: ['*'] }),
      hat('b', { triggers: ['b'], publishes: ['*'] }),
    ];
    const { bench } = begun({ hats });
    publish(bench, 'a', 'first');
    publish(bench, 'b', 'for b');
    expect(started(bench.ends()).hat).toBe('a');
    expect(started(bench.ends()).hat).toBe('b');
    publish(bench, 'a', 'second');
    const { hat: worn, prompt } = started(bench.ends());
    expect([worn, prompt.events.map(({ payload }) => payload)]).toEqual(['a', ['first', 'second']]);
  });

  test('a hat that never publishes does not gather without end', () => {
    const hats = [hat('a', { triggers: ['task.start', 'n'], publishes: ['n', 'm'] }), hat('b', { triggers: ['m'] })];
    const { bench } = begun({ hats, maxIterations: 1000, stallIterations: 0 });
    publish(bench, 'm', 'one');
    bench.ends();
    for (let turn = 0; turn < 20; turn++) bench.ends();
    expect(bench.state.held).toEqual({});
    expect(bench.state.current?.events).toEqual([{ id: 2, topic: 'm', payload: 'one', by: 'text' }]);
  });
});

describe('default_publishes', () => {
  const hats = [
    hat('planner', { triggers: ['task.start'], publishes: ['plan.ready'], defaultPublishes: 'plan.ready' }),
    hat('builder', { triggers: ['plan.ready'], publishes: ['build.done'] }),
  ];

  test('is published for a hat that published nothing, once, and told', () => {
    const { bench } = begun({ hats });
    const next = started(bench.ends());
    expect(next.hat).toBe('builder');
    expect(buildPrompt(next.prompt)).toContain('Event plan.ready (published for a hat that published none)');
    expect(next.prompt.notes).toEqual([]);
    expect(bench.entries('event.published').at(-1)).toMatchObject({ by: 'loop', iteration: 1, accepted: true });
    expect(bench.state.last?.handedOver).toBe(true);
  });

  test('not for one that published, that failed, or whose claim a gate refused', () => {
    const loops = (bench: Bench) => bench.entries('event.published').filter(({ by }) => by === 'loop').length;
    const spoke = begun({ hats }).bench;
    publish(spoke, 'plan.ready');
    spoke.ends();
    expect(loops(spoke)).toBe(1);
    const failed = begun({ hats }).bench;
    expect(started(failed.ends('failed')).hat).toBe('planner');
    expect(loops(failed)).toBe(1);
    const gated = begun({ hats, gates: ['test'] }).bench;
    gated.claims();
    expect(started(gated.gates(false)).hat).toBe('planner');
    expect(loops(gated)).toBe(1);
  });

  test('the promise as default_publishes claims completion, through the gates', () => {
    const done = [hat('a', { triggers: ['task.start'], publishes: [], defaultPublishes: 'LOOP_COMPLETE' })];
    const { bench } = begun({ hats: done, gates: ['test'] });
    expect(bench.ends()).toEqual([{ do: 'run-gates', iteration: 1, gates: ['test'] }]);
    expect(finished(bench.gates(true)).exitCode).toBe(0);
    expect(bench.entries('iteration.ended')[0]?.completion?.reason).toContain('default_publishes of hat a');
    expect(begun({ hats: done }).bench.ends('failed')[0]?.do).toBe('start');
  });

  test('a host that dies right before publishes it when it comes back, and only then', () => {
    const { bench } = begun({ hats });
    bench.ends();
    const at = bench.journal.findIndex((entry) => entry.type === 'iteration.ended');
    const next = new Bench(bench.settings, bench.journal.slice(0, at + 1));
    expect(started(next.tell({ kind: 'started' })).hat).toBe('builder');
    const more = new Bench(bench.settings, bench.journal.slice(0, at + 2));
    expect(started(more.tell({ kind: 'started' })).hat).toBe('builder');
    expect(more.entries('event.published')).toHaveLength(2);
  });
});

describe('required_events', () => {
  test('completion counts only after each was seen; the next prompt says which are missing', () => {
    const { bench, first } = begun({ hats: threeHats, requiredEvents: ['plan.ready', 'build.*'], gates: ['test'] });
    expect(buildPrompt(first.prompt)).toContain('only after these events were published: plan.ready, build.*.');
    publish(bench, 'plan.ready');
    const refused = started(bench.claims());
    expect(bench.entries('iteration.ended')[0]?.completion).toEqual({
      claimed: true,
      accepted: false,
      reason: 'claimed in the last line, refused because a required event is missing: build.*',
    });
    expect(refused.prompt.notes).toContain('Completion was refused: these events have to be published first: build.*.');
    publish(bench, 'build.done');
    bench.claims();
    expect(finished(bench.gates(true)).exitCode).toBe(0);
  });

  test('one that was dropped was not seen; a single iteration needs none', () => {
    const { bench } = begun({ hats: threeHats, requiredEvents: ['build.done'] });
    publish(bench, 'build.done');
    expect(started(bench.claims()).iteration).toBe(2);
    expect(finished(begun({ once: true, requiredEvents: ['x'] }).bench.ends()).exitCode).toBe(0);
  });
});

test('a tag that cannot count is told in the next prompt, with the right form', () => {
  const { bench } = begun({ hats: threeHats });
  bench.tell({ kind: 'garbled', mistakes: ['<event topic=plan.ready> is no event tag'] });
  const text = buildPrompt(started(bench.ends()).prompt);
  expect(text).toContain(
    'Note (an event is written so, but not in code: `<event topic="TOPIC">message</event>`): No event, by mistake: &lt;event topic=plan.ready> is no event tag.',
  );
});

test('what the config tells of topics, and its rules, are in the prompts they matter to, bounded', () => {
  const { bench, first } = begun({
    hats: threeHats,
    guardrails: ['Small steps', 'x'.repeat(9000), 'never shown'],
    scratchpad: 'notes.md',
    events: {
      'plan.ready': { description: 'A plan.', onTrigger: 'build it', onPublish: 'number the steps' },
      'review.failed': { description: 'not for a planner' },
    },
  });
  const planner = buildPrompt(first.prompt);
  expect(planner).toContain('Rules:\n- Small steps\n- … (more than fits here)\n');
  expect(planner).toContain('Topics:\n- plan.ready: A plan; when you publish it: number the steps\n');
  expect(planner).toContain('Notes are kept in notes.md.');
  expect(planner).not.toContain('not for a planner');
  publish(bench, 'plan.ready');
  expect(buildPrompt(started(bench.ends()).prompt)).toContain('- plan.ready: A plan; you were given it: build it\n');
});
