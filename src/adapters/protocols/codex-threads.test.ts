import { describe, expect, it } from 'vitest';
import { codexAppServer } from '../../../test/recordings/gated-codex.js';
import type { CompanionProtocol, ProtocolStep } from '../adapter.js';

type Message = { id?: number; method?: string; params?: Record<string, unknown> };

const GUARD = { approvalPolicy: 'untrusted', approvalsReviewer: 'user' };
const FULL = { approvalPolicy: 'never', approvalsReviewer: 'user' };
const REVIEWED = { approvalPolicy: 'untrusted', approvalsReviewer: 'auto_review' };

const feed = (protocol: CompanionProtocol, message: unknown): ProtocolStep[] =>
  protocol.feed(Buffer.from(`${JSON.stringify(message)}\n`));
const sent = (steps: ProtocolStep[]): Message[] =>
  steps.flatMap((step) => (step.do === 'write' ? [JSON.parse(step.bytes) as Message] : []));
const said = (steps: ProtocolStep[]) => steps.flatMap((step) => (step.do === 'output' ? [step.output] : []));

/** The server's side of a start without a prompt; each call is answered by the test. */
function empty() {
  const protocol = codexAppServer({ cwd: '/w', sandbox: 'widened', shared: true });
  const [initialize] = sent(protocol.open(undefined));
  expect(protocol.joinable()).toBeUndefined();
  expect(sent(feed(protocol, { id: initialize!.id, result: {} })).map(({ method }) => method)).toEqual(['initialized']);
  const news = (method: string, params: object) => feed(protocol, { method, params });
  return {
    protocol,
    started: (thread: object) => news('thread/started', { thread }),
    status: (threadId: string, type: string) => news('thread/status/changed', { threadId, status: { type } }),
    settings: (threadId: string, threadSettings: object) =>
      news('thread/settings/updated', { threadId, threadSettings }),
    reply: (call: Message | undefined, result: object) => feed(protocol, { id: call?.id, result }),
    refuse: (call: Message | undefined) => feed(protocol, { id: call?.id, error: { message: 'no rollout found' } }),
  };
}

const methods = (steps: ProtocolStep[]) => sent(steps).map(({ method, params }) => `${method} ${params?.threadId}`);

describe('threads of the terminal program', () => {
  it('are joined without one of ours', () => {
    expect(empty().protocol.joinable()).toEqual({});
  });

  it('are told to ask before anything else, and are followed from their first turn on', () => {
    const server = empty();
    const first = sent(server.started({ id: 'a', ephemeral: false }));
    expect(first.map(({ method }) => method)).toEqual(['thread/settings/update', 'thread/resume']);
    expect(first[0]!.params).toMatchObject({ threadId: 'a', ...GUARD, sandboxPolicy: { type: 'workspaceWrite' } });
    expect(server.refuse(first[1])).toEqual([]);
    const [again] = sent(server.status('a', 'active'));
    expect(again).toMatchObject({ method: 'thread/resume', params: { threadId: 'a' } });
    const joined = server.reply(again, { thread: { id: 'a', parentThreadId: null }, ...GUARD });
    expect(joined).toEqual([{ do: 'output', output: { kind: 'conversation', id: 'a' } }]);
    expect(server.status('a', 'idle')).toEqual([]);
    expect(server.status('a', 'active')).toEqual([]);
  });

  it('that work are asked for until they can be followed, but not for ever', () => {
    const server = empty();
    let steps = server.status('a', 'active');
    let calls = 0;
    for (; steps.length > 0; calls += 1) steps = server.refuse(sent(steps)[0]);
    expect(calls).toBeGreaterThan(10);
    expect(calls).toBeLessThan(1000);
  });

  it('made for a title are left alone', () => {
    const server = empty();
    expect(server.started({ id: 't', ephemeral: true })).toEqual([]);
    expect(server.status('t', 'active')).toEqual([]);
  });

  it('begun later (/new) take the place of the first: what they ask is the agent’s own', () => {
    const server = empty();
    for (const id of ['a', 'b']) {
      const [, resume] = sent(server.started({ id, ephemeral: false }));
      server.reply(resume, { thread: { id }, ...GUARD });
    }
    const ask = (id: number, threadId: string) =>
      feed(server.protocol, {
        id,
        method: 'item/commandExecution/requestApproval',
        params: { threadId, command: 'ls' },
      });
    expect(ask(0, 'b')[0]).toMatchObject({ do: 'ask' });
    expect(ask(0, 'b')).toEqual([]);
    const [step] = ask(1, 'b');
    expect((step as Extract<ProtocolStep, { do: 'ask' }>).inquiry.parent).toBeUndefined();
    expect(ask(2, 'a')[0]).toMatchObject({ inquiry: { parent: 'a' } });
  });

  it.each([
    ['no longer to ask', FULL],
    ['to ask a reviewer of its own', REVIEWED],
  ])('told %s are set back', (_what, wrong) => {
    const server = empty();
    const steps = server.settings('a', wrong);
    expect(sent(steps)).toMatchObject([{ method: 'thread/settings/update', params: { threadId: 'a', ...GUARD } }]);
    expect(sent(steps)[0]!.params).not.toHaveProperty('sandboxPolicy');
    expect(said(steps)).toMatchObject([{ kind: 'error', fatal: false }]);
    expect(server.settings('a', GUARD)).toEqual([]);
  });

  it('that began to work without asking are interrupted', () => {
    const server = empty();
    const [resume] = sent(server.status('a', 'active'));
    const steps = server.reply(resume, { thread: { id: 'a' }, ...FULL });
    expect(methods(steps)).toEqual(['thread/settings/update a', 'thread/turns/list a']);
    const list = sent(steps)[1];
    const halted = server.reply(list, { data: [{ id: 'turn-1', status: 'inProgress' }] });
    expect(sent(halted)).toMatchObject([{ method: 'turn/interrupt', params: { threadId: 'a', turnId: 'turn-1' } }]);
    expect(said(halted)).toMatchObject([{ kind: 'error', fatal: false }]);
  });

  it('of our own prompt can be joined when its turn began', () => {
    const protocol = codexAppServer({ cwd: '/w', sandbox: 'widened', shared: true });
    const [initialize] = sent(protocol.open('go'));
    const [, start] = sent(feed(protocol, { id: initialize!.id, result: {} }));
    expect(start).toMatchObject({ method: 'thread/start', params: GUARD });
    expect(feed(protocol, { method: 'thread/started', params: { thread: { id: 'a', ephemeral: false } } })).toEqual([]);
    expect(start!.params).toMatchObject({ sandbox: 'read-only' });
    const [config] = sent(feed(protocol, { id: start!.id, result: { thread: { id: 'a' } } }));
    expect(config).toMatchObject({ method: 'config/read', params: {} });
    const own = { writable_roots: ['/cache'], network_access: true, exclude_slash_tmp: true };
    const read = { config: { sandbox_workspace_write: own } };
    const [widened] = sent(feed(protocol, { id: config!.id, result: read }));
    expect(widened).toMatchObject({
      method: 'thread/settings/update',
      params: {
        sandboxPolicy: {
          type: 'workspaceWrite',
          writableRoots: ['/cache'],
          networkAccess: true,
          excludeTmpdirEnvVar: false,
          excludeSlashTmp: true,
        },
      },
    });
    const [turn] = sent(feed(protocol, { id: widened!.id, result: {} }));
    expect(turn).toMatchObject({ method: 'turn/start', params: { threadId: 'a' } });
    expect(protocol.joinable()).toBeUndefined();
    feed(protocol, { id: turn!.id, result: { turn: { id: 'turn-1' } } });
    expect(protocol.joinable()).toEqual({ conversation: 'a' });
    expect(
      feed(protocol, { method: 'thread/status/changed', params: { threadId: 'a', status: { type: 'active' } } }),
    ).toEqual([]);
  });

  it('resumed by us can be joined at once, and keep their past to themselves', () => {
    const protocol = codexAppServer({ cwd: '/w', sandbox: 'widened', shared: true, conversation: 'a' });
    const [initialize] = sent(protocol.open(undefined));
    const [, resume] = sent(feed(protocol, { id: initialize!.id, result: {} }));
    expect(resume).toMatchObject({ method: 'thread/resume', params: { threadId: 'a', excludeTurns: true, ...GUARD } });
    feed(protocol, { id: resume!.id, result: { thread: { id: 'a' } } });
    expect(protocol.joinable()).toEqual({ conversation: 'a' });
  });
});

it('what the terminal program says is not said twice', () => {
  const server = empty();
  const delta = { threadId: 'a', itemId: 'm', delta: 'hello' };
  expect(feed(server.protocol, { method: 'item/agentMessage/delta', params: delta })).toEqual([]);
});
