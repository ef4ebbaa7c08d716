/** What starting costs, counted in code instead of milliseconds: nothing is loaded before it is needed. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CLI, reins } from './support/cli.js';
import { filesOf, weightOf } from './support/parts.js';
import { until } from './support/wait.js';
import { newWorld, type World } from './support/world.js';

/** On a busy machine the command is still running when the start is over and the host loads what it may need later. */
function upToRest(urls: string[]): string[] {
  const rest = urls.findIndex((url) => /\/host\/(at-rest|doors\/terminal-asks)\.js$/.test(url));
  return rest < 0 ? urls : urls.slice(0, rest);
}

/** Runs the command line with a hook that notes down every module that it, and a host it starts, load. */
function loadedBy(world: World, args: string[]) {
  const list = join(world.root, 'modules');
  const hooks = world.write(
    join(world.root, 'hooks.mjs'),
    `import { appendFileSync } from 'node:fs';
export async function load(url, context, next) {
  appendFileSync(${JSON.stringify(list)} + process.pid, url + '\\n');
  return next(url, context);
}`,
  );
  const register = world.write(
    join(world.root, 'register.mjs'),
    `import { register } from 'node:module'; register(${JSON.stringify(`file://${hooks}`)});`,
  );
  const { stdout, status } = spawnSync(process.execPath, [CLI, ...args], {
    cwd: world.project,
    env: { ...world.env, NODE_OPTIONS: `--import ${register}` },
    encoding: 'utf8',
  });
  const lists = readdirSync(world.root)
    .filter((name) => /^modules\d+$/.test(name))
    .map((name) => readFileSync(join(world.root, name), 'utf8').split('\n').filter(Boolean));
  const of = (program: string) => {
    const parts = lists.find((urls) => urls.flatMap(filesOf).some((url) => url.endsWith(program))) ?? [];
    return { parts, files: upToRest(parts.flatMap(filesOf)) };
  };
  const [cli, host] = [of('/cli/main.js'), of('/host/main.js')];
  // What is opened before the first of those that are only loaded at rest.
  const begun = ({ parts, files }: typeof cli) =>
    parts.filter((url) => url.includes('/dist/') && filesOf(url).some((file) => files.includes(file))).length;
  const opened = { cli: begun(cli), host: begun(host) };
  return { modules: cli.files, host: host.files, opened, stdout, code: status };
}

const ofFiles = (modules: string[]) =>
  modules.filter((url) => url.startsWith('file:') && !url.endsWith('/register.mjs'));
const ofOurs = (modules: string[]) => ofFiles(modules).filter((url) => !url.includes('/node_modules/'));
/** Some of what is heavy is no ES module, and seen only by the file of ours that loads it. */
const HEAVY = /zod|terminal\/(emulator|pty)|tree-sitter|config\/yaml|node_modules\/ws\//;

/** Of our own code loaded by `exec -- COMMAND`: files that are opened, and what stands in them. */
const MOST_PARTS = { cli: 32, host: 27 };
const MOST_KB = { cli: 90, host: 215 };

describe('start-up', () => {
  test.each(['--version', '-V'])('%s loads one file of ours and nobody else’s', (flag) => {
    const { modules, stdout, code } = loadedBy(newWorld(), [flag]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(ofFiles(modules).map((url) => url.split('/').slice(-2).join('/'))).toEqual(['cli/main.js']);
  });

  test.each([['--help'], ['run', '--help'], ['exec', '--help']])(
    '%s %s loads the command table and nothing heavy',
    (...args) => {
      const { modules, stdout, code } = loadedBy(newWorld(), args);
      expect(code).toBe(0);
      expect(stdout).toContain('Usage: reins');
      expect(modules.some((url) => url.endsWith('/cli/commander.js'))).toBe(true);
      expect(modules.filter((url) => HEAVY.test(url))).toEqual([]);
      expect(modules.filter((url) => url.includes('/cli/commands/'))).toEqual([]);
    },
  );

  test('ls loads neither a terminal nor a parser', () => {
    const { modules, code } = loadedBy(newWorld(), ['ls']);
    expect(code).toBe(0);
    expect(modules.filter((url) => /terminal\/(emulator|pty)|tree-sitter/.test(url))).toEqual([]);
  });

  test('exec loads no agents, no loop, no parser and no emulator, neither here nor in the host', () => {
    const { modules, host, opened, code } = loadedBy(newWorld(), ['exec', '--', 'sh', '-c', 'exit 7']);
    expect(code).toBe(7);
    const needless =
      /zod|terminal\/emulator|tree-sitter|config\/yaml|node_modules\/ws\/|\/dist\/(adapters|loop|policy)\//;
    expect([...modules, ...host].filter((url) => needless.test(url))).toEqual([]);
    expect(modules.filter((url) => url.includes('terminal/pty'))).toEqual([]);
    expect(host.filter((url) => url.includes('commander') || url.includes('/dist/cli/'))).toEqual([]);
    // It is read and compiled at everyone's start: what is not needed there is loaded by who needs it, or at rest.
    expect(opened.cli).toBeLessThanOrEqual(MOST_PARTS.cli);
    expect(opened.host).toBeLessThanOrEqual(MOST_PARTS.host);
    expect(weightOf(ofOurs(modules)) / 1024).toBeLessThanOrEqual(MOST_KB.cli);
    expect(weightOf(ofOurs(host)) / 1024).toBeLessThanOrEqual(MOST_KB.host);
  });

  test('a host loads its own agent and no other', () => {
    const custom = ['-b', 'custom', '--set', 'cli.command=/bin/echo', '--trust', 'full'];
    const { host, code } = loadedBy(newWorld(), ['run', ...custom, '--once', '-p', 'x']);
    expect(code).toBe(0);
    expect(host.some((url) => url.endsWith('/adapters/custom.js'))).toBe(true);
    expect(host.filter((url) => /adapters\/(.*\/)?(claude|codex|gemini|amp|kiro|practice)/.test(url))).toEqual([]);
  });

  test('the host is begun before the command line is loaded', () => {
    const { modules } = loadedBy(newWorld(), ['exec', '--', 'true']);
    const names = ofFiles(modules).map((url) => url.split('/').slice(-2).join('/'));
    expect(names.slice(0, 7).sort()).toEqual([
      'cli/host-ahead.js',
      'cli/main.js',
      'contract/ids.js',
      'disk/index.js',
      'disk/places.js',
      'disk/whole-file.js',
      'link/begin.js',
    ]);
  });
});

describe('a host that was begun and is not needed', () => {
  test.each([
    { args: ['exec', '--', 'no-such-command'], code: 20 },
    { args: ['exec'], code: 2 },
    { args: ['exec', '--no-such-flag', '--', 'true'], code: 2 },
    { args: ['run', '-b', 'nobody', 'x'], code: 2 },
    { args: ['exec', '-C', '/nowhere', '--', 'true'], code: 21 },
  ])('is gone without a trace: $args', async ({ args, code }) => {
    const world = newWorld();
    expect((await reins(world, args)).code).toBe(code);
    await world.empty();
    expect(existsSync(join(world.state, 'reins', 'sessions'))).toBe(false);
    expect(readdirSync(join(world.state, 'reins', 'logs')).filter((name) => name.startsWith('host-'))).toEqual([]);
  });

  test('ends when whoever began it is killed before it said a word', async () => {
    const world = newWorld();
    const dist = join(CLI, '../..');
    const script = world.write(
      'begin.mjs',
      `import { beginHost } from ${JSON.stringify(join(dist, 'link/begin.js'))};
       const dir = ${JSON.stringify(join(world.root, 'session'))};
       const program = ${JSON.stringify(join(dist, 'host/main.js'))};
       beginHost({ program, dir, env: process.env, lastWords: dir + '.log', likely: 'exec' });
       setInterval(() => undefined, 1000);`,
    );
    const beginner = spawn(process.execPath, [script], { env: world.env, stdio: 'ignore' });
    await until('the host is begun', () => world.running().some((line) => line.includes('host/main.js')));
    beginner.kill('SIGKILL');
    await world.empty();
    expect(existsSync(join(world.root, 'session'))).toBe(false);
    expect(readFileSync(join(world.root, 'session.log'), 'utf8')).toBe('');
  });
});
