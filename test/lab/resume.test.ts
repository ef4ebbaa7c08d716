/** Going on with a real agent's conversation in the same session, and changing its model from outside. */
import { describe, expect, it } from 'vitest';
import type { Entry, EntryType } from '../../src/contract/index.js';
import { reins } from '../journeys/support/cli.js';
import { entries, entry } from '../journeys/support/journal.js';
import { detached, send } from '../journeys/support/session.js';
import { until } from '../journeys/support/wait.js';
import { AGENTS, openLab } from './support.js';

const ofType = <T extends EntryType>(all: Entry[], type: T) =>
  all.filter((one): one is Extract<Entry, { type: T }> => one.type === type);

const said = (text: string) => ({ is: ({ data }: { data: { text: string } }) => data.text.includes(text) });

const isIdle = (world: Parameters<typeof entries>[0], id: string) =>
  until(`${id} to be idle`, () => {
    const last = ofType(entries(world, id), 'state.changed').at(-1);
    return last?.data.state === 'idle' || undefined;
  });

describe.each(AGENTS)('%s, continued', (agent) => {
  it('L8: same session, same journal; the model remembers, and nothing is told twice', async () => {
    const lab = await openLab(agent, 'turns: [{text: The first answer.}, {text: The second answer.}]');
    const { world } = lab;
    const id = await detached(world, ['run', '-i', '-b', agent, 'remember the word walnut']);
    await entry(world, 'agent.text', { session: id, ...said('The first answer.') });
    await isIdle(world, id);
    expect((await reins(world, ['stop', id])).code).toBe(0);
    const { seq } = await entry(world, 'session.ended', { session: id });

    const again = await reins(world, ['run', '-i', '-d', '--continue', id]);
    expect(again.stderr).toBe('');
    expect(again.stdout.trim()).toBe(id);
    await until('the agent to be ready again', () => {
      const last = ofType(entries(world, id), 'state.changed').at(-1);
      return (last && last.seq > seq && last.data.state === 'idle') || undefined;
    });
    const receipt = await send(world, id, 'which word was it');
    expect(receipt.verdict).toBe('submitted');
    await entry(world, 'agent.text', { session: id, ...said('The second answer.') });
    const all = entries(world, id);
    expect(ofType(all, 'prompt.given').map(({ data }) => data.text)).toEqual([
      'remember the word walnut',
      'which word was it',
    ]);
    expect(ofType(all, 'agent.text').map(({ data }) => data.text)).toEqual([
      'The first answer.\n',
      'The second answer.\n',
    ]);
    expect(lab.server.main).toHaveLength(2);
    expect(JSON.stringify(lab.server.main[1]!.body)).toContain('walnut');
    expect(all.map((one) => one.seq)).toEqual(all.map((_, index) => index + 1));
  });
});

describe('claude, told to change', () => {
  it('S10: “Switch model?” is a yes when we sent /model, on record as settled by rule', async () => {
    const lab = await openLab('claude', 'turns: [{text: The first answer.}]');
    const { world } = lab;
    const id = await detached(world, ['run', '-i', '-b', 'claude', 'go']);
    await entry(world, 'agent.text', { session: id, ...said('The first answer.') });
    await isIdle(world, id);
    await send(world, id, '/model sonnet');
    const answered = await entry(world, 'inquiry.answered', { session: id });
    expect(answered.data.answer).toMatchObject({
      by: { kind: 'rule', rule: { text: expect.stringContaining('/model sonnet') } },
      verdict: { kind: 'values', values: { 'switch-model': ['1'] } },
    });
    await entry(world, 'inquiry.closed', { session: id, is: ({ data }) => data.how === 'delivered' });
    await isIdle(world, id);
    await send(world, id, 'with which model');
    await until('the next request', () => lab.server.main.length > 1 || undefined);
    const models = lab.server.main.map(({ body }) => String(body.model));
    expect(models[0]).not.toContain('sonnet');
    expect(models[1]).toContain('sonnet');
  });
});
