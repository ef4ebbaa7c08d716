/** What starting costs, counted in modules instead of milliseconds: nothing is loaded before it is needed. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CLI } from './support/cli.js';
import { newWorld, type World } from './support/world.js';

/** Runs the command line with a hook that notes down every module it loads. */
function loadedBy(world: World, args: string[]): { modules: string[]; stdout: string; code: number | null } {
  const list = join(world.root, 'modules');
  const hooks = world.write(
    join(world.root, 'hooks.mjs'),
    `import { appendFileSync } from 'node:fs';
export async function load(url, context, next) { appendFileSync(${JSON.stringify(list)}, url + '\\n'); return next(url, context); }`,
  );
  const register = world.write(
    join(world.root, 'register.mjs'),
    `import { register } from 'node:module'; register(${JSON.stringify(`file://${hooks}`)});`,
  );
  const { stdout, status } = spawnSync(process.execPath, ['--import', register, CLI, ...args], {
    cwd: world.project,
    env: world.env,
    encoding: 'utf8',
  });
  return { modules: readFileSync(list, 'utf8').split('\n').filter(Boolean), stdout, code: status };
}

const ofFiles = (modules: string[]) =>
  modules.filter((url) => url.startsWith('file:') && !url.endsWith('/register.mjs'));
const HEAVY = /zod|xterm|node-pty|tree-sitter|node_modules\/(yaml|ws)\//;

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
      expect(modules.some((url) => url.includes('/commander/'))).toBe(true);
      expect(modules.filter((url) => HEAVY.test(url))).toEqual([]);
      expect(modules.filter((url) => url.includes('/cli/commands/'))).toEqual([]);
    },
  );

  test('ls loads neither a terminal nor a parser', () => {
    const { modules, code } = loadedBy(newWorld(), ['ls']);
    expect(code).toBe(0);
    expect(modules.filter((url) => /xterm|node-pty|tree-sitter/.test(url))).toEqual([]);
  });
});
