/**
 * An agent that has somebody outside do it, where that somebody is Reins itself: a server that a person started, with its key.
 * Nothing that is asked from inside a session is done, whoever would do it.
 */
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { reins, startReins } from './support/cli.js';
import { leavesBehind } from './support/inside.js';
import { mcpWorld } from './support/mcp.js';
import { detached, json, row } from './support/session.js';
import { until } from './support/wait.js';
import type { World } from './support/world.js';

const KEY = 'a key of this test, long enough';
const CLEAN = 'env -i PATH="$PATH" HOME="$HOME"';
const twice = (script: string) => `setsid ${CLEAN} sh -c '(${script.replaceAll("'", '"')} &)'`;

/** As a person would start it, with everything it can have. */
async function mcpServer(world: World): Promise<string> {
  const running = startReins(world, ['mcp', '--http', '--may', 'admin'], { env: { REINS_MCP_KEY: KEY } });
  onTestFinished(async () => {
    running.child.kill('SIGTERM');
    expect((await running.done).code).toBe(0);
  });
  return until('its address', () => /http:\S+/.exec(running.stderr)?.[0]);
}

const POST = `const [, , url, key, name, args] = process.argv;
const headers = { 'content-type': 'application/json', authorization: 'Bearer ' + key };
const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: JSON.parse(args) } });
const said = await fetch(url, { method: 'POST', headers, body });
const text = await said.text();
console.log(said.status, text);
process.exit(said.status === 200 && !text.includes('"isError":true') ? 0 : 3);
`;

describe('a server of tools over HTTP that a person started, with its key', () => {
  const DEEDS: [string, (sibling: string) => [string, object]][] = [
    ['types into another session', (sibling) => ['session_send', { session: sibling, text: 'hello from inside' }]],
    ['stops another session', (sibling) => ['session_stop', { session: sibling }]],
    [
      'starts an agent that no rule above holds for',
      () => ['session_start', { agent: 'practice', mode: 'autonomous', once: true, prompt: 'hello', cwd: '/tmp' }],
    ],
  ];
  test.each(DEEDS)('%s', async (_name, deed) => {
    const world = mcpWorld();
    const sibling = await detached(world, ['run', '-i', '-b', 'practice', '--name', 'sibling', 'hello']);
    const url = await mcpServer(world);
    world.write('post.mjs', POST);
    const [name, args] = deed(sibling);
    world.write('args.json', JSON.stringify(args));
    const does = `'${process.execPath}' '${join(world.project, 'post.mjs')}' ${url} "${KEY}" ${name} "$(cat args.json)"`;
    const { id, left } = await leavesBehind(world, { does, how: twice });
    const { code, out } = await left;
    expect(code, out).toBe(3);
    expect(out).toContain('403');
    expect(out).toContain('FROM_INSIDE');
    expect((await json<{ id: string }[]>(world, ['ls'])).map((one) => one.id).sort()).toEqual([id, sibling].sort());
    expect((await row(world, sibling)).state).not.toBe('ended');
    expect((await reins(world, ['logs', sibling])).stdout).not.toContain('hello from inside');
    for (const one of [id, sibling]) await reins(world, ['kill', one]);
  });
});

test('`reins demo` lets no agent in: neither to a hub of a person nor to one of its own', async () => {
  const world = mcpWorld();
  const running = startReins(world, ['serve', '--port', '0']);
  onTestFinished(async () => {
    running.child.kill('SIGTERM');
    await running.done;
  });
  const url = await until('the hub', () => /http:\/\/127\.0\.0\.1:\d+/.exec(running.stdout + running.stderr)?.[0]);
  const { id, left } = await leavesBehind(world, { does: 'reins demo < /dev/null', how: twice, patienceMs: 40_000 });
  const { out } = await left;
  expect(out).toContain('Reins demo');
  expect(out).not.toContain('/pair#');
  expect(out).not.toContain(url);
  await reins(world, ['kill', id]);
});
