/** `reins mcp` where things are not as they should be: plain programs, stopped hosts, other places, callers that leave. */
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { type ClientRequest, request } from 'node:http';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { EntryType } from '../../src/contract/index.js';
import { fakeAgent } from './support/agents.js';
import { reins, startReins } from './support/cli.js';
import { entries } from './support/journal.js';
import { call, client, mcpWorld } from './support/mcp.js';
import { detached, row, shows } from './support/session.js';
import { until } from './support/wait.js';
import type { World } from './support/world.js';

const TRUST_PAGE = 'test/recordings/claude-2.1.325/screens/onboard-trust-80x24.txt';

describe('a message is typed only into an input box that is seen', () => {
  test('not into a shell, with whatever right', async () => {
    const world = mcpWorld();
    const shell = await detached(world, ['exec', '--', 'sh']);
    const mcp = await client(world, ['--may', 'admin']);
    for (const text of ['touch made.txt', '!touch made.txt']) {
      const sent = await call(mcp, 'session_send', { session: shell, text, seen: false });
      expect(sent.content[0]?.text).toMatch(/^SEND_REFUSED/);
    }
    expect((await reins(world, ['send', shell, 'echo still-here'])).code).toBe(0);
    await shows(world, shell, /^still-here/m);
    expect(existsSync(join(world.project, 'made.txt'))).toBe(false);
  });

  test('not into a program whose screen nobody can read; a person may', async () => {
    const world = mcpWorld();
    world.write('agent.sh', '#!/bin/sh\necho here; while read -r line; do echo "$line" >> got.txt; done\n');
    chmodSync(join(world.project, 'agent.sh'), 0o755);
    const flags = ['-i', '-b', 'custom', '--trust', 'full', '--set', 'cli.command=./agent.sh'];
    const id = await detached(world, ['run', ...flags]);
    await shows(world, id, 'here');
    const mcp = await client(world);
    const sent = await call(mcp, 'session_send', { session: id, text: 'from a tool', key: 'k', seen: false });
    expect(sent.structuredContent).toMatchObject({
      verdict: 'refused',
      reason: expect.stringContaining('nothing was typed'),
    });
    await reins(world, ['send', id, 'from a person']);
    const got = join(world.project, 'got.txt');
    await until('what a person sent', () => existsSync(got) && readFileSync(got, 'utf8').includes('person'));
    expect(readFileSync(got, 'utf8')).toBe('from a person\n');
  });
});

test('wrong arguments are the caller’s, and say which', async () => {
  const mcp = await client(mcpWorld(), ['--may', 'admin']);
  const told = async (name: string, args: Record<string, unknown>) => (await call(mcp, name, args)).content[0]?.text;
  expect(await told('session_screen', { session: 5 })).toMatch(/^USAGE: session_screen: session: .*string/);
  expect(await told('session_wait', { session: 'x', until: [] })).toMatch(/^USAGE: session_wait: until: /);
  expect(await told('session_stop', {})).toMatch(/^USAGE: session_stop: session: /);
});

test('a wait on a host that was stopped ends with its limit, and says so', async () => {
  const world = mcpWorld();
  const id = await detached(world, ['exec', '--', 'sleep', '1000']);
  const mcp = await client(world);
  const { pid } = await row(world, id);
  process.kill(pid!, 'SIGSTOP');
  onTestFinished(() => void process.kill(pid!, 'SIGCONT'));
  const waited = await call(mcp, 'session_wait', { session: id, until: ['ended', 'idle'], limit_secs: 1 });
  expect(waited.structuredContent).toMatchObject({
    reached: false,
    session: { id, detail: 'its host does not answer' },
    inquiries: [],
  });
  process.kill(pid!, 'SIGCONT');
});

test('waits are counted: one more than 64 is refused, the others go on', async () => {
  const world = mcpWorld();
  const id = await detached(world, ['exec', '--', 'sleep', '1000']);
  const mcp = await client(world);
  const wait = () => call(mcp, 'session_wait', { session: id, until: ['ended'], limit_secs: 3600 });
  const waits = Array.from({ length: 64 }, wait);
  await expect(wait()).rejects.toThrow('64 calls wait already');
  await reins(world, ['kill', id]);
  const reached = (await Promise.all(waits)).map(({ structuredContent }) => structuredContent.reached);
  expect(reached).toEqual(Array.from({ length: 64 }, () => true));
  expect((await wait()).structuredContent.reached).toBe(true);
});

test('places that only the login shell names are where it starts and where it looks', async () => {
  const world = mcpWorld();
  const { XDG_STATE_HOME, ...without } = world.env;
  expect(XDG_STATE_HOME).toBeTruthy();
  const mcp = await client(world, [], without);
  const started = await call(mcp, 'session_start', { agent: 'practice', name: 'helper' });
  expect(started.structuredContent).toMatchObject({ name: 'helper' });
  const { id } = started.structuredContent;
  expect((await call(mcp, 'session_list')).structuredContent.sessions).toMatchObject([{ id }]);
  // And its user finds it.
  expect(await row(world, id)).toMatchObject({ name: 'helper' });
  expect((await call(mcp, 'session_stop', { session: id })).structuredContent).toMatchObject({ left: 0 });
});

test('what only a person may answer is not answered by a tool', async () => {
  const world = mcpWorld();
  const [, ...lines] = readFileSync(TRUST_PAGE, 'utf8').replace(/─+/, '─'.repeat(120)).trimEnd().split('\n');
  const page = `${lines.join('\r\n')}\x1b[15;2H`; // at its pointer, as recorded
  fakeAgent(world, 'claude', { body: `print(${JSON.stringify(page)}); forever();` });
  const id = await detached(world, ['run', '-i', '-b', 'claude', '--trust', 'full']);
  const mcp = await client(world, ['--may', 'answer']);
  const { inquiries } = (await call(mcp, 'session_wait', { session: id, until: ['asking'] })).structuredContent;
  expect(inquiries).toMatchObject([{ exclusive: true, questions: [{ options: [{}, {}] }] }]);
  const words = [inquiries[0].questions[0].options[0].label];
  for (const inquiry of [inquiries[0].id, inquiries[0].id.replace(/\d+$/, '99')]) {
    const refused = await call(mcp, 'inquiry_answer', { inquiry, words });
    expect(refused.content[0]?.text).toMatch(/^RIGHT_MISSING/);
  }
  expect(entries(world, id).filter(({ type }) => type === 'inquiry.answered')).toEqual([]);
});

describe('over HTTP', () => {
  const KEY = 'a key of this test, long enough';

  async function served(world: World): Promise<URL> {
    const running = startReins(world, ['mcp', '--http'], { env: { REINS_MCP_KEY: KEY } });
    onTestFinished(async () => {
      running.child.kill('SIGTERM');
      expect((await running.done).code).toBe(0);
    });
    return new URL(await until('its address', () => /http:\S+/.exec(running.stderr)?.[0]));
  }

  // biome-ignore lint/suspicious/noExplicitAny: what comes back is checked by the expectations
  function post(url: URL, message: object): { asked: ClientRequest; reply: Promise<any> } {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${KEY}` };
    const asked = request(url, { method: 'POST', headers });
    const reply = new Promise((resolve, reject) => {
      asked.on('error', reject);
      asked.on('response', async (response) => {
        let text = '';
        for await (const chunk of response.setEncoding('utf8')) text += chunk;
        resolve(text === '' ? undefined : JSON.parse(text));
      });
    });
    asked.end(JSON.stringify({ jsonrpc: '2.0', ...message }));
    return { asked, reply };
  }

  const waiting = (session: string) => ({
    id: 1,
    method: 'tools/call',
    params: { name: 'session_wait', arguments: { session, until: ['ended'], limit_secs: 3600 } },
  });
  /** Its link shows nobody anything, and so is no viewer of a row: its coming and going is on record. */
  const linked = async (world: World, id: string, count: number) => {
    const of = (type: EntryType) => entries(world, id).filter((one) => one.type === type).length;
    await until(`${count} that waits`, () => of('viewer.attached') - of('viewer.left') === count);
  };

  test('who leaves no longer waits', async () => {
    const world = mcpWorld();
    const id = await detached(world, ['exec', '--', 'sleep', '1000']);
    const { asked, reply } = post(await served(world), waiting(id));
    const left = expect(reply).rejects.toThrow();
    await linked(world, id, 1);
    asked.destroy();
    await left;
    await linked(world, id, 0);
  });

  test('nobody cancels what another waits for, though both count from 1', async () => {
    const world = mcpWorld();
    const id = await detached(world, ['exec', '--', 'sleep', '1000']);
    const url = await served(world);
    const first = post(url, waiting(id)).reply;
    await linked(world, id, 1);
    await post(url, { method: 'notifications/cancelled', params: { requestId: 1 } }).reply;
    await reins(world, ['kill', id]);
    expect((await first).result.structuredContent).toMatchObject({ reached: true, session: { state: 'ended' } });
  });
});
