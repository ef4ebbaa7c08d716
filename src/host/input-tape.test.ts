import { expect, test } from 'vitest';
import type { Clock } from '../contract/index.js';
import { InputTape } from './input-tape.js';

/** Time that goes only when it is told to. */
function newBench(echo = true) {
  let now = 0;
  let timers: { at: number; call: () => void }[] = [];
  const clock: Clock = {
    now: () => now,
    after(ms, call) {
      const timer = { at: now + ms, call };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
  };
  const terminal = { echo: echo as boolean | undefined, looks: 0 };
  const recorded: string[] = [];
  const tape = new InputTape({
    clock,
    tty: async () => {
      terminal.looks += 1;
      return terminal.echo === undefined ? undefined : { echo: terminal.echo, canonical: true };
    },
    record: (bytes, { redact }) => recorded.push(redact ? `hidden ${bytes.length}` : Buffer.from(bytes).toString()),
  });
  const pass = async (ms: number) => {
    for (const end = now + ms; ; ) {
      const [next] = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (!next) {
        now = end;
        break;
      }
      timers = timers.filter((other) => other !== next);
      now = Math.max(now, next.at);
      next.call();
      await new Promise(setImmediate);
    }
  };
  const type = (text: string) => tape.typed(Buffer.from(text));
  return { tape, terminal, recorded, pass, type };
}

test('an unfinished line is shown when the terminal echoes, hidden when it does not or cannot be asked', async () => {
  for (const [echo, shown] of [
    [true, 'name'],
    [false, 'hidden 4'],
    [undefined, 'hidden 4'],
  ] as const) {
    const { terminal, recorded, pass, type } = newBench();
    terminal.echo = echo;
    type('name');
    await pass(1000);
    expect(recorded).toEqual([shown]);
  }
});

test('a line that was finished before anybody could look is hidden, key by key too', async () => {
  const { tape, recorded, pass, type } = newBench();
  type('hunter2\r');
  await pass(1000);
  tape.output();
  for (const key of 'pw\r') type(key);
  await pass(1000);
  expect(recorded).toEqual(['hidden 8', 'hidden 1', 'hidden 1', '\r']);
});

test('a line is shown when a look before it said so and the agent was silent since', async () => {
  const { tape, recorded, pass, type } = newBench();
  await pass(1000);
  await tape.look();
  type('ls\r');
  await pass(1000);
  expect(recorded).toEqual(['ls\r']);
});

test('a prompt after the look, or just before it, or a look long ago, makes a whole line doubtful', async () => {
  const { tape, recorded, pass, type } = newBench();
  await pass(1000);
  await tape.look();
  tape.output();
  type('after\r');
  await pass(1000);
  tape.output();
  await pass(10);
  await tape.look();
  type('soon\r');
  await pass(1000);
  await tape.look();
  await pass(1500);
  type('long\r');
  await pass(1000);
  expect(recorded).toEqual(['hidden 6', 'hidden 5', 'hidden 5']);
});

test('keys wait for at most a few looks a second, come in order, and the rest is hidden at the end', async () => {
  const { tape, terminal, recorded, pass, type } = newBench();
  for (const key of 'abcdefghij') {
    type(key);
    await pass(20);
  }
  await pass(100);
  expect(recorded.join('')).toBe('abcdefghij');
  expect(terminal.looks).toBeLessThanOrEqual(4);
  tape.output();
  type('left');
  tape.close();
  tape.close();
  type('late');
  expect(recorded.slice(10)).toEqual(['hidden 4']);
});

test('a look waits for a pause between two keys, but not for ever', async () => {
  const { terminal, recorded, pass, type } = newBench();
  for (let count = 0; count < 10; count += 1) {
    type('x');
    await pass(10);
  }
  expect(terminal.looks).toBe(0);
  await pass(30);
  expect(terminal.looks).toBe(1);
  expect(recorded).toHaveLength(10);
  for (let count = 0; count < 40; count += 1) {
    type('y');
    await pass(10);
  }
  expect(terminal.looks).toBeGreaterThanOrEqual(2);
});
