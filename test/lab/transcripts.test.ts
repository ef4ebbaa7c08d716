/**
 * The conversation of an interactive session in its journal, read from the real agents' own transcripts: the first prompt,
 * what was typed in the terminal and what was sent, what the agent said and did, each once.
 */
import { describe, expect, it } from 'vitest';
import type { Entry, EntryType } from '../../src/contract/index.js';
import { reins } from '../journeys/support/cli.js';
import { entries, entry } from '../journeys/support/journal.js';
import { detached, keys, send, shows } from '../journeys/support/session.js';
import { until } from '../journeys/support/wait.js';
import { AGENTS, type Lab, openLab } from './support.js';

const ofType = <T extends EntryType>(all: Entry[], type: T) =>
  all.filter((one): one is Extract<Entry, { type: T }> => one.type === type);

/** The journal once it holds this text of the agent's. */
async function saidIn({ world }: Lab, id: string, text: string): Promise<Entry[]> {
  await entry(world, 'agent.text', { session: id, is: ({ data }) => data.text.includes(text) });
  return entries(world, id);
}

/** The agent waits for its next prompt. */
const isIdle = ({ world }: Lab, id: string): Promise<unknown> =>
  until(`${id} to be idle`, () => {
    const last = ofType(entries(world, id), 'state.changed').at(-1);
    return last?.data.state === 'idle' || undefined;
  });

const FULL = ['--trust', 'full'];
/** A rule settles the call at the hook: hooks and transcript then tell of the same things. */
const HOOKED = ['--set', 'rules.allow=["Bash(echo:*)","Agent"]'];

describe.each([
  ...AGENTS.map((agent) => ({ agent, how: 'full trust', args: FULL })),
  { agent: 'claude' as const, how: 'guarded, with hooks', args: HOOKED },
])('$agent, interactive, $how', ({ agent, args }) => {
  it('N9: first prompt, typed text and a sent message are in the logs, each once, with what was said and done', async () => {
    const lab = await openLab(
      agent,
      'turns: [{text: I look., bash: echo labbed}, {text: "Seen."}, {text: The second answer.}, {text: The third answer.}]',
    );
    const { world } = lab;
    const id = await detached(world, ['run', '-i', '-b', agent, ...args, 'the first prompt']);
    await saidIn(lab, id, 'Seen.');
    await isIdle(lab, id);
    const receipt = await send(world, id, 'a sent message\nof two lines');
    expect(receipt.verdict).toBe('submitted');
    await saidIn(lab, id, 'The second answer.');
    await isIdle(lab, id);
    for (const key of 'typed') await keys(world, id, key);
    await shows(world, id, /^ ?[›❯>]\s+typed/m);
    await keys(world, id, 'Enter');
    const all = await saidIn(lab, id, 'The third answer.');
    expect(ofType(all, 'prompt.given').map(({ data }) => data.text)).toEqual([
      'the first prompt',
      'a sent message\nof two lines',
      'typed',
    ]);
    expect(ofType(all, 'agent.text').map(({ data }) => data.text)).toEqual([
      'I look.\n',
      'Seen.\n',
      'The second answer.\n',
      'The third answer.\n',
    ]);
    const calls = ofType(all, 'tool.called');
    expect(calls.map(({ data }) => JSON.stringify(data.input))).toEqual([expect.stringContaining('echo labbed')]);
    expect(ofType(all, 'tool.returned').map(({ data }) => [data.call, data.ok, data.text])).toEqual([
      [calls[0]!.data.call, true, expect.stringContaining('labbed')],
    ]);
    const logs = await reins(world, ['logs', id]);
    expect(logs.stdout.match(/The second answer\./g)).toHaveLength(1);
    expect(logs.stderr.match(/› the first prompt/g)).toHaveLength(1);
  });
});

describe('claude, interactive', () => {
  it('N11: what a sub-agent did is nested under it; what it was told and said is not the conversation', async () => {
    const lab = await openLab(
      'claude',
      [
        'turns:',
        // Said aloud: since 2.1.325 a helper works in the background unless told otherwise.
        '  - tool: {name: Agent, input: {description: Help, prompt: help, subagent_type: general-purpose, run_in_background: false}}',
        '  - {text: It helped.}',
        'subagent: [{bash: echo helped}, {text: the helper is done}]',
      ].join('\n'),
    );
    const id = await detached(lab.world, ['run', '-i', '-b', 'claude', ...HOOKED, 'get help'], {});
    await saidIn(lab, id, 'It helped.');
    const helped = await entry(lab.world, 'agent.text', {
      session: id,
      is: ({ data }) => data.text.includes('helper'),
    });
    const all = entries(lab.world, id);
    const [outer, inner, ...more] = ofType(all, 'tool.called').map(({ data }) => data);
    expect(more).toEqual([]);
    expect(outer).toMatchObject({ tool: 'Agent' });
    expect(outer).not.toHaveProperty('parent');
    expect(inner).toMatchObject({ tool: 'Bash', parent: expect.any(String) });
    expect(helped.data.parent).toBe(inner!.parent);
    expect(ofType(all, 'prompt.given').map(({ data }) => data.text)).toEqual(['get help']);
  });

  it('/clear begins a new conversation in a new file: nothing is lost, nothing comes twice', async () => {
    const lab = await openLab('claude', 'turns: [{text: Before.}, {text: After.}]');
    const id = await detached(lab.world, ['run', '-i', '-b', 'claude', 'one']);
    await saidIn(lab, id, 'Before.');
    await isIdle(lab, id);
    await send(lab.world, id, '/clear');
    const renamed = await entry(lab.world, 'notice', { session: id, is: ({ data }) => data.code === 'conversation' });
    await isIdle(lab, id);
    await send(lab.world, id, 'two');
    const all = await saidIn(lab, id, 'After.');
    expect(ofType(all, 'agent.text').map(({ data }) => data.text)).toEqual(['Before.\n', 'After.\n']);
    expect(ofType(all, 'prompt.given').map(({ data }) => data.text)).toEqual(['one', '/clear', 'two']);
    const started = ofType(all, 'agent.started')[0]!.data.agent_session;
    expect(renamed.data.facts?.agent_session).not.toBe(started);
  });
});
