import { describe, expect, it } from 'vitest';
import { HandClock } from '../../contract/index.js';
import { QuietTerminal } from './quiet.js';
import type { TerminalAsks } from './terminal-asks.js';

function quiet() {
  const clock = new HandClock();
  const seen = { made: 0, looks: [] as number[], ended: 0, isOpen: false };
  const begun = clock.now();
  const asks = {
    get isOpen() {
      return seen.isOpen;
    },
    heard: () => undefined,
    look: async () => void seen.looks.push(clock.now() - begun),
    end: () => void seen.ended++,
  } as unknown as TerminalAsks;
  const terminal = new QuietTerminal({
    clock,
    make: async () => {
      seen.made += 1;
      return asks;
    },
  });
  const pass = async (ms: number) => {
    for (let left = ms; left > 0; left -= 100) {
      clock.advance(Math.min(100, left));
      for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
    }
  };
  return { clock, seen, terminal, pass, chunk: () => terminal.heard(Buffer.from('x')) };
}

describe('quiet in a terminal', () => {
  it('is looked at, ever more rarely, and nothing is loaded before the first time', async () => {
    const { seen, pass, chunk } = quiet();
    for (let n = 0; n < 20; n += 1) {
      chunk();
      await pass(100);
    }
    expect(seen).toMatchObject({ made: 0, looks: [] });
    await pass(70_000);
    expect(seen.made).toBe(1);
    expect(seen.looks).toEqual([2200, 2800, 4000, 6400, 11_200, 20_800, 40_000, 70_000]);
  });

  it('output begins it anew', async () => {
    const { seen, pass, chunk } = quiet();
    await pass(3_000);
    const before = seen.looks.length;
    chunk();
    await pass(300);
    expect(seen.looks).toHaveLength(before + 1);
  });

  it('what is open is looked at every second, however much is printed', async () => {
    const { seen, pass, chunk } = quiet();
    seen.isOpen = true;
    await pass(300);
    for (let n = 0; n < 30; n += 1) {
      chunk();
      await pass(100);
    }
    expect(seen.looks.length).toBeGreaterThanOrEqual(3);
  });

  it('ends with its program, with nothing left to wait for', async () => {
    const { clock, seen, terminal, pass } = quiet();
    await pass(300);
    terminal.end();
    expect([seen.ended, clock.waiting]).toEqual([1, 0]);
  });
});
