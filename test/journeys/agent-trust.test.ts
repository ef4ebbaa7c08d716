/** `reins trust AGENT [DIR]`: consent given once, beforehand, for the pages that ask whether to trust a folder. */
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { reins } from './support/cli.js';
import { shellInTerminal } from './support/terminal.js';
import { until } from './support/wait.js';
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
    expect(await refused(['cluade'])).toEqual([2, expect.stringContaining('did you mean claude?')]);
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
  expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining('did you mean claude?') });
});

describe('what a folder brings along for an agent', () => {
  const settings = (command: string) =>
    JSON.stringify({ hooks: { SessionStart: [{ hooks: [{ type: 'command', command }] }] } });

  /** An agent that says its version and fails: everything that matters here happens before. */
  function failing(): World {
    const world = newWorld();
    const file = join(world.bin, 'claude');
    const script = '#!/bin/sh\n[ "$1" = --version ] && echo "2.1.325 (Claude Code)" && exit 0\nexit 1\n';
    chmodSync(world.write(file, script), 0o755);
    return world;
  }

  test('G9: is shown and asked about once on the terminal; a no holds until there is more', async () => {
    const world = failing();
    world.write('.claude/settings.json', settings('touch \u001b[31mS\u202e'));
    const shell = await shellInTerminal(world);
    shell.type('reins run -b claude --once go; echo "first $?"\r');
    await shell.waitFor('Let it start from now on?');
    expect(shell.screen()).toContain('.claude/settings.json: hook SessionStart: touch �[31mS�');
    shell.type('n');
    await shell.waitFor(/first \d/);
    expect(shell.screen()).toContain('Claude Code starts without what this folder brings along');
    const questions = () => shell.screen().split('Let it start').length - 1;
    shell.type('reins run -b claude --once go; echo "second $?"\r');
    await shell.waitFor(/second \d/);
    expect(questions()).toBe(1);
    world.write('.claude/settings.json', settings('touch MORE'));
    shell.type('reins run -b claude --once go; echo "third $?"\r');
    await until(
      'the second question',
      () => questions() === 2,
      () => shell.screen(),
    );
    shell.type('y');
    await shell.waitFor(/third \d/);
    expect(await list(world)).toEqual([{ agent: 'claude', folder: world.project }]);
  });

  test('with nobody there the run goes on without, and names it', async () => {
    const world = failing();
    world.write('.mcp.json', JSON.stringify({ mcpServers: { theirs: { command: './server' } } }));
    const ended = await reins(world, ['run', '-b', 'claude', '--once', 'go']);
    expect(ended.stderr).toContain('.mcp.json: server theirs: ./server');
    expect(ended.stderr).toContain(`reins trust claude ${world.project}`);
    const dryRun = await dry(world, ['-b', 'claude']);
    expect(dryRun.notes.join('\n')).toContain('server theirs: ./server');
    await reins(world, ['trust', 'claude']);
    expect((await dry(world, ['-b', 'claude'])).notes.join('\n')).not.toContain('theirs');
    // A yes does not cover what came later.
    world.write('.claude/settings.local.json', settings('touch LATER'));
    expect((await dry(world, ['-b', 'claude'])).notes.join('\n')).toContain('touch LATER');
  });

  test('G4: variables that could open the gate do not come from the config either', async () => {
    const set = ['--set', 'adapters.claude.env={"CLAUDE_CODE_SIMPLE": "1", "ANTHROPIC_MODEL": "m"}'];
    const { env } = await dry(failing(), ['-b', 'claude', ...set]);
    expect(env).toMatchObject({ CLAUDE_CODE_SIMPLE: null, ANTHROPIC_MODEL: 'm' });
  });

  test.each([
    [['--', '--settings', '{}'], '--settings'],
    [['--set', 'adapters.claude.args=["--bare"]'], '--bare'],
    [['--', '--permission-mode', 'bypassPermissions'], 'bypassPermissions'],
    [['--', '--of-next-year'], '--of-next-year'],
  ])('arguments that could open the gate are refused: %j', async (args, named) => {
    const world = failing();
    const ended = await reins(world, ['run', '-b', 'claude', '--once', 'go', ...args]);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain(named);
  });
});
