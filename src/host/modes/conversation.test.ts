import { describe, expect, it, vi } from 'vitest';
import { type ScriptedAgent, scripted } from '../run/scripted-agent.cases.js';

const TALK = { spec: { mode: 'conversation' } } as const;

/** What the agent was told, message by message. */
const told = (agent: ScriptedAgent) =>
  agent.heard.flatMap((line) => {
    const { type, message } = JSON.parse(line) as { type: string; message?: { content: string } };
    return type === 'user' ? [message!.content] : [];
  });

describe('a conversation', () => {
  it('waits for its first message, and for the next after each turn', async () => {
    const { agents, client, entry, entries, host } = await scripted(TALK);
    await entry('state.changed', ({ state }) => state === 'idle');
    expect(await client.command('submit', { text: 'one' })).toMatchObject({ verdict: 'submitted' });
    await entry('state.changed', ({ state }) => state === 'working');
    const [agent] = agents;
    agent!.text('First.\n');
    agent!.done();
    await entry('turn.ended');
    expect(host.row()).toMatchObject({ mode: 'conversation', state: 'idle' });
    expect(await client.command('submit', { text: 'two' })).toMatchObject({ verdict: 'submitted' });
    expect(told(agent!)).toEqual(['one', 'two']);
    expect(entries('prompt.given').map(({ text }) => text)).toEqual(['one', 'two']);
    expect(entries('agent.ended')).toEqual([]);
    await client.command('stop', {});
  });

  it('keeps what is said while the agent works, on record, one turn each, in order', async () => {
    const { agents, client, entry, entries } = await scripted(TALK);
    await entry('state.changed', ({ state }) => state === 'idle');
    await client.command('submit', { text: 'one' });
    const [agent] = agents;
    for (const text of ['two', 'three'])
      expect(await client.command('submit', { text })).toMatchObject({ verdict: 'queued' });
    expect(told(agent!)).toEqual(['one']);
    expect(entries('input.sent').map(({ text, verdict }) => [text, verdict])).toEqual([['one', 'submitted']]);
    expect(entries('message.queued').map(({ text }) => text)).toEqual(['one', 'two', 'three']);
    agent!.done();
    await vi.waitFor(() => expect(told(agent!)).toEqual(['one', 'two']));
    agent!.done();
    await vi.waitFor(() => expect(told(agent!)).toEqual(['one', 'two', 'three']));
    agent!.done();
    expect(entries('turn.ended')).toHaveLength(3);
    await client.command('stop', {});
  });

  it('ends an agent that is silent in its turn, with the setting that says so, and never one that waits', async () => {
    const { agents, client, clock, entry, entries, finished } = await scripted(TALK);
    await entry('state.changed', ({ state }) => state === 'idle');
    clock.advance(3_600_000);
    await client.command('submit', { text: 'one' });
    agents[0]!.text('First.\n');
    clock.advance(299_000);
    agents[0]!.done();
    await entry('turn.ended');
    clock.advance(3_600_000);
    expect(entries('agent.ended')).toEqual([]);
    await client.command('submit', { text: 'two' });
    clock.advance(301_000);
    expect(await finished).toMatchObject({
      outcome: 'timed-out',
      exitCode: 124,
      reason: 'no output for 300 s (adapters.practice.quiet_timeout)',
    });
  });

  it('of a hundred that wait already no more is taken', async () => {
    const { client, entry } = await scripted(TALK);
    await entry('state.changed', ({ state }) => state === 'idle');
    const sent = Array.from({ length: 102 }, (_, at) => client.command('submit', { text: `message ${at}` }));
    const verdicts = (await Promise.all(sent)).map(({ verdict }) => verdict);
    expect(verdicts.slice(0, 2)).toEqual(['submitted', 'queued']);
    expect(verdicts.at(-1)).toBe('refused');
    await client.command('stop', {});
  });

  it('goes on after an interrupt, with what waits; with nothing to interrupt it does nothing', async () => {
    const { agents, client, entry, entries } = await scripted({
      ...TALK,
      hears: (line, agent) => {
        if (line.includes('"interrupt"')) agent.done('interrupted', true);
      },
    });
    await entry('state.changed', ({ state }) => state === 'idle');
    await client.command('interrupt');
    expect(entries('turn.ended')).toEqual([]);
    await client.command('submit', { text: 'go north' });
    await client.command('submit', { text: 'no, south' });
    await client.command('interrupt');
    expect(await entry('turn.ended')).toMatchObject({ ok: false, interrupted: true });
    await vi.waitFor(() => expect(told(agents[0]!)).toEqual(['go north', 'no, south']));
    agents[0]!.done();
    expect(entries('turn.ended')).toMatchObject([{ interrupted: true }, { ok: true }]);
    await client.command('stop', {});
  });

  it('stopped is stopped; an agent that ends by itself ends it, well or not as its exit says', async () => {
    const stopped = await scripted(TALK);
    await stopped.entry('state.changed', ({ state }) => state === 'idle');
    await stopped.client.command('stop', { why: 'enough' });
    expect(await stopped.finished).toMatchObject({ outcome: 'stopped', exitCode: 143 });
    const left = await scripted({ ...TALK, begins: (agent) => agent.exit(0) });
    expect(await left.finished).toMatchObject({ outcome: 'completed', exitCode: 0 });
    const crashed = await scripted(TALK);
    await crashed.entry('state.changed', ({ state }) => state === 'idle');
    await crashed.client.command('submit', { text: 'one' });
    crashed.agents[0]!.done();
    crashed.agents[0]!.exit(null, 'SIGSEGV');
    expect(await crashed.finished).toMatchObject({ outcome: 'failed', exitCode: 1 });
    expect(await crashed.entry('agent.ended')).toMatchObject({ ok: false });
  });

  it('stopped before it began never begins', async () => {
    const size = { cols: 80, rows: 24 };
    const presence = { present: false, reason: 'test' };
    const seat = { size, tied: true, non_interactive: null, terminal: false, presence };
    const { agents, client, finished, host } = await scripted({ spec: { mode: 'conversation', seat } });
    await host.work.stop({ how: 'stop', why: 'its run is gone' });
    await client.attach({
      role: 'watcher',
      kind: 'run',
      visible: true,
      bytes: false,
      entries: false,
      answers: 'no',
      tie: true,
    });
    client.ready();
    expect(await finished).toMatchObject({ outcome: 'stopped', exitCode: 143 });
    expect(agents).toEqual([]);
  });

  it('whose first message cannot be read starts no agent', async () => {
    const { agents, finished } = await scripted({ spec: { mode: 'conversation', prompt_file: '/nowhere/prompt.md' } });
    expect(await finished).toMatchObject({ outcome: 'failed', reason: expect.stringContaining('/nowhere/prompt.md') });
    expect(agents).toEqual([]);
  });

  it('is idle again after a message that did not reach the agent, which is tried again', async () => {
    const { agents, client, clock, entry, entries, host } = await scripted(TALK);
    await entry('state.changed', ({ state }) => state === 'idle');
    const { proc } = agents[0]!;
    const { write } = proc;
    let refuse: () => void = () => undefined;
    const refused = new Promise<void>((resolve) => {
      refuse = resolve;
    });
    proc.write = async () => {
      await refused;
      return 'full';
    };
    const one = client.command('submit', { text: 'one' });
    expect(await client.command('submit', { text: 'two' })).toMatchObject({ verdict: 'queued' });
    refuse();
    expect(await one).toMatchObject({ verdict: 'queued', reason: expect.stringContaining('takes no more') });
    await entry('notice', ({ text }) => text.includes('did not reach'));
    expect(host.row()).toMatchObject({ state: 'idle' });
    expect(entries('message.kept')).toHaveLength(1);
    proc.write = write;
    clock.advance(2_000);
    await vi.waitFor(() => expect(told(agents[0]!)).toEqual(['one']));
    agents[0]!.done();
    await vi.waitFor(() => expect(told(agents[0]!)).toEqual(['one', 'two']));
    await client.command('stop', {});
  });

  it.each([
    ['gemini', 'session/new'],
    ['codex', 'thread/start'],
  ])('that %s cannot open fails with the reason', async (adapter, opening) => {
    const { client, entry, finished } = await scripted({
      spec: { mode: 'conversation', agent: { adapter, path: process.execPath } },
      hears: (line, agent) => {
        const { id, method, params } = JSON.parse(line) as {
          id?: number;
          method?: string;
          params?: { cwd?: string };
        };
        // What codex is asked for before: settings that leave no way past us.
        const projects = { [params?.cwd ?? '']: { trust_level: 'untrusted' } };
        const result = { agentCapabilities: {}, config: { features: { hooks: false }, projects } };
        if (method === opening) agent.says({ id, error: { code: -32000, message: 'Authentication required' } });
        else if (id !== undefined) agent.says({ id, result });
      },
    });
    expect(await finished).toMatchObject({ outcome: 'failed', exitCode: 1, reason: 'Authentication required' });
    expect(await entry('agent.ended')).toMatchObject({ ok: false, reason: 'Authentication required' });
    expect(await client.command('submit', { text: 'one' })).toMatchObject({ verdict: 'refused' });
  });

  it('under full trust is held over the two-way door all the same', async () => {
    const { agents, client, entry } = await scripted({ spec: { mode: 'conversation', trust: 'full' } });
    expect(await entry('agent.started')).toMatchObject({ door: 'control' });
    expect(agents[0]!.options.args).not.toContain('--skip-permissions');
    await client.command('stop', {});
  });
});
