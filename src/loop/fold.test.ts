/**
 * Issue: "the same loop `kill -9`ed at each of 20 random points and continued ends in the same state, with no event lost
 * or doubled". Here a scripted world stands for agents and gates, and the host is killed after any entry of its journal.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Entry } from '../contract/index.js';
import type { Effect } from './facts.js';
import { Bench, finished, hat, settingsFor, started, T0, threeHats } from './loop.cases.js';
import type { LoopSettings } from './settings.js';
import { runtimeMs, totalUsage } from './state.js';

interface Script {
  /** What the agent does in iteration 1, 2, …: the same again if it has to run again. */
  iterations: {
    events: [string, string][];
    guide?: string;
    exit: 'ok' | 'failed';
    claims: boolean;
    limit: boolean;
    tree: string;
  }[];
  /** Which runs of the gates fail, by iteration. */
  failingGates: number[];
}

/** The world outlives the host: what a provider or a user did is not undone by a crash. */
class World {
  readonly #script: Script;
  readonly #limited = new Set<number>();

  constructor(script: Script) {
    this.#script = script;
  }

  /** Does what the effects ask until the session ends or the journal has `most` entries. */
  run(bench: Bench, first: Effect[], most = Number.POSITIVE_INFINITY): Effect[] {
    let effects = first;
    while (!effects.some((effect) => effect.do === 'finish') && bench.journal.length < most) {
      effects = effects.flatMap((effect) => this.#do(bench, effect));
      if (effects.length === 0) throw new Error(`the loop wants nothing in phase ${bench.state.phase}`);
    }
    return effects;
  }

  #do(bench: Bench, effect: Effect): Effect[] {
    bench.at += 10;
    if (effect.do === 'wait') return bench.tell({ kind: 'tick', at: effect.until });
    if (effect.do === 'run-gates') return bench.gates(!this.#script.failingGates.includes(effect.iteration));
    if (effect.do !== 'start') throw new Error(`unexpected ${effect.do}`);
    return this.#agent(bench, effect.iteration);
  }

  #agent(bench: Bench, iteration: number): Effect[] {
    const { iterations } = this.#script;
    const plan = iterations[(iteration - 1) % iterations.length]!;
    if (plan.limit && !this.#limited.has(iteration)) {
      this.#limited.add(iteration);
      bench.tell({ kind: 'limit', message: 'limit', until: bench.at + 600_000 });
      return bench.ends('failed', { costUsd: 0.01 });
    }
    for (const [topic, payload] of plan.events) bench.tell({ kind: 'event', topic, payload, by: 'text' });
    const id = `g${iteration}`;
    const given = bench.entries('guidance.given').some((guidance) => guidance.id === id);
    if (plan.guide !== undefined && !given) bench.tell({ kind: 'guidance', id, text: plan.guide });
    const claim = { claimed: plan.claims, reason: plan.claims ? 'claimed in the last line' : 'not claimed' };
    return bench.ends(plan.exit, { claim, costUsd: 0.01, tree: plan.tree });
  }
}

function whole(settings: LoopSettings, script: Script): Bench {
  const bench = new Bench(settings);
  new World(script).run(bench, bench.tell({ kind: 'started' }));
  return bench;
}

/** Runs until `kill` entries are on disk, loses everything else, and goes on from the journal; for each kill in turn. */
function killed(settings: LoopSettings, script: Script, kills: number[]): Bench {
  const world = new World(script);
  let journal: Entry[] = [];
  for (const more of kills) {
    const bench = new Bench(settings, journal);
    const most = journal.length + more;
    world.run(bench, bench.tell({ kind: 'started' }), most);
    journal = bench.journal.slice(0, most);
    if (journal.some((entry) => entry.type === 'session.ended')) return bench;
  }
  const bench = new Bench(settings, journal);
  world.run(bench, bench.tell({ kind: 'started' }));
  return bench;
}

/** What must not depend on being killed. Cost and attempts may: work that was lost was paid for. */
function result(bench: Bench): unknown {
  const { state } = bench;
  const accepted = bench.entries('event.published').filter((event) => event.accepted);
  const shown = bench.entries('guidance.given').filter((guidance) => guidance.delivered_in !== undefined);
  return {
    ended: { outcome: state.ended?.outcome, exitCode: state.ended?.exitCode },
    iteration: state.iteration,
    hat: state.hat,
    activations: state.activations,
    failures: state.failures,
    stall: state.stall,
    eventCount: state.eventCount,
    events: accepted.map(({ topic, payload, iteration }) => ({ topic, payload, iteration })),
    pending: state.pending,
    held: state.held,
    seen: state.seen,
    guidance: new Set([...state.guidance, ...shown].map(({ id }) => id)),
  };
}

const script: fc.Arbitrary<Script> = fc.record({
  iterations: fc.array(
    fc.record(
      {
        events: fc.array(
          fc.tuple(fc.constantFrom('plan.ready', 'build.done', 'review.failed', 'odd'), fc.constantFrom('a', 'b')),
          { maxLength: 4 },
        ),
        guide: fc.constantFrom('left', 'right'),
        exit: fc.constantFrom('ok' as const, 'ok' as const, 'failed' as const),
        claims: fc.constantFrom(false, false, true),
        limit: fc.constantFrom(false, false, false, true),
        tree: fc.constantFrom('t1', 't2'),
      },
      { requiredKeys: ['events', 'exit', 'claims', 'limit', 'tree'] },
    ),
    { minLength: 1, maxLength: 6 },
  ),
  failingGates: fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 3 }),
});

const anySettings = fc
  .record({
    hats: fc.constantFrom(
      [],
      threeHats,
      threeHats.map((one) => ({ ...one, defaultPublishes: one.publishes[0]! })),
      // The coordinator begins, and takes what nobody does.
      [hat('a', { triggers: ['plan.*'], publishes: ['odd'] }), hat('b', { triggers: ['build.*'], publishes: ['*'] })],
    ),
    requiredEvents: fc.constantFrom<string[][]>([], ['review.*']),
    gates: fc.constantFrom<string[][]>([], ['test']),
    maxIterations: fc.integer({ min: 1, max: 10 }),
    stallIterations: fc.constantFrom(0, 3),
  })
  .map((given) => settingsFor(given));

/** plan → build → review; the gate fails twice. */
const journey: Script = {
  iterations: [
    { events: [['plan.ready', 'three steps']], exit: 'ok', claims: false, limit: false, tree: 't1' },
    { events: [['build.done', 'one']], guide: 'use tabs', exit: 'ok', claims: false, limit: false, tree: 't2' },
    { events: [['review.failed', 'no tests']], exit: 'ok', claims: false, limit: false, tree: 't2' },
    { events: [['build.done', 'two']], exit: 'failed', claims: false, limit: false, tree: 't3' },
    { events: [], exit: 'ok', claims: true, limit: false, tree: 't4' },
    { events: [], exit: 'ok', claims: true, limit: true, tree: 't5' },
    { events: [], exit: 'ok', claims: true, limit: false, tree: 't6' },
  ],
  failingGates: [5, 6],
};

describe('the journal brings the loop back', () => {
  const settings = settingsFor({ hats: threeHats, gates: ['test'] });

  test('three hats, a gate that fails twice, killed after every single entry: the same end', () => {
    const undisturbed = whole(settings, journey);
    expect(undisturbed.state.ended).toMatchObject({ outcome: 'completed', exitCode: 0 });
    expect(undisturbed.state.iteration).toBe(7);
    for (let kill = 0; kill < undisturbed.journal.length; kill++) {
      expect(result(killed(settings, journey, [kill])), `killed after ${kill} entries`).toEqual(result(undisturbed));
    }
  });

  test('any loop, killed several times anywhere: the same end, no event lost or doubled', () => {
    fc.assert(
      fc.property(anySettings, script, fc.array(fc.nat(40), { minLength: 1, maxLength: 5 }), (given, plan, kills) => {
        expect(result(killed(given, plan, kills))).toEqual(result(whole(given, plan)));
      }),
      { numRuns: 300 },
    );
  });

  test('cost of work that was lost is still counted, time in which nothing ran is not', () => {
    const bench = new Bench(settingsFor());
    bench.tell({ kind: 'started' });
    bench.tell({ kind: 'usage', costUsd: 0.5, at: T0 + 1000 });
    const next = new Bench(settingsFor(), bench.journal);
    next.tell({ kind: 'started', at: T0 + 3_600_000 });
    next.tell({ kind: 'usage', costUsd: 0.25 });
    expect(totalUsage(next.state).costUsd).toBe(0.75);
    expect(runtimeMs(next.state, T0 + 3_600_000)).toBe(1000);
  });

  test('an iteration that was cut short runs again under its number, with its hat and its events', () => {
    const bench = new Bench(settings);
    bench.tell({ kind: 'started' });
    bench.tell({ kind: 'event', topic: 'plan.ready', payload: 'p', by: 'text' });
    bench.ends();
    bench.tell({ kind: 'guidance', id: 'g1', text: 'given in the middle' });
    const next = new Bench(settings, bench.journal);
    const again = started(next.tell({ kind: 'started' }));
    expect(again).toMatchObject({ iteration: 2, attempt: 2, hat: 'builder', prompt: { attempt: 2 } });
    expect(again.prompt.events).toMatchObject([{ topic: 'plan.ready', payload: 'p' }]);
    expect(again.prompt.guidance).toMatchObject([{ id: 'g1' }]);
    expect(next.entries('iteration.started').at(-1)).toMatchObject({ prompt_file: 'prompts/002-2.md', attempt: 2 });
  });

  test('killed while the gates ran: only the gates run again', () => {
    const bench = new Bench(settings);
    bench.tell({ kind: 'started' });
    bench.claims();
    const next = new Bench(settings, bench.journal);
    expect(next.tell({ kind: 'started' })).toEqual([{ do: 'run-gates', iteration: 1, gates: ['test'] }]);
    expect(finished(next.gates(true)).exitCode).toBe(0);
  });

  test('killed while it waited for a usage limit: it waits on', () => {
    const bench = new Bench(settings);
    bench.tell({ kind: 'started' });
    bench.tell({ kind: 'limit', message: 'limit', until: T0 + 3_600_000 });
    bench.ends('failed');
    const next = new Bench(settings, bench.journal);
    expect(next.tell({ kind: 'started', at: T0 + 60_000 })).toMatchObject([{ do: 'wait', until: T0 + 3_600_000 }]);
    expect(started(next.tell({ kind: 'tick', at: T0 + 3_600_000 }))).toMatchObject({ iteration: 1, attempt: 2 });
  });

  test('a session that ended goes on when asked to: limits count on, failures do not', () => {
    const few = settingsFor({ maxIterations: 2 });
    const bench = new Bench(few);
    bench.tell({ kind: 'started' });
    bench.ends();
    bench.ends();
    expect(finished(new Bench(few, bench.journal).tell({ kind: 'started' })).exitCode).toBe(3);
    const more = new Bench(settingsFor({ maxIterations: 5 }), bench.journal);
    expect(started(more.tell({ kind: 'started' })).iteration).toBe(3);

    const failing = new Bench(settingsFor({ maxConsecutiveFailures: 1 }));
    failing.tell({ kind: 'started' });
    finished(failing.ends('failed'));
    expect(started(new Bench(failing.settings, failing.journal).tell({ kind: 'started' })).iteration).toBe(2);
  });

  test('a completed session that is continued works on instead of ending at once', () => {
    const bench = new Bench(settingsFor());
    bench.tell({ kind: 'started' });
    finished(bench.claims());
    expect(started(new Bench(bench.settings, bench.journal).tell({ kind: 'started' })).iteration).toBe(2);
  });

  test('a session stopped in mid-iteration does that iteration again', () => {
    const bench = new Bench(settingsFor());
    bench.tell({ kind: 'started' });
    bench.tell({ kind: 'stop-asked', how: 'stop', signal: 'SIGINT' });
    finished(bench.ends('stopped'));
    const again = started(new Bench(bench.settings, bench.journal).tell({ kind: 'started' }));
    expect(again).toMatchObject({ iteration: 1, attempt: 2 });
  });
});
