/**
 * The three-hat loop with its host killed (SIGKILL) at twenty random points of its journal and then continued: it comes
 * to the same end, no event is lost or counted twice, and no process outlives the run that noticed.
 */
import { describe, expect, test } from 'vitest';
import { startReins } from './support/cli.js';
import { entries, onlySession } from './support/journal.js';
import { agentLines, goOn, killHostAt, ofType, story, THREE_HATS, trusted } from './support/loop.js';
import { newWorld } from './support/world.js';

/** Passes in the fifth iteration, however often it is asked: a gate that counts would count the repetitions too. */
const FIFTH = '[ -e "$XDG_STATE_HOME/reins/sessions/$REINS_SESSION/prompts/005.md" ]';

const CONFIG = `
cli: {backend: practice}
rules: {allow: ["Write(*.txt)", "Bash(cat:*)"]}
event_loop: {gates: [{name: fifth, run: ${JSON.stringify(FIFTH)}}]}
${THREE_HATS}`;

const REFUSED = 'claimed in the last line, refused because gate `fifth` failed (exit 1)';
const EXPECTED = {
  iterations: [
    ['planner', { claimed: false, accepted: false, reason: 'not claimed' }],
    ['builder', { claimed: false, accepted: false, reason: 'not claimed' }],
    ['reviewer', { claimed: true, accepted: false, reason: REFUSED }],
    ['reviewer', { claimed: true, accepted: false, reason: REFUSED }],
    ['reviewer', { claimed: true, accepted: true, reason: 'claimed in the last line; gates passed: fifth' }],
  ].map(([hat, completion], index) => ({ iteration: index + 1, hat, outcome: 'completed', completion })),
  events: [
    '0 loop task.start ',
    '1 text plan.ready Plan: one small step.',
    '2 text build.done Built it.',
    ...[3, 4, 5].map((n) => `${n} text review.approved Reviewed: good.`),
  ],
  end: ['completed', 0, 'completed in iteration 5'],
};

/** One random point in each of twenty stretches, so that all of the journal is covered. */
const STRETCH = 3;
const points = Array.from({ length: 20 }, (_, index) => ({
  entry: 1 + index * STRETCH + Math.floor(Math.random() * STRETCH),
  trust: index % 2 === 0 ? 'full' : 'guarded',
}));

describe('a killed host', () => {
  test.each(points)('after entry $entry (trust $trust)', async ({ entry, trust }) => {
    const world = newWorld();
    await trusted(world, CONFIG);
    const first = startReins(world, ['run', '--non-interactive', '--trust', trust, '-p', '[[hats tools]] make it']);
    let over = false;
    void first.done.then(() => {
      over = true;
    });
    expect(await killHostAt(world, entry, () => over)).toBe(true);
    const lost = await first.done;
    expect(lost).toMatchObject({ code: 70 });
    expect(lost.stderr).toMatch(/went away/);
    // The run that lost its host has ended what the host had started.
    await world.empty();

    const id = await onlySession(world);
    const before = entries(world, id);
    const ended = await goOn(world, id, ['--non-interactive']);
    expect(ended).toMatchObject({ code: 0 });
    expect(story(world, id)).toEqual(EXPECTED);
    const after = entries(world, id);
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after.map(({ seq }) => seq)).toEqual(after.map((_, index) => index + 1));
    const told = agentLines(world).filter(({ type }) => type === 'event');
    expect(told.map(({ iteration, topic, payload }) => `${iteration} ${topic} ${payload}`)).toEqual(
      EXPECTED.events.map((line) => line.replace(/ (loop|text)/, '')),
    );
    expect(ofType(after, 'session.started').map(({ data }) => data.continues ?? false)).toEqual([false, true]);
  });

  test('again and again: the loop still comes to the same end', async () => {
    const world = newWorld();
    await trusted(world, CONFIG);
    let run = startReins(world, ['run', '--non-interactive', '--trust', 'full', '-p', '[[hats tools]] make it']);
    const id = await onlySession(world);
    for (let round = 1; ; round++) {
      let over = false;
      void run.done.then(() => {
        over = true;
      });
      // An iteration has about fifteen entries: every round brings something new, none comes to the end by itself.
      const killed = await killHostAt(world, entries(world, id).length + 22, () => over);
      await run.done;
      await world.empty();
      if (!killed) break;
      expect(round).toBeLessThan(20);
      run = startReins(world, ['run', '--continue', id, '--non-interactive']);
    }
    expect((await run.done).code).toBe(0);
    expect(story(world, id)).toEqual(EXPECTED);
  });
});
