import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Outlet, readOn } from './drain.js';

function outlet() {
  const calls: string[] = [];
  const source = { pause: () => void calls.push('pause'), resume: () => void calls.push('resume') };
  return { out: new Outlet(source), calls };
}

it('delivers in order whatever is held and released in between, also from inside a delivery', () => {
  const step = fc.oneof(fc.constantFrom('hold', 'release', 'push', 'push'), fc.constant('push'));
  fc.assert(
    fc.property(fc.array(step), fc.array(fc.constantFrom('hold', 'release', 'none')), (steps, inside) => {
      const { out } = outlet();
      const got: number[] = [];
      let pushed = 0;
      out.onOutput(([value]) => {
        const act = inside[got.length];
        got.push(value ?? -1);
        if (act === 'hold') out.hold();
        if (act === 'release') out.release();
      });
      for (const one of steps) {
        if (one === 'hold') out.hold();
        if (one === 'release') out.release();
        if (one === 'push') out.push(Uint8Array.of(pushed++ & 255), 'out');
      }
      for (let left = pushed; left >= 0; left -= 1) out.release();
      expect(got).toEqual(Array.from({ length: pushed }, (_, at) => at & 255));
    }),
  );
});

it('is emptied only when the held rest is out, or when it is closed', async () => {
  const { out } = outlet();
  const got: number[] = [];
  out.onOutput((chunk) => got.push(chunk.length));
  out.hold();
  out.push(new Uint8Array(3), 'out');
  let isEmpty = false;
  const emptied = out.emptied().then(() => {
    isEmpty = true;
  });
  await Promise.resolve();
  expect([isEmpty, got]).toEqual([false, []]);
  out.release();
  await emptied;
  expect(got).toEqual([3]);
  out.hold();
  out.push(new Uint8Array(1), 'err');
  const closed = out.emptied();
  out.close();
  out.close();
  await closed;
  out.release();
  expect(got).toEqual([3]);
});

it('pauses its source while nobody listens and much has come, and goes on with the first listener', async () => {
  const { out, calls } = outlet();
  for (let at = 0; at < 20; at += 1) out.push(new Uint8Array(100_000), 'out');
  expect(calls).toContain('pause');
  await out.emptied();
  let length = 0;
  out.onOutput((chunk) => {
    length += chunk.length;
  });
  await Promise.resolve();
  expect(length).toBe(2_000_000);
  expect(calls.at(-1)).toBe('resume');
});

describe('reading on by hand', () => {
  /** A file gives what is asked for; it stands for a terminal that is always full. */
  function opened(length: number): { fd: number; bytes: Buffer } {
    const file = join(mkdtempSync(join(tmpdir(), 'drain-')), 'bytes');
    const bytes = Buffer.from(Uint8Array.from({ length }, (_, at) => (at * 7) & 255));
    writeFileSync(file, bytes);
    const fd = openSync(file, 'r');
    onTestFinished(() => {
      closeSync(fd);
      rmSync(dirname(file), { recursive: true });
    });
    return { fd, bytes };
  }

  it('stops after a read that was not full', () => {
    const { fd, bytes } = opened(1000);
    const first = Uint8Array.from({ length: 4096 }, () => 1);
    expect(Buffer.from(readOn({ fd, first, fullBytes: 4095 }))).toEqual(Buffer.concat([first, bytes]));
  });

  it('never takes so much that the next key waits, and leaves the rest where it is', () => {
    const { fd, bytes } = opened(200_000);
    const taken = readOn({ fd, first: new Uint8Array(4096), fullBytes: 4095 });
    expect(taken.length).toBeLessThanOrEqual(65_536);
    const rest = Buffer.alloc(200_000);
    const length = readSync(fd, rest, 0, rest.length, null);
    expect(Buffer.concat([taken.subarray(4096), rest.subarray(0, length)]).equals(bytes)).toBe(true);
  });

  it('a terminal with nothing more is no trouble', () => {
    expect(readOn({ fd: -1, first: new Uint8Array(4096), fullBytes: 4095 })).toHaveLength(4096);
  });
});
