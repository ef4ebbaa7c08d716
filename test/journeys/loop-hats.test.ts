/** Hats, events and gates in a loop on the practice agent and on a plain one, from the outside. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { SessionRow } from '../../src/contract/index.js';
import { calls } from './support/agents.js';
import { dryRun, reins, startReins } from './support/cli.js';
import { entries, onlySession, sessions } from './support/journal.js';
import { ofType, prompts, story, THREE_HATS, trusted, worker } from './support/loop.js';
import { until } from './support/wait.js';
import { newWorld } from './support/world.js';

const FAILS_TWICE = `n=$(cat .tries 2>/dev/null || echo 0); n=$((n+1)); echo $n > .tries; echo "try $n"; [ $n -ge 3 ]`;
const GATED = `event_loop: {gates: [{name: third, run: ${JSON.stringify(FAILS_TWICE)}}]}`;

describe('plan, build, review', () => {
  test.each(['full', 'guarded'])(
    'Given three hats and a gate that fails twice, When the loop runs under trust %s, Then it finishes with 0',
    async (trust) => {
      const world = newWorld();
      const rules = 'rules: {allow: ["Write(*.txt)", "Bash(cat:*)"]}';
      await trusted(world, `cli: {backend: practice}\ntrust: ${trust}\n${rules}\n${GATED}\n${THREE_HATS}`);
      const ended = await reins(world, ['run', '--non-interactive', '-p', '[[hats tools]] make it']);
      expect(ended.stderr).toContain('■ completed in iteration 5 · 5 iterations in');
      expect(ended.code).toBe(0);
      const id = await onlySession(world);
      const { iterations, events } = story(world, id);
      expect(iterations.map(({ hat }) => hat)).toEqual(['planner', 'builder', 'reviewer', 'reviewer', 'reviewer']);
      expect(iterations.map(({ completion }) => completion?.reason)).toEqual([
        'not claimed',
        'not claimed',
        'claimed in the last line, refused because gate `third` failed (exit 1)',
        'claimed in the last line, refused because gate `third` failed (exit 1)',
        'claimed in the last line; gates passed: third',
      ]);
      expect(iterations.map(({ completion }) => completion?.accepted)).toEqual([false, false, false, false, true]);
      expect(events).toEqual([
        '0 loop task.start ',
        '1 text plan.ready Plan: one small step.',
        '2 text build.done Built it.',
        ...[3, 4, 5].map((n) => `${n} text review.approved Reviewed: good.`),
      ]);
      const all = entries(world, id);
      expect(ofType(all, 'gate.ran').map(({ data }) => [data.ok, data.tail])).toEqual([
        [false, 'try 1\n'],
        [false, 'try 2\n'],
        [true, 'try 3\n'],
      ]);
      expect(ofType(all, 'tool.returned').every(({ data }) => data.ok)).toBe(true);
      expect(ofType(all, 'inquiry.answered')).toHaveLength(trust === 'guarded' ? 10 : 0);
      const written = prompts(world, id);
      expect(written['002.md']).toContain('Event plan.ready: Plan: one small step.');
      expect(written['004.md']).toContain('check third failed with exit code 1; the end of its output:\n> try 1');
      expect(readFileSync(join(world.project, 'build.done.txt'), 'utf8')).toBe('Built it.\n');
      for (const line of ['── iteration 2/100 · builder · practice', '  ⇢ build.done', '  gate third failed'])
        expect(ended.stderr).toContain(line);
      expect(ended.stderr).toMatch(/── completed in \d+\.\ds · \$0\.0010 · \d+ in, \d+ out\n/);
    },
  );

  test('a hat that publishes what it may not: dropped, and the agent is told in its next prompt', async () => {
    const world = newWorld();
    const run = worker(
      world,
      `say(n === 1 ? '<event topic="build.done">skipping ahead</event>' : 'LOOP_COMPLETE'); done();`,
    );
    await trusted(world, THREE_HATS);
    const ended = await reins(world, [...run, '-p', 'go']);
    expect(ended.code).toBe(0);
    expect(ended.stderr).toContain(
      '⇢ build.done (dropped: hat planner does not publish it; it may publish plan.ready)',
    );
    const id = await onlySession(world);
    const refused = ofType(entries(world, id), 'event.published').find(({ data }) => !data.accepted);
    expect(refused?.data).toMatchObject({ topic: 'build.done', iteration: 1 });
    expect(prompts(world, id)['002.md']).toContain(
      'Note: Event build.done was dropped: hat planner does not publish it; it may publish plan.ready.',
    );
    expect(story(world, id).iterations.map(({ hat }) => hat)).toEqual(['planner', 'planner']);
  });

  test('max_activations: a hat worn as often as it may be, and no other has work: a limit', async () => {
    const world = newWorld();
    const run = worker(world, `say('<event topic="a.more">x</event>'); done();`);
    await trusted(world, 'hats: {only: {triggers: [task.start, "a.*"], publishes: ["a.*"], max_activations: 2}}\n');
    const ended = await reins(world, [...run, '-p', 'go']);
    expect(ended.code).toBe(3);
    expect(ended.stderr).toContain('hat only was worn 2 times, its most');
    expect(ended.stderr).toMatch(
      /next: raise it and continue: reins run --continue \w+ --set hats.only.max_activations=4\n/,
    );
    expect(calls(world, 'worker')).toHaveLength(2);
  });

  test('a specific trigger beats a glob, and a hat may bring its own agent', async () => {
    const world = newWorld();
    const [, , , , , ...custom] = worker(world, `say('here is the worker\\nLOOP_COMPLETE'); done();`);
    const hats = `
hats:
  planner: {triggers: [task.start], publishes: [plan.ready]}
  any: {triggers: ["plan.*"], publishes: [build.done]}
  exact: {triggers: [plan.ready], publishes: [build.done], backend: custom}
`;
    await trusted(world, hats);
    const ended = await reins(world, [
      'run',
      '-b',
      'practice',
      '--trust',
      'full',
      ...custom,
      '-p',
      '[[hats]] planner first',
    ]);
    expect(ended.code).toBe(0);
    const id = await onlySession(world);
    expect(story(world, id).iterations.map(({ hat }) => hat)).toEqual(['planner', 'exact']);
    const agents = ofType(entries(world, id), 'agent.started').map(({ data }) => data.agent);
    expect(agents).toEqual(['practice', 'custom']);
    expect(ended.stdout).toContain('here is the worker');
  });
});

describe('agents of hats', () => {
  const HATS = 'hats: {a: {triggers: [task.start], publishes: [b.c]}, b: {triggers: [b.c], publishes: [], backend: ';

  test.each([
    ['amp}}', 'full', 'amp was requested but amp is not on PATH'],
    ['custom}}', 'guarded', 'custom backend cannot be started under trust guarded'],
  ])('one that cannot work (%s) is found before the first agent starts', async (backend, trust, words) => {
    const world = newWorld();
    const [, , , , , ...custom] = worker(world, 'done();');
    world.write('reins.yml', `${HATS}${backend}\n`);
    const run = ['run', '-b', 'practice', '--trust', trust, ...custom, '-p', '[[hats]] planner'];
    const ended = await reins(world, run);
    expect(ended).toMatchObject({ code: 20, stdout: '' });
    expect(ended.stderr.toLowerCase()).toContain(words.toLowerCase());
    expect(sessions(world)).toEqual([]);
  });

  test('--dry-run shows the agent of the first hat', async () => {
    const world = newWorld();
    const [, , , , , ...custom] = worker(world, 'done();');
    world.write('reins.yml', 'hats: {a: {triggers: [task.start], publishes: [], backend: custom}}\n');
    const planned = await dryRun(world, ['-b', 'practice', '--trust', 'full', ...custom, '-p', 'x']);
    expect(planned.argv[0]).toMatch(/\/bin\/worker$/);
  });
});

describe('completion gates', () => {
  test('one that hangs is ended after its time, and its last words reach the next prompt', async () => {
    const world = newWorld();
    const run = worker(world, `say('LOOP_COMPLETE'); done();`);
    const slow = `echo "step one"; [ -e .once ] && exit 0; touch .once; setsid sleep 300; sleep 300`;
    await trusted(world, `event_loop: {gates: [{name: slow, run: ${JSON.stringify(slow)}, timeout_secs: 1}]}`);
    world.env.PATH += ':/usr/bin:/bin';
    expect(await reins(world, [...run, '-p', 'go'])).toMatchObject({ code: 0 });
    const id = await onlySession(world);
    const [late, good] = ofType(entries(world, id), 'gate.ran');
    expect(late?.data).toMatchObject({ ok: false, tail: 'step one\n\n(stopped after 1 s)' });
    expect(good?.data).toMatchObject({ ok: true, exit_code: 0 });
    expect(prompts(world, id)['002.md']).toMatch(/check slow .*\n> step one\n> \n> \(stopped after 1 s\)/);
  });

  test.each(['stop', 'kill'])('reins %s while one runs ends it, and nothing stays', async (how) => {
    const world = newWorld();
    const run = worker(world, `say('LOOP_COMPLETE'); done();`);
    await trusted(
      world,
      `event_loop: {gates: [{name: long, run: "echo begun > begun; setsid sleep 300 & sleep 300"}]}`,
    );
    const loop = startReins(world, [...run, '-p', 'go']);
    await until('the gate', () => existsSync(join(world.project, 'begun')));
    const stopped = await reins(world, [how, await onlySession(world)]);
    expect(stopped).toMatchObject({ code: 0, stdout: expect.stringContaining('sleep 300') });
    expect(await loop.done).toMatchObject({ code: how === 'stop' ? 143 : 137 });
    // The host itself may take a moment to leave; nothing of the session may.
    expect(world.running().filter((line) => !line.includes('/host/main.js'))).toEqual([]);
    await world.empty();
  });

  test('a claim in the iteration that used up the budget is judged like any other', async () => {
    const world = newWorld();
    await trusted(world, 'event_loop: {gates: [{name: fine, run: "true"}]}');
    const env = { PRACTICE_SCENARIO: JSON.stringify([{ cost: 5 }, { say: 'LOOP_COMPLETE' }]) };
    const run = ['run', '-b', 'practice', '--trust', 'full', '--max-cost', '1', '-p', 'x'];
    expect(await reins(world, run, { env })).toMatchObject({ code: 0 });
  });

  test('with --once a failing gate is a failed run', async () => {
    const world = newWorld();
    const run = worker(world, `say('did it'); done();`);
    await trusted(world, 'event_loop: {gates: [{name: no, run: "false"}]}');
    const ended = await reins(world, [...run, '--once', '-p', 'go']);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain('the agent finished, but gate no failed');
  });
});

test('ls says which hat is worn while it works, and none when it is over', async () => {
  const world = newWorld();
  await trusted(world, THREE_HATS);
  const run = worker(world, `if (n === 1) { say('<event topic="plan.ready">go</event>'); done(); } else forever();`);
  const loop = startReins(world, [...run, '-p', 'go']);
  const id = await onlySession(world);
  const row = async () =>
    (JSON.parse((await reins(world, ['ls', '--all', '--json'])).stdout) as SessionRow[]).find((one) => one.id === id);
  await until('the second hat', async () => (await row())?.hat === 'builder');
  expect((await reins(world, ['ls'])).stdout).toContain('working · builder');
  await reins(world, ['stop', id]);
  await loop.done;
  expect(await row()).toMatchObject({ state: 'ended', iteration: 2 });
  expect((await row())?.hat).toBeUndefined();
});

describe('presets', () => {
  test.each([
    ['loop', '[[loop 2]] work', ['practice', 'practice']],
    ['tdd', '[[tour]] work', undefined],
    ['review', '[[tour]] work', undefined],
  ])('reins init --preset %s writes a file that runs', async (preset, prompt, agents) => {
    const world = newWorld();
    expect(await reins(world, ['init', '--agent', 'practice', '--preset', preset])).toMatchObject({ code: 0 });
    expect(await reins(world, ['config', 'check'])).toMatchObject({ code: 0 });
    const ended = await reins(world, ['run', '--trust', 'full', '--max-iterations', '3', '-p', prompt]);
    expect(ended.code).toBe(0);
    const id = await onlySession(world);
    const started = ofType(entries(world, id), 'agent.started').map(({ data }) => data.agent);
    expect(started).toEqual(agents ?? ['practice']);
    const [first] = story(world, id).iterations;
    expect(first?.hat).toBe({ loop: undefined, tdd: 'tester', review: 'builder' }[preset]);
  });
});
