/** Real agents through a bad night: their provider is away and comes back, they are not logged in, their plan is used up. */
import { describe, expect, it } from 'vitest';
import type { LabAgent } from '../../src/testing/index.js';
import { reins } from '../journeys/support/cli.js';
import { all, entry } from '../journeys/support/journal.js';
import { AGENTS, FULL, openLab, runOnce } from './support.js';

const KEY: Record<LabAgent, string> = { claude: 'ANTHROPIC_API_KEY', codex: 'LAB_API_KEY', gemini: 'GEMINI_API_KEY' };

describe.each(AGENTS)('%s', (agent) => {
  it('waits while its provider is overloaded, and runs the same iteration again', async () => {
    const lab = await openLab(agent, 'turns: [{error: 529}, {text: LOOP_COMPLETE}]');
    const one = ['--set', 'event_loop.max_consecutive_failures=1', '--max-iterations', '1'];
    const ended = await reins(lab.world, ['run', '-b', agent, ...FULL, ...one, 'go']);
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stderr).toMatch(/waiting 10s, until .*: cannot reach the model \(try 1\): /);
    expect(ended.stderr).toContain('the model answers again, after ');
    const tries = (await all(lab.world, 'iteration.ended')).map(({ data }) => [data.iteration, data.outcome]);
    expect(tries).toEqual([
      [1, 'parked'],
      [1, 'completed'],
    ]);
  });

  it.each(['guarded', 'full'])('without its key, trust %s: ends at once, and says what to do', async (trust) => {
    const lab = await openLab(agent, 'turns: [{text: never}]');
    delete lab.world.env[KEY[agent]];
    const ended = await reins(lab.world, ['run', '-b', agent, '--trust', trust, 'go']);
    expect(ended).toMatchObject({ code: 20 });
    expect(ended.stderr).toMatch(/is not logged in, or not allowed to: .*(login|API_KEY)/s);
    expect(await all(lab.world, 'iteration.ended')).toHaveLength(1);
    expect((await entry(lab.world, 'session.ended')).data).toMatchObject({ outcome: 'failed', exit_code: 20 });
  });

  it.each(['guarded', 'full'])('without its model, trust %s: a matter of its settings', async (trust) => {
    const lab = await openLab(agent, 'turns: [{error: 404, message: no such model, times: always}]');
    expect(await runOnce(lab, ['--trust', trust])).toMatchObject({ code: 10 });
  });

  it('a usage limit of the lab’s own words is one', async () => {
    const lab = await openLab(agent, 'turns: [{error: usage-limit, resets_in: 7200, times: always}]');
    await runOnce(lab, FULL);
    const limited = (await all(lab.world, 'state.changed')).find(({ data }) => data.agent_state === 'limited');
    expect(limited?.data.detail).toMatch(/limit|quota/i);
    // Gemini keeps the time to itself.
    const until = Date.parse(limited?.data.until ?? '');
    if (agent !== 'gemini') expect(until - Date.now()).toBeGreaterThan(6_900_000);
  });
});
