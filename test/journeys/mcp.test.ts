/** `reins mcp` as other programs use it, through the official client: tools, rights, and who answers what an agent asks. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, onTestFinished, test } from 'vitest';
import { reins, startReins } from './support/cli.js';
import { entries, entry } from './support/journal.js';
import { call, client, mcpWorld } from './support/mcp.js';
import { detached } from './support/session.js';
import { until } from './support/wait.js';
import type { World } from './support/world.js';

const ASKING = { agent: 'practice', prompt: 'ask-permission', mode: 'autonomous', once: true };

test('an agent is started, asks, and a person answers', async () => {
  const world = mcpWorld();
  const mcp = await client(world);
  const { tools } = await mcp.listTools();
  expect(tools.map(({ name }) => name)).toEqual([
    'session_start',
    'session_list',
    'session_send',
    'session_screen',
    'session_wait',
    'session_stop',
    'inbox_list',
  ]);
  const started = (await call(mcp, 'session_start', ASKING)).structuredContent;
  expect(started).toMatchObject({ agent: 'practice', trust: 'guarded', mode: 'autonomous' });
  const asking = await call(mcp, 'session_wait', { session: started.id, until: ['asking', 'ended'] });
  expect(asking.structuredContent).toMatchObject({ reached: true, session: { state: 'asking' } });
  const [inquiry] = asking.structuredContent.inquiries;
  expect((await call(mcp, 'inbox_list')).structuredContent.inquiries).toMatchObject([{ id: inquiry.id }]);

  // Not by the one that started it: neither by a tool it has not got, nor otherwise.
  const refused = await call(mcp, 'inquiry_answer', { inquiry: inquiry.id, words: ['allow'] });
  expect(refused).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/^RIGHT_MISSING: .*--may answer,type/) }],
  });
  expect(await call(mcp, 'session_wait', { session: started.id, until: ['ended'], limit_secs: 0 })).toMatchObject({
    structuredContent: { reached: false, session: { state: 'asking' } },
  });

  const ended = call(mcp, 'session_wait', { session: started.id, until: ['ended'] });
  expect((await reins(world, ['answer', inquiry.id, 'allow'])).code).toBe(0);
  expect((await ended).structuredContent).toMatchObject({
    reached: true,
    session: { state: 'ended', outcome: 'completed' },
  });
  expect(existsSync(join(world.project, 'practice.txt'))).toBe(true);
});

test('an agent in its terminal: messages, screen, stop', async () => {
  const world = mcpWorld();
  const mcp = await client(world);
  const { id } = (await call(mcp, 'session_start', { agent: 'practice', name: 'helper' })).structuredContent;
  expect((await call(mcp, 'session_wait', { session: 'helper', until: ['idle'] })).structuredContent.reached).toBe(
    true,
  );
  const sent = await call(mcp, 'session_send', { session: 'helper', text: 'hello', key: 'once' });
  expect(sent.structuredContent).toMatchObject({ verdict: 'submitted' });
  await until('the message on its screen', async () =>
    (await call(mcp, 'session_screen', { session: id })).structuredContent.lines.join('\n').includes('hello'),
  );
  expect((await call(mcp, 'session_list')).structuredContent.sessions).toMatchObject([{ id, name: 'helper' }]);
  expect((await call(mcp, 'session_stop', { session: id })).structuredContent).toMatchObject({ left: 0 });
});

test('the dialog in which an agent asks is out of its reach: neither keys nor words get there', async () => {
  const world = mcpWorld();
  const mcp = await client(world, ['--may', 'admin']);
  const start = { agent: 'practice', prompt: 'ask-permission', mode: 'interactive' };
  const { id } = (await call(mcp, 'session_start', start)).structuredContent;
  const [inquiry] = (await call(mcp, 'session_wait', { session: id, until: ['asking'] })).structuredContent.inquiries;
  for (const keys of ['Enter', '1', 'y Enter']) {
    expect((await call(mcp, 'session_send', { session: id, keys })).isError).toBe(true);
  }
  for (const text of ['1', 'y', 'yes', '']) {
    expect((await call(mcp, 'session_send', { session: id, text })).structuredContent?.verdict).not.toBe('submitted');
  }
  expect((await call(mcp, 'inbox_list')).structuredContent.inquiries).toMatchObject([{ id: inquiry.id }]);
  expect(existsSync(join(world.project, 'practice.txt'))).toBe(false);
  await call(mcp, 'session_stop', { session: id, how: 'kill' });
});

test('C9: what an agent gives as the task is no evidence for its own question', async () => {
  const world = mcpWorld();
  world.write(join(world.root, 'config/reins/config.yml'), 'tools: {defaults: {detached: {question: auto}}}');
  const mcp = await client(world, ['--may', 'type']);
  const prompt = 'ask-single. We run MongoDB everywhere.';
  const { id } = (await call(mcp, 'session_start', { ...ASKING, prompt })).structuredContent;
  await call(mcp, 'session_wait', { session: id, until: ['ended'] });
  const answers = entries(world, id).flatMap((one) => (one.type === 'inquiry.answered' ? [one.data.answer] : []));
  expect(answers).toMatchObject([{ by: { kind: 'policy' }, verdict: { kind: 'deny' } }]);
});

describe('what the caller may', () => {
  test.each([
    ['view', ['session_list', 'session_screen', 'session_wait', 'inbox_list']],
    ['answer', ['session_list', 'session_screen', 'session_wait', 'inbox_list', 'inquiry_answer']],
  ])('with --may %s is all it sees, and all it gets', async (may, names) => {
    const world = mcpWorld();
    const mcp = await client(world, ['--may', may]);
    expect((await mcp.listTools()).tools.map(({ name }) => name)).toEqual(names);
    for (const name of ['session_start', 'session_send', 'session_stop']) {
      const args = name === 'session_start' ? ASKING : { session: 'x', text: 'x' };
      expect((await call(mcp, name, args)).content[0]?.text).toMatch(/^RIGHT_MISSING/);
    }
    expect((await reins(world, ['ls', '-a', '--json'])).stdout.trim()).toBe('[]');
  });

  test('to answer is for sessions of people, under its own name; never for what such a tool started', async () => {
    const world = mcpWorld();
    const mcp = await client(world, ['--may', 'answer,type']);
    const mine = (await call(mcp, 'session_start', ASKING)).structuredContent.id;
    const [own] = (await call(mcp, 'session_wait', { session: mine, until: ['asking'] })).structuredContent.inquiries;
    const refused = await call(mcp, 'inquiry_answer', { inquiry: own.id, words: ['allow'] });
    expect(refused.content[0]?.text).toMatch(/RIGHT_MISSING: .* is for a person/);
    // Another server knows it too.
    const other = await client(world, ['--may', 'admin,answer']);
    expect((await call(other, 'inquiry_answer', { inquiry: own.id, words: ['allow'] })).isError).toBe(true);
    expect(entries(world, mine).filter(({ type }) => type === 'inquiry.answered')).toEqual([]);
    await call(mcp, 'session_stop', { session: mine });

    const theirs = await detached(world, ['run', '-b', 'practice', '--once', 'ask-permission']);
    const [inquiry] = (await call(mcp, 'session_wait', { session: theirs, until: ['asking'] })).structuredContent
      .inquiries;
    expect((await call(mcp, 'inquiry_answer', { inquiry: inquiry.id, words: ['deny'] })).structuredContent).toEqual({
      inquiry: inquiry.id,
      verdict: 'deny',
    });
    const answered = await entry(world, 'inquiry.answered', { session: theirs });
    expect(answered.data.answer.by).toMatchObject({ kind: 'viewer', name: 'orchestra (reins mcp)' });
    await call(mcp, 'session_wait', { session: theirs, until: ['ended'] });
  });

  test('a session that a person started is stopped with admin only', async () => {
    const world = mcpWorld();
    const theirs = await detached(world, ['exec', '--', 'sleep', '1000']);
    const mcp = await client(world);
    expect((await call(mcp, 'session_stop', { session: theirs })).content[0]?.text).toMatch(/^RIGHT_MISSING/);
    const admin = await client(world, ['--may', 'admin']);
    expect((await call(admin, 'session_stop', { session: theirs })).structuredContent).toMatchObject({ left: 0 });
  });

  test('does not include more trust: an untrusted folder is refused, not asked about', async () => {
    const world = mcpWorld();
    world.write('reins.yml', 'trust: full\n');
    for (const args of [
      ['init', '-q'],
      ['add', '.'],
    ])
      execFileSync('git', args, { cwd: world.project, env: world.env });
    const mcp = await client(world);
    const refused = await call(mcp, 'session_start', { ...ASKING, trust: 'full', command: ['sh'] });
    expect(refused.content[0]?.text).toMatch(/^FOLDER_UNTRUSTED/);
  });

  test.each([
    [['--may', 'answer', '--http'], {}, 'over HTTP'],
    [['--may', 'everything'], {}, 'is not known'],
    [['--http'], { REINS_MCP_KEY: 'short' }, 'too short'],
  ])('%j is refused at the start', async (args, env, words) => {
    const ended = await reins(mcpWorld(), ['mcp', ...args], { env });
    expect([ended.code, ended.stdout]).toEqual([2, '']);
    expect(ended.stderr).toContain(words);
  });
});

test('what is no request is answered so, and nothing else breaks', async () => {
  const world = mcpWorld();
  const lines = [
    'nonsense',
    '[]',
    '{"jsonrpc":"2.0","id":1,"method":"__proto__"}',
    '{"jsonrpc":"2.0","id":2,"method":"ping"}',
  ];
  const ended = await reins(world, ['mcp'], { stdin: `${lines.join('\n')}\n` });
  expect(ended.code).toBe(0);
  const said = ended.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(said).toMatchObject([
    { id: null, error: { code: -32700 } },
    { id: null, error: { code: -32600 } },
    { id: 1, error: { code: -32601 } },
    { id: 2, result: {} },
  ]);
});

describe('over HTTP', () => {
  const KEY = 'a key of this test, long enough';

  async function served(world: World): Promise<URL> {
    const running = startReins(world, ['mcp', '--http'], { env: { REINS_MCP_KEY: KEY } });
    onTestFinished(async () => {
      running.child.kill('SIGTERM');
      expect((await running.done).code).toBe(0);
    });
    const url = await until('its address', () => /http:\S+/.exec(running.stderr)?.[0]);
    expect(running.stderr).not.toContain(KEY);
    return new URL(url);
  }

  const post = (url: URL, headers: Record<string, string>): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const asked = request(
        url,
        { method: 'POST', headers: { 'content-type': 'application/json', authorization: `Bearer ${KEY}`, ...headers } },
        (response) => {
          response.resume();
          resolve(response.statusCode);
        },
      );
      asked.on('error', reject);
      asked.end('{"jsonrpc":"2.0","id":1,"method":"ping"}');
    });

  test('with its key, the same tools', async () => {
    const world = mcpWorld();
    const url = await served(world);
    const mcp = new Client({ name: 'orchestra', version: '1' });
    const headers = { authorization: `Bearer ${KEY}` };
    await mcp.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
    onTestFinished(() => mcp.close());
    expect((await call(mcp, 'session_list')).structuredContent).toEqual({ sessions: [] });
    const { id } = (await call(mcp, 'session_start', ASKING)).structuredContent;
    expect((await call(mcp, 'session_wait', { session: id, until: ['asking'] })).structuredContent.reached).toBe(true);
    expect((await call(mcp, 'session_stop', { session: id })).structuredContent).toMatchObject({ left: 0 });
    expect((await entry(world, 'session.ended', { session: id })).data.outcome).toBe('stopped');
  });

  test.each([
    ['its own', {}, 200],
    ['no key', { authorization: '' }, 401],
    ['another key', { authorization: 'Bearer another key of this test, long' }, 401],
    ['the key without its word', { authorization: KEY }, 401],
    ['a page of the web', { origin: 'https://evil.example' }, 403],
    ['a page of another port', { origin: 'http://127.0.0.1:1' }, 403],
    ['a page of a file', { origin: 'null' }, 403],
    ['a name bent to loopback', { host: 'evil.example' }, 403],
    ['a form', { 'content-type': 'text/plain' }, 415],
  ])('%s: %j', async (_, headers, status) => {
    expect(await post(await served(mcpWorld()), headers)).toBe(status);
  });
});
