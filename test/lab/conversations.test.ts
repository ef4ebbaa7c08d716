/**
 * Conversations that change under way, with the real agents: a new one begun from inside, one forked off another, a turn
 * that was interrupted, a no with its reason, another effort. Each word is on record once, and the model hears what it should.
 */
import { describe, expect, it } from 'vitest';
import type { Entry, EntryType } from '../../src/contract/index.js';
import { reins } from '../journeys/support/cli.js';
import { entries, entry } from '../journeys/support/journal.js';
import { detached, send } from '../journeys/support/session.js';
import { until } from '../journeys/support/wait.js';
import { AGENTS, detachedMode, FULL, type Lab, openLab, prompts, stateIs } from './support.js';

const ofType = <T extends EntryType>(all: Entry[], type: T) =>
  all.filter((one): one is Extract<Entry, { type: T }> => one.type === type);

const texts = ({ world }: Lab, id: string) => ofType(entries(world, id), 'agent.text').map(({ data }) => data.text);
const given = ({ world }: Lab, id: string) => ofType(entries(world, id), 'prompt.given').map(({ data }) => data.text);
const said = ({ world }: Lab, session: string, text: string) =>
  entry(world, 'agent.text', { session, is: ({ data }) => data.text.includes(text) });

/** The agent's names for its conversations, in order. */
const names = ({ world }: Lab, id: string) =>
  entries(world, id).flatMap((one) => {
    if (one.type === 'agent.started') return one.data.agent_session ?? [];
    return one.type === 'notice' && one.data.code === 'conversation' ? [String(one.data.facts?.agent_session)] : [];
  });

/** Sends a message to the resting agent and waits for what it says. */
async function turn(lab: Lab, id: string, prompt: string, answer: string): Promise<void> {
  await stateIs(lab, id, 'idle');
  expect(await send(lab.world, id, prompt)).toMatchObject({ verdict: 'submitted' });
  await said(lab, id, answer);
}

const TWO = 'turns: [{text: Before.}, {text: After.}]';

describe.each([
  { agent: 'claude', how: 'full trust', args: FULL, command: '/clear' },
  { agent: 'codex', how: 'guarded', args: [], command: '/new' },
  { agent: 'codex', how: 'full trust', args: FULL, command: '/new' },
] as const)('$agent, $how', ({ agent, args, command }) => {
  it(`${command} begins a new conversation: it is followed, nothing is lost, nothing comes twice`, async () => {
    const lab = await openLab(agent, TWO);
    const id = await detached(lab.world, ['run', '-i', '-b', agent, ...args, 'one']);
    await said(lab, id, 'Before.');
    await stateIs(lab, id, 'idle');
    await send(lab.world, id, command);
    await turn(lab, id, 'two', 'After.');
    expect(texts(lab, id)).toEqual(['Before.\n', 'After.\n']);
    expect(given(lab, id).filter((text) => text !== command)).toEqual(['one', 'two']);
    expect(JSON.stringify(lab.server.main[1]!.body)).not.toContain('Before.');
    expect(new Set(names(lab, id)).size).toBe(2);
  });
});

describe('codex, continued', () => {
  it('/new is followed there too', async () => {
    const lab = await openLab('codex', TWO);
    const id = await detached(lab.world, ['run', '-i', '-b', 'codex', 'one']);
    await said(lab, id, 'Before.');
    await stateIs(lab, id, 'idle');
    expect(await reins(lab.world, ['stop', id])).toMatchObject({ code: 0 });
    expect(await reins(lab.world, ['run', '-i', '-d', '--continue', id])).toMatchObject({ code: 0 });
    await stateIs(lab, id, 'idle');
    await send(lab.world, id, '/new');
    await turn(lab, id, 'two', 'After.');
    expect(texts(lab, id)).toEqual(['Before.\n', 'After.\n']);
    expect(new Set(names(lab, id)).size).toBe(2);
  });

  it('forked from the command line, the new session tells its own words only', async () => {
    const lab = await openLab('codex', TWO);
    const first = await detached(lab.world, ['run', '-i', '-b', 'codex', ...FULL, 'remember walnut']);
    await said(lab, first, 'Before.');
    await stateIs(lab, first, 'idle');
    expect(await reins(lab.world, ['stop', first])).toMatchObject({ code: 0 });
    const [name] = names(lab, first);
    const id = await detached(lab.world, ['run', '-i', '-b', 'codex', ...FULL, '--', 'fork', name!]);
    await turn(lab, id, 'two', 'After.');
    expect(JSON.stringify(lab.server.main[1]!.body)).toContain('walnut');
    expect(texts(lab, id)).toEqual(['After.\n']);
    expect(given(lab, id)).toEqual(['two']);
    expect(names(lab, id)).not.toContain(name);
  });
});

describe.each([
  { how: 'guarded', args: [] },
  { how: 'full trust', args: FULL },
])('codex, $how', ({ args }) => {
  it('a fork goes on from what was said, in a file of its own; what was said before it is not told again', async () => {
    const lab = await openLab('codex', 'turns: [{text: Before.}, {text: Forked.}, {text: After.}]');
    const id = await detached(lab.world, ['run', '-i', '-b', 'codex', ...args, 'remember walnut']);
    await said(lab, id, 'Before.');
    await stateIs(lab, id, 'idle');
    await send(lab.world, id, '/fork');
    await turn(lab, id, 'two', 'Forked.');
    expect(JSON.stringify(lab.server.main[1]!.body)).toContain('walnut');
    await turn(lab, id, 'three', 'After.');
    expect(texts(lab, id)).toEqual(['Before.\n', 'Forked.\n', 'After.\n']);
    expect(given(lab, id).filter((text) => text !== '/fork')).toEqual(['remember walnut', 'two', 'three']);
  });
});

describe.each(AGENTS)('%s', (agent) => {
  it('takes a message after an interrupt, alone', async () => {
    const lab = await openLab(agent, 'turns: [{text: "Some words first. ", pace: 3000}, {text: "Next answer."}]');
    const id = await detached(lab.world, ['run', '-i', '-b', agent, 'the first prompt']);
    await until('a request', () => lab.server.main.length > 0);
    await stateIs(lab, id, 'working');
    expect(await reins(lab.world, ['interrupt', id])).toMatchObject({ code: 0 });
    await turn(lab, id, 'the second prompt', 'Next answer.');
    expect(prompts(lab).at(-1)?.trim()).toBe('the second prompt');
    expect(given(lab, id)).toEqual(['the first prompt', 'the second prompt']);
  });

  it('denied from outside with a reason: the model reads it', async () => {
    const lab = await openLab(agent, 'turns: [{bash: touch a.txt}, {text: "I was told."}]');
    const id = await detached(lab.world, ['run', '-i', '-b', agent, ...detachedMode('defer'), 'go']);
    const { inquiry } = (await entry(lab.world, 'inquiry.opened', { session: id })).data;
    expect(await reins(lab.world, ['answer', inquiry.id, 'deny', '--reason', 'use b.txt'])).toMatchObject({ code: 0 });
    const next = await until('the next request', () => lab.server.main[1]);
    expect(JSON.stringify(next.body)).toContain('use b.txt');
  });
});

describe('claude, told to change', () => {
  it('“Switch model?” is a yes when we sent /model, and the next request has it', async () => {
    const lab = await openLab('claude', TWO);
    const id = await detached(lab.world, ['run', '-i', '-b', 'claude', 'go']);
    await said(lab, id, 'Before.');
    await stateIs(lab, id, 'idle');
    await send(lab.world, id, '/model sonnet');
    const answered = await entry(lab.world, 'inquiry.answered', { session: id });
    expect(answered.data.answer).toMatchObject({
      by: { kind: 'rule', rule: { text: expect.stringContaining('/model sonnet') } },
      verdict: { kind: 'values', values: { 'switch-model': ['1'] } },
    });
    await entry(lab.world, 'inquiry.closed', { session: id, is: ({ data }) => data.how === 'delivered' });
    await turn(lab, id, 'with which model', 'After.');
    const models = lab.server.main.map(({ body }) => String(body.model));
    expect(models[0]).not.toContain('sonnet');
    expect(models[1]).toContain('sonnet');
  });

  it('/effort that we sent is in the next request; where it asks “Change effort level?” (2.1.197), that is a yes', async () => {
    const lab = await openLab('claude', TWO);
    const id = await detached(lab.world, ['run', '-i', '-b', 'claude', 'go']);
    await said(lab, id, 'Before.');
    await stateIs(lab, id, 'idle');
    await send(lab.world, id, '/effort low');
    await turn(lab, id, 'with which effort', 'After.');
    const efforts = lab.server.main.map(({ body }) => (body.output_config as { effort?: string } | undefined)?.effort);
    expect(efforts[0]).not.toBe('low');
    expect(efforts[1]).toBe('low');
    const asked = entries(lab.world, id).filter(({ type }) => type === 'inquiry.opened');
    const answers = entries(lab.world, id).flatMap((one) => (one.type === 'inquiry.answered' ? [one.data.answer] : []));
    expect(answers).toMatchObject(
      asked.map(() => ({
        by: { kind: 'rule', rule: { text: expect.stringContaining('/effort low') } },
        verdict: { kind: 'values', values: { 'change-effort': ['1'] } },
      })),
    );
  });
});
