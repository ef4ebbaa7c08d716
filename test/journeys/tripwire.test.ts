/** The tripwire, from outside: an agent whose gate is open is ended at the first call that ran without an allow. */
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { reins } from './support/cli.js';
import { all, entries, entry, onlySession } from './support/journal.js';
import { detached, keys, row, shows } from './support/session.js';
import { reinsInTerminal } from './support/terminal.js';
import { newWorld, type World } from './support/world.js';

const write = (file: string, ungated?: unknown) => ({
  tool: 'Bash',
  input: { command: `echo ${file} > ${file}` },
  ...(ungated ? { ungated } : {}),
});
const play = (...steps: unknown[]) => ({ env: { PRACTICE_SCENARIO: JSON.stringify(steps) } });
const run = (args: string[]) => ['run', '-b', 'practice', ...args, 'go'];
const has = (world: World, file: string) => existsSync(join(world.project, file));
const ALLOW = ['--set', 'rules.allow=["Bash(echo allowed:*)"]'];
/** Real seconds, whatever the pace. */
const SLOW = { misbehave: 'slow', n: 60 };
const MORE = { say: 'This must never be reached.' };

/** What every ungated end has in common: the call on record before anything is done about it, and nothing left. */
async function tripped(world: World, why: string, command: string) {
  const { data, seq } = await entry(world, 'ungated');
  expect(data).toMatchObject({ tool: 'Bash', input: { command }, why, agent: 'practice' });
  expect(data.cause).not.toBe('');
  const ended = await entry(world, 'session.ended');
  expect(ended.data).toMatchObject({ outcome: 'ungated', exit_code: 6 });
  expect(ended.data.reason).toContain(command);
  const notice = await entry(world, 'notice', { is: ({ data: said }) => said.code === 'ungated' });
  expect(notice.data.text).toContain(`Likely cause: ${data.cause}`);
  expect(notice.data.text).toContain('--trust full');
  const id = await onlySession(world);
  expect(await row(world, id)).toMatchObject({ state: 'ended', outcome: 'ungated', exit_code: 6 });
  const stopped = entries(world, id).filter((one) => one.type === 'process.stopped');
  for (const one of stopped) expect(one.seq).toBeGreaterThan(seq);
  expect((await all(world, 'agent.text')).map(({ data: said }) => said.text).join('')).not.toContain('never');
}

const OPEN: [string, unknown, string, string][] = [
  ['runs without asking', write('bad', 'unasked'), 'unasked', 'echo bad > bad'],
  ['is told no and runs it', write('bad', 'anyway'), 'denied', 'echo bad > bad'],
];

describe.each(OPEN)('an agent that %s', (_name, step, why, command) => {
  test('headless: ended at once, exit code 6, the rest of its turn never comes', async () => {
    const world = newWorld();
    const ended = await reins(world, run(['--once']), play(step, SLOW, MORE));
    expect(ended.code).toBe(6);
    expect(ended.stderr).toContain('ungated');
    expect(ended.stderr).toContain('Likely cause');
    await tripped(world, why, command);
  });

  test('in a loop: the loop is over, there is no next iteration', async () => {
    const world = newWorld();
    const ended = await reins(world, run(['--max-iterations', '5']), play(step, SLOW, MORE));
    expect(ended.code).toBe(6);
    await tripped(world, why, command);
    expect(await all(world, 'iteration.started')).toHaveLength(1);
  });

  test('detached', async () => {
    const world = newWorld();
    await detached(world, run(['--once']), play(step, SLOW, MORE));
    await tripped(world, why, command);
  });

  test('--format json says so, and so does `logs`', async () => {
    const world = newWorld();
    const ended = await reins(world, run(['--once', '--format', 'json']), play(step, SLOW, MORE));
    const lines = ended.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; data: object });
    expect(lines.map(({ type }) => type)).toContain('ungated');
    expect(lines.at(-1)).toMatchObject({ type: 'session.ended', data: { outcome: 'ungated', exit_code: 6 } });
    const logs = await reins(world, ['logs', await onlySession(world)]);
    expect(logs.stdout + logs.stderr).toContain('ungated');
  });

  test('in its own terminal program, with the loop (--tui)', async () => {
    const world = newWorld();
    const terminal = reinsInTerminal(
      world,
      run(['--tui', '--set', 'tools.defaults.attached=deny']),
      play(step, SLOW, MORE),
    );
    expect(await terminal.exit()).toBe(6);
    await tripped(world, why, command);
  });

  test('with a person at the keys (-i)', async () => {
    const world = newWorld();
    const terminal = reinsInTerminal(
      world,
      run(['-i', '--set', 'tools.defaults.attached=deny']),
      play(step, SLOW, MORE),
    );
    expect(await terminal.exit()).toBe(6);
    await tripped(world, why, command);
  });
});

describe('what was allowed is what may run', () => {
  test('another input than the allowed one, seen by the hook', async () => {
    const world = newWorld();
    const step = write('allowed', { runs: { command: 'echo bad > bad' } });
    const terminal = reinsInTerminal(world, run(['-i', ...ALLOW]), play(step, SLOW));
    expect(await terminal.exit()).toBe(6);
    await tripped(world, 'changed', 'echo bad > bad');
  });

  test('a deny rule under full trust: what it forbids and ran all the same', async () => {
    const world = newWorld();
    const deny = ['--trust', 'full', '--set', 'rules.deny=["Bash(echo bad:*)"]'];
    const honest = write('fine');
    const ended = await reins(world, run(['--once', ...deny]), play(honest, write('bad', 'unasked'), SLOW));
    expect(ended.code).toBe(6);
    expect(has(world, 'fine')).toBe(true);
    await tripped(world, 'unasked', 'echo bad > bad');
  });

  test('a rule speaks for a call that nobody was asked about', async () => {
    const world = newWorld();
    const steps = [write('allowed', 'unasked'), { tool: 'Read', input: { file_path: 'allowed' }, ungated: 'unasked' }];
    expect((await reins(world, run(['--once', ...ALLOW]), play(...steps))).code).toBe(0);
    expect(await all(world, 'ungated')).toEqual([]);
  });

  test('full trust without a deny rule has nothing to watch', async () => {
    const world = newWorld();
    const ended = await reins(world, run(['--once', '--trust', 'full']), play(write('bad', 'unasked')));
    expect(ended.code).toBe(0);
    expect(await all(world, 'ungated')).toEqual([]);
  });
});

describe('answered in the agent’s own dialog', () => {
  const ASK = { tool: 'Bash', input: { command: 'echo asked > asked' } };

  test('with a key: closed so, with whose key it was, and what runs is allowed by it', async () => {
    const world = newWorld();
    const id = await detached(
      world,
      run(['-i', '--set', 'tools.defaults.detached=defer']),
      play(ASK, { say: 'on I go' }),
    );
    await entry(world, 'inquiry.opened', { session: id });
    await shows(world, id, 'Yes');
    expect(await keys(world, id, '1')).toMatchObject({ verdict: 'submitted' });
    const { data } = await entry(world, 'inquiry.closed', { session: id });
    expect(data).toMatchObject({ reason: 'answered in the agent’s own dialog', by: { kind: 'viewer' } });
    await entry(world, 'tool.returned', { session: id });
    expect(has(world, 'asked')).toBe(true);
    expect(await all(world, 'ungated')).toEqual([]);
  });

  test('without one: its question vanished, and what ran is ungated', async () => {
    const world = newWorld();
    const step = { ...ASK, withdrawAfter: 1_500, ungated: 'anyway' };
    const id = await detached(world, run(['-i', '--set', 'tools.defaults.detached=defer']), play(step, SLOW));
    const { data } = await entry(world, 'inquiry.closed', { session: id });
    expect(data.by).toBeUndefined();
    expect(data.reason).not.toContain('own dialog');
    await tripped(world, 'vanished', 'echo asked > asked');
  });
});

/** An ACP agent that never asks: it says what it did when it is done. */
const ACP = `#!/usr/bin/env node
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const update = (update) => say({ method: 'session/update', params: { sessionId: 's', update } });
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (method === 'initialize') say({ id, result: { protocolVersion: 1, agentCapabilities: {} } });
  else if (method === 'session/new') say({ id, result: { sessionId: 's' } });
  else if (method === 'session/prompt') {
    update({ sessionUpdate: 'tool_call', toolCallId: 't1', kind: 'execute', status: 'in_progress', title: 'echo bad > bad', rawInput: { command: 'echo bad > bad' } });
    require('node:fs').writeFileSync('bad', '');
    update({ sessionUpdate: 'tool_call_update', toolCallId: 't1', status: 'completed' });
    setTimeout(() => say({ id, result: { stopReason: 'end_turn' } }), 30000);
  }
});
`;

test('G10: an ACP agent that does not ask is ended at its first call', async () => {
  const world = newWorld();
  const agent = world.write('opencode', ACP);
  chmodSync(agent, 0o755);
  const custom = ['-b', 'custom', '--set', `cli.command=${agent}`, '--set', 'cli.acp=true'];
  const ended = await reins(world, ['run', ...custom, '--once', 'go']);
  expect(readFileSync(agent, 'utf8')).toContain('session/prompt');
  expect(ended.code).toBe(6);
  expect((await entry(world, 'ungated')).data).toMatchObject({
    tool: 'execute',
    why: 'unasked',
    door: 'control',
    call: 't1',
  });
});
