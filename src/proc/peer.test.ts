import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { newNonce } from '../contract/index.js';
import { insideOf } from './inside.js';
import { bearing, bears, ownIdentity, proofName } from './peer.js';
import { statOf } from './stat.js';

const MARKED = 'ulimit -x 4611686018427387903 2>/dev/null || ulimit -w 4611686018427387903; ';

/** A child that says its pid (and those of its children) and waits. */
async function child(script: string, env: NodeJS.ProcessEnv = { PATH: process.env.PATH }): Promise<number[]> {
  const one = spawn('/bin/sh', ['-c', script], { env, stdio: ['pipe', 'pipe', 'inherit'], detached: true });
  const pids: number[] = [];
  onTestFinished(() => {
    one.stdout.destroy();
    for (const pid of [...pids, -one.pid!]) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // it ended with its parent
      }
    }
  });
  const text = await new Promise<string>((resolve) => {
    let all = '';
    one.stdout.on('data', (chunk) => {
      all += chunk;
      if (all.includes('.')) resolve(all);
    });
  });
  pids.push(
    ...text
      .split(/[\s.]+/)
      .filter(Boolean)
      .map(Number),
  );
  return pids;
}

describe('a process shows which one it is', () => {
  it('by a name that only it can give itself', async () => {
    const name = proofName('k7f2m9qd', newNonce())!;
    const before = readFileSync('/proc/self/comm', 'utf8');
    expect(bears(ownIdentity(), name)).toBe(false);
    expect(await bearing(name, async () => bears(ownIdentity(), name))).toBe(true);
    expect(readFileSync('/proc/self/comm', 'utf8')).toBe(before);
    const [other] = await child('echo $$.; exec sleep 100');
    expect(() => writeFileSync(`/proc/${other}/comm`, name)).toThrow();
    expect(bears({ pid: other!, startTicks: statOf(other!)!.startTicks }, name)).toBe(false);
  });

  it('with its start time, one after the other, and the old name after a failure', async () => {
    const before = readFileSync('/proc/self/comm', 'utf8');
    const names = ['k7f2m9qd', 'bbbb2222'].map((id) => proofName(id, newNonce())!);
    const seen = names.map((name) => bearing(name, async () => bears(ownIdentity(), name)));
    expect(await Promise.all(seen)).toEqual([true, true]);
    const { pid, startTicks } = ownIdentity();
    await bearing(names[0]!, async () => {
      expect(bears({ pid, startTicks: startTicks - 1 }, names[0]!)).toBe(false);
      expect(bears({ pid: -1, startTicks }, names[0]!)).toBe(false);
      throw new Error('no');
    }).catch(() => undefined);
    expect(readFileSync('/proc/self/comm', 'utf8')).toBe(before);
  });

  it('to one session only: no id is the beginning of another', () => {
    expect(proofName('k7f2m9qd', 'abcdefg')).toBe('k7f2m9qdabcdefg');
    expect(proofName('k7f2m9qdx', 'abcdefg')).toBeUndefined();
    expect(proofName('k7f2m9q', 'abcdefg')).toBeUndefined();
    expect(proofName('k7f2m9qd', 'abcdefgh')).toBeUndefined();
    expect(proofName('k7f2m9qd', 'ab\n/../')).toBeUndefined();
  });
});

describe('inside a session', () => {
  it('is nobody by default', () => {
    expect(insideOf(process.pid)).toBeUndefined();
  });

  it('is who carries the mark, or descends from one who does', async () => {
    const script = 'echo $$; env -i /bin/sh -c "echo \\$\\$.; exec sleep 100"; true';
    const [parent, below] = await child(script, { PATH: process.env.PATH, REINS_SESSION: 'k7f2m9qd' });
    expect(insideOf(parent!)).toMatchObject({ session: 'k7f2m9qd', why: expect.stringContaining('carries') });
    expect(insideOf(below!)).toMatchObject({ session: 'k7f2m9qd', why: expect.stringContaining('descends') });
  });

  it('is who was started under the limit, whatever it took off since', async () => {
    const away = `${MARKED}setsid env -i /bin/sh -c '(/bin/sh -c "echo \\$\\$.; exec /bin/sleep 100" &)'`;
    const [orphan] = await child(away);
    expect(statOf(orphan!)?.ppid).not.toBe(process.pid);
    expect(insideOf(orphan!)).toMatchObject({ why: expect.stringContaining('limits') });
    const lowered = `${MARKED}ulimit -x 1000 2>/dev/null || ulimit -w 1000; echo $$.; exec sleep 100`;
    expect(insideOf((await child(lowered))[0]!)).toBeDefined();
  });

  it('is whom the host remembers, and who cannot be looked at', async () => {
    const [pid] = await child('echo $$.; exec sleep 100');
    expect(insideOf(pid!, { isMember: (row) => row.pid === pid })).toMatchObject({ why: 'belongs to this session' });
    expect(insideOf(pid!, { isMember: (row) => row.pid === process.pid })).toMatchObject({
      why: 'descends from this session',
    });
    expect(insideOf(2 ** 22 + 1)).toBeDefined();
  });
});
