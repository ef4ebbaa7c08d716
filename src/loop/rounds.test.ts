/** Issue: "the same events between the same hats with no change to the tree" is a stall. */
import { describe, expect, test } from 'vitest';
import { begun } from './begun.cases.js';
import type { Effect } from './facts.js';
import { fold } from './fold.js';
import { Bench, finished, hat, started, threeHats } from './loop.cases.js';

const TREE = { tree: 'same' };
const pingPong = [
  hat('builder', { triggers: ['task.start', 'review.failed'], publishes: ['build.done', 'build.blocked'] }),
  hat('reviewer', { triggers: ['build.*'], publishes: ['review.failed'] }),
];
const answer: Record<string, string> = { builder: 'build.done', reviewer: 'review.failed', planner: 'plan.ready' };

/** One iteration: the worn hat publishes its topic, in words of its own. */
function turn(bench: Bench, given: { tree?: string; topic?: string; payload?: string } = {}): Effect[] {
  const topic = given.topic ?? answer[bench.state.current?.hat ?? ''] ?? 'build.now';
  const payload = given.payload ?? `words of iteration ${bench.state.iteration}`;
  bench.tell({ kind: 'event', topic, payload, by: 'text' });
  return bench.ends('ok', given.tree === undefined ? {} : { tree: given.tree });
}

/** So many turns go on; the next one ends it. */
function turnsUntilStall(bench: Bench, given: Parameters<typeof turn>[1]): { turns: number; reason: string } {
  for (let turns = 1; turns <= 60; turns++) {
    const effects = turn(bench, given);
    if (effects.some((effect) => effect.do === 'finish')) return { turns, reason: finished(effects).reason };
  }
  return { turns: Number.POSITIVE_INFINITY, reason: '' };
}

describe('hand-overs that go round', () => {
  test('two hats, same events, other words each time: a stall that names them', () => {
    const bench = begun({ hats: pingPong, stallIterations: 3 });
    const { turns, reason } = turnsUntilStall(bench, TREE);
    expect(turns).toBe(7);
    expect(reason).toBe(
      'no progress: the same hand-overs came again 3 times with no change to the files: builder → build.done, reviewer → review.failed',
    );
    expect(bench.state.ended?.exitCode).toBe(3);
  });

  test('three hats', () => {
    const hats = threeHats.map((one) =>
      one.id === 'planner' ? { ...one, triggers: ['task.start', 'review.failed'] } : one,
    );
    const ring = hats.map((one) => (one.id === 'builder' ? { ...one, triggers: ['plan.ready'] } : one));
    const { turns, reason } = turnsUntilStall(begun({ hats: ring, stallIterations: 2 }), TREE);
    expect(turns).toBe(7);
    expect(reason).toContain('planner → plan.ready, builder → build.done, reviewer → review.failed');
  });

  test('the coordinator that hands out the same over and over', () => {
    const hats = [hat('worker', { triggers: ['build.now'], publishes: ['stuck'] })];
    const bench = begun({ hats, stallIterations: 2 });
    let end: Effect[] = [];
    for (let n = 0; n < 20 && !bench.state.ended; n++) {
      end = turn(bench, { ...TREE, topic: bench.state.current?.coordinator ? 'build.now' : 'stuck' });
    }
    expect(finished(end).reason).toContain('coordinator → build.now, worker → stuck');
    expect(bench.state.iteration).toBe(5);
  });

  test('one round before the end, user and agents are warned, once', () => {
    const bench = begun({ hats: pingPong, stallIterations: 3 });
    for (let n = 0; n < 5; n++) turn(bench, TREE);
    expect(bench.entries('loop.stalled')).toHaveLength(1);
    expect(bench.state.current?.notes.join()).toContain('one more round and the loop stops');
    turn(bench, TREE);
    expect(bench.entries('loop.stalled')).toHaveLength(1);
  });

  test('a changed file or a new kind of hand-over begins the count anew; a failure does not', () => {
    const changed = begun({ hats: pingPong, stallIterations: 2, backoffMs: 0 });
    for (let n = 0; n < 30; n++) turn(changed, { tree: `t${Math.floor(n / 4)}` });
    expect(changed.state.ended).toBeUndefined();
    const news = begun({ hats: pingPong, stallIterations: 2 });
    for (let n = 0; n < 4; n++) turn(news, TREE);
    turn(news, { ...TREE, topic: 'build.blocked' });
    expect(news.state.ended).toBeUndefined();
    const failing = begun({ hats: pingPong, stallIterations: 2, backoffMs: 0 });
    for (let n = 0; n < 4; n++) turn(failing, TREE);
    started(failing.ends('failed', TREE));
    expect(finished(turn(failing, TREE)).reason).toContain('builder → build.done');
  });

  test('outside a repository only the very same words count', () => {
    expect(turnsUntilStall(begun({ hats: pingPong, stallIterations: 3 }), {}).turns).toBe(Number.POSITIVE_INFINITY);
    const { turns, reason } = turnsUntilStall(begun({ hats: pingPong, stallIterations: 3 }), { payload: 'as before' });
    expect(turns).toBe(7);
    expect(reason).toContain('3 times in the same words: builder → build.done, reviewer → review.failed');
  });

  test('0 is never, and what is remembered does not grow', () => {
    const free = [hat('a', { triggers: ['*'], publishes: ['*'] })];
    const bench = begun({ hats: free, stallIterations: 0, maxIterations: 1000 });
    for (let n = 0; n < 200; n++) turn(bench, { ...TREE, topic: `topic.${n}.${'x'.repeat(100)}` });
    expect(bench.state.ended).toBeUndefined();
    expect(Object.keys(bench.state.stall.rounds ?? {}).length).toBeLessThanOrEqual(30);
    expect(turnsUntilStall(begun({ hats: pingPong, stallIterations: 0 }), TREE).turns).toBe(Number.POSITIVE_INFINITY);
    // Without hats an event is a note, and nobody to hand over to.
    expect(turnsUntilStall(begun({ stallIterations: 2 }), TREE).turns).toBe(Number.POSITIVE_INFINITY);
  });

  test('without hats the very same note over the very same tree is a stall; over an unknown one it may be work', () => {
    const same = { payload: 'one small step' };
    const { turns, reason } = turnsUntilStall(begun({ stallIterations: 2 }), { ...TREE, ...same });
    expect(turns).toBe(3);
    expect(reason).toContain('the agent → build.now');
    expect(turnsUntilStall(begun({ stallIterations: 2 }), same).turns).toBe(Number.POSITIVE_INFINITY);
  });

  test('after kill -9 the count is what it was; a continued loop begins anew', () => {
    const bench = begun({ hats: pingPong, stallIterations: 3 });
    for (let n = 0; n < 6; n++) turn(bench, TREE);
    expect(fold(bench.journal, bench.settings).stall).toEqual(bench.state.stall);
    finished(turn(bench, TREE));
    const more = new Bench(bench.settings, bench.journal);
    more.tell({ kind: 'started' });
    expect(turnsUntilStall(more, TREE).turns).toBe(7);
  });
});
