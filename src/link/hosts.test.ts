import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Env } from '../contract/index.js';
import { FILES, stateDir } from '../disk/index.js';
import { statOf } from '../proc/index.js';
import { connectHost, placeOf, places, sessionDir, startHost } from './index.js';
import { listen } from './listen.js';

let root: string;
let env: Env;
const cleanups: (() => unknown)[] = [];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'hosts-'));
  env = { XDG_STATE_HOME: root };
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
  rmSync(root, { recursive: true, force: true });
});

function session(id: string, host?: unknown): string {
  const dir = sessionDir(env, id);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  if (host !== undefined) writeFileSync(join(dir, FILES.host), typeof host === 'string' ? host : JSON.stringify(host));
  return dir;
}

const mine = () => ({ pid: process.pid, start_ticks: statOf('self')!.startTicks, version: '0', protocol: 1 });

describe('where sessions live', () => {
  it.each([
    [{ XDG_STATE_HOME: '/state' }, '/state/reins'],
    [{ HOME: '/home/u' }, '/home/u/.local/state/reins'],
    [{ HOME: '/home/u', XDG_STATE_HOME: '' }, '/home/u/.local/state/reins'],
    [{ HOME: '/home/u', XDG_STATE_HOME: 'relative' }, '/home/u/.local/state/reins'],
  ])('%j', (given, expected) => {
    expect(stateDir(given)).toBe(expected);
  });

  it.each(['..', '../x', 'a/b', '', '.', '/etc', 'a\0b'])('the name %j leads nowhere', (id) => {
    expect(() => placeOf(env, id)).toThrow(expect.objectContaining({ code: 'NO_SUCH_SESSION' }));
  });

  it('no state directory is no session', () => {
    expect(places(env)).toEqual([]);
  });

  it('a state directory that is no directory is said so', () => {
    mkdirSync(join(root, 'reins'));
    writeFileSync(join(root, 'reins', 'sessions'), '');
    expect(() => places(env)).toThrow(expect.objectContaining({ code: 'STATE_DIR' }));
  });
});

describe('who is alive', () => {
  it('the living, the ended, and what is no session', () => {
    session('alive', mine());
    session('ended');
    writeFileSync(join(root, 'reins', 'sessions', 'stray-file'), '');
    mkdirSync(join(root, 'reins', 'sessions', '.hidden'));
    const found = places(env).map(({ id, alive }) => [id, alive]);
    expect(found.toSorted()).toEqual([
      ['alive', true],
      ['ended', false],
    ]);
  });

  it('a pid that was used again is not the host', () => {
    session('stale', { ...mine(), start_ticks: mine().start_ticks + 1 });
    expect(placeOf(env, 'stale').alive).toBe(false);
  });

  it('a host that died is not alive, also while nobody has collected it', async () => {
    const child = spawn('sleep', ['60']);
    const started = statOf(child.pid!)!.startTicks;
    session('dying', { ...mine(), pid: child.pid, start_ticks: started });
    expect(placeOf(env, 'dying').alive).toBe(true);
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
    expect(placeOf(env, 'dying').alive).toBe(false);
  });

  it.each(['', 'null', '{}', '[]', '{"pid":', '{"pid":-1,"start_ticks":0}', '{"pid":"1","start_ticks":1}'])(
    'a host file of %j is none',
    (content) => {
      session('torn', content);
      expect(placeOf(env, 'torn')).toMatchObject({ host: undefined, alive: false });
      expect(places(env)).toHaveLength(1);
    },
  );
});

describe('reaching a host', () => {
  async function serves(dir: string, id: string): Promise<void> {
    const got: string[] = [];
    const listening = await listen(dir, FILES.socket, (link) => {
      link.onFrame((frame) => {
        got.push(frame.kind);
        link.send({ kind: 'json', json: { t: 'live' } });
      });
    });
    cleanups.push(() => listening.close());
    expect(statSync(join(dir, FILES.socket)).mode & 0o777).toBe(0o600);
    const link = await connectHost({ id, dir });
    const answer = new Promise((resolve) => link.onFrame((frame) => resolve(frame.kind)));
    link.send({ kind: 'json', json: { t: 'ready' } });
    expect(await answer).toBe('json');
    link.close();
    await listening.close();
    await listening.close();
    expect(existsSync(join(dir, FILES.socket))).toBe(false);
  }

  it('by its socket, which only the owner may use and which goes with it', async () => {
    await serves(session('k7f2m9qd'), 'k7f2m9qd');
  });

  it('however deep its directory is: beyond the 108 bytes of a socket path', async () => {
    env = { XDG_STATE_HOME: join(root, 'deep'.repeat(30), 'deeper'.repeat(30)) };
    const dir = session('k7f2m9qd');
    expect(dir.length).toBeGreaterThan(300);
    await serves(dir, 'k7f2m9qd');
    const again = await connectHost({ id: 'k7f2m9qd', dir }).catch((error: unknown) => error);
    expect(again).toMatchObject({ code: 'SESSION_ENDED' });
  });

  it('a socket left behind by a host that was killed is replaced', async () => {
    const dir = session('k7f2m9qd');
    const script = `require('net').createServer().listen(${JSON.stringify(join(dir, FILES.socket))},()=>console.log('up'))`;
    const child = spawn(process.execPath, ['-e', script]);
    await new Promise((resolve) => child.stdout.once('data', resolve));
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
    expect(existsSync(join(dir, FILES.socket))).toBe(true);
    const refused = await connectHost({ id: 'k7f2m9qd', dir }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'SESSION_ENDED' });
    await serves(dir, 'k7f2m9qd');
  });

  it.each([
    ['nothing there', (_dir: string) => undefined, 'SESSION_ENDED'],
    ['a file in its place', (dir: string) => writeFileSync(join(dir, FILES.socket), ''), 'SESSION_ENDED'],
    ['no directory', (dir: string) => rmSync(dir, { recursive: true }), 'SESSION_ENDED'],
    [
      'a file instead of the directory',
      (dir: string) => {
        rmSync(dir, { recursive: true });
        writeFileSync(dir, '');
      },
      'HOST_LOST',
    ],
  ])('%s is an error with a code', async (_, prepare, code) => {
    for (const depth of ['', 'deep'.repeat(40)]) {
      env = { XDG_STATE_HOME: join(root, depth) };
      const dir = session('k7f2m9qd');
      prepare(dir);
      const error = await connectHost({ id: 'k7f2m9qd', dir }).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code, data: { session: 'k7f2m9qd' } });
    }
  });
});

describe('starting a host', () => {
  async function start(program: string): Promise<{ error: unknown; words: string }> {
    const file = join(root, 'host.mjs');
    writeFileSync(file, program);
    const lastWords = join(root, 'logs', 'words');
    const dir = session('k7f2m9qd');
    const error = await startHost({ program: file, dir, env: { PATH: '/usr/bin:/bin' }, lastWords }).catch(
      (thrown: unknown) => thrown,
    );
    return { error, words: readFileSync(lastWords, 'utf8') };
  }

  it('waits for its first word, and lets it live on alone in a session of its own', async () => {
    const file = join(root, 'pid');
    const program = `import fs from 'node:fs';
      fs.writeFileSync(${JSON.stringify(file)}, process.argv[2] + ' ' + process.cwd() + ' ' + process.pid);
      process.stdout.write('{"ok":');
      setTimeout(() => process.stdout.write('true}\\n{"more":1}\\n'), 20);
      setTimeout(() => process.exit(), 60000);`;
    expect((await start(program)).error).toEqual({ starter: expect.stringMatching(/^[0-9a-f]{32}$/) });
    const [dir, cwd, pid] = readFileSync(file, 'utf8').split(' ');
    cleanups.push(() => process.kill(Number(pid), 'SIGKILL'));
    expect([dir, cwd]).toEqual([sessionDir(env, 'k7f2m9qd'), '/']);
    expect(statOf(Number(pid))?.sid).toBe(Number(pid));
  });

  it.each([
    [
      'says why not',
      'console.log(JSON.stringify({ ok: false, reason: "no — ünïcode" }))',
      'could not start: no — ünïcode',
    ],
    ['dies before it is ready', 'throw new Error("broken at once")', 'it ended before it was ready'],
    ['dies while it speaks', 'process.stdout.write(`{"ok":tr`, () => process.exit(1))', 'it ended before it was ready'],
    ['says something else', 'console.log("Hello")', 'it ended before it was ready'],
    ['says nothing at all', 'console.log("null")', 'it ended before it was ready'],
    ['is not there', undefined, 'it ended before it was ready'],
  ])('a host that %s is reported', async (_, program, expected) => {
    const { error, words } = program === undefined ? await start('import "./missing.mjs"') : await start(program);
    expect(error).toMatchObject({ code: 'BUG', message: expect.stringContaining(expected) });
    if (program?.startsWith('throw')) expect(words).toContain('broken at once');
  });

  it('that has no place for its last words is an error with a code', async () => {
    writeFileSync(join(root, 'logs'), '');
    const asked = startHost({ program: '/x', dir: '/x', env: {}, lastWords: join(root, 'logs', 'words') });
    await expect(asked).rejects.toMatchObject({ code: 'STATE_DIR' });
  });
});
