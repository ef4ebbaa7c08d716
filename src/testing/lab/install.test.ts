import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { install } from './install.js';
import { prepareSeat } from './launch.js';
import { versions } from './versions.js';

let dir: string;
let env: NodeJS.ProcessEnv;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'lab-install-'));
  env = { PATH: `${dir}/bin:${process.env.PATH}`, XDG_CACHE_HOME: join(dir, 'cache') };
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** A program called npm that writes down its calls and makes the file that the real one would bring. */
function npmThat(script: string): void {
  mkdirSync(join(dir, 'bin'));
  const place = '"$3"/node_modules/.bin';
  writeFileSync(join(dir, 'bin', 'npm'), `#!/bin/sh\necho "$@" >> ${dir}/calls\nplace=${place}\n${script}\n`);
  chmodSync(join(dir, 'bin', 'npm'), 0o755);
}
const calls = () => readFileSync(join(dir, 'calls'), 'utf8').trim().split('\n');
const cache = () => readdirSync(join(dir, 'cache/reins/lab'));

describe('install', () => {
  it('brings another version where the environment names one', async () => {
    npmThat('mkdir -p $place && echo > $place/gemini');
    const other = await install('gemini', { ...env, REINS_LAB_VERSIONS: 'claude=1.0.0, gemini=0.30.0' });
    expect(other.version).toBe('0.30.0');
    expect(calls()[0]).toMatch(/gemini-cli@0\.30\.0$/);
    const odd = await install('gemini', { ...env, REINS_LAB_VERSIONS: 'gemini=../../x' });
    expect(odd.version).toBe(versions.gemini.version);
  });

  it('brings the pinned version once, without scripts, also when asked for twice at the same time', async () => {
    npmThat('mkdir -p $place && echo > $place/gemini');
    const all = await Promise.all([install('gemini', env), install('gemini', env)]);
    all.push(await install('gemini', env));
    const { version } = versions.gemini;
    expect(new Set(all.map(({ program }) => program)).size).toBe(1);
    expect(existsSync(all[0]!.program)).toBe(true);
    expect(calls()).toHaveLength(1);
    expect(calls()[0]).toContain('--ignore-scripts');
    expect(calls()[0]).toContain(`@google/gemini-cli@${version}`);
    expect(cache()).toEqual([`gemini-${version}`]);
  });

  it('leaves nothing behind when npm fails, and says what npm said', async () => {
    npmThat('mkdir -p $place && echo > $place/half; echo "E404 no such version" >&2; exit 1');
    await expect(install('gemini', env)).rejects.toThrow('E404 no such version');
    expect(cache()).toEqual([]);
  });

  it('an installation without its program is an error, not a success', async () => {
    npmThat('mkdir -p $place');
    await expect(install('gemini', env)).rejects.toThrow('has no program');
    expect(cache()).toEqual([]);
  });

  it('breaks the lock of a process that is gone', async () => {
    npmThat('mkdir -p $place && echo > $place/gemini');
    const lock = join(dir, 'cache/reins/lab', `gemini-${versions.gemini.version}.lock`);
    mkdirSync(lock, { recursive: true });
    // Larger than any pid Linux gives out.
    writeFileSync(join(lock, 'pid'), '99999999');
    await install('gemini', env);
    expect(existsSync(lock)).toBe(false);
  });
});

describe('a seat', () => {
  it.each(['claude', 'codex', 'gemini'] as const)('%s gets an environment made from nothing', (agent) => {
    const cwd = join(dir, 'work');
    mkdirSync(cwd);
    const installed = { agent, version: '1', program: '/bin/true', dir };
    const seat = prepareSeat({ installed, url: 'http://127.0.0.1:1', cwd, dir: join(dir, 'seat'), path: '/usr/bin' });
    const foreign = Object.keys(process.env).filter(
      (name) => name in seat.env && !['PATH', 'HOME', 'TMPDIR', 'TERM', 'LANG', 'IS_SANDBOX'].includes(name),
    );
    expect(foreign.filter((name) => seat.env[name] === process.env[name])).toEqual([]);
    expect(seat.env.PATH).toBe('/usr/bin');
    expect(seat.home.startsWith(dir)).toBe(true);
    expect(
      JSON.stringify(seat.env) + readdirSync(seat.config).map((name) => readFileSync(join(seat.config, name), 'utf8')),
    ).toContain('127.0.0.1:1');
  });
});
