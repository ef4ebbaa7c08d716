/** Seed 001 "Auto-Detection" and "Explicit Backend Selection", with fake agents on a PATH that holds nothing else. */
import { describe, expect, test } from 'vitest';
import { calls, fakeAgent, timesAsked } from './support/agents.js';
import { reins } from './support/cli.js';
import { sessions } from './support/journal.js';
import { newWorld, type World } from './support/world.js';

/** The seed's order of priority. */
const ORDER = ['claude', 'kiro-cli', 'gemini', 'codex', 'amp'];
const NAMES = ['claude', 'kiro', 'gemini', 'codex', 'amp'];

function install(world: World, commands: string[]): void {
  for (const command of commands) fakeAgent(world, command);
}

const run = (world: World, ...args: string[]) => reins(world, ['run', '--trust', 'full', '--once', '-p', 'x', ...args]);

describe('auto-detection', () => {
  test.each(ORDER.map((best, index) => [best, ORDER.slice(index)] as const))(
    'Given backend: "auto" in config, When Ralph starts, Then it checks backends in priority order and selects the first available enabled backend: %s of %s',
    async (best, installed) => {
      const world = newWorld();
      install(world, [...installed]);
      world.write('ralph.yml', 'cli:\n  backend: auto\n');
      const ended = await run(world);
      expect(ended).toMatchObject({ code: 0, stdout: `done by ${best}\n` });
      for (const other of installed.filter((name) => name !== best)) expect(calls(world, other)).toEqual([]);
    },
  );

  test('auto is the default, and each agent is asked for its version at most once', async () => {
    const world = newWorld();
    install(world, ORDER);
    expect((await run(world)).stdout).toBe('done by claude\n');
    expect(timesAsked(world, 'claude')).toBe(1);
    for (const command of ORDER) expect(timesAsked(world, command)).toBeLessThanOrEqual(1);
  });

  test('Given backend: "auto" and adapters.claude.enabled: false, When Claude is installed, Then Claude is skipped and the next available backend is selected', async () => {
    const world = newWorld();
    install(world, ORDER);
    world.write('ralph.yml', 'cli:\n  backend: auto\nadapters:\n  claude:\n    enabled: false\n');
    expect((await run(world)).stdout).toBe('done by kiro-cli\n');
    expect(calls(world, 'claude')).toEqual([]);
    expect(timesAsked(world, 'claude')).toBe(0);
  });

  test('Given no backends are installed, When Ralph starts with backend: "auto", Then a clear error message lists all checked backends with installation links', async () => {
    const world = newWorld();
    const ended = await run(world);
    expect(ended).toMatchObject({ code: 20, stdout: '' });
    for (const name of NAMES) expect(ended.stderr).toMatch(new RegExp(`\\b${name} \\(`));
    for (const link of ['code.claude.com', 'kiro.dev', 'geminicli.com', 'developers.openai.com', 'ampcode.com'])
      expect(ended.stderr).toContain(link);
    expect(sessions(world)).toEqual([]);
  });

  test('an agent whose --version fails is not available', async () => {
    const world = newWorld();
    fakeAgent(world, 'claude', { onVersion: 'process.exit(1)' });
    fakeAgent(world, 'amp');
    expect((await run(world)).stdout).toBe('done by amp\n');
  });

  test('an agent that never answers --version is left aside, and nothing of it stays', async () => {
    const world = newWorld();
    fakeAgent(world, 'claude', { onVersion: 'for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)' });
    fakeAgent(world, 'codex');
    expect((await run(world)).stdout).toBe('done by codex\n');
    await world.empty();
  });

  test('Given backend: "gemini" in config, When Ralph starts, Then Gemini is used regardless of auto-detection priority', async () => {
    const world = newWorld();
    install(world, ORDER);
    world.write('ralph.yml', 'cli:\n  backend: gemini\n');
    expect((await run(world)).stdout).toBe('done by gemini\n');
  });

  test('a backend named on the command line is used even if auto-detection may not choose it', async () => {
    const world = newWorld();
    install(world, ORDER);
    world.write('ralph.yml', 'cli:\n  backend: gemini\nadapters:\n  amp:\n    enabled: false\n');
    expect((await run(world, '-b', 'amp')).stdout).toBe('done by amp\n');
  });

  test('Given backend: "gemini" but Gemini is not installed, When Ralph starts, Then an error indicates Gemini was requested but not found', async () => {
    const world = newWorld();
    install(world, ['claude', 'codex']);
    world.write('ralph.yml', 'cli:\n  backend: gemini\n');
    const ended = await run(world);
    expect(ended).toMatchObject({ code: 20, stdout: '' });
    expect(ended.stderr).toContain('Gemini CLI was requested but gemini is not on PATH');
    expect(ended.stderr).toContain('geminicli.com');
    expect(calls(world, 'claude')).toEqual([]);
  });

  test('a backend nobody knows is an error that lists the known ones, never the default in its place', async () => {
    const world = newWorld();
    install(world, ORDER);
    const ended = await run(world, '-b', 'cluade');
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain('cluade');
    for (const name of [...NAMES, 'custom', 'practice']) expect(ended.stderr).toContain(name);
    expect(sessions(world)).toEqual([]);
  });
});
