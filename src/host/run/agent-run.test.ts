import { describe, expect, it } from 'vitest';
import { scripted } from './scripted-agent.cases.js';

const ONCE = { once: true } as const;
const asks = {
  type: 'control_request',
  request_id: 'r1',
  request: { subtype: 'can_use_tool', tool_name: 'Bash', input: { command: 'rm -rf x' }, tool_use_id: 't1' },
};

describe('one launch of an agent', () => {
  it('is given its prompt, leaves when its turn is over, and is judged by its own record', async () => {
    const { agents, finished, entries } = await scripted({
      spec: ONCE,
      hears: (line, agent) => {
        if (!line.includes('"user"')) return;
        agent.text('Hello\n');
        agent.done();
      },
    });
    expect(await finished).toMatchObject({ outcome: 'completed', exitCode: 0 });
    expect(agents).toHaveLength(1);
    expect(agents[0]!.inputEnded).toBe(true);
    expect(entries('agent.text').map(({ text }) => text)).toEqual(['Hello\n']);
    expect(entries('agent.ended')).toMatchObject([{ exit_code: 0, ok: true, cost_usd: 0.25 }]);
  });

  it('that does not leave after its turn is ended a moment later', async () => {
    const { agents, clock, finished, entry } = await scripted({
      spec: ONCE,
      hears: (line, agent) => {
        if (!line.includes('"user"')) return;
        agent.proc.endInput = () => undefined; // deaf to the end of its input
        agent.done();
      },
    });
    await entry('agent.started');
    await tick(() => agents[0]!.heard.length > 0);
    clock.advance(4_999);
    expect(agents[0]!.stops).toEqual([]);
    clock.advance(1);
    expect(agents[0]!.stops).toEqual(['stop: its turn is over']);
    expect(await finished).toMatchObject({ outcome: 'completed' });
  });

  it('whose last record comes with its end is not waited for any more: the next one is not ended for it', async () => {
    const { agents, clock, entry, client } = await scripted({
      begins: (agent) => {
        if (agents.length > 1) return;
        agent.says('{"type":"result","subtype":"success","is_error":false,"result":"done","session_id":"s"}');
        agent.exit(0);
      },
    });
    await entry('iteration.started', ({ iteration }) => iteration === 2);
    await tick(() => agents.length === 2);
    clock.advance(60_000);
    expect(agents.map(({ stops }) => stops)).toEqual([[], []]);
    await client.command('stop', {});
  });

  it('of its last words only the end is told, where it left no record', async () => {
    const { finished, entries } = await scripted({ spec: ONCE, begins: (agent) => agent.exit(3) });
    expect(await finished).toMatchObject({ outcome: 'failed' });
    expect(entries('agent.ended')[0]).toMatchObject({ exit_code: 3, ok: false });
  });

  it('out of time is stopped and fails, whatever it says; time spent waiting for a person does not count', async () => {
    const { agents, clock, finished, entry, client } = await scripted({
      spec: { ...ONCE, timeout_secs: 60 },
      yaml: 'tools: {defaults: {detached: defer}}',
      begins: (agent) => agent.says(asks),
    });
    const { inquiry } = await entry('inquiry.opened');
    await entry('state.changed', ({ state }) => state === 'asking');
    clock.advance(10 * 60_000);
    expect(agents[0]!.stops).toEqual([]);
    await client.command('answer', { inquiry: inquiry.id, words: ['yes'] });
    await entry('inquiry.closed');
    clock.advance(61_000);
    expect(await finished).toMatchObject({ outcome: expect.stringMatching(/timed-out|failed/) });
    expect(agents[0]!.stops).toEqual(['stop: timeout']);
    expect(await entry('agent.ended')).toMatchObject({ ok: false, reason: 'still running after 60 s (--timeout)' });
  });

  it('that is stopped while it works is stopped, not failed', async () => {
    const { agents, finished, entry, client } = await scripted({ spec: ONCE });
    await entry('agent.started');
    await client.command('stop', { how: 'stop', why: 'asked for' });
    expect(await finished).toMatchObject({ outcome: 'stopped' });
    expect(agents[0]!.stops).toHaveLength(1);
    expect(await entry('agent.ended')).toMatchObject({ ok: false, reason: expect.stringContaining('asked for') });
  });

  it('whose turn is interrupted is told, and fails', async () => {
    const { finished, entry, client } = await scripted({
      spec: ONCE,
      hears: (line, agent) => {
        if (line.includes('"interrupt"')) agent.done('interrupted', true);
      },
    });
    await entry('agent.started');
    await client.command('interrupt');
    expect(await finished).toMatchObject({ outcome: 'failed' });
    expect(await entry('agent.ended')).toMatchObject({ ok: false, reason: 'the turn was interrupted' });
  });

  it('takes a message while it works, and stays for its turn', async () => {
    let turns = 0;
    const { agents, finished, entries, entry, client } = await scripted({ spec: ONCE });
    await entry('agent.started');
    const end = () => {
      turns += 1;
      agents[0]!.text(`turn ${turns}\n`);
      agents[0]!.done();
    };
    expect(await client.command('submit', { text: 'and then?' })).toMatchObject({ verdict: 'queued' });
    end();
    expect(agents[0]!.inputEnded).toBe(false);
    end();
    expect(agents[0]!.inputEnded).toBe(true);
    await finished;
    expect(entries('agent.text').map(({ text }) => text)).toEqual(['turn 1\n', 'turn 2\n']);
  });
});

/** Until a fact holds; the clock of the session does not move meanwhile. */
async function tick(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise<void>((resolve) => setImmediate(resolve));
}
