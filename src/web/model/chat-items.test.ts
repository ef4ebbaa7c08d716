import { describe, expect, it } from 'vitest';
import type { Entry } from '../../contract/index.js';
import { ChatFold } from './chat-items.js';
import type { ChatItem } from './chat-types.js';

let seq = 0;
const entry = (type: string, data: object): Entry =>
  ({
    v: 1,
    seq: ++seq,
    ts: `2026-01-02T03:04:${String(seq % 60).padStart(2, '0')}.000Z`,
    session: 's',
    type,
    data,
  }) as Entry;
function folded(...told: [string, object][]): ChatFold {
  seq = 0;
  const fold = new ChatFold();
  fold.add(told.map(([type, data]) => entry(type, data)));
  return fold;
}
const kinds = (items: ChatItem[]): string[] => items.map(({ kind }) => kind);
const asked = (id: string, call?: string) => ({
  inquiry: { id, session: 's', kind: 'run', tool: 'Bash', exclusive: false, opened_at: '', ...(call ? { call } : {}) },
});
const answered = (inquiry: string, by: object, kind = 'allow') => ({ answer: { inquiry, verdict: { kind }, by } });

describe('entries to chat', () => {
  it('N9: what was sent and what the agent recorded is one prompt, with its tick', () => {
    const { items } = folded(
      ['input.sent', { by: 'api', bytes: 5, text: 'hello', key: 'k1', verdict: 'submitted' }],
      ['prompt.given', { text: 'hello\n' }],
      ['agent.text', { text: 'Hi' }],
    );
    expect(kinds(items)).toEqual(['prompt', 'text']);
    expect(items[0]).toMatchObject({ text: 'hello', tick: 'recorded', key: 'k1' });
  });

  it('N9: two equal messages stay two; typed at the terminal counts once', () => {
    const { items } = folded(
      ['input.sent', { by: 'api', bytes: 2, text: 'go', key: 'a', verdict: 'submitted' }],
      ['prompt.given', { text: 'go' }],
      ['input.sent', { by: 'human', bytes: 64 }],
      ['prompt.given', { text: 'go' }],
    );
    expect(kinds(items)).toEqual(['prompt', 'prompt']);
  });

  it('W34: a message of the queue is one prompt when it is given, with its newest text, and ticked by its key', () => {
    const queued: [string, object][] = [
      ['message.queued', { key: 'k1', text: 'fisrt', by: 'phone' }],
      ['message.queued', { key: 'k1', text: 'first', edited: true }],
    ];
    expect(folded(...queued).items).toEqual([]);
    expect(folded(...queued).keys.has('k1')).toBe(true);
    const sent: [string, object] = ['message.sent', { key: 'k1', verdict: 'submitted' }];
    const given: [string, object] = ['prompt.given', { text: 'first, as recorded', key: 'k1' }];
    for (const order of [
      [sent, given],
      [given, sent],
    ]) {
      const { items } = folded(...queued, ...order);
      expect(items).toMatchObject([{ kind: 'prompt', key: 'k1', by: 'phone', tick: 'recorded' }]);
      expect(items).toHaveLength(1);
    }
  });

  it('W34: what a stop dropped is told, what a person took back is not', () => {
    const queued: [string, object] = ['message.queued', { key: 'k1', text: 'first' }];
    expect(folded(queued, ['message.dropped', { key: 'k1', how: 'ended' }]).items).toMatchObject([
      { kind: 'prompt', tick: 'dropped', why: expect.stringContaining('ended') },
    ]);
    expect(folded(queued, ['message.dropped', { key: 'k1', how: 'cancelled' }]).items).toEqual([]);
  });

  it('a refused message is no prompt', () => {
    expect(folded(['input.sent', { by: 'api', bytes: 2, text: 'go', verdict: 'refused' }]).items).toEqual([]);
  });

  it('words of one speaker are one item; an entry told twice counts once', () => {
    const fold = folded(['agent.text', { text: 'One ' }], ['agent.text', { text: 'two' }]);
    fold.add([{ ...entry('agent.text', { text: 'two' }), seq: 2 } as Entry]);
    expect(fold.items).toMatchObject([{ kind: 'text', text: 'One two', seq: 1 }]);
  });

  it('an endless stream of words is not one endless item', () => {
    const told = Array.from({ length: 60 }, (): [string, object] => ['agent.text', { text: 'x'.repeat(1000) }]);
    const { items } = folded(...told);
    expect(items.length).toBeGreaterThan(2);
    expect(Math.max(...items.map((item) => (item.kind === 'text' ? item.text.length : 0)))).toBeLessThan(18_000);
  });

  it('a result stands with its call, and changes the identity of what is drawn', () => {
    const fold = folded(['tool.called', { call: 'c', tool: 'Bash', input: { command: 'ls' } }]);
    const before = fold.items[0];
    fold.add([entry('tool.returned', { call: 'c', ok: true, text: 'a' })]);
    expect(fold.items).toHaveLength(1);
    expect(fold.items[0]).not.toBe(before);
    expect(fold.items[0]).toMatchObject({ result: { ok: true, text: 'a', cut: false } });
  });

  it('N11, W25: a sub-agent’s calls and words stand inside its call, at any depth', () => {
    const { items } = folded(
      ['tool.called', { call: 'task', tool: 'Task', input: { description: 'look' } }],
      ['tool.called', { call: 'in', tool: 'Read', input: {}, parent: 'task' }],
      ['tool.called', { call: 'deep', tool: 'Grep', input: {}, parent: 'in' }],
      ['agent.text', { text: 'found it', parent: 'task' }],
      ['tool.returned', { call: 'deep', ok: false, text: 'no', parent: 'in' }],
    );
    expect(kinds(items)).toEqual(['tool']);
    expect(items[0]).toMatchObject({
      inside: [{ kind: 'tool', call: 'in', inside: [{ call: 'deep', result: { ok: false } }] }, { text: 'found it' }],
    });
  });

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

  it('an inquiry stands with its call, whichever came first', () => {
    const call: [string, object] = ['tool.called', { call: 'c', tool: 'Bash', input: {} }];
    const open: [string, object] = ['inquiry.opened', asked('s.1', 'c')];
    const told: [string, object] = [
      'inquiry.answered',
      answered('s.1', { kind: 'viewer', viewer: 'v', name: 'phone' }),
    ];
    for (const order of [
      [call, open],
      [open, call],
    ]) {
      const { items } = folded(...order, told);
      expect(items).toMatchObject([{ kind: 'tool', inquiry: { id: 's.1', answer: { verdict: { kind: 'allow' } } } }]);
      expect(items).toHaveLength(1);
    }
  });

  it('who let a call run is not forgotten when its result is let through', () => {
    const result = { inquiry: { ...asked('s.2', 'c').inquiry, kind: 'deliver' } };
    const { items } = folded(
      ['tool.called', { call: 'c', tool: 'Bash', input: {} }],
      ['inquiry.opened', asked('s.1', 'c')],
      ['inquiry.answered', answered('s.1', { kind: 'viewer', viewer: 'v' })],
      ['inquiry.opened', result],
      ['inquiry.answered', answered('s.2', { kind: 'policy', rule: { text: '', source: '' } })],
    );
    expect(items).toMatchObject([{ inquiry: { id: 's.1' }, delivery: { id: 's.2', answer: {} } }]);
  });

  it('an inquiry without a call settles where it stands, also inside a sub-agent', () => {
    const by = { kind: 'deadline' };
    expect(
      folded(['inquiry.opened', asked('s.1')], ['inquiry.answered', answered('s.1', by, 'deny')]).items,
    ).toMatchObject([{ kind: 'inquiry', answer: { by } }]);
    const inner = { inquiry: { ...asked('s.2').inquiry, parent: 'task' } };
    const { items } = folded(
      ['tool.called', { call: 'task', tool: 'Task', input: {} }],
      ['inquiry.opened', inner],
      ['inquiry.closed', { inquiry: 's.2', how: 'cancelled' }],
    );
    expect(items).toMatchObject([{ inside: [{ kind: 'inquiry', closed: { how: 'cancelled' } }] }]);
  });

  it('guidance is one item that gets its iteration', () => {
    const { items } = folded(
      ['guidance.given', { id: 'g1', text: 'faster' }],
      ['guidance.given', { id: 'g1', text: 'faster', delivered_in: 3 }],
    );
    expect(items).toMatchObject([{ kind: 'prompt', tick: 'recorded', guidance: { iteration: 3 } }]);
  });

  it('of a row of retries only the newest is shown', () => {
    const retry = (n: number): [string, object] => ['state.changed', { state: 'working', detail: `retrying ${n}/10` }];
    expect(folded(retry(1), retry(2), retry(3)).items).toMatchObject([{ kind: 'line', text: 'retrying 3/10', seq: 1 }]);
  });

  it('a limit is said once: a line that says all of the one before stands in its place', () => {
    const [message, raw, until] = ['five hour limit reached', 'usage limit reached|17', '2026-01-03T07:57:00.000Z'];
    const { items } = folded(
      ['state.changed', { state: 'working', detail: message }],
      [
        'loop.limited',
        { level: 'warn', text: `usage limit: ${message} (until ${until})`, message, until: Date.parse(until) },
      ],
      ['turn.ended', { ok: false, reason: raw }],
      ['agent.ended', { ok: false, reason: `API error 429: ${raw}` }],
      [
        'loop.waiting',
        {
          level: 'info',
          text: `waiting until ${until}: ${message}`,
          why: message,
          until: Date.parse(until),
          kind: 'limit',
        },
      ],
      ['state.changed', { state: 'idle', detail: message }],
    );
    const clock = expect.stringMatching(/^(usage limit|waits) until \S.{2,10}\d\d:\d\d: five hour limit reached$/);
    expect(items.map((item) => item.kind === 'line' && item.text)).toEqual([
      clock,
      'the agent ended: API error 429: usage limit reached|17',
      clock,
    ]);
    // What it was told with is not lost with the words.
    expect(items.map((item) => item.kind === 'line' && item.level)).toEqual(['warn', 'warn', 'warn']);
  });

  it('by what name an agent knows its conversation is not said to who reads it', () => {
    const named: [string, object] = ['notice', { level: 'info', code: 'conversation', text: 'The agent calls this …' }];
    expect(folded(named, ['notice', { level: 'info', text: 'other' }]).items).toMatchObject([{ text: 'other' }]);
  });

  it('an end has outcome, exit code, reason and advice', () => {
    const counts = { iterations: 2, inquiries: 1, denied: 1, cost_usd: 0.5 };
    const { items, usage } = folded([
      'session.ended',
      { outcome: 'denied', exit_code: 4, reason: 'nobody was there', advice: 'allow it', counts },
    ]);
    expect(items).toMatchObject([
      { kind: 'end', outcome: 'denied', exitCode: 4, reason: 'nobody was there', advice: 'allow it' },
    ]);
    expect(usage.costUsd).toBe(0.5);
  });

  it('what the host counted over all launches is what is shown', () => {
    const { usage } = folded(
      ['usage.told', { cost_usd: 2, input_tokens: 900, output_tokens: 100 }],
      ['turn.ended', { ok: true, cost_usd: 0.1 }],
    );
    expect(usage).toEqual({ costUsd: 2, inputTokens: 900, outputTokens: 100 });
  });

  it('types nobody knows yet are nothing, and break nothing', () => {
    expect(folded(['moon.rose', { x: 1 }], ['agent.text', { text: 'a' }]).items).toHaveLength(1);
  });
});
