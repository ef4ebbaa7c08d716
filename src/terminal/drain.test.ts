import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Gather, Outlet } from './drain.js';

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

it('joins full reads, in order, and never keeps what no later turn brings', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom('full', 'full', 'full', 'short', 'turn')), async (steps) => {
      const pushed: number[] = [];
      const gather = new Gather({ fullBytes: 8, push: (chunk) => void pushed.push(...chunk) });
      let taken = 0;
      for (const step of steps) {
        if (step === 'turn') await new Promise((resolve) => setImmediate(resolve));
        else gather.take(Uint8Array.from({ length: step === 'full' ? 8 : 3 }, () => taken++ & 255));
        if (step === 'short') expect(pushed.length).toBe(taken);
      }
      // One turn to see that nothing came, one to give it away.
      for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      expect(pushed).toEqual(Array.from({ length: taken }, (_, at) => at & 255));
    }),
  );
});

it('gathers a flood into few chunks, and gives the rest when it is told to', () => {
  const pushed: number[] = [];
  const gather = new Gather({ fullBytes: 4096, push: (chunk) => void pushed.push(chunk.length) });
  for (let at = 0; at < 40; at += 1) gather.take(new Uint8Array(4096));
  expect(pushed).toEqual([65_536, 65_536]);
  gather.flush();
  gather.flush();
  expect(pushed).toEqual([65_536, 65_536, 8 * 4096]);
});
