import { describe, expect, it } from 'vitest';
import { recording } from '../../../test/recordings/play.js';
import type { AgentOutput, Verdict } from '../../contract/index.js';
import type { Protocol, ProtocolStep } from '../adapter.js';
import { claudeControl } from './claude-control.js';

type Json = Record<string, unknown>;
const feed = (protocol: Protocol, record: unknown): ProtocolStep[] =>
  protocol.feed(Buffer.from(`${JSON.stringify(record)}\n`));
const written = (steps: ProtocolStep[]): Json[] =>
  steps.flatMap((step) => (step.do === 'write' ? [JSON.parse(step.bytes) as Json] : []));
const outputs = (steps: ProtocolStep[]): AgentOutput[] =>
  steps.flatMap((step) => (step.do === 'output' ? [step.output] : []));
const asked = (steps: ProtocolStep[]) => steps.flatMap((step) => (step.do === 'ask' ? [step] : []));

const canUse = (tool: string, input: unknown, more: Json = {}, id: unknown = 'r1') => ({
  type: 'control_request',
  request_id: id,
  request: { subtype: 'can_use_tool', tool_name: tool, input, tool_use_id: 'toolu_1', ...more },
});
const QUESTIONS = {
  questions: [
    {
      question: 'Which database should I use?',
      header: 'Database',
      multiSelect: false,
      options: [{ label: 'PostgreSQL', description: 'Robust' }, { label: 'SQLite' }],
    },
    {
      question: 'Which features?',
      header: 'Database',
      multiSelect: true,
      options: [{ label: 'Auth' }, { label: 'Cache' }, { label: 'Metrics' }],
    },
  ],
};
const response = (steps: ProtocolStep[]) => (written(steps)[0]?.response as { response?: Json } | undefined)?.response;
const askOne = (
  record: unknown,
): { protocol: Protocol; key: string; inquiry: NonNullable<ReturnType<typeof asked>[0]>['inquiry'] } => {
  const protocol = claudeControl();
  protocol.open('go');
  const [ask] = asked(feed(protocol, record));
  if (!ask) throw new Error('nothing was asked');
  return { protocol, key: ask.key, inquiry: ask.inquiry };
};

describe('claude control, against what 2.1.197 said', () => {
  it('speaks as the recorded client did', () => {
    const rows = recording('./claude/control-session.ndjson.gz')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Json);
    const protocol = claudeControl();
    const steps: ProtocolStep[] = [];
    const verdicts: Verdict[] = [{ kind: 'allow' }, { kind: 'values', values: { database: ['MongoDB'] } }];
    let open: string | undefined;
    let compared = 0;
    for (const { dir, ...record } of rows) {
      if (dir === 'out') {
        const more = feed(protocol, record);
        open = asked(more)[0]?.key ?? open;
        steps.push(...more);
        continue;
      }
      const request = record.request as Json | undefined;
      if (request?.subtype === 'initialize') continue;
      const ours =
        record.type === 'user'
          ? protocol.submit((record.message as { content: string }).content)
          : request?.subtype === 'interrupt'
            ? protocol.interrupt()
            : protocol.settle(open ?? '', { verdict: verdicts.shift() ?? { kind: 'deny' } });
      expect(written(ours)).toEqual([
        request?.subtype === 'interrupt' ? { ...record, request_id: 'interrupt-1' } : record,
      ]);
      compared += 1;
    }
    expect(compared).toBe(6);
    expect(outputs(steps).filter((output) => output.kind === 'unknown')).toEqual([]);
    expect(
      outputs(steps)
        .filter((output) => output.kind === 'done')
        .map(({ ok }) => ok),
    ).toEqual([true, true, false]);
    expect(
      outputs(steps)
        .filter((output) => output.kind === 'text')
        .map(({ text }) => text.slice(0, 12)),
    ).toEqual(['I will run a', 'FIN. tool sa', 'I need a dec', 'FIN. tool sa']);
  });
});

describe('claude control, asking', () => {
  it('a tool call is an inquiry with its input, the call, and the sub-agent', () => {
    const { inquiry } = askOne(canUse('Bash', { command: 'ls' }, { agent_id: 'a1' }));
    expect(inquiry).toEqual({
      kind: 'run',
      tool: 'Bash',
      input: { command: 'ls' },
      editable: true,
      exclusive: false,
      call: 'toolu_1',
      parent: 'a1',
    });
  });

  it('a question is read with its options, and ids that do not clash', () => {
    const { inquiry } = askOne(canUse('AskUserQuestion', QUESTIONS));
    expect(inquiry.kind).toBe('question');
    expect(inquiry.questions?.map(({ id, multi, free_text }) => [id, multi, free_text])).toEqual([
      ['database', false, true],
      ['database-2', true, true],
    ]);
    expect(inquiry.questions?.[0]?.options).toEqual([
      { id: '1', label: 'PostgreSQL', description: 'Robust' },
      { id: '2', label: 'SQLite' },
    ]);
  });

  it('the same request twice is asked once; too many open ones are denied', () => {
    const protocol = claudeControl();
    expect(asked(feed(protocol, canUse('Bash', {})))).toHaveLength(1);
    expect(feed(protocol, canUse('Bash', {}))).toEqual([]);
    for (let id = 0; id < 999; id += 1) expect(asked(feed(protocol, canUse('Bash', {}, {}, id)))).toHaveLength(1);
    expect(response(feed(protocol, canUse('Bash', {}, {}, 'last')))).toMatchObject({ behavior: 'deny' });
  });

  it('refuses control requests it does not know, also a call without a name', () => {
    for (const request of [{ subtype: 'hook_callback' }, { subtype: 'can_use_tool' }, undefined]) {
      const [refusal] = written(feed(claudeControl(), { type: 'control_request', request_id: 'x', request }));
      expect(refusal).toMatchObject({ type: 'control_response', response: { subtype: 'error', request_id: 'x' } });
    }
  });
});

describe('claude control, answering', () => {
  it.each([
    ['the original input', { kind: 'allow' } as const, { behavior: 'allow', updatedInput: { command: 'ls' } }],
    [
      'the edited input',
      { kind: 'allow', input: { command: 'pwd' } } as const,
      { behavior: 'allow', updatedInput: { command: 'pwd' } },
    ],
    [
      'nothing, for an input that is none',
      { kind: 'allow', input: 'rm' } as const,
      { behavior: 'deny', message: 'The changed input is not an object.' },
    ],
    ['a reason', { kind: 'deny' } as const, { behavior: 'deny', message: 'not today' }],
    [
      'nothing, for values',
      { kind: 'values', values: {} } as const,
      { behavior: 'deny', message: 'This is no question; it can only be allowed or denied.' },
    ],
  ])('carries %s', (_what, verdict, wanted) => {
    const { protocol, key } = askOne(canUse('Bash', { command: 'ls' }));
    expect(response(protocol.settle(key, { verdict, reason: 'not today' }))).toEqual(wanted);
  });

  it('carries answers under the question’s own text, several as one string', () => {
    const { protocol, key } = askOne(canUse('AskUserQuestion', QUESTIONS));
    const values = { database: ['CockroachDB'], 'database-2': ['1', 'Metrics'] };
    expect(response(protocol.settle(key, { verdict: { kind: 'values', values } }))).toEqual({
      behavior: 'allow',
      updatedInput: {
        ...QUESTIONS,
        answers: { 'Which database should I use?': 'CockroachDB', 'Which features?': 'Auth, Metrics' },
      },
    });
  });

  it.each<[Verdict, string]>([
    [{ kind: 'allow' }, 'The question was not answered.'],
    [{ kind: 'values', values: {} }, 'The question was not answered.'],
    [{ kind: 'values', values: { database: ['1', '2'] } }, '"Which database should I use?" takes one answer.'],
  ])('a question is not answered by %j', (verdict, message) => {
    const { protocol, key } = askOne(canUse('AskUserQuestion', QUESTIONS));
    expect(response(protocol.settle(key, { verdict }))).toEqual({ behavior: 'deny', message });
  });

  it('a question that cannot be read is never simply allowed', () => {
    const { protocol, key, inquiry } = askOne(canUse('AskUserQuestion', { questions: 'x' }));
    expect(inquiry.kind).toBe('run');
    expect(response(protocol.settle(key, { verdict: { kind: 'allow' } }))).toMatchObject({ behavior: 'deny' });
  });

  it('a question named like a property of objects stays data', () => {
    const questions = [{ question: '__proto__', header: '__proto__', options: [] }];
    const { protocol, key, inquiry } = askOne(canUse('AskUserQuestion', { questions }));
    const id = inquiry.questions?.[0]?.id ?? '';
    const sent = protocol.settle(key, { verdict: { kind: 'values', values: { [id]: ['x'] } } });
    expect((sent[0] as { bytes: string }).bytes).toContain('"answers":{"__proto__":"x"}');
  });
});

describe('claude control, ending', () => {
  it('withdraws what Claude cancels, what a finished turn left, and what is open at the end', () => {
    const first = askOne(canUse('Bash', {}));
    expect(feed(first.protocol, { type: 'control_cancel_request', request_id: 'r1' })).toMatchObject([
      { do: 'withdraw', key: first.key },
    ]);
    const second = askOne(canUse('Bash', {}));
    feed(second.protocol, canUse('Bash', {}, { agent_id: 'a' }, 'r2'));
    const ended = feed(second.protocol, { type: 'result', subtype: 'success', is_error: false });
    expect(ended.filter((step) => step.do === 'withdraw')).toMatchObject([{ key: second.key }]);
    expect(second.protocol.end()).toMatchObject([{ do: 'withdraw' }]);
  });

  it('denies what comes between an interrupt and the end of the turn', () => {
    const { protocol } = askOne(canUse('Bash', {}));
    protocol.interrupt();
    expect(response(feed(protocol, canUse('Bash', {}, {}, 'r2')))).toMatchObject({ behavior: 'deny', interrupt: true });
    feed(protocol, { type: 'result', subtype: 'error_during_execution', is_error: true });
    protocol.interrupt();
    expect(asked(feed(protocol, canUse('Bash', {}, {}, 'r3')))).toHaveLength(1);
  });

  it('half a line at the end is garbage, not a request', () => {
    const protocol = claudeControl();
    const line = JSON.stringify(canUse('Bash', {}));
    expect(protocol.feed(Buffer.from(line.slice(0, -1)))).toEqual([]);
    expect(outputs(protocol.end())).toMatchObject([{ kind: 'unknown' }]);
  });
});

describe('claude control, with a helper in the background (2.1.325)', () => {
  const tasks = (...types: string[]) => ({
    type: 'system',
    subtype: 'background_tasks_changed',
    tasks: types.map((task_type, at) => ({ task_id: String(at), task_type })),
  });
  const result = { type: 'result', subtype: 'success', is_error: false, result: 'x', num_turns: 1 };
  const done = (steps: ProtocolStep[]) => outputs(steps).filter(({ kind }) => kind === 'done').length;

  it('the turn is over when the helper has reported, and what it asks meanwhile waits for an answer', () => {
    const protocol = claudeControl();
    protocol.open('go');
    expect(feed(protocol, tasks('local_agent'))).toEqual([]);
    expect(done(feed(protocol, result))).toBe(0);
    const [ask] = asked(feed(protocol, canUse('Bash', { command: 'ls' }, { agent_id: 'a1' })));
    expect(ask?.inquiry).toMatchObject({ tool: 'Bash' });
    feed(protocol, tasks());
    expect(done(feed(protocol, result))).toBe(1);
  });

  it('a shell in the background is waited for by nobody', () => {
    const protocol = claudeControl();
    protocol.open('go');
    feed(protocol, tasks('local_bash'));
    expect(done(feed(protocol, result))).toBe(1);
  });

  it('an interrupted turn is over at once', () => {
    const protocol = claudeControl();
    protocol.open('go');
    feed(protocol, tasks('local_agent'));
    protocol.interrupt();
    expect(done(feed(protocol, result))).toBe(1);
  });
});
