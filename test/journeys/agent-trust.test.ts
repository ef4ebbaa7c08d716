/** `reins trust AGENT [DIR]`: consent given once, beforehand, for the pages that ask whether to trust a folder. */
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { reins } from './support/cli.js';
import { newWorld, type World } from './support/world.js';

const list = async (world: World) => JSON.parse((await reins(world, ['trust', '--json'])).stdout);
const dry = async (world: World, args: string[]) => {
  const ended = await reins(world, ['run', '-i', '--dry-run', '--format', 'json', ...args]);
  expect(ended).toMatchObject({ code: 0 });
  return JSON.parse(ended.stdout) as { argv: string[]; env: Record<string, string>; notes: string[] };
};

/** Agents as far as a dry run looks at them: they say their version. */
function withAgents(): World {
  const world = newWorld();
  const versions = { claude: '2.1.197 (Claude Code)', codex: 'codex-cli 0.166.0', gemini: '0.61.0' };
  for (const [name, version] of Object.entries(versions))
    chmodSync(world.write(join(world.bin, name), `#!/bin/sh\necho "${version}"\n`), 0o755);
  return world;
}

describe('reins trust', () => {
  test('is remembered per agent and folder, listed, and taken back', async () => {
    const world = newWorld();
    expect(await list(world)).toEqual([]);
    expect(await reins(world, ['trust', 'claude'])).toMatchObject({ code: 0 });
    mkdirSync(join(world.project, 'sub'));
    symlinkSync(join(world.project, 'sub'), join(world.project, 'link'));
    expect(await reins(world, ['trust', 'gemini', 'link'])).toMatchObject({ code: 0 });
    expect(await list(world)).toEqual([
      { agent: 'claude', folder: world.project },
      { agent: 'gemini', folder: join(world.project, 'sub') },
    ]);
    expect(await reins(world, ['trust', 'claude', '--revoke'])).toMatchObject({ code: 0 });
    expect(await list(world)).toEqual([{ agent: 'gemini', folder: join(world.project, 'sub') }]);
  });

  test('an agent’s shell cannot, a folder that holds everything cannot be, and names are checked', async () => {
    const world = newWorld();
    const refused = async (args: string[], env: Record<string, string> = {}) => {
      const ended = await reins(world, ['trust', ...args], { env });
      return [ended.code, ended.stderr] as const;
    };
    expect(await refused(['claude'], { REINS_SESSION: 'abcdefgh' })).toEqual([
      2,
      expect.stringContaining('an agent may not'),
    ]);
    expect(await refused(['claude', '/'])).toEqual([2, expect.stringContaining('holds everything')]);
    expect(await refused(['claude', world.env.HOME!])).toEqual([2, expect.stringContaining('holds everything')]);
    expect(await refused(['claude', 'nowhere'])).toEqual([21, expect.stringContaining('nowhere')]);
    expect(await refused(['amp'])).toEqual([2, expect.stringContaining('claude, gemini, codex')]);
    expect(await refused(['cluade'])).toEqual([10, expect.stringContaining('did you mean claude?')]);
    expect(await list(world)).toEqual([]);
  });

  test('each agent is told its own way, in that folder alone; without consent nothing is said', async () => {
    const world = withAgents();
    const file = join(world.env.HOME!, '.claude.json');
    const told = async (agent: string, args: string[] = []) => {
      const { argv, env, notes } = await dry(world, ['-b', agent, '--trust', 'full', ...args]);
      return [argv, Object.entries(env), notes].flat(3).filter((one) => /projects|TRUST_WORKSPACE/.test(one));
    };
    for (const agent of ['claude', 'codex', 'gemini']) {
      expect(await told(agent)).toEqual([]);
      await reins(world, ['trust', agent]);
    }
    expect(await told('claude')).toEqual([
      `as you agreed, ${file} gets projects → ${world.project} → hasTrustDialogAccepted`,
    ]);
    expect(await told('codex')).toEqual([`projects={${JSON.stringify(world.project)}={trust_level="trusted"}}`]);
    expect(await told('gemini')).toContain('GEMINI_CLI_TRUST_WORKSPACE');
    mkdirSync(join(world.project, 'clone'));
    for (const agent of ['claude', 'codex', 'gemini'])
      expect(await told(agent, ['-C', join(world.project, 'clone')])).toEqual([]);
    // A dry run writes nothing.
    expect(existsSync(file)).toBe(false);
  });

  test('consent and trusted files live in one store, and do not disturb each other', async () => {
    const world = newWorld();
    world.write('reins.yml', 'trust: full\n');
    await reins(world, ['trust', 'codex']);
    await reins(world, ['init', '--trust']);
    await reins(world, ['trust', 'claude']);
    const store = JSON.parse(readFileSync(join(world.env.XDG_STATE_HOME!, 'reins', 'trusted.json'), 'utf8'));
    expect(Object.keys(store.files)).toEqual([join(world.project, 'reins.yml')]);
    expect(store.agents).toEqual({ [world.project]: ['claude', 'codex'] });
  });
});

test('a mistyped backend is told what was meant', async () => {
  const ended = await reins(newWorld(), ['run', '-b', 'cluade', 'go']);
  expect(ended).toMatchObject({ code: 10, stderr: expect.stringContaining('did you mean claude?') });
});
