/** Where a loop stops by itself: iterations, runtime, cost, failures, standing still, silence, and a provider's refusal. */
import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { calls } from './support/agents.js';
import { reins, startReins } from './support/cli.js';
import { all, entries, entry, onlySession } from './support/journal.js';
import { ofType, prompts, story, worker } from './support/loop.js';
import { until } from './support/wait.js';
import { newWorld } from './support/world.js';

const PRACTICE = ['run', '-b', 'practice', '--trust', 'full'];

describe('iterations', () => {
  test('Given --max-iterations 2 and work for five, Then 3, and the summary says how to go on', async () => {
    const world = newWorld();
    const ended = await reins(world, [...PRACTICE, '--max-iterations', '2', '-p', '[[loop 5]]']);
    expect(ended.code).toBe(3);
    const id = await onlySession(world);
    expect(ended.stderr).toMatch(
      /■ limit: the limit of 2 iterations was reached · 2 iterations in [\d.]+s · \$0\.0020/,
    );
    expect(ended.stderr).toContain(`next: raise it and continue: reins run --continue ${id} --max-iterations 4`);
  });

  test('completion in the last allowed iteration is completion', async () => {
    const world = newWorld();
    const ended = await reins(world, [...PRACTICE, '--max-iterations', '2', '-p', '[[loop 2]]']);
    expect(ended.code).toBe(0);
    expect(ended.stderr).toContain('■ completed in iteration 2');
    expect(ended.stderr).not.toContain('next:');
  });

  test('--once: one iteration, its success is the run’s, no promise needed or asked for', async () => {
    const world = newWorld();
    const run = worker(world, `say('did it'); done();`);
    expect(await reins(world, [...run, '--once', '-p', 'go'])).toMatchObject({ code: 0, stdout: 'did it\n' });
    expect(prompts(world, await onlySession(world))['001.md']).toBe('go');
  });
});

describe('time', () => {
  test('Given a hung agent, When --max-runtime passes in mid-iteration, Then it is stopped and the run ends with 3', async () => {
    const world = newWorld();
    const run = worker(world, `say('thinking'); process.on('SIGTERM', () => undefined); forever();`);
    const ended = await reins(world, [...run, '--max-runtime', '1', '-p', 'go']);
    expect(ended.code).toBe(3);
    expect(ended.stderr).toContain('stopping the agent: the runtime limit of 1 s was reached');
    const [stopped] = await all(world, 'process.stopped');
    expect(stopped?.data).toMatchObject({ left: 0, processes: [{ how: 'killed' }] });
    expect(story(world, await onlySession(world)).iterations).toMatchObject([{ outcome: 'stopped' }]);
  });

  test.each([
    ['first_output_secs=1', 'forever();', 'no output within 1 s'],
    ['idle_secs=1', `say('one word'); forever();`, 'no output for 1 s (adapters.custom.idle_secs)'],
    ['quiet_timeout=1', 'forever();', 'no output for 1 s (adapters.custom.quiet_timeout)'],
    ['timeout=1', `setInterval(() => say('busy'), 100);`, 'still running after 1 s'],
  ])('adapters.custom.%s ends an agent, and the iteration failed', async (setting, body, reason) => {
    const world = newWorld();
    const run = worker(world, body);
    const ended = await reins(world, [
      ...run,
      ...['--set', `adapters.custom.${setting}`, '--set', 'event_loop.max_consecutive_failures=1'],
      ...['-p', 'go'],
    ]);
    expect(ended.code).toBe(124);
    const [iteration] = await all(world, 'iteration.ended');
    expect(iteration?.data.outcome).toBe('timed-out');
    expect(iteration?.data.reason).toContain(reason);
    expect(ended.stderr).toContain(reason);
  });
});

describe('cost', () => {
  test('Given --max-cost, When the agents’ own records add up to it, Then 3', async () => {
    const world = newWorld();
    const ended = await reins(world, [...PRACTICE, '--max-cost', '0.4', '-p', '[[cost 0.25]]']);
    expect(ended.code).toBe(3);
    expect(ended.stderr).toContain('the cost limit of $0.4 was reached ($0.5000 spent)');
    expect(ended.stderr).toContain('--max-cost 0.9');
    // Both iterations were done when they were paid for: none is to be repeated.
    expect(story(world, await onlySession(world)).iterations.map(({ outcome }) => outcome)).toEqual([
      'completed',
      'completed',
    ]);
  });

  test('completion in the iteration that reaches the limit is completion', async () => {
    const world = newWorld();
    const scenario = JSON.stringify([{ cost: 5 }, { say: 'LOOP_COMPLETE' }]);
    const ended = await reins(world, [...PRACTICE, '--max-cost', '1', '-p', 'x'], {
      env: { PRACTICE_SCENARIO: scenario },
    });
    expect(ended.code).toBe(0);
    expect(ended.stderr).toContain('■ completed in iteration 1');
  });
});

describe('failures', () => {
  test.each([
    ['[[fail]]', 'exited with code 1'],
    ['[[error-result]]', 'API error 500'],
  ])('%s: so many in a row, with a pause between, then 1 and the reason', async (prompt, reason) => {
    const world = newWorld();
    // An outage that is given no time is a failure like any other.
    const set = ['event_loop.max_consecutive_failures=2', 'event_loop.max_outage_minutes=0'];
    const ended = await reins(world, [...PRACTICE, ...set.flatMap((one) => ['--set', one]), '-p', prompt]);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(/waiting 1s, until \d\d:\d\d:\d\d: after failure 1 in a row/);
    expect(ended.stderr).toContain('■ failed: 2 iterations failed in a row, the last: ');
    expect(ended.stderr.split('■ failed').at(-1)).toContain(reason);
    const id = await onlySession(world);
    expect(ended.stderr).toContain(`next: see \`reins logs ${id}\`, then continue: reins run --continue ${id}`);
    expect(prompts(world, id)['002.md']).toContain('Note: The previous iteration failed: ');
    const [first, second] = ofType(entries(world, id), 'iteration.started').map(({ ts }) => Date.parse(ts));
    expect(second! - first!).toBeGreaterThanOrEqual(1000);
  });

  test('an outage is waited for as long as it is given, with the reason on the screen, and counts as no failure', async () => {
    const world = newWorld();
    const set = ['event_loop.max_consecutive_failures=1', 'event_loop.max_outage_minutes=0.02'];
    const ended = await reins(world, [...PRACTICE, ...set.flatMap((one) => ['--set', one]), '-p', '[[error-result]]']);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(/waiting 1s, until \d\d:\d\d:\d\d: cannot reach the model \(try 1\): API error 500/);
    expect(ended.stderr).toMatch(/■ failed: the model could not be reached for \d seconds: API error 500/);
    expect(ended.stderr).toContain('event_loop.max_outage_minutes');
    const tries = await all(world, 'iteration.ended');
    expect(tries.map(({ data }) => [data.iteration, data.outcome])).toEqual([
      [1, 'parked'],
      [1, 'parked'],
    ]);
    const idle = (await all(world, 'state.changed')).find(({ data }) => data.agent_state === 'unreachable');
    expect(idle?.data).toMatchObject({ state: 'idle', until: expect.any(String) });
  });

  test.each([
    ['process.exitCode = 77', 20, 'is not logged in'],
    ['process.exitCode = 78', 10, 'arguments (`reins run --dry-run` shows them); then continue'],
    // What an agent says is data, whatever it says.
    [
      "say('ECONNREFUSED 529 overloaded_error, please log in'); process.exitCode = 1",
      1,
      '2 iterations failed in a row',
    ],
  ])('a command that ends with %s: %i', async (body, code, words) => {
    const world = newWorld();
    const run = worker(world, body);
    const ended = await reins(world, [...run, '--set', 'event_loop.max_consecutive_failures=2', '-p', 'go']);
    expect(ended.code).toBe(code);
    expect(ended.stderr).toContain(words);
  });

  test('an agent’s own retries are shown and are no failure', async () => {
    const world = newWorld();
    const ended = await reins(world, [...PRACTICE, '--once', '-p', '[[retry]]']);
    expect(ended).toMatchObject({ code: 0, stdout: 'The third retry worked.\n' });
    expect(ended.stderr).toContain('retrying 3/10, next in 2 s: overloaded_error (529)');
  });
});

describe('standing still', () => {
  const STALL = ['--set', 'event_loop.stall_iterations=3', '-p', 'go'];

  test('Given the same files and no event, Then a warning before the stop, and 3', async () => {
    const world = newWorld();
    execFileSync('git', ['init', '-q', world.project]);
    const run = worker(world, `say('still reading'); done();`);
    const ended = await reins(world, [...run, ...STALL]);
    expect(ended.code).toBe(3);
    expect(ended.stderr).toContain(
      '! No progress in 2 iterations (same files, no event); one more and the loop stops.',
    );
    expect(ended.stderr).toContain('■ limit: no progress in 3 iterations');
    expect(calls(world, 'worker')).toHaveLength(4);
    expect(calls(world, 'worker').at(-1)?.argv.at(-1)).toContain('Note: No progress in 2 iterations');
  });

  test.each([
    ['a file that changes', `fs.writeFileSync('notes.txt', String(n)); say('wrote');`],
    ['an event', `say('<event topic="read.more">' + n + '</event>');`],
  ])('%s is progress', async (_, act) => {
    const world = newWorld();
    execFileSync('git', ['init', '-q', world.project]);
    const run = worker(world, `${act} if (n === 6) say('LOOP_COMPLETE'); done();`);
    expect(await reins(world, [...run, ...STALL])).toMatchObject({ code: 0 });
  });

  test('our own records are no progress, and a folder without git never stands still', async () => {
    const world = newWorld();
    const run = worker(world, `say(n === 6 ? 'LOOP_COMPLETE' : 'reading'); done();`);
    expect(await reins(world, [...run, ...STALL])).toMatchObject({ code: 0 });
  });
});

describe('a usage limit', () => {
  test('parks the loop until the stated time, counts down, and runs the same iteration again', async () => {
    const world = newWorld();
    const run = startReins(world, [...PRACTICE, '--max-iterations', '1', '-p', '[[usage-limit 6]]']);
    const waits = await entry(world, 'state.changed', { is: ({ data }) => data.until !== undefined });
    const id = await onlySession(world);
    expect(waits.data).toMatchObject({ state: 'working', agent_state: 'limited' });
    const parked = await entry(world, 'state.changed', { is: ({ data }) => data.because === 'limit' });
    expect(parked.data).toMatchObject({ state: 'idle', agent_state: 'limited', until: waits.data.until });
    const [table, json] = await Promise.all([reins(world, ['ls']), reins(world, ['ls', '--json'])]);
    expect(table.stdout).toMatch(/idle: five hour limit reached \(\d s left\)/);
    expect(JSON.parse(json.stdout)).toMatchObject([{ id, until: waits.data.until }]);
    const ended = await run.done;
    expect(ended.code).toBe(0);
    expect(ended.stderr).toMatch(/waiting \ds, until \d\d:\d\d:\d\d: five hour limit reached/);
    // Told once, and with the waiting.
    expect(ended.stderr.match(/^! .*five hour limit reached/gm)).toHaveLength(1);
    expect(ended.stderr).toMatch(/^── parked in [\d.]+s[^:]*$/m);
    expect(ended.stderr).toContain('── iteration 1/1 (attempt 2) · practice');
    const starts = await all(world, 'iteration.started');
    expect(starts.map(({ data }) => [data.iteration, data.attempt])).toEqual([
      [1, undefined],
      [1, 2],
    ]);
    expect(Date.parse(starts[1]!.ts)).toBeGreaterThanOrEqual(Date.parse(waits.data.until!));
  });

  test('a stop in the very moment an agent is being started reaches it', async () => {
    for (let round = 0; round < 3; round++) {
      const world = newWorld();
      const run = startReins(world, [...worker(world, 'forever();'), '-p', 'go']);
      await entry(world, 'iteration.started');
      run.signal('SIGINT');
      expect((await run.done).code).toBe(130);
    }
  });

  test('a stop ends the waiting at once', async () => {
    const world = newWorld();
    const run = startReins(world, [...PRACTICE, '-p', '[[usage-limit]]']);
    await entry(world, 'state.changed', { is: ({ data }) => data.because === 'limit' });
    await until('the agent to be gone', () => world.running().every((line) => !line.includes('practice/main.js')));
    run.signal('SIGTERM');
    expect((await run.done).code).toBe(143);
  });
});
