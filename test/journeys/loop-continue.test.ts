/** Guidance, prompts, going on with a loop that ended or lost its host, and what is left to see of it afterwards. */
import { describe, expect, test } from 'vitest';
import { calls } from './support/agents.js';
import { dryRun, reins, startReins } from './support/cli.js';
import { entries, entry, onlySession } from './support/journal.js';
import { goOn, ofType, prompts, story, THREE_HATS, trusted, worker } from './support/loop.js';
import { until } from './support/wait.js';
import { newWorld, type World } from './support/world.js';

/** Waits in its first iteration until the test has written a file. */
const HELD = `if (n === 1) while (!fs.existsSync('go-on')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);`;

const hostOf = (world: World, id: string) => ofType(entries(world, id), 'session.started').at(-1)!.data.host_pid!;

describe('prompts', () => {
  test('--dry-run prints the first prompt: the user’s words, the hat, how to finish; and starts nothing', async () => {
    const world = newWorld();
    await trusted(world, `cli: {backend: practice}\n${THREE_HATS}`);
    const { prompt } = await dryRun(world, ['-p', 'make it']);
    expect(prompt).toMatch(/^make it\n\n---\nIteration 1 of 100, hat planner \(plans\)/);
    expect(prompt).toContain('end your last message with LOOP_COMPLETE alone on its own line');
    expect(Buffer.byteLength(prompt!)).toBeLessThanOrEqual('make it\n\n'.length + 1500);
    expect(await reins(world, ['ls', '--all', '--json'])).toMatchObject({ stdout: '[]\n' });
  });
});

describe('guidance', () => {
  test('has a receipt, reaches the next prompt, and is shown once', async () => {
    const world = newWorld();
    const run = worker(world, `${HELD} say(n === 3 ? 'LOOP_COMPLETE' : 'working'); done();`);
    const loop = startReins(world, [...run, '-p', 'go']);
    await until('the first iteration', () => calls(world, 'worker').length === 1);
    const id = await onlySession(world);
    const told = await reins(world, ['guide', id, 'mind', 'the gap', '--json']);
    const receipt = JSON.parse(told.stdout) as { id: string; iteration: number };
    expect(receipt).toMatchObject({ id: expect.stringMatching(/^g-/), iteration: 2 });
    world.write('go-on', '');
    const ended = await loop.done;
    expect(ended.code).toBe(0);
    const seen = calls(world, 'worker').map(({ argv }) =>
      argv.at(-1)?.includes('Guidance from the user: mind the gap'),
    );
    expect(seen).toEqual([false, true, false]);
    expect(prompts(world, id)['002.md']).toContain('Guidance from the user: mind the gap');
    expect(ended.stderr).toContain(`guidance ${receipt.id}: mind the gap`);
    expect(ended.stderr).toContain(`guidance ${receipt.id} is in the prompt of iteration 2`);
  });

  test('a loop that has ended, or whose host was killed, keeps it for when it goes on', async () => {
    const world = newWorld();
    const run = worker(world, `${HELD} say(n === 3 ? 'LOOP_COMPLETE' : 'working'); done();`);
    const loop = startReins(world, [...run, '--max-iterations', '1', '-p', 'go']);
    await until('the first iteration', () => calls(world, 'worker').length === 1);
    const id = await onlySession(world);
    process.kill(hostOf(world, id), 'SIGKILL');
    await loop.done;
    const receipt = JSON.parse((await reins(world, ['guide', id, 'mind the gap', '--json'])).stdout);
    expect(receipt).toMatchObject({ iteration: 1, kept: true });
    world.write('go-on', '');
    expect(await goOn(world, id)).toMatchObject({ code: 3 });
    expect(prompts(world, id)['001-2.md']).toContain('Guidance from the user: mind the gap');
    const told = await reins(world, ['guide', id, 'and the step']);
    expect(told).toMatchObject({ code: 0 });
    expect(told.stderr).toMatch(new RegExp(`kept for when it goes on, in iteration 2: reins run --continue ${id}\n`));
    const inside = await reins(world, ['guide', id, 'do as I say'], { env: { REINS_SESSION: 'zzzzzzzz' } });
    expect(inside).toMatchObject({ code: 2, stderr: expect.stringContaining('an agent may not guide') });
    expect(await goOn(world, id, ['--max-iterations', '9'])).toMatchObject({ code: 0 });
    expect(prompts(world, id)['002.md']).toContain('Guidance from the user: and the step');
    expect(prompts(world, id)['002.md']).not.toContain('do as I say');
    expect(prompts(world, id)['003.md']).not.toContain('Guidance');
    expect((await reins(world, ['exec', '--', 'sh', '-c', 'exit 0'])).code).toBe(0);
    const command = (await reins(world, ['ls', '-aq'])).stdout
      .trim()
      .split('\n')
      .find((one) => one !== id)!;
    expect(await reins(world, ['guide', command, 'x'])).toMatchObject({ code: 30 });
  });
});

describe('--continue', () => {
  test('after a limit, with a higher one: counters, events and cost are what they were', async () => {
    const world = newWorld();
    const PRACTICE = ['run', '-b', 'practice', '--trust', 'full'];
    expect(await reins(world, [...PRACTICE, '--max-iterations', '2', '-p', '[[loop 4]]'])).toMatchObject({ code: 3 });
    const id = await onlySession(world);
    expect(await goOn(world, id)).toMatchObject({ code: 3, stdout: '' });
    const ended = await goOn(world, id, ['--max-iterations', '10']);
    expect(ended.code).toBe(0);
    expect(ended.stdout).not.toContain('Iteration 2 of 4');
    expect(ended.stderr).toContain('── iteration 3/10 · practice');
    expect(ended.stderr).toContain('■ completed in iteration 4 · 4 iterations');
    expect(ended.stderr).toContain('$0.0040');
    const { iterations, events } = story(world, id);
    expect(iterations.map(({ iteration }) => iteration)).toEqual([1, 2, 3, 4]);
    expect(events.map((line) => line.split(' ')[0])).toEqual(['1', '2', '3']);
    expect(prompts(world, id)['003.md']).toContain('Event task.progress: iteration 2 of 4');
  });

  test('with new words and an edited file: what changed is said, on record, and holds', async () => {
    const world = newWorld();
    world.write('reins.yml', 'event_loop: {max_iterations: 1}\n');
    const run = worker(world, `say(prompt.includes('rather this') ? 'FERTIG' : 'working'); done();`);
    expect(await reins(world, [...run, '-p', 'go'])).toMatchObject({ code: 3 });
    const id = await onlySession(world);
    world.write('reins.yml', 'event_loop: {max_iterations: 20, stall_iterations: 7}\n');
    const ended = await goOn(world, id, ['--completion-promise', 'FERTIG', 'rather', 'this']);
    expect(ended).toMatchObject({ code: 0, stdout: 'FERTIG\n' });
    const line =
      'continued with: a new prompt, completion_promise LOOP_COMPLETE → FERTIG, max_iterations 1 → 20, stall_iterations 5 → 7';
    expect(ended.stderr).toContain(`  ${line}\n`);
    expect((await reins(world, ['logs', id])).stderr).toContain(line);
    const started = ofType(entries(world, id), 'session.started');
    expect(started[0]!.data.changed).toBeUndefined();
    expect(started[1]!.data.changed).toContainEqual({ what: 'max_iterations', from: '1', to: '20' });
    expect(calls(world, 'worker').at(-1)!.argv.at(-1)).toMatch(/^rather this\n/);
    // They stand from then on, and what nobody changed is not said again.
    const again = await goOn(world, id, ['--set', 'event_loop.max_iterations=21', '-d']);
    expect(again.stderr).toContain('continued with: max_iterations 20 → 21');
    await world.empty();
    expect(calls(world, 'worker').at(-1)!.argv.at(-1)).toMatch(/^rather this\n/);
    expect(await goOn(world, id)).toMatchObject({ code: 0, stderr: expect.not.stringContaining('continued with') });
  });

  test('what cannot change, what is wrong, and what an agent may have written are errors, and nothing goes on', async () => {
    const world = newWorld();
    world.write('reins.yml', 'event_loop: {gates: [{name: g, run: "exit 0"}]}\n');
    await reins(world, [...worker(world, `say('working'); done();`), '--max-iterations', '1', '-p', 'go']);
    const id = await onlySession(world);
    const before = entries(world, id);
    const refused = async (flags: string[], code: number, words: string) => {
      expect(await goOn(world, id, flags)).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(words) });
    };
    await refused(['-i'], 2, '-i: it is autonomous');
    await refused(['--dry-run'], 2, '--dry-run');
    world.write('reins.yml', 'event_loop: {oops: 1}\n');
    await refused([], 10, 'oops');
    world.write('reins.yml', 'event_loop: {gates: [{name: g, run: ./evil.sh}]}\n');
    await refused(['--max-iterations', '9'], 10, 'no longer the gate g: exit 0');
    expect(entries(world, id)).toEqual(before);
    expect(calls(world, 'worker').length).toBe(1);
    // An agent may not, a person may.
    const inside = { env: { REINS_SESSION: 'zzzzzzzz' } };
    const flags = ['run', '--continue', id, '--max-iterations', '9'];
    expect(await reins(world, [...flags, '--trust-folder'], inside)).toMatchObject({ code: 2 });
    expect(await reins(world, flags, inside)).toMatchObject({ code: 2 });
    expect(calls(world, 'worker').length).toBe(1);
    expect(await goOn(world, id, ['--max-iterations', '2', '--trust-folder'])).toMatchObject({ code: 3 });
    expect(calls(world, 'worker').length).toBe(2);
  });

  test('a session that still runs, and one that is unknown, are refused', async () => {
    const world = newWorld();
    const run = worker(world, `${HELD} say('LOOP_COMPLETE'); done();`);
    const loop = startReins(world, [...run, '-p', 'go']);
    await until('the first iteration', () => calls(world, 'worker').length === 1);
    const id = await onlySession(world);
    expect(await goOn(world, id)).toMatchObject({ code: 2 });
    expect(await goOn(world, 'nothing')).toMatchObject({ code: 30 });
    world.write('go-on', '');
    expect(await loop.done).toMatchObject({ code: 0 });
  });

  test('after a stop in mid-iteration the same iteration runs again, guidance and all', async () => {
    const world = newWorld();
    const run = worker(
      world,
      `if (!fs.existsSync('go-on')) { say('at it'); forever(); } else { say('LOOP_COMPLETE'); done(); }`,
    );
    const loop = startReins(world, [...run, '-p', 'go']);
    await entry(world, 'agent.text');
    const id = await onlySession(world);
    loop.signal('SIGINT');
    expect(await loop.done).toMatchObject({ code: 130 });
    expect(loop.stderr).toContain(`next: reins run --continue ${id}`);
    world.write('go-on', '');
    const ended = await goOn(world, id);
    expect(ended).toMatchObject({ code: 0, stdout: 'LOOP_COMPLETE\n' });
    expect(ended.stderr).toContain('── iteration 1/100 (attempt 2) · custom');
    expect(prompts(world, id)['001-2.md']).toContain('An earlier attempt at this iteration was interrupted');
  });
});

/** Leaves a child in a session of its own, ignores SIGTERM, and says that it is there. */
const STUBBORN = `
if (fs.existsSync('go-on')) { say('LOOP_COMPLETE'); done(); }
process.on('SIGTERM', () => undefined); process.on('SIGHUP', () => undefined);
require('node:child_process').spawn('setsid', ['sleep', '300'], { detached: true, stdio: 'ignore' }).unref();
say('here'); forever();`;

describe('a host that was killed', () => {
  test('Given a foreground run, When its host is killed, Then the run ends the whole tree and says how to go on', async () => {
    const world = newWorld();
    const loop = startReins(world, [...worker(world, STUBBORN), '-p', 'go']);
    await entry(world, 'agent.text');
    const id = await onlySession(world);
    process.kill(hostOf(world, id), 'SIGKILL');
    const ended = await loop.done;
    expect(ended.code).toBe(70);
    expect(ended.stderr).toMatch(/the host died; ended \d processes it had left/);
    expect(ended.stderr).toContain(`reins run --continue ${id}`);
    expect(world.running()).toEqual([]);
  });

  test.each(['stop', 'continue'])(
    'Given a detached run, When its host is killed, Then ls shows what still runs and reins %s ends it',
    async (how) => {
      const world = newWorld();
      await reins(world, [...worker(world, STUBBORN), '-d', '-p', 'go']);
      await entry(world, 'agent.text');
      const id = await onlySession(world);
      const host = hostOf(world, id);
      process.kill(host, 'SIGKILL');
      await until('the host to be gone', () => world.running().every((line) => !line.startsWith(`${host} `)));
      expect((await reins(world, ['ls'])).stdout).toMatch(/processes still run/);
      if (how === 'stop') {
        const stopped = await reins(world, ['stop', id]);
        expect(stopped).toMatchObject({ code: 0, stdout: expect.stringMatching(/\tkilled\t/) });
        expect(stopped.stdout).toMatch(/\tterminated\tsleep 300\n/);
      } else {
        world.write('go-on', '');
        const ended = await goOn(world, id);
        expect(ended).toMatchObject({ code: 0, stdout: 'LOOP_COMPLETE\n' });
        expect(ended.stderr).toMatch(/Ended \d processes its dead host had left/);
      }
      await world.empty();
      expect((await reins(world, ['ls'])).stdout).toBe('');
    },
  );

  test('Given two that continue the same session at once, Then one does and the other is told that it runs', async () => {
    const world = newWorld();
    await reins(world, [...worker(world, STUBBORN), '-d', '-p', 'go']);
    await entry(world, 'agent.text');
    const id = await onlySession(world);
    const host = hostOf(world, id);
    process.kill(host, 'SIGKILL');
    await until('the host to be gone', () => world.running().every((line) => !line.startsWith(`${host} `)));
    const both = await Promise.all([goOn(world, id, ['-d']), goOn(world, id, ['-d'])]);
    expect(both.map(({ code }) => code).toSorted()).toEqual([0, 2]);
    expect(both.find(({ code }) => code === 2)?.stderr).toContain('is still running');
    // The old agent was ended, the new one was not: it speaks.
    await until('the new agent', () => ofType(entries(world, id), 'agent.text').length === 2);
    expect(ofType(entries(world, id), 'session.started').length).toBe(2);
    expect((await reins(world, ['stop', id])).code).toBe(0);
    await world.empty();
  });
});

test('reins logs tells the whole story again', async () => {
  const world = newWorld();
  await trusted(world, `event_loop: {gates: [{name: fine, run: "echo all good"}]}`);
  const run = worker(world, `say(n === 2 ? 'LOOP_COMPLETE' : '<event topic="a.b">c</event>'); done();`);
  const ended = await reins(world, [...run, '-p', 'go']);
  const logs = await reins(world, ['logs', await onlySession(world)]);
  expect(logs.stdout).toBe(ended.stdout);
  for (const line of ended.stderr.trimEnd().split('\n')) expect(logs.stderr).toContain(line);
  for (const line of ['iteration 2/100 · custom', '⇢ a.b', 'gate fine passed', '■ completed']) {
    expect(logs.stderr).toContain(line);
  }
});
