/** Finding agents: real programs on a PATH of their own, real processes, nothing left running. */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HandClock } from '../contract/index.js';
import { Detector, defaultOrder, detect, findOne, isFound, noneFound, notFound } from './detect.js';
import { adapters } from './registry.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'reins-detect-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const env = () => ({ PATH: `${dir}:/usr/bin:/bin` });
const seen = (name: string) => join(dir, `${name}.ran`);
function program(name: string, body: string): void {
  writeFileSync(join(dir, name), `#!/bin/sh\necho x >> ${seen(name)}\n${body}\n`);
  chmodSync(join(dir, name), 0o755);
}
/** Sleeps in a child, as the agents' wrappers do; both pids are written down. */
const HANGS = (name: string) => `sleep 300 & echo $! > ${'$0'}.pids; echo $$ >> $0.pids; wait # ${name}`;

async function pidsOf(name: string): Promise<number[]> {
  const file = join(dir, `${name}.pids`);
  const whole = () => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : []);
  await until(() => whole().length === 2);
  return whole();
}
async function until(fact: () => boolean): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!fact()) {
    if (Date.now() > deadline) throw new Error('it never became true');
    await new Promise((done) => setTimeout(done, 10));
  }
}
function isGone(pid: number): boolean {
  try {
    return /^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return true;
  }
}

describe('seed 001, Auto-Detection', () => {
  it('Given `backend: "auto"`, when Ralph starts, then it checks backends in priority order and selects the first available enabled backend', async () => {
    expect(defaultOrder).toEqual(['claude', 'kiro', 'gemini', 'codex', 'amp']);
    program('codex', 'echo codex-cli 0.166.0');
    program('gemini', 'sleep 0.2; echo 0.61.0');
    const { found, missing } = await detect({ env: env() });
    expect(found).toEqual({ adapter: 'gemini', path: join(dir, 'gemini'), version: '0.61.0' });
    expect(missing.map((one) => one.adapter)).toEqual(['claude', 'kiro']);
  });

  it('Given `adapters.claude.enabled: false`, when Claude is installed, then Claude is skipped and the next available backend is selected', async () => {
    program('claude', 'echo 2.1.197');
    program('amp', 'echo 0.0.1');
    const { found, missing } = await detect({ env: env(), enabled: (id) => id !== 'claude' });
    expect(found?.adapter).toBe('amp');
    expect(missing[0]).toMatchObject({ adapter: 'claude', reason: expect.stringContaining('adapters.claude.enabled') });
    expect(existsSync(seen('claude'))).toBe(false);
  });

  it('Given no backends are installed, when Ralph starts with `backend: "auto"`, then a clear error message lists all checked backends with installation links', async () => {
    const { found, missing } = await detect({ env: env() });
    expect(found).toBeUndefined();
    const error = noneFound(missing);
    expect(error.code).toBe('AGENT_NONE_FOUND');
    for (const adapter of adapters.filter((one) => one.priority !== undefined)) {
      expect(error.message).toContain(adapter.id);
      expect(error.hint).toContain(adapter.install);
    }
    expect(error.hint.match(/https:\/\//g)).toHaveLength(5);
  });

  it('detection runs once per invocation', async () => {
    program('claude', 'echo 2.1.197');
    const detector = new Detector({ env: env() });
    await detector.first();
    await detector.first();
    expect(await detector.one('claude')).toMatchObject({ version: '2.1.197' });
    expect(readFileSync(seen('claude'), 'utf8')).toBe('x\n');
    detector.close();
  });
});

describe('seed 001, Explicit Backend Selection', () => {
  it('Given `backend: "gemini"` in config, then Gemini is used regardless of auto-detection priority', async () => {
    program('claude', 'echo 2.1.197');
    program('gemini', 'echo 0.61.0');
    expect(await findOne('gemini', { env: env() })).toMatchObject({ adapter: 'gemini', version: '0.61.0' });
    expect(existsSync(seen('claude'))).toBe(false);
  });

  it('Given `backend: "gemini"` but Gemini is not installed, then an error indicates Gemini was requested but not found', async () => {
    const one = await findOne('gemini', { env: env() });
    if (isFound(one)) throw new Error('found');
    const error = notFound(one);
    expect(error).toMatchObject({ code: 'AGENT_NOT_FOUND', exit: 20 });
    expect(error.message).toBe('Gemini CLI was requested but gemini is not on PATH');
    expect(error.hint).toContain('https://');
  });
});

describe('programs that misbehave', () => {
  it.each([
    ['exits with 1', 'exit 1', 'exited with code 1'],
    ['is killed', 'kill -9 $$', 'was ended by SIGKILL'],
  ])('%s: not available', async (_name, body, reason) => {
    program('claude', body);
    expect(await findOne('claude', { env: env() })).toMatchObject({ reason: expect.stringContaining(reason) });
  });

  it('a file without an interpreter is unstartable, with the way to get a good one', async () => {
    writeFileSync(join(dir, 'claude'), '#!/no/such/interpreter\n');
    chmodSync(join(dir, 'claude'), 0o755);
    const one = await findOne('claude', { env: env() });
    if (isFound(one)) throw new Error('found');
    expect(notFound(one)).toMatchObject({ code: 'AGENT_UNSTARTABLE' });
  });

  it('one that never answers is killed with all it started, and the next one is used', async () => {
    program('claude', HANGS('claude'));
    program('codex', 'echo codex-cli 0.166.0');
    const clock = new HandClock();
    const detector = new Detector({ env: env(), timeoutMs: 5000, clock });
    const first = detector.first();
    const pids = await pidsOf('claude');
    await detector.one('codex');
    clock.advance(5000);
    expect((await first).found?.adapter).toBe('codex');
    expect((await first).missing[0]).toMatchObject({ reason: expect.stringContaining('no answer within 5 s') });
    await until(() => pids.every(isGone));
    expect(clock.waiting).toBe(0);
  });

  it('one that was named has more time: there is no other to take', async () => {
    program(
      'claude',
      `echo $$ > $0.pids; echo $$ >> $0.pids; while [ ! -e ${join(dir, 'go')} ]; do sleep 0.01; done; echo 2.1.197`,
    );
    const clock = new HandClock();
    const named = findOne('claude', { env: env(), clock });
    await pidsOf('claude');
    clock.advance(20_000);
    writeFileSync(join(dir, 'go'), '');
    expect(await named).toMatchObject({ version: '2.1.197' });
  });

  it('the answer does not wait for lower priorities, which are killed', async () => {
    program('amp', HANGS('amp'));
    program('claude', `while [ ! -s ${join(dir, 'amp.pids')} ]; do sleep 0.01; done; echo 2.1.197`);
    const clock = new HandClock();
    const { found } = await detect({ env: env(), clock });
    expect(found?.adapter).toBe('claude');
    const pids = await pidsOf('amp');
    await until(() => pids.every(isGone));
  });

  it('a child that keeps the output open does not hold the answer back', async () => {
    program('claude', 'sleep 300 & echo $! > $0.pids; echo $$ >> $0.pids; echo 2.1.197');
    expect(await findOne('claude', { env: env(), clock: new HandClock() })).toMatchObject({ version: '2.1.197' });
    const pids = await pidsOf('claude');
    await until(() => pids.every(isGone));
  });

  it('a flood is read in bounds, control characters are taken out', async () => {
    program('claude', `printf '\\033[1m2.1.197\\033[0m\\n'; head -c 3000000 /dev/zero`);
    expect(await findOne('claude', { env: env() })).toMatchObject({ version: '2.1.197' });
  });

  it('says nothing: available, without a version', async () => {
    program('codex', 'exit 0');
    expect(await findOne('codex', { env: env() })).toMatchObject({ adapter: 'codex', version: '' });
  });
});

describe('agents that are only named', () => {
  it('a custom program is looked up, never run', async () => {
    program('my-ai', 'exit 1');
    const one = await findOne('custom', { env: env(), customCommand: 'my-ai' });
    expect(one).toEqual({ adapter: 'custom', path: join(dir, 'my-ai'), version: '' });
    expect(existsSync(seen('my-ai'))).toBe(false);
    const relative = await findOne('custom', { env: env(), cwd: dir, customCommand: './my-ai' });
    expect(relative).toMatchObject({ path: join(dir, 'my-ai') });
  });

  it('a custom program that is not there, and none at all', async () => {
    const gone = await findOne('custom', { env: env(), customCommand: 'my-ai' });
    const none = await findOne('custom', { env: env() });
    const nobody = await findOne('hal9000', { env: env() });
    if (isFound(gone) || isFound(none) || isFound(nobody)) throw new Error('found');
    expect(notFound(gone)).toMatchObject({ code: 'AGENT_NOT_FOUND', message: expect.stringContaining('my-ai') });
    expect(notFound(none)).toMatchObject({ code: 'CUSTOM_NEEDS_COMMAND' });
    expect(notFound(nobody)).toMatchObject({ code: 'BACKEND_UNKNOWN' });
  });

  it('the practice agent is always there', async () => {
    expect(await findOne('practice', { env: {} })).toMatchObject({ path: process.execPath });
  });

  it('a directory or a plain file on PATH is no program', async () => {
    writeFileSync(join(dir, 'claude'), 'text');
    expect(await findOne('claude', { env: env() })).toMatchObject({ reason: 'claude is not on PATH' });
  });
});
