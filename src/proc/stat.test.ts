import { spawn } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { isAlive, parseStat, statOf } from './index.js';

describe('what the system says about a process', () => {
  it.each(['sh', 'a b', 'x) R 1 2 (y', '()', 'ä\n'])('a command named %j does not confuse it', (command) => {
    const line = `42 (${command}) S 1 42 7 34816 99 4194560 1 2 3 4 5 6 7 8 20 0 1 0 123456 999 88\n`;
    expect(parseStat(line)).toEqual({
      pid: 42,
      command,
      state: 'S',
      ppid: 1,
      pgid: 42,
      sid: 7,
      foreground: 99,
      startTicks: 123456,
    });
  });

  it.each(['', '42', '42 sh S', ')('])('%j is no process', (line) => {
    expect(parseStat(line)).toBeUndefined();
  });

  it('knows this very process', () => {
    expect(statOf('self')).toMatchObject({ pid: process.pid, ppid: process.ppid });
    expect(statOf(2 ** 30)).toBeUndefined();
  });

  it('a pid alone is no identity, and a zombie is dead', async () => {
    const ticks = statOf('self')!.startTicks;
    expect([isAlive(process.pid, ticks), isAlive(process.pid, ticks + 1), isAlive(process.pid, 0)]).toEqual([
      true,
      false,
      true,
    ]);
    // A parent that sleeps without ever looking does not collect its child.
    const program = `const child = require('child_process').spawn('/bin/true');
      require('fs').writeSync(1, String(child.pid));
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60000);`;
    const parent = spawn(process.execPath, ['-e', program]);
    const pid = Number(await new Promise((resolve) => parent.stdout.once('data', resolve)));
    const started = statOf(pid)?.startTicks ?? 1;
    try {
      while (statOf(pid)?.state !== 'Z') await new Promise((resolve) => setImmediate(resolve));
      expect(isAlive(pid, started)).toBe(false);
    } finally {
      const gone = new Promise((resolve) => parent.once('exit', resolve));
      parent.kill('SIGKILL');
      await gone;
    }
  });
});
