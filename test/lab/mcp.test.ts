/** Real agents as callers of `reins mcp`: each starts a helper, waits until it asks, and a person, not it, answers. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, it } from 'vitest';
import type { Inquiry } from '../../src/contract/index.js';
import { CLI } from '../journeys/support/cli.js';
import { until } from '../journeys/support/wait.js';
import { Bench } from './bench.cases.js';
import { AGENTS } from './support.js';

const execute = promisify(execFile);

let bench: Bench | undefined;
afterEach(async () => {
  await bench?.close();
  bench = undefined;
});

const call = (tool: string, input: object) => ({ tool: { name: `mcp__reins__${tool}`, input } });
const HELPER = { agent: 'practice', name: 'helper', prompt: 'ask-permission', mode: 'autonomous', once: true };
const SCENARIO = JSON.stringify({
  turns: [
    { blocks: [call('session_start', HELPER)] },
    { blocks: [call('session_wait', { session: 'helper', until: ['asking', 'ended'] })] },
    // It tries to say yes itself: there is no such tool for it.
    { blocks: [call('session_send', { session: 'helper', text: 'yes' })] },
    { blocks: [call('session_wait', { session: 'helper', until: ['ended'] })] },
    { text: 'The helper ended: {{result}}' },
  ],
});

/** A home whose login shell gives the helper its environment, with the bench's mark in it. */
function machine({ dir }: Bench): Record<string, string> {
  const home = join(dir, 'mcp-home');
  const env = {
    HOME: home,
    PATH: process.env.PATH ?? '',
    XDG_STATE_HOME: join(dir, 'mcp-state'),
    XDG_CONFIG_HOME: join(dir, 'mcp-config'),
    LAB_BENCH: dir,
    PRACTICE_SPEED: '0',
  };
  mkdirSync(home);
  mkdirSync(join(env.XDG_CONFIG_HOME, 'reins'), { recursive: true });
  writeFileSync(join(env.XDG_CONFIG_HOME, 'reins', 'config.yml'), 'tools:\n  defaults:\n    detached: defer\n');
  const lines = Object.entries(env).map(([name, value]) => `export ${name}='${value}'\n`);
  for (const file of ['.bash_profile', '.profile']) writeFileSync(join(home, file), lines.join(''));
  return env;
}

function argsOf({ agent, dir }: Bench, env: Record<string, string>): string[] {
  const server = { command: process.execPath, args: [CLI, 'mcp'], env };
  if (agent === 'claude') {
    const file = join(dir, 'mcp.json');
    writeFileSync(file, JSON.stringify({ mcpServers: { reins: server } }));
    const how = ['-p', '--verbose', '--output-format', 'stream-json', '--dangerously-skip-permissions'];
    return [...how, '--strict-mcp-config', '--mcp-config', file, '--', 'go'];
  }
  const set = (key: string, value: unknown) => ['-c', `mcp_servers.reins.${key}=${toml(value)}`];
  return [
    ...['exec', '--json', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'],
    ...set('command', server.command),
    ...set('args', server.args),
    ...set('env', env),
    // It asks its model only once the server is there, however slow the machine.
    ...set('required', true),
    'go',
  ];
}

const toml = (value: unknown): string =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? `{${Object.entries(value).map(([name, one]) => `${name}=${JSON.stringify(one)}`)}}`
    : JSON.stringify(value);

it.each(AGENTS.filter((agent) => agent !== 'gemini'))('%s starts a helper, and a person answers it', async (agent) => {
  bench = await Bench.open(agent, SCENARIO);
  const { cwd } = bench;
  const env = machine(bench);
  // Never blocking: the model the caller talks to lives in this process.
  const reins = async (...args: string[]) => (await execute(process.execPath, [CLI, ...args], { cwd, env })).stdout;
  const running = bench.run(argsOf(bench, env));
  const [inquiry] = await until('the helper’s inquiry', async () => {
    const open = JSON.parse(await reins('inbox', '--json')) as Inquiry[];
    return open.length > 0 ? open : undefined;
  });
  expect(existsSync(join(cwd, 'practice.txt'))).toBe(false);
  // The caller has seen that it asks, and its word changed nothing, before the person speaks.
  await until('the caller’s try', () => (bench!.server.main.length >= 4 ? true : undefined));
  expect(JSON.parse(await reins('inbox', '--json'))).toMatchObject([{ id: inquiry!.id }]);
  await reins('answer', inquiry!.id, 'allow');
  const { code, out, err } = await running;
  expect(code, err).toBe(0);
  expect(out).toContain('The helper ended');
  expect(existsSync(join(cwd, 'practice.txt'))).toBe(true);
  const sessions = join(env.XDG_STATE_HOME!, 'reins', 'sessions');
  const journal = readFileSync(join(sessions, readdirSync(sessions)[0]!, 'journal.jsonl'), 'utf8');
  const answers = journal.split('\n').filter((line) => line.includes('"type":"inquiry.answered"'));
  expect(answers.map((line) => JSON.parse(line).data.answer.by)).toMatchObject([
    { kind: 'viewer', name: '`reins answer`' },
  ]);
  expect(bench.server.main[2]?.result).toContain(inquiry!.id);
});
