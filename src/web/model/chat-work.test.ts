import { describe, expect, it } from 'vitest';
import type { Entry } from '../../contract/index.js';
import { answered, asked, entry, folded, kinds } from './chat.cases.js';

describe('work as a chat shows it', () => {
  it('N11, W25: helpers that are known by names of their own stand in the calls that began them', () => {
    const begins = (call: string): [string, object] => ['tool.called', { call, tool: 'Agent', input: {} }];
    const named = (call: string, agentId: string): [string, object] => [
      'tool.returned',
      { call, ok: true, text: JSON.stringify({ isAsync: true, status: 'async_launched', agentId }) },
    ];
    const does = (call: string, parent: string): [string, object] => [
      'tool.called',
      { call, tool: 'Bash', input: {}, parent },
    ];
    // Before its result only one can be meant; two are told apart by theirs.
    expect(folded(begins('one'), does('x', 'a1'), named('one', 'a1'), does('y', 'a1')).items).toMatchObject([
      { call: 'one', inside: [{ call: 'x' }, { call: 'y' }] },
    ]);
    const both = folded(
      begins('one'),
      begins('two'),
      named('two', 'a2'),
      named('one', 'a1'),
      does('x', 'a1'),
      does('y', 'a2'),
    );
    expect(both.items).toMatchObject([
      { call: 'one', inside: [{ call: 'x' }] },
      { call: 'two', inside: [{ call: 'y' }] },
    ]);
    // Nobody's helper is guessed.
    expect(folded(begins('one'), begins('two'), does('x', 'a1')).items).toHaveLength(3);
  });

  it('W25: a newer todo list takes the place of the older', () => {
    const list = (status: string) => ({
      call: status,
      tool: 'TodoWrite',
      input: { todos: [{ content: 'a', status }] },
    });
    const { items } = folded(['tool.called', list('pending')], ['tool.called', list('completed')]);
    expect(items).toMatchObject([
      { kind: 'todo', old: true, todos: [{ text: 'a', state: 'open' }] },
      { kind: 'todo', todos: [{ text: 'a', state: 'done' }] },
    ]);
  });

  it('W25: a list that is kept thing by thing is one list, as it stands, and a call that failed is none', () => {
    const does = (call: string, tool: string, input: object, result: string, ok = true): [string, object][] => [
      ['tool.called', { call, tool, input }],
      ['tool.returned', { call, ok, text: result }],
    ];
    const made = (id: string, subject: string) => JSON.stringify({ task: { id, subject } });
    const steps = [
      ...does('a', 'TaskCreate', { subject: 'Look', description: 'x' }, made('1', 'Look')),
      ...does('b', 'TaskCreate', { subject: 'Mend', description: 'y' }, made('2', 'Mend')),
      ...does('c', 'TaskUpdate', { taskId: '1', status: 'completed' }, '{"success":true}'),
      ...does('d', 'TaskUpdate', { taskId: '2', status: 'in_progress', subject: 'Mend it' }, '{"success":true}'),
      ...does('e', 'TaskUpdate', { taskId: '9', status: 'completed' }, 'Task not found', false),
    ];
    const { items } = folded(...steps);
    expect(items).toMatchObject([
      {
        kind: 'todo',
        seq: 1,
        todos: [
          { text: 'Look', state: 'done' },
          { text: 'Mend it', state: 'doing' },
        ],
      },
      { kind: 'tool', call: 'e', result: { ok: false } },
    ]);
    // Behind somebody's words it stands where it changed, and the older one says so.
    const later = folded(
      ...steps.slice(0, 4),
      ['prompt.given', { text: 'go on' }],
      ...does('f', 'TaskUpdate', { taskId: '2', status: 'deleted' }, '{"success":true}'),
    );
    expect(later.items).toMatchObject([
      { kind: 'todo', old: true, todos: [{ text: 'Look' }, { text: 'Mend' }] },
      { kind: 'prompt' },
      { kind: 'todo', todos: [{ text: 'Look', state: 'open' }] },
    ]);
    const gone = does('g', 'TodoWrite', { todos: [{ content: 'a', status: 'pending' }] }, 'No such tool', false);
    expect(folded(...gone).items).toMatchObject([{ kind: 'tool', call: 'g', result: { ok: false } }]);
  });

  it('W25: background work of each agent, in its own words', () => {
    const runs = (tool: string, input: object, result: object) =>
      folded(
        ['tool.called', { call: 'b', tool, input }],
        ['tool.returned', { call: 'b', ok: true, text: '', ...result }],
      );
    const moved = 'Command moved to background (PID: 7616). Output hidden. Press Ctrl+B to view.';
    const gemini = { command: 'sleep 9', is_background: true };
    expect(runs('run_shell_command', gemini, { text: moved }).background).toBe(1);
    expect(runs('run_shell_command', gemini, { text: 'it was quick' }).background).toBe(0);
    const codex = runs('exec_command', { cmd: 'sleep 9' }, { running: '7' });
    expect(codex.background).toBe(1);
    const looks = (call: string, result: object): Entry[] => [
      entry('tool.called', { call, tool: 'BashOutput', input: { shell_id: '7' } }),
      entry('tool.returned', { call, ok: true, text: '', ...result }),
    ];
    codex.add(looks('o', { running: '7' }));
    expect(codex.background).toBe(1);
    codex.add(looks('p', {}));
    expect(codex.background).toBe(0);
  });

  it('W25: a helper of codex or gemini holds what is asked for it', () => {
    const { items } = folded(
      ['tool.called', { call: 'h', tool: 'Agent', input: { description: 'spawn_agent' } }],
      ['tool.returned', { call: 'h', ok: true, text: '{"agent_id":"01a1-9c35","nickname":"Euler"}' }],
      ['inquiry.opened', { inquiry: { ...asked('s.1').inquiry, parent: '01a1-9c35' } }],
    );
    expect(items).toMatchObject([{ kind: 'tool', call: 'h', inside: [{ kind: 'inquiry', id: 's.1' }] }]);
    // Codex asks before its record says who began the helper; it may be answered by then, too.
    const early = folded(
      ['inquiry.opened', { inquiry: { ...asked('s.1').inquiry, parent: '01a1-9c35' } }],
      ['tool.called', { call: 'h', tool: 'Agent', input: { description: 'spawn_agent' } }],
      ['inquiry.answered', answered('s.1', { kind: 'rule' })],
      ['tool.returned', { call: 'h', ok: true, text: '{"agent_id":"01a1-9c35","nickname":"Euler"}' }],
      ['inquiry.closed', { inquiry: 's.1', how: 'delivered' }],
    );
    expect(early.items).toMatchObject([
      { kind: 'tool', call: 'h', inside: [{ kind: 'inquiry', id: 's.1', answer: {}, closed: { how: 'delivered' } }] },
    ]);
  });

  it('what the agent’s record tells late stands before the call it led to', () => {
    const call = (id: string, before?: string): [string, object] => [
      'tool.called',
      { call: id, tool: 'Bash', input: {}, ...(before ? { before } : {}) },
    ];
    const { items } = folded(
      ['prompt.given', { text: 'first' }],
      ['agent.text', { text: 'Yes?' }],
      call('c1'),
      call('c2'),
      ['prompt.given', { text: 'go', before: 'c1' }],
      ['agent.text', { text: 'I will ', before: 'c1' }],
      ['agent.text', { text: 'look.', before: 'c1' }],
      call('c0', 'c1'),
      ['agent.text', { text: 'It is so.' }],
      ['agent.text', { text: 'lost', before: 'nobody knows it' }],
    );
    const said = items.map((one) => (one.kind === 'tool' ? one.call : 'text' in one ? one.text : one.kind));
    expect(said).toEqual(['first', 'Yes?', 'go', 'I will look.', 'c0', 'c1', 'c2', 'It is so.lost']);
  });

  it('a terminal program that asks beside its screen asks before its record tells why', () => {
    const door = (is: string): [string, object] => ['agent.started', { agent: 'codex', door: is }];
    const late: [string, object][] = [
      ['inquiry.opened', asked('s.1', 'c1')],
      ['prompt.given', { text: 'go' }],
      ['tool.called', { call: 'c0', tool: 'update_topic', input: {} }],
      ['agent.text', { text: 'I will look.' }],
      ['tool.called', { call: 'c1', tool: 'exec_command', input: {} }],
    ];
    expect(kinds(folded(door('tui'), ...late).items)).toEqual(['prompt', 'tool', 'text', 'tool']);
    // Elsewhere what is told comes in its order.
    expect(kinds(folded(door('control'), ...late).items)).toEqual(['tool', 'prompt', 'tool', 'text']);
  });

  it('W25: background work counts until its end is seen, or the agent’s', () => {
    const started: [string, object][] = [
      ['tool.called', { call: 'b', tool: 'Bash', input: { command: 'sleep 9', run_in_background: true } }],
      ['tool.returned', { call: 'b', ok: true, text: 'Command running in background with ID: bash_1' }],
    ];
    expect(folded(...started).background).toBe(1);
    const ends: [string, object][] = [
      ['tool.called', { call: 'o', tool: 'BashOutput', input: { bash_id: 'bash_1' } }],
      ['tool.returned', { call: 'o', ok: true, text: '<status>completed</status>' }],
    ];
    expect(folded(...started, ...ends).background).toBe(0);
    expect(folded(...started, ['agent.ended', { exit_code: 0, ok: true }]).background).toBe(0);
  });
});
