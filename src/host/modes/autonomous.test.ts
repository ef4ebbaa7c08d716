import { describe, expect, it } from 'vitest';
import type { HostClient } from '../../link/index.js';
import { type ScriptedAgent, scripted } from '../run/scripted-agent.cases.js';

/** Each agent says this in its turn, by its number, and ends the turn. */
const saying = (...words: string[]) => {
  let at = 0;
  return (line: string, agent: ScriptedAgent) => {
    if (!line.includes('"user"')) return;
    agent.text(`${words[at] ?? words.at(-1)}\n`);
    at += 1;
    agent.done();
  };
};

describe('a loop over a memory link, with scripted agents', () => {
  it('starts an agent per iteration until one keeps its promise', async () => {
    const { agents, finished, entries } = await scripted({ hears: saying('not yet', 'nor now', 'LOOP_COMPLETE') });
    expect(await finished).toMatchObject({ outcome: 'completed', exitCode: 0 });
    expect(agents).toHaveLength(3);
    expect(entries('iteration.ended').map(({ iteration }) => iteration)).toEqual([1, 2, 3]);
  });

  it('ends at its limit of iterations', async () => {
    const { agents, finished } = await scripted({
      yaml: 'event_loop: {max_iterations: 2}',
      hears: saying('never'),
    });
    expect(await finished).toMatchObject({ outcome: 'limit' });
    expect(agents).toHaveLength(2);
  });

  it('puts an event it was told of into the next prompt', async () => {
    const { agents, finished } = await scripted({
      hears: saying('<event topic="plan.ready">use sqlite</event>', 'LOOP_COMPLETE'),
    });
    await finished;
    expect(agents[1]!.heard.join('')).toContain('use sqlite');
  });

  it('takes guidance along, and says which iteration gets it', async () => {
    const { agents, finished, client, entry } = await scripted({});
    await entry('agent.started');
    expect(await client.command('guide', { text: 'mind the gap' })).toMatchObject({ iteration: 2 });
    agents[0]!.done();
    await entry('iteration.started', ({ iteration }) => iteration === 2);
    await entry('agent.started', () => agents.length === 2 && agents[1]!.heard.length > 0);
    expect(agents[1]!.heard.join('')).toContain('mind the gap');
    agents[1]!.text('LOOP_COMPLETE\n');
    agents[1]!.done();
    expect(await finished).toMatchObject({ outcome: 'completed' });
  });

  it('cuts what an event brings along where one in the agent’s text is cut, and says so', async () => {
    const { client, entry } = await scripted({});
    await entry('agent.started');
    const payload = 'é'.repeat(15 * 1024 * 1024);
    expect(await client.command('emit', { topic: 'big', payload })).toEqual({
      accepted: true,
      reason: expect.stringContaining('cut'),
    });
    expect((await entry('event.published')).payload).toBe('é'.repeat(32 * 1024));
    await client.command('stop', {});
  });

  it('stands still in a pause: the next iteration waits for its end', async () => {
    const { agents, finished, client, entry, entries } = await scripted({});
    await entry('agent.started');
    await client.command('pause');
    agents[0]!.done();
    await entry('agent.ended');
    expect(entries('iteration.ended')).toEqual([]);
    await client.command('resume');
    await entry('iteration.started', ({ iteration }) => iteration === 2);
    await client.command('stop', {});
    expect(await finished).toMatchObject({ outcome: 'stopped' });
  });

  it('takes no keys: its agent has no terminal', async () => {
    const { client, finished, entry } = await scripted({});
    await entry('agent.started');
    await expect(client.command('keys', { keys: 'Enter' })).rejects.toMatchObject({ code: 'NO_TERMINAL' });
    await client.command('stop', { how: 'kill' });
    await finished;
  });
});

it('guidance that comes when the loop has decided to end is kept for its next leg', async () => {
  const { host, finished, entries } = await scripted({ hears: saying('LOOP_COMPLETE') });
  await finished;
  expect(host.work.guide?.('the door next')).toMatchObject({ kept: true, iteration: 2 });
  expect(entries('guidance.given')).toMatchObject([{ text: 'the door next' }]);
});

describe('before its work has begun, while it waits for the viewer that started it', () => {
  const presence = { present: false, reason: 'test' };
  const seat = { size: { cols: 80, rows: 24 }, tied: true, non_interactive: null, terminal: false, presence };
  const seen = { t: 'attach', kind: 'run', role: 'watcher', visible: true, bytes: false, entries: true } as const;
  const attach = async (client: HostClient) => {
    await client.attach({ ...seen, answers: 'no', tie: true });
    client.ready();
  };

  it.each(['stop', 'kill'] as const)('a %s ends it: no agent starts', async (how) => {
    const { client, agents, finished, entries } = await scripted({ spec: { seat } });
    await client.command('stop', { how, why: 'asked for' });
    await attach(client);
    expect(await finished).toMatchObject({ outcome: 'stopped', reason: 'stopped (asked for)' });
    expect(agents).toHaveLength(0);
    expect(entries('iteration.started')).toEqual([]);
  });

  it('guidance is kept for the first iteration, and a pause holds it', async () => {
    const { client, agents, finished, entry, entries } = await scripted({ spec: { seat } });
    expect(await client.command('guide', { text: 'mind the gap' })).toMatchObject({ iteration: 1 });
    await client.command('pause', {});
    await attach(client);
    await client.command('summary', {});
    expect(entries('iteration.started')).toEqual([]);
    await client.command('resume', {});
    await entry('agent.started', () => agents.length === 1 && agents[0]!.heard.length > 0);
    expect(agents[0]!.heard.join('')).toContain('mind the gap');
    agents[0]!.text('LOOP_COMPLETE\n');
    agents[0]!.done();
    expect(await finished).toMatchObject({ outcome: 'completed' });
  });
});
