import { spawn } from 'node:child_process';
import { expect, it, onTestFinished, vi } from 'vitest';
import { statOf } from './stat.js';
import { countsNow } from './telling.js';

/** A process that bears the number 42 and does something from then on. */
async function bearer(then: string): Promise<{ pid: number; startTicks: number }> {
  const script = `require('node:fs').writeFileSync('/proc/self/comm', 'reins-16');
    setTimeout(() => undefined, 1e6); setTimeout(() => { require('node:fs').writeSync(1, '.'); ${then} }, 1);`;
  const one = spawn(process.execPath, ['-e', script], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void one.kill('SIGKILL'));
  await new Promise((resolve) => one.stdout.once('data', resolve));
  return { pid: one.pid!, startTicks: statOf(one.pid!)!.startTicks };
}

const settled = (identity: { pid: number; startTicks: number }, to: number | undefined) =>
  vi.waitFor(() => expect(countsNow(identity)).toBe(to), { timeout: 20_000 });

it('what sleeps in its event loop is believed, under its own start time only', async () => {
  const resting = await bearer('');
  await settled(resting, 42);
  expect(countsNow({ ...resting, startTicks: resting.startTicks + 1 })).toBeUndefined();
  expect(countsNow({ ...resting, startTicks: 0 })).toBeUndefined();
});

it.each([
  ['is stopped', `process.kill(process.pid, 'SIGSTOP')`],
  ['turns in a circle', 'for (;;);'],
  ['waits for what never comes', 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)'],
  ['reads what nobody writes', `require('node:fs').readSync(0, Buffer.alloc(1))`],
])('what %s is not', async (_, then) => {
  // From its sign on it does not come back to its loop, in which it may have slept for a moment before.
  const one = await bearer(then);
  expect(countsNow(one)).toBeUndefined();
  await settled(one, undefined);
  expect(countsNow(one)).toBeUndefined();
});

it('what says no number, or is gone, is not', async () => {
  expect(countsNow({ pid: process.pid, startTicks: statOf('self')!.startTicks })).toBeUndefined();
  expect(countsNow({ pid: 2 ** 22 + 1, startTicks: 1 })).toBeUndefined();
});
