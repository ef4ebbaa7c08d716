/** What users install: packed, installed elsewhere without install scripts, and run. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
let dir: string;

const run = (command: string, args: string[], options: { cwd?: string } = {}) =>
  execFileSync(command, args, {
    cwd: options.cwd ?? dir,
    encoding: 'utf8',
    env: {
      ...process.env,
      HOME: dir,
      XDG_STATE_HOME: join(dir, 'state'),
      npm_config_cache: join(tmpdir(), 'reins-npm-cache'),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'reins-package-'));
  run('npm', ['pack', '--ignore-scripts', '--pack-destination', dir], { cwd: root });
  const packed = readdirSync(dir).find((name) => name.endsWith('.tgz'))!;
  writeFileSync(join(dir, 'package.json'), '{"type":"module"}');
  run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', join(dir, packed)]);
}, 180_000);

afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe('the package', () => {
  it('is in order by publint', async () => {
    const { messages } = await publint({ pkgDir: root, level: 'warning', strict: true });
    expect(messages).toEqual([]);
  });

  it('runs its commands', () => {
    const reins = join(dir, 'node_modules', '.bin', 'reins');
    expect(run(reins, ['--version'])).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(run(reins, ['exec', '--', 'echo', 'hello'])).toMatch(/hello/);
    expect(run(reins, ['policy', 'explain', 'Bash', 'npm test'])).toContain('attached: ask');
    expect(run(reins, ['run', '-b', 'practice', '--once', 'hello'])).toContain('practice agent');
  });

  it('serves its page', () => {
    const reins = join(dir, 'node_modules', '.bin', 'reins');
    const look = 'fetch(process.argv[1]).then((r) => r.text()).then((t) => console.log(/assets.main-/.test(t)))';
    const script = `"$0" serve --port 0 --no-pair > hub & until [ -s hub ]; do sleep 0.1; done; node -e "${look}" "$(cat hub)"; kill $!; wait $!; echo $?`;
    expect(run('sh', ['-c', script, reins])).toBe('true\n0\n');
  });

  it('has a library behind each of its doors', () => {
    const script = `
      import { adapters, loadConfig, startSession } from 'reins';
      import { ReinsError } from 'reins/contract';
      import { Inquiry } from 'reins/contract/schemas';
      import * as testing from 'reins/testing';
      process.stdout.write([adapters.length > 5, typeof startSession, typeof loadConfig, typeof ReinsError, typeof Inquiry.parse, Object.keys(testing).length > 0].join());`;
    writeFileSync(join(dir, 'try.mjs'), script);
    expect(run(process.execPath, ['try.mjs'])).toBe('true,function,function,function,function,true');
  });

  it('brings no install scripts', () => {
    const listed = run('npm', [
      'query',
      ':attr(scripts, [install]), :attr(scripts, [postinstall]), :attr(scripts, [preinstall])',
    ]);
    expect(JSON.parse(listed)).toEqual([]);
  });
});
