/** Words while they are written, what a session has used, and another model: with a scripted agent that speaks Claude's protocol. */
import { describe, expect, it, vi } from 'vitest';
import type { Entry, SessionId } from '../contract/index.js';
import { HostClient } from '../link/index.js';
import { memoryPair } from '../link/memory.js';
import { type ScriptedAgent, scripted } from './run/scripted-agent.cases.js';
import { usedBefore } from './usage.js';

const TALK = { spec: { mode: 'conversation' } } as const;
const FOLLOW = { kind: 'web', role: 'watcher', visible: true, bytes: false, entries: true, answers: 'no' } as const;

const delta = (text: string, more: object = {}) => ({
  type: 'stream_event',
  event: { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
  ...more,
});
const requests = (agent: ScriptedAgent) =>
  agent.heard.flatMap((line) => {
    const { request } = JSON.parse(line) as { request?: object };
    return request ? [request] : [];
  });

describe('words while they are written', () => {
  it('are told to who follows, in steps, and are over when the entry comes; never on record', async () => {
    const { agents, client, clock, entry, entries, host } = await scripted(TALK);
    await entry('state.changed', ({ state }) => state === 'idle');
    const partials: string[] = [];
    const [near, far] = memoryPair();
    host.accept(near, { who: { kind: 'user', name: 'ann' }, may: 'view' });
    const incoming = { partial: (text: string) => partials.push(text) };
    const viewer = new HostClient({ link: far, session: 'k7f2m9qd', version: '0', incoming, may: 'view' });
    await viewer.attach(FOLLOW);
    viewer.ready();
    await client.command('submit', { text: 'one' });
    const [agent] = agents;
    agent!.says(delta('Hel'));
    agent!.says(delta('lo '));
    agent!.says(delta('not mine', { parent_tool_use_id: 'toolu_1' }));
    await vi.waitFor(() => {
      clock.advance(100);
      expect(partials).toEqual(['Hello ']);
    });
    agent!.says(delta('x'.repeat(100_000)));
    await vi.waitFor(() => {
      clock.advance(100);
      expect(partials).toHaveLength(2);
    });
    expect(partials[1]).toHaveLength(64 * 1024);
    agent!.text('Hello there.\n');
    await vi.waitFor(() => expect(partials.at(-1)).toBe(''));
    expect(JSON.stringify(entries('agent.text'))).toContain('Hello there.');
    expect(JSON.stringify(entries('agent.text'))).not.toContain('xxx');
    expect(agent!.options.args).toContain('--include-partial-messages');
    await client.command('stop', {});
  });
});

describe('usage.told', () => {
  it('says what the session has used, once per change, and is in its row', async () => {
    const { agents, client, entry, entries, host } = await scripted(TALK);
    await entry('state.changed', ({ state }) => state === 'idle');
    await client.command('submit', { text: 'one' });
    agents[0]!.done();
    await entry('turn.ended');
    expect(entries('usage.told')).toEqual([{ cost_usd: 0.25 }]);
    expect(host.row()).toMatchObject({ cost_usd: 0.25 });
    await client.command('stop', {});
  });

  it('goes on from what earlier launches used, also of a host that was lost', () => {
    const head = { v: 1 as const, seq: 1, ts: '', session: 'aaaa2222' as SessionId };
    const ended = {
      ...head,
      type: 'agent.ended',
      data: { exit_code: 0, ok: true, cost_usd: 1, input_tokens: 10 },
    } as Entry;
    const told = { ...head, type: 'usage.told', data: { cost_usd: 1.5, output_tokens: 3 } } as Entry;
    expect(usedBefore([ended, ended])).toEqual({ costUsd: 2, inputTokens: 20 });
    expect(usedBefore([ended, told])).toEqual({ costUsd: 1.5, outputTokens: 3 });
    expect(usedBefore([])).toEqual({});
  });
});

describe('another model', () => {
  it('by its protocol, also while it works; a name that is more than a name is refused', async () => {
    const { agents, client, entry } = await scripted(TALK);
    await entry('state.changed', ({ state }) => state === 'idle');
    expect(await client.command('model', { model: 'sonnet' })).toMatchObject({ verdict: 'submitted' });
    expect(requests(agents[0]!)).toEqual([{ subtype: 'set_model', model: 'sonnet' }]);
    for (const model of ['', 'a b', 'x\n/exit', '-x'])
      await expect(client.command('model', { model })).rejects.toMatchObject({ code: 'USAGE' });
    await client.command('stop', {});
  });

  it('is refused where there is none, with the reason', async () => {
    const { client, entry } = await scripted({ spec: { mode: 'interactive' } });
    await entry('agent.started');
    expect(await client.command('model', { model: 'sonnet' })).toMatchObject({
      verdict: 'refused',
      reason: expect.stringContaining('not at rest'),
    });
    await client.command('stop', {});
  });
});
