import { describe, expect, it } from 'vitest';
import type { Entry } from '../../contract/index.js';
import { answered, asked, entry, folded, kinds } from './chat.cases.js';

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
    const { items, keys } = folded(
      ['guidance.given', { id: 'g1', text: 'faster' }],
      ['guidance.given', { id: 'g1', text: 'faster', delivered_in: 3 }],
    );
    expect(items).toMatchObject([{ kind: 'prompt', tick: 'recorded', guidance: { iteration: 3 } }]);
    // Who sent it knows it again: it is not shown beside itself as still on its way.
    expect(keys.has('g1')).toBe(true);
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
