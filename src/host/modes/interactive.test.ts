import { describe, expect, it, vi } from 'vitest';
import { callHook } from '../hook-links.js';
import { scripted } from '../run/scripted-agent.cases.js';

const AT_KEYS = { spec: { mode: 'interactive' } } as const;
const NEVER = new Promise<void>(() => undefined);
const call = (event: string, secret = 'secret') => ({
  t: 'hook' as const,
  secret,
  event,
  payload: { hook_event_name: event, tool_name: 'Bash', tool_input: { command: 'rm -rf x' }, tool_use_id: 't1' },
});

describe('an agent’s terminal over a memory link, with a scripted agent', () => {
  it('ends with its program, well or not as its exit says', async () => {
    const good = await scripted({ ...AT_KEYS, begins: (agent) => agent.exit(0) });
    expect(await good.finished).toMatchObject({ outcome: 'completed', exitCode: 0, reason: 'the agent ended' });
    expect(await good.entry('agent.ended')).toMatchObject({ ok: true, exit_code: 0 });
    const stopped = await scripted(AT_KEYS);
    await stopped.entry('agent.started');
    await stopped.client.command('stop', {});
    expect(await stopped.finished).toMatchObject({ outcome: 'stopped', exitCode: 143 });
  });

  it('that crashes before it was ready is started three times, with pauses between, and then given up', async () => {
    const { agents, clock, finished, entry, entries } = await scripted({
      ...AT_KEYS,
      begins: (agent) => agent.exit(7),
    });
    for (const [count, ms] of [
      [1, 1_000],
      [2, 2_000],
    ] as const) {
      await vi.waitFor(() => expect(entries('notice').filter(({ code }) => code === 'respawn')).toHaveLength(count));
      expect(agents).toHaveLength(count);
      clock.advance(ms);
    }
    expect(await finished).toMatchObject({ outcome: 'failed', reason: expect.stringContaining('3 times') });
    expect(agents).toHaveLength(3);
    expect(await entry('agent.ended')).toMatchObject({ ok: false, exit_code: 7 });
  });

  it('names its conversation to the agent, anew for every start', async () => {
    const { entry, client } = await scripted(AT_KEYS);
    const { agent_session, argv } = await entry('agent.started');
    expect(argv).toContain(agent_session);
    await client.command('stop', {});
  });

  it('shows what the agent prints, and passes keys on as they are', async () => {
    const { agents, client, entry } = await scripted(AT_KEYS);
    await entry('agent.started');
    agents[0]!.says('hello there');
    await vi.waitFor(async () => expect((await client.command('screen', {})).lines.join('')).toContain('hello there'));
    await client.command('keys', { keys: 'a Enter' });
    expect(agents[0]!.heard).toEqual(['a', '\r']);
    await client.command('stop', {});
  });

  it('is ended after a silence, and the touch of a key puts that off', async () => {
    const { agents, clock, client, entry, finished } = await scripted({
      spec: { mode: 'interactive', idle_timeout_secs: 30 },
    });
    await entry('agent.started');
    clock.advance(29_000);
    await client.command('keys', { keys: 'a' });
    clock.advance(29_000);
    expect(agents[0]!.stops).toEqual([]);
    clock.advance(2_000);
    expect(await finished).toMatchObject({ outcome: 'timed-out', exitCode: 124 });
  });

  it('a call of its hook is judged by rules; one with another secret is refused', async () => {
    const { host, entry, client, finished } = await scripted({
      spec: { mode: 'interactive', rules: [{ effect: 'deny', text: 'Bash(rm:*)', source: 'test' }] },
    });
    await entry('agent.started');
    const reply = await callHook(host, call('PreToolUse'), NEVER);
    expect(reply.stdout + reply.stderr).toContain('deny');
    expect(await entry('inquiry.answered')).toMatchObject({ answer: { verdict: { kind: 'deny' } } });
    expect(await callHook(host, call('PreToolUse', 'another'), NEVER)).toMatchObject({ exit: 2 });
    await client.command('stop', {});
    await finished;
  });

  it('a hook that comes before the agent has started is refused', async () => {
    const { host, client, finished } = await scripted(AT_KEYS);
    expect(await callHook(host, call('PreToolUse'), NEVER)).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('nobody expects'),
    });
    await client.command('stop', {});
    await finished;
  });
});
