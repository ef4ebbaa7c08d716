import { describe, expect, it } from 'vitest';
import { codexAppServer } from '../../../test/recordings/gated-codex.js';
import { HandClock } from '../../contract/index.js';
import type { Protocol, Settled } from '../adapter.js';
import { ASKING, asked, feed, outputs, written } from './codex-app-server.cases.js';
import { codexAppServer as unchecked } from './codex-app-server.js';
import { unwrapShell } from './shell-command.js';

describe('codex app-server, by hand', () => {
  const opened = (): Protocol => {
    const protocol = codexAppServer({ cwd: '/w', sandbox: 'read-only', model: 'm' });
    protocol.open('go');
    feed(protocol, { id: 1, result: {} });
    expect(written(feed(protocol, { id: 2, result: { thread: { id: 't1' } } }))).toEqual([
      { id: 3, method: 'turn/start', params: { threadId: 't1', input: [{ type: 'text', text: 'go' }] } },
    ]);
    return protocol;
  };
  const approval = {
    method: 'item/commandExecution/requestApproval',
    id: 'x',
    params: { threadId: 't1', turnId: 'u1', command: 'ls', itemId: 'c' },
  };

  it('usage is the sum since this launch, also of a thread that is older', () => {
    const protocol = opened();
    const used = (total: number, last: number) => {
      const tokens = (inputTokens: number) => ({ inputTokens, outputTokens: 1 });
      const tokenUsage = { total: tokens(total), last: tokens(last) };
      return outputs(feed(protocol, { method: 'thread/tokenUsage/updated', params: { threadId: 't1', tokenUsage } }));
    };
    expect(used(1100, 100)).toMatchObject([{ inputTokens: 100 }]);
    expect(used(1150, 50)).toMatchObject([{ inputTokens: 150 }]);
  });

  it('a used-up plan is a limit, with its end', () => {
    const message = "You've hit your usage limit. Try again in 3 hours.";
    const error = { message, codexErrorInfo: 'usageLimitExceeded' };
    const protocol = codexAppServer({ cwd: '/w', sandbox: 'read-only', clock: new HandClock(1_000_000) });
    protocol.open('go');
    const said = outputs(feed(protocol, { method: 'error', params: { error, willRetry: false } }));
    expect(said[0]).toEqual({ kind: 'limit', message, until: 11_800_000 });
  });

  it('does not open a thread while codex’s settings leave a way past us', () => {
    const protocol = unchecked({ cwd: '/w', sandbox: 'widened' });
    protocol.open('go');
    const [, check] = written(feed(protocol, { id: 1, result: {} }));
    expect(check).toMatchObject({ method: 'config/read', params: { cwd: '/w' } });
    const steps = feed(protocol, { id: check!.id, result: { config: { features: { hooks: true } } } });
    expect(written(steps)).toEqual([]);
    expect(outputs(steps)).toMatchObject([
      { kind: 'error', fatal: true },
      { kind: 'done', ok: false },
    ]);
  });

  describe('a call of an MCP server’s tool', () => {
    const about = { codex_approval_kind: 'mcp_tool_call', tool_params: { a: 1 } };
    const request = (more: object = {}) => ({
      id: 7,
      method: 'mcpServer/elicitation/request',
      params: { threadId: 't', serverName: 's', mode: 'form', message: 'Allow it?', _meta: about, ...more },
    });
    const begun = (...calls: [id: string, tool: string, input: object][]) => {
      const protocol = codexAppServer({ cwd: '/w', sandbox: 'read-only' });
      protocol.open('go');
      for (const [id, tool, input] of calls) {
        const item = { type: 'mcpToolCall', id, server: 's', tool, arguments: input };
        feed(protocol, { method: 'item/started', params: { threadId: 't', item } });
      }
      return protocol;
    };

    it.each([
      [{ verdict: { kind: 'allow' } }, 'accept'],
      [{ verdict: { kind: 'deny' } }, 'decline'],
      [{ verdict: { kind: 'deny' }, interrupt: true }, 'cancel'],
      [{ verdict: { kind: 'allow', input: {} } }, 'decline'],
    ] as [Settled, string][])('is asked about by its name, once: %j', (settled, action) => {
      const protocol = begun(['c0', 'other', {}], ['c1', 'mark', { a: 1 }]);
      const [ask] = asked(feed(protocol, request()));
      const inquiry = { kind: 'run', tool: 'mcp__s__mark', input: { a: 1 }, call: 'c1', exclusive: false };
      expect(ask!.inquiry).toMatchObject({ ...inquiry, reason: 'Allow it?' });
      const answer = { id: 7, result: { action, content: action === 'accept' ? {} : null, _meta: null } };
      expect(written(protocol.settle(ask!.key, settled)).at(-1)).toEqual(answer);
    });

    it('that nobody can tell from another is for a person alone', () => {
      const protocol = begun(['c0', 'other', { a: 1 }], ['c1', 'mark', { a: 1 }]);
      expect(asked(feed(protocol, request()))[0]!.inquiry).toMatchObject({ tool: 'unknown', exclusive: true });
    });

    it('is not what a server itself wants to know', () => {
      expect(asked(feed(begun(), request({ _meta: null })))).toEqual([]);
    });
  });

  it('resumes a thread', () => {
    const protocol = codexAppServer({ cwd: '/w', sandbox: 'read-only', conversation: 't9' });
    protocol.open(undefined);
    expect(written(feed(protocol, { id: 1, result: {} })).at(-1)).toEqual({
      id: 2,
      method: 'thread/resume',
      params: { threadId: 't9', cwd: '/w', ...ASKING, sandbox: 'read-only' },
    });
  });

  it('starts read-only, is widened, and only then gets its prompt, also where the config cannot be read', () => {
    const protocol = codexAppServer({ cwd: '/w', sandbox: 'widened' });
    protocol.open('go');
    const [, start] = written(feed(protocol, { id: 1, result: {} }));
    expect(start).toMatchObject({
      method: 'thread/start',
      params: { approvalPolicy: 'untrusted', sandbox: 'read-only' },
    });
    const [config] = written(feed(protocol, { id: 2, result: { thread: { id: 't1' } } }));
    const [update] = written(feed(protocol, { id: config!.id, error: { message: 'no such method' } }));
    const sandboxPolicy = expect.objectContaining({ type: 'workspaceWrite', networkAccess: false, writableRoots: [] });
    expect(update).toMatchObject({
      method: 'thread/settings/update',
      params: { threadId: 't1', approvalPolicy: 'untrusted', approvalsReviewer: 'user', sandboxPolicy },
    });
    expect(written(feed(protocol, { id: update!.id, result: {} }))).toMatchObject([{ method: 'turn/start' }]);
  });

  it('the reason of a refusal is said before the refusal, which lets the turn go on', () => {
    const protocol = opened();
    feed(protocol, { id: 3, result: { turn: { id: 'u1' } } });
    const [ask] = asked(feed(protocol, approval));
    const steps = written(protocol.settle(ask!.key, { verdict: { kind: 'deny' }, reason: 'not here' }));
    expect(steps).toMatchObject([
      { method: 'turn/steer', params: { expectedTurnId: 'u1', input: [{ text: 'Reins: not here' }] } },
    ]);
  });

  it('refuses requests it does not know', () => {
    const [refusal] = written(feed(opened(), { method: 'item/tool/call', id: 5, params: {} }));
    expect(refusal).toMatchObject({ id: 5, error: { code: -32601 } });
  });

  it('withdraws what was answered elsewhere, and then has no answer to give', () => {
    const protocol = opened();
    const [ask] = asked(feed(protocol, approval));
    expect(feed(protocol, { method: 'serverRequest/resolved', params: { threadId: 't1', requestId: 'x' } })).toEqual([
      { do: 'withdraw', key: ask?.key, reason: 'it was answered elsewhere' },
    ]);
    expect(protocol.settle(ask?.key ?? '', { verdict: { kind: 'allow' } })).toEqual([]);
  });

  it('cancels open requests on an interrupt, and later ones until the turn has ended; idle, it does nothing', () => {
    const protocol = opened();
    feed(protocol, approval);
    const early = protocol.interrupt();
    expect(written(early)).toEqual([{ id: 'x', result: { decision: 'cancel' } }]);
    expect(early.some((step) => step.do === 'withdraw')).toBe(true);
    // The turn's id came only now: the interrupt follows it.
    expect(written(feed(protocol, { id: 3, result: { turn: { id: 'u1' } } }))).toMatchObject([
      { method: 'turn/interrupt', params: { threadId: 't1', turnId: 'u1' } },
    ]);
    expect(written(feed(protocol, { ...approval, id: 'y' }))).toEqual([{ id: 'y', result: { decision: 'cancel' } }]);
    feed(protocol, { method: 'turn/completed', params: { threadId: 't1', turn: { id: 'u1', status: 'interrupted' } } });
    expect(protocol.interrupt()).toEqual([]);
    expect(asked(feed(protocol, { ...approval, id: 'z' }))).toHaveLength(1);
  });

  it('says why not before the no: the turn that waits for it reads both', () => {
    const protocol = opened();
    feed(protocol, { id: 3, result: { turn: { id: 'u1' } } });
    const [ask] = asked(feed(protocol, approval));
    const steps = protocol.settle(ask?.key ?? '', { verdict: { kind: 'deny' }, reason: 'use b.txt' });
    expect(written(steps)).toMatchObject([
      { method: 'turn/steer', params: { expectedTurnId: 'u1', input: [{ text: 'Reins: use b.txt' }] } },
    ]);
    // Not before codex has the words: the refusal lets the turn go on without them.
    const { id } = written(steps)[0]!;
    expect(written(feed(protocol, { id, result: { turnId: 'u1' } }))).toEqual([
      { id: 'x', result: { decision: 'decline' } },
    ]);
  });

  it.each([
    ['codex does not take the words', (id: unknown) => [{ id, error: { message: 'no active turn' } }], 1],
    [
      'it was answered elsewhere meanwhile',
      (id: unknown) => [
        { method: 'serverRequest/resolved', params: { threadId: 't1', requestId: 'x' } },
        { id, result: {} },
      ],
      0,
    ],
  ])('a refusal that waits for its words, and %s', (_what, news, refusals) => {
    const protocol = opened();
    feed(protocol, { id: 3, result: { turn: { id: 'u1' } } });
    const [ask] = asked(feed(protocol, approval));
    const [said] = written(protocol.settle(ask?.key ?? '', { verdict: { kind: 'deny' }, reason: 'use b.txt' }));
    const answers = news(said!.id).flatMap((message) => written(feed(protocol, message)));
    expect(answers.filter(({ result }) => result?.decision === 'decline')).toHaveLength(refusals);
    expect(answers.filter(({ method }) => method === 'turn/start')).toHaveLength(refusals);
  });

  it('does not run the original when the input was changed', () => {
    const protocol = opened();
    const [ask] = asked(feed(protocol, approval));
    const steps = protocol.settle(ask?.key ?? '', { verdict: { kind: 'allow', input: { command: 'other' } } });
    expect(written(steps)).toEqual([{ id: 'x', result: { decision: 'decline' } }]);
  });

  it('steers a running turn, and starts a new one if the words came too late', () => {
    const protocol = opened();
    feed(protocol, { id: 3, result: { turn: { id: 'u1' } } });
    expect(written(protocol.submit('more'))).toMatchObject([
      { id: 4, method: 'turn/steer', params: { expectedTurnId: 'u1' } },
    ]);
    feed(protocol, { method: 'turn/completed', params: { threadId: 't1', turn: { id: 'u1', status: 'completed' } } });
    expect(written(feed(protocol, { id: 4, error: { message: 'no active turn' } }))).toMatchObject([
      { method: 'turn/start' },
    ]);
  });

  it('keeps other threads apart: their words have a parent, their end is not ours', () => {
    const protocol = opened();
    expect(
      outputs(
        feed(protocol, { method: 'item/agentMessage/delta', params: { threadId: 't2', itemId: 'i', delta: 'hi' } }),
      ),
    ).toEqual([{ kind: 'text', text: 'hi', parent: 't2' }]);
    expect(
      outputs(feed(protocol, { method: 'turn/completed', params: { threadId: 't2', turn: { status: 'completed' } } })),
    ).toEqual([]);
    expect(
      asked(feed(protocol, { ...approval, params: { ...approval.params, threadId: 't2' } }))[0]?.inquiry.parent,
    ).toBe('t2');
  });

  it('shows a retry as a retry, a refusal of a question as a note, and permissions as a grant for the turn', () => {
    const protocol = opened();
    expect(
      outputs(
        feed(protocol, {
          method: 'error',
          params: { threadId: 't1', willRetry: true, error: { message: 'Reconnecting... 2/5' } },
        }),
      ),
    ).toEqual([{ kind: 'retry', attempt: 2, of: 5, error: 'Reconnecting... 2/5' }]);
    const question = {
      method: 'item/tool/requestUserInput',
      id: 1,
      params: { threadId: 't1', questions: [{ id: 'db', question: 'Which?', options: null }] },
    };
    const [ask] = asked(feed(protocol, question));
    expect(written(protocol.settle(ask?.key ?? '', { verdict: { kind: 'deny' }, reason: 'nobody is here' }))).toEqual([
      { id: 1, result: { answers: { db: { answers: ['user_note: nobody is here'] } } } },
    ]);
    const wanted = { network: { enabled: true } };
    const permission = {
      method: 'item/permissions/requestApproval',
      id: 2,
      params: { threadId: 't1', permissions: wanted },
    };
    const [grant] = asked(feed(protocol, permission));
    expect(written(protocol.settle(grant?.key ?? '', { verdict: { kind: 'allow' } }))).toEqual([
      { id: 2, result: { permissions: wanted, scope: 'turn' } },
    ]);
    const [again] = asked(feed(protocol, permission));
    expect(written(protocol.settle(again?.key ?? '', { verdict: { kind: 'deny' } }))).toEqual([
      { id: 2, result: { permissions: {}, scope: 'turn' } },
    ]);
  });

  it('ends with an error when the thread cannot be opened', () => {
    const protocol = codexAppServer({ cwd: '/w', sandbox: 'read-only' });
    protocol.open('go');
    feed(protocol, { id: 1, result: {} });
    expect(outputs(feed(protocol, { id: 2, error: { message: 'no such thread' } }))).toEqual([
      { kind: 'error', message: 'no such thread', fatal: true },
      { kind: 'done', ok: false, reason: 'no such thread', failure: { message: 'no such thread' } },
    ]);
  });
});

describe('unwrapShell', () => {
  it.each([
    ["/bin/bash -lc 'touch x'", 'touch x'],
    ['bash -lc "echo \\"hi\\""', 'echo "hi"'],
    ['/bin/zsh -lc ls', 'ls'],
    ["/bin/bash -lc 'it'\\''s'", "it's"],
    // Whatever is more than one quoted word stays as it is.
    ["/bin/bash -lc 'ls' ; rm -rf ~", "/bin/bash -lc 'ls' ; rm -rf ~"],
    ['/bin/bash -lc "ls $(rm x)"', '/bin/bash -lc "ls $(rm x)"'],
    ["/bin/bash -lc 'ls", "/bin/bash -lc 'ls"],
    ["env bash -lc 'ls'", "env bash -lc 'ls'"],
    ['npm test', 'npm test'],
  ])('%s', (command, shown) => {
    expect(unwrapShell(command)).toBe(shown);
  });
});
