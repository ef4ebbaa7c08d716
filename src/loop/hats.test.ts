import { describe, expect, test } from 'vitest';
import { checkHats } from './check-hats.js';
import { renderGraph } from './graph.js';
import { hatsFor } from './hats.js';
import { Bench, finished, hat, settingsFor, started, threeHats } from './loop.cases.js';
import type { HatSettings, LoopSettings } from './settings.js';

const withHats = (hats: HatSettings[], more: Partial<LoopSettings> = {}) => settingsFor({ hats, ...more });

function begun(settings: LoopSettings): { bench: Bench; first: ReturnType<typeof started> } {
  const bench = new Bench(settings);
  return { bench, first: started(bench.tell({ kind: 'started' })) };
}

const publish = (bench: Bench, topic: string, payload = '') =>
  bench.tell({ kind: 'event', topic, payload, by: 'text' });

describe('wearing hats', () => {
  test('events lead from hat to hat, one per iteration, each on its backend', () => {
    const { bench, first } = begun(withHats(threeHats));
    expect(first).toMatchObject({ hat: 'planner', backend: 'practice', prompt: { hat: { instructions: 'Plan it.' } } });
    publish(bench, 'plan.ready', 'three steps');
    const second = started(bench.ends());
    expect(second).toMatchObject({ iteration: 2, hat: 'builder', backend: 'codex' });
    expect(second.prompt.events).toMatchObject([{ topic: 'plan.ready', payload: 'three steps' }]);
    publish(bench, 'build.done');
    expect(started(bench.ends()).hat).toBe('reviewer');
    expect(bench.entries('hat.worn').map((worn) => worn.hat)).toEqual(['planner', 'builder', 'reviewer']);
    expect(finished(bench.claims()).exitCode).toBe(0);
  });

  test('an event outside publishes is dropped, journaled with the reason, and told to the agent', () => {
    const { bench } = begun(withHats(threeHats));
    publish(bench, 'build.done');
    const next = started(bench.ends());
    expect(next.hat).toBe('planner');
    expect(next.prompt.notes[0]).toContain('hat planner does not publish it; it may publish plan.ready');
    expect(bench.entries('event.published').at(-1)).toMatchObject({ topic: 'build.done', accepted: false });
  });

  test('without an event the same hat goes on, and is told so', () => {
    const { bench } = begun(withHats(threeHats));
    const next = started(bench.ends());
    expect(next.hat).toBe('planner');
    expect(next.prompt.notes).toEqual(['The previous iteration published no event, so the same hat goes on.']);
  });

  test('a hat that fails is tried again with the same events, and that is no new activation', () => {
    const hats = threeHats.map((one) => ({ ...one, maxActivations: 1 }));
    const { bench } = begun(withHats(hats, { backoffMs: 0 }));
    publish(bench, 'plan.ready', 'three steps');
    bench.ends();
    const again = started(bench.ends('failed', { reason: 'crashed' }));
    expect(again).toMatchObject({ iteration: 3, hat: 'builder' });
    expect(again.prompt.events).toMatchObject([{ payload: 'three steps' }]);
    expect(again.prompt.notes).toEqual(['The previous iteration failed: crashed.']);
    expect(bench.state.activations).toEqual({ planner: 1, builder: 1 });
  });

  test('a hat that published and then failed has handed over', () => {
    const { bench } = begun(withHats(threeHats, { backoffMs: 0 }));
    publish(bench, 'plan.ready');
    expect(started(bench.ends('failed')).hat).toBe('builder');
  });

  test('waiting events for one hat come together, those for others keep their order', () => {
    const hats = [
      hat('a', { triggers: ['task.start'], publishes: ['*'] }),
      hat('b', { triggers: ['b.*'], publishes: ['*'] }),
      hat('c', { triggers: ['c.*'], publishes: ['*'] }),
    ];
    const { bench } = begun(withHats(hats));
    for (const topic of ['c.1', 'b.1', 'c.2']) publish(bench, topic);
    const next = started(bench.ends());
    expect([next.hat, next.prompt.events.map((event) => event.topic)]).toEqual(['c', ['c.1', 'c.2']]);
    expect(started(bench.ends()).hat).toBe('b');
  });

  test('max_activations: the next best hat takes over, else the event is dropped and the loop ends', () => {
    const hats = [
      hat('a', { triggers: ['task.start', 'go'], publishes: ['go'], maxActivations: 2 }),
      hat('b', { triggers: ['g*'], publishes: ['go'], maxActivations: 1 }),
    ];
    const { bench } = begun(withHats(hats));
    for (const expected of ['a', 'b']) {
      publish(bench, 'go');
      expect(started(bench.ends()).hat).toBe(expected);
    }
    publish(bench, 'go');
    const end = finished(bench.ends());
    expect(end).toMatchObject({ outcome: 'limit', exitCode: 3 });
    expect(end.reason).toContain('hat b was worn 1 time,');
  });

  test('specific beats wildcard, whatever the order', () => {
    const hats = [
      hat('all', { triggers: ['*'] }),
      hat('build', { triggers: ['build.*'] }),
      hat('one', { triggers: ['build.done'] }),
    ];
    expect(hatsFor(withHats(hats), 'build.done').map(({ id }) => id)).toEqual(['one', 'build', 'all']);
    expect(hatsFor(withHats(hats), 'x').map(({ id }) => id)).toEqual(['all']);
  });

  test('any hat may claim completion by an event, whatever it publishes', () => {
    const { bench } = begun(withHats(threeHats));
    publish(bench, 'LOOP_COMPLETE');
    expect(finished(bench.ends()).exitCode).toBe(0);
  });

  test('without hats all events of an iteration reach the next prompt', () => {
    const { bench } = begun(settingsFor());
    publish(bench, 'found', 'a bug');
    expect(started(bench.ends()).prompt.events).toMatchObject([{ topic: 'found', payload: 'a bug' }]);
    expect(started(bench.ends()).prompt.events).toEqual([]);
  });

  test('an agent caught in publishing is bounded', () => {
    const { bench } = begun(settingsFor());
    for (let n = 0; n < 150; n++) publish(bench, 'x', `${n}`);
    expect(started(bench.ends()).prompt.events).toHaveLength(100);
  });
});

describe('checking hats', () => {
  const texts = (findings: { text: string }[]) => findings.map(({ text }) => text);

  test('three good hats have nothing to report', () => {
    expect(checkHats(withHats(threeHats))).toEqual({ errors: [], warnings: [] });
    expect(checkHats(settingsFor())).toEqual({ errors: [], warnings: [] });
  });

  test.each([
    [
      'the same topic twice',
      [hat('a', { triggers: ['task.start'] }), hat('b', { triggers: ['task.start'] })],
      'hats a and b are both triggered by task.start, and neither is more specific',
    ],
    [
      'globs that meet in a published topic',
      [
        hat('a', { triggers: ['task.start'], publishes: ['ab.cd'] }),
        hat('b', { triggers: ['ab.*'] }),
        hat('c', { triggers: ['*.cd'] }),
      ],
      'hats b and c are both triggered by ab.cd, and neither is more specific',
    ],
    [
      'a trigger on the promise',
      [hat('a', { triggers: ['task.start', 'LOOP_COMPLETE'] })],
      'hat a is triggered by the completion promise LOOP_COMPLETE, which ends the loop instead',
    ],
    [
      'an unknown field',
      [{ ...hat('a', { triggers: ['task.start'] }), triger: 1 } as HatSettings],
      'hat a has an unknown field triger',
    ],
  ])('%s is an error', (_, hats, text) => {
    const { errors } = checkHats(withHats(hats));
    expect(texts(errors)).toEqual([text]);
    expect(errors.every(({ fix, path }) => fix !== '' && path !== '')).toBe(true);
  });

  test('topics nobody handles and hats nobody reaches are warnings', () => {
    const hats = (lost: string[]) => [
      hat('a', { triggers: ['task.start'], publishes: [...lost, 'LOOP_COMPLETE', 'b.*'] }),
      hat('b', { triggers: ['b.x'], publishes: [], defaultPublishes: 'd' }),
      hat('d', { triggers: ['d'] }),
      hat('island', { triggers: ['c'], publishes: ['c'] }),
    ];
    const island = 'hat island is never worn: nothing that leads there from task.start triggers it';
    expect(checkHats(withHats(hats([])))).toMatchObject({ errors: [], warnings: [{ text: island }] });
    // What nobody takes goes to the coordinator, and it may hand the work to anyone.
    const { errors, warnings } = checkHats(withHats(hats(['lost'])));
    expect(errors).toEqual([]);
    expect(texts(warnings)).toEqual(['hat a publishes lost, and no hat is triggered by it']);
  });

  test('nobody to begin is a hint: the coordinator begins', () => {
    const { errors, warnings } = checkHats(withHats([hat('a', { triggers: ['x'] }), hat('dumb')]));
    expect(errors).toEqual([]);
    expect(texts(warnings)).toEqual([
      'no hat is triggered by the starting event task.start: the coordinator begins',
      'hat dumb is never worn: nothing that leads there from task.start triggers it',
    ]);
  });
});

describe('the picture of the hats', () => {
  test('as text and as Mermaid', () => {
    const hats = [
      ...threeHats,
      hat('end', { triggers: ['x"y'], publishes: ['lost', 'LOOP_COMPLETE'], maxActivations: 2 }),
    ];
    const { text, mermaid } = renderGraph(withHats(hats));
    expect(text).toBe(
      [
        'start',
        '  task.start → planner',
        'planner',
        '  plan.ready → builder',
        'builder [codex]',
        '  build.done → reviewer',
        'reviewer',
        '  review.failed → builder',
        'end [at most 2×]',
        '  lost → (coordinator)',
        '  LOOP_COMPLETE → done',
        '',
      ].join('\n'),
    );
    expect(mermaid).toContain('flowchart LR\n  begin(["start"])\n  h0["planner"]');
    expect(mermaid).toContain('  begin -->|"task.start"| h0\n');
    expect(mermaid).toContain('  h3 -->|"lost"| coordinator\n  h3 -->|"LOOP_COMPLETE"| done\n');
  });

  test('without hats there is a sentence instead', () => {
    expect(renderGraph(settingsFor())).toEqual({
      text: 'no hats: every iteration is alike until LOOP_COMPLETE\n',
      mermaid: '',
    });
  });
});
