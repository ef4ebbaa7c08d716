import { describe, expect, it } from 'vitest';
import { recording } from '../../../test/recordings/play.js';
import { type AgentOutput, HandClock } from '../../contract/index.js';
import type { Protocol, ProtocolStep } from '../adapter.js';
import { acp } from './acp.js';

type Message = {
  id?: unknown;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: unknown;
};
type Row = { dir: 'c>s' | 's>c'; m: Message };

const feed = (protocol: Protocol, message: unknown): ProtocolStep[] =>
  protocol.feed(Buffer.from(`${JSON.stringify(message)}\n`));
const written = (steps: ProtocolStep[]): Message[] =>
  steps.flatMap((step) => (step.do === 'write' ? [JSON.parse(step.bytes) as Message] : []));
const outputs = (steps: ProtocolStep[]): AgentOutput[] =>
  steps.flatMap((step) => (step.do === 'output' ? [step.output] : []));
const asked = (steps: ProtocolStep[]) => steps.flatMap((step) => (step.do === 'ask' ? [step] : []));
const text = (all: AgentOutput[]) => all.flatMap((output) => (output.kind === 'text' ? [output.text] : [])).join('');

/** The first recorded connection, up to where its client did what we never do (switch to yolo). */
function connection(): Row[] {
  const rows = recording('./gemini/acp.jsonl.gz')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Row);
  return rows.slice(
    0,
    rows.findIndex(({ m }) => m.method === 'session/set_mode'),
  );
}

function replay(rows: Row[]): { steps: ProtocolStep[]; compared: number } {
  const cwd = String(rows.find(({ m }) => m.method === 'session/new')?.m.params?.cwd);
  const protocol = acp({ cwd });
  const texts = rows
    .filter(({ m }) => m.method === 'session/prompt')
    .map(({ m }) => (m.params?.prompt as { text: string }[] | undefined)?.[0]?.text ?? '');
  const steps = protocol.open(texts.shift());
  const pending = written(steps);
  const keys = new Map<string, string>();
  let compared = 0;
  const take = (more: ProtocolStep[]) => {
    steps.push(...more);
    pending.push(...written(more));
  };
  for (const { dir, m } of rows) {
    if (dir === 's>c') {
      const more = feed(protocol, m);
      for (const ask of asked(more)) keys.set(JSON.stringify(m.id), ask.key);
      take(more);
      continue;
    }
    const outcome = m.result?.outcome as { outcome: string; optionId?: string } | undefined;
    if (m.method === undefined) {
      const allowed = outcome?.optionId === 'proceed_once';
      const cancel = outcome?.outcome === 'cancelled' ? { interrupt: true } : {};
      take(
        protocol.settle(keys.get(JSON.stringify(m.id)) ?? '', {
          verdict: { kind: allowed ? 'allow' : 'deny' },
          ...cancel,
        }),
      );
    }
    if (m.method === 'session/prompt' && pending.length === 0) take(protocol.submit(texts.shift() ?? ''));
    if (m.method === 'session/cancel') take(protocol.interrupt());
    const ours = pending.shift();
    // Where the recorded client answered with an error or nonsense, we say no properly.
    if (m.method === undefined && !outcome)
      expect(ours?.result).toEqual({ outcome: { outcome: 'selected', optionId: 'cancel' } });
    else expect(ours).toEqual(m);
    compared += 1;
  }
  return { steps: [...steps, ...protocol.end()], compared };
}

describe('acp, against what gemini 0.61 said', () => {
  it('speaks as the recorded client did', () => {
    const { steps, compared } = replay(connection());
    expect(compared).toBe(19);
    expect(asked(steps)).toHaveLength(7);
    expect(outputs(steps).filter((output) => output.kind === 'unknown')).toEqual([]);
    const ends = outputs(steps).filter((output) => output.kind === 'done');
    expect(ends.map(({ ok }) => ok)).toEqual([true, true, true, true, true, true, true, true, false]);
    expect(ends.at(-1)?.reason).toContain('fake error 401');
  });

  it('asks with what the agent shows, and never passes a title off as the command', () => {
    const [shell] = asked(replay(connection()).steps);
    expect(shell?.inquiry).toMatchObject({
      kind: 'run',
      tool: 'execute',
      input: { title: 'echo hi > made-by-agent.txt && ls -la made-by-agent.txt' },
      exclusive: false,
      call: 'run_shell_command__call_369_0',
    });
    expect(shell?.inquiry.input).not.toHaveProperty('command');
    const edit = asked(replay(connection()).steps)[5]?.inquiry;
    expect(edit).toMatchObject({ tool: 'edit', input: { content: [{ newText: 'line one\nline two\n' }] } });
  });

  it('ends a block of text where the subject changes, and says each tool and result once', () => {
    const all = outputs(replay(connection()).steps);
    expect(text(all)).toMatch(
      /^alpha beta gamma delta epsilon zeta eta theta iota kappa \nI will write a file\.\nFile written\. LOOP_COMPLETE\nI will/,
    );
    expect(all.filter((output) => output.kind === 'tool')).toHaveLength(7);
    expect(all.filter((output) => output.kind === 'tool-result').map(({ ok }) => ok)).toEqual([
      true,
      false,
      false,
      true,
    ]);
    expect(all.find((output) => output.kind === 'usage')).toEqual({
      kind: 'usage',
      inputTokens: 100,
      outputTokens: 20,
    });
  });
});

describe('acp, by hand', () => {
  const opened = (): Protocol => {
    const protocol = acp({ cwd: '/w' });
    protocol.open('go');
    feed(protocol, { id: 1, result: { protocolVersion: 1 } });
    feed(protocol, { id: 2, result: { sessionId: 's1' } });
    return protocol;
  };
  const request = (kinds: string[], id: unknown = 9) => ({
    id,
    method: 'session/request_permission',
    params: {
      sessionId: 's1',
      toolCall: { toolCallId: 'c', kind: 'execute', title: 'ls' },
      options: kinds.map((kind) => ({ optionId: `id-${kind}`, kind })),
    },
  });

  it.each([
    ['allow', ['allow_always', 'allow_once', 'reject_once'], { outcome: 'selected', optionId: 'id-allow_once' }],
    ['deny', ['allow_once', 'reject_once', 'reject_always'], { outcome: 'selected', optionId: 'id-reject_once' }],
    ['deny', ['allow_once', 'reject_always'], { outcome: 'cancelled' }],
  ] as const)('%s with %j', (kind, kinds, outcome) => {
    const protocol = opened();
    const [ask] = asked(feed(protocol, request([...kinds])));
    expect(written(protocol.settle(ask?.key ?? '', { verdict: { kind } }))).toEqual([
      { jsonrpc: '2.0', id: 9, result: { outcome } },
    ]);
  });

  it('G10: files that only its diffs and places name are judged beside what it says it was called with', () => {
    const message = request(['allow_once', 'reject_once']);
    Object.assign(message.params.toolCall, {
      kind: 'edit',
      rawInput: { filePath: 'src/a.ts', newString: 'x' },
      locations: [{ path: 'src/a.ts' }, { path: '.git/config' }],
      content: [{ type: 'diff', path: '/etc/passwd', oldText: '', newText: 'x' }],
    });
    const [ask] = asked(feed(opened(), message));
    expect(ask).toMatchObject({
      inquiry: { input: { filePath: 'src/a.ts', newString: 'x', paths: ['/etc/passwd', '.git/config'] } },
    });
  });

  it('a request that does not repeat the input asks about what was said of the call before', () => {
    const protocol = opened();
    const call = { toolCallId: 'c', kind: 'read', status: 'pending', locations: [], rawInput: {} };
    const said = { ...call, status: 'in_progress', locations: [{ path: 'a.txt' }], rawInput: { filePath: 'a.txt' } };
    for (const update of [
      { sessionUpdate: 'tool_call', ...call },
      { sessionUpdate: 'tool_call_update', ...said },
    ])
      feed(protocol, { method: 'session/update', params: { sessionId: 's1', update } });
    const asking = request(['allow_once', 'reject_once']);
    const [ask] = asked(feed(protocol, { ...asking, params: { ...asking.params, toolCall: call } }));
    expect(ask?.inquiry).toMatchObject({ tool: 'read', input: { filePath: 'a.txt' } });
    // What it does name is not mixed with anything else.
    const more = { ...call, rawInput: { filePath: 'b.txt' } };
    const [other] = asked(feed(protocol, { ...asking, id: 10, params: { ...asking.params, toolCall: more } }));
    expect(other?.inquiry.input).toEqual({ filePath: 'b.txt' });
  });

  // "Always" promises more than was said: a yes could not be carried out, so none is asked for.
  it.each([
    [['allow_always', 'reject_once'], { outcome: 'selected', optionId: 'id-reject_once' }],
    [['allow_always'], { outcome: 'cancelled' }],
    [[], { outcome: 'cancelled' }],
  ] as const)('G10: no way to allow it once among %j: refused, and said so', (kinds, outcome) => {
    const steps = feed(opened(), request([...kinds]));
    expect(asked(steps)).toEqual([]);
    expect(written(steps)).toEqual([{ jsonrpc: '2.0', id: 9, result: { outcome } }]);
    const message = expect.stringContaining('no way to allow it once');
    expect(steps).toContainEqual({ do: 'output', output: { kind: 'error', message, fatal: false } });
  });

  it('why something was refused follows as a prompt, once, before the turn counts as done', () => {
    const protocol = opened();
    const refuse = (id: number) => {
      const [ask] = asked(feed(protocol, request(['allow_once', 'reject_once'], id)));
      protocol.settle(ask?.key ?? '', { verdict: { kind: 'deny' }, reason: 'use b.txt' });
    };
    refuse(9);
    const turn = (id: number, inputTokens: number) =>
      feed(protocol, { id, result: { stopReason: 'end_turn', usage: { inputTokens, outputTokens: 1 } } });
    const told = turn(3, 100);
    expect(outputs(told).some(({ kind }) => kind === 'done')).toBe(false);
    expect(written(told)).toMatchObject([{ id: 4, params: { prompt: [{ text: 'Reins: use b.txt' }] } }]);
    refuse(10);
    const done = turn(4, 50);
    expect(written(done)).toEqual([]);
    expect(outputs(done)).toContainEqual({ kind: 'usage', inputTokens: 150, outputTokens: 2 });
    expect(outputs(done).at(-1)).toEqual({ kind: 'done', ok: true });
  });

  it('a used-up quota is a limit, with its end', () => {
    const error = { code: 429, message: 'You have exhausted your daily quota. Your quota will reset after 1h.' };
    const clock = new HandClock(1_000_000);
    const protocol = acp({ cwd: '/w', clock });
    protocol.open('go');
    feed(protocol, { id: 1, result: {} });
    feed(protocol, { id: 2, result: { sessionId: 's1' } });
    expect(outputs(feed(protocol, { id: 3, error }))[0]).toMatchObject({ kind: 'limit', until: 4_600_000 });
  });

  it('refuses what it did not offer', () => {
    expect(written(feed(opened(), { id: 4, method: 'fs/write_text_file', params: {} }))).toMatchObject([
      { id: 4, error: { code: -32601 } },
    ]);
    expect(written(feed(opened(), { id: 4, method: 'terminal/create', params: {} }))).toMatchObject([
      { id: 4, error: { code: -32601 } },
    ]);
  });

  it('cancels: the notification, every open request, and those that still come', () => {
    const protocol = opened();
    feed(protocol, request(['allow_once']));
    protocol.submit('later');
    expect(written(protocol.interrupt())).toEqual([
      { jsonrpc: '2.0', method: 'session/cancel', params: { sessionId: 's1' } },
      { jsonrpc: '2.0', id: 9, result: { outcome: { outcome: 'cancelled' } } },
    ]);
    expect(written(feed(protocol, request(['allow_once'], 10)))).toEqual([
      { jsonrpc: '2.0', id: 10, result: { outcome: { outcome: 'cancelled' } } },
    ]);
    const ended = feed(protocol, { id: 3, result: { stopReason: 'cancelled' } });
    expect(outputs(ended).at(-1)).toEqual({ kind: 'done', ok: false, reason: 'cancelled' });
    expect(written(ended)).toEqual([]);
    expect(protocol.interrupt()).toEqual([]);
  });

  it('interrupted before there is a session, what was said has its end', () => {
    const protocol = acp({ cwd: '/ws' });
    protocol.open(undefined);
    expect(protocol.submit('early')).toEqual([]);
    const done = { kind: 'done', ok: false, reason: 'interrupted before the turn began' };
    expect(outputs(protocol.interrupt()).at(-1)).toEqual(done);
    expect(protocol.interrupt()).toEqual([]);
  });

  it('runs one prompt at a time', () => {
    const protocol = opened();
    expect(protocol.submit('second')).toEqual([]);
    expect(written(feed(protocol, { id: 3, result: { stopReason: 'end_turn' } }))).toMatchObject([
      { id: 4, method: 'session/prompt', params: { prompt: [{ text: 'second' }] } },
    ]);
  });

  it('a prompt that did not get through does not run: the next one is said', () => {
    const protocol = opened();
    feed(protocol, { id: 3, result: { stopReason: 'end_turn' } });
    const bytes = (text: string) => protocol.submit(text).flatMap((step) => (step.do === 'write' ? [step.bytes] : []));
    const [lost] = bytes('lost');
    expect(protocol.unsent?.('anything else')).toBe(false);
    expect(bytes('too early')).toEqual([]);
    expect(protocol.unsent?.(lost!)).toBe(true);
    expect(protocol.unsent?.(lost!)).toBe(false);
    expect(bytes('next').join('')).toContain('too early');
  });

  it.each(['refusal', 'max_tokens', 'max_turn_requests', 'cancelled'])('%s is not success', (stopReason) => {
    expect(outputs(feed(opened(), { id: 3, result: { stopReason } })).at(-1)).toEqual({
      kind: 'done',
      ok: false,
      reason: stopReason,
    });
  });

  it('loads a conversation without telling its history again', () => {
    const protocol = acp({ cwd: '/w', conversation: 's7' });
    protocol.open('go on');
    expect(written(feed(protocol, { id: 1, result: { agentCapabilities: { loadSession: true } } }))).toMatchObject([
      { method: 'session/load' },
    ]);
    const chunk = {
      method: 'session/update',
      params: { update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'old' } } },
    };
    expect(feed(protocol, chunk)).toEqual([]);
    const steps = feed(protocol, { id: 2, result: null });
    expect(outputs(steps)[0]).toEqual({ kind: 'conversation', id: 's7' });
    expect(written(steps)).toMatchObject([{ method: 'session/prompt', params: { sessionId: 's7' } }]);
    expect(outputs(feed(protocol, chunk))).toEqual([{ kind: 'text', text: 'old' }]);
  });

  it('says so when it cannot load or sign in', () => {
    const cannot = acp({ cwd: '/w', conversation: 's7' });
    cannot.open('x');
    expect(outputs(feed(cannot, { id: 1, result: {} })).map(({ kind }) => kind)).toEqual(['error', 'done']);
    const locked = acp({ cwd: '/w' });
    locked.open('x');
    feed(locked, { id: 1, result: {} });
    expect(
      outputs(
        feed(locked, {
          id: 2,
          error: { code: -32000, message: 'Authentication required', data: { details: 'no key' } },
        }),
      )[0],
    ).toEqual({
      kind: 'error',
      message: 'Authentication required: no key',
      fatal: true,
    });
  });
});
