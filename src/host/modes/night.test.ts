/**
 * A night in a moved clock: a usage limit, an outage of forty minutes, a quiet agent, a killed host, a restarted machine. One
 * journal on disk, a host after the other; only the agents are scripted. What the journal tells in the morning is the test.
 */
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { type Entry, HandClock, type SessionId } from '../../contract/index.js';
import { Journal } from '../../journal/index.js';
import { type Scripted, type ScriptedAgent, scripted } from '../run/scripted-agent.cases.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** The how-manieth agent has its prompt. */
async function spoken({ agents }: Scripted, n: number): Promise<ScriptedAgent> {
  return vi.waitFor(
    () => {
      const agent = agents[n - 1];
      if (!agent?.heard.some((line) => line.includes('"user"'))) throw new Error(`${agents.length} agents started`);
      return agent;
    },
    { timeout: 10_000, interval: 5 },
  );
}

/** The loop waits: the clock is moved to the end of that, and it is told how long it was. */
async function waitedOut({ entry, clock }: Scripted): Promise<number> {
  const { until } = await entry('loop.waiting', (wait) => wait.until > clock.now());
  const ms = until - clock.now();
  clock.advance(ms);
  return ms;
}

function fails(agent: ScriptedAgent, error: string, text: string, status: number): void {
  const message = { model: '<synthetic>', role: 'assistant', content: [{ type: 'text', text }] };
  agent.says({ type: 'assistant', message, error });
  agent.says({ type: 'result', subtype: 'success', is_error: true, api_error_status: status, result: text });
}

function works(agent: ScriptedAgent, words: string): void {
  agent.text(`${words}\n`);
  agent.done();
}

function story(entries: Iterable<Entry>): string[] {
  return [...entries].flatMap((entry) => {
    switch (entry.type) {
      case 'session.started':
        return [entry.data.continues ? 'continued' : 'started'];
      case 'iteration.started':
        return [`iteration ${entry.data.iteration}${entry.data.attempt ? `, attempt ${entry.data.attempt}` : ''}`];
      case 'iteration.ended':
        return [`ended ${entry.data.outcome}`];
      case 'loop.limited':
      case 'loop.recovered':
        return [entry.data.text];
      case 'loop.waiting':
        return [`waits (${entry.data.kind})`];
      case 'session.ended':
        return [`${entry.data.outcome}: ${entry.data.reason}`];
      default:
        return [];
    }
  });
}

it('comes through, and the journal tells how', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'reins-night-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, 'journal.jsonl');
  const yaml = 'event_loop: {max_iterations: 5, max_consecutive_failures: 2, max_runtime_seconds: 3600}';

  const evening = await scripted({ dir, yaml });
  const { clock } = evening;
  fails(await spoken(evening, 1), 'rate_limit', "You've hit your usage limit. Try again in 3 hours 2 minutes.", 429);
  expect(await waitedOut(evening)).toBe(3 * HOUR + 2 * MINUTE);
  works(await spoken(evening, 2), 'planned');

  const from = clock.now();
  let launches = 3;
  for (; clock.now() - from < 40 * MINUTE; launches += 1) {
    fails(await spoken(evening, launches), 'server_error', 'API Error: 529 overloaded', 529);
    await waitedOut(evening);
  }
  works(await spoken(evening, launches), 'built');

  const quiet = await spoken(evening, launches + 1);
  quiet.text('let me think\n');
  clock.advance(4 * MINUTE);
  expect(quiet.stops).toEqual([]);
  clock.advance(MINUTE);
  await vi.waitFor(() => expect(quiet.stops).toEqual(['stop: timeout']));
  await waitedOut(evening);
  (await spoken(evening, launches + 2)).text('half way\n');

  // kill -9: nothing more is written, and the last line is torn.
  appendFileSync(file, '{"v":1,"seq":');
  const night = await scripted({ dir, yaml, clock: new HandClock(clock.now() + 10 * MINUTE) });
  (await spoken(night, 1)).text('once more\n');

  // The machine restarts: somebody finds the session in the morning, with nothing of it left, and writes its end down.
  const { journal } = Journal.open({ file, session: 'k7f2m9qd' as SessionId, clock: night.clock });
  const counts = { iterations: 4, inquiries: 0, denied: 0 };
  journal.append('session.ended', { outcome: 'failed', exit_code: 137, reason: 'its host died', counts });
  journal.close();
  const morning = await scripted({ dir, yaml, clock: new HandClock(night.clock.now() + 6 * HOUR) });
  works(await spoken(morning, 1), 'LOOP_COMPLETE');
  expect(await morning.finished).toMatchObject({ outcome: 'completed', exitCode: 0 });

  const tries = launches - 3;
  const told = story(Journal.open({ file, session: 'k7f2m9qd' as SessionId, clock }).entries);
  const outage = Array.from({ length: tries }, (_, n) => [
    n === 0 ? 'iteration 2' : `iteration 2, attempt ${n + 1}`,
    'ended parked',
    'waits (outage)',
  ]);
  expect(told).toEqual([
    'started',
    'iteration 1',
    expect.stringMatching(/^usage limit: You've hit your usage limit\..*\(until .*T01:15/),
    ...['ended parked', 'waits (limit)', 'iteration 1, attempt 2', 'ended completed'],
    ...outage.flat(),
    `iteration 2, attempt ${tries + 1}`,
    `the model answers again, after 40 minutes (tried ${tries} times in vain)`,
    ...['ended completed', 'iteration 3', 'ended timed-out', 'waits (backoff)', 'iteration 4'],
    ...['continued', 'iteration 4, attempt 2', 'failed: its host died'],
    ...['continued', 'iteration 4, attempt 3', 'ended completed', 'completed: completed in iteration 4'],
  ]);
});

it('two hats that hand the same event to and fro with no change to the tree are a stall', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'reins-night-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  execFileSync('git', ['init', '-q', cwd]);
  const hats = 'a: {triggers: [task.start, ping], publishes: [pong]}, b: {triggers: [pong], publishes: [ping]}';
  const night = await scripted({
    spec: { cwd },
    yaml: `event_loop: {max_iterations: 60}\nhats: {${hats}}\n`,
    hears: (line, agent) => {
      if (!line.includes('"user"')) return;
      const topic = night.entries('hat.worn').at(-1)?.hat === 'a' ? 'pong' : 'ping';
      works(agent, `<event topic="${topic}">your turn</event>`);
    },
  });
  expect(await night.finished).toMatchObject({
    outcome: 'limit',
    exitCode: 3,
    reason: expect.stringMatching(/progress|circle/),
  });
  expect(night.agents.length).toBeLessThan(60);
});
