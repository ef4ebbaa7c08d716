import { expect, test } from 'vitest';
import type { SendReceipt } from '../../contract/index.js';
import { InTurn } from './in-turn.js';

const SUBMITTED: SendReceipt = { verdict: 'submitted' };

/** A message that is being typed until it is let go. */
function slow(name: string, log: string[]) {
  let done: (receipt: SendReceipt) => void = () => undefined;
  let fail: (error: Error) => void = () => undefined;
  const type = () => {
    log.push(name);
    return new Promise<SendReceipt>((resolve, reject) => {
      done = resolve;
      fail = reject;
    });
  };
  return { type, done: () => done(SUBMITTED), fail: () => fail(new Error(name)) };
}

test('the first begins at once, the next when it is in, also after one that failed', async () => {
  const log: string[] = [];
  const inTurn = new InTurn();
  const [one, two, three] = ['one', 'two', 'three'].map((name) => slow(name, log));
  const receipts = [one, two, three].map((message) => inTurn.submit(message!.type));
  expect(log).toEqual(['one']);
  one!.done();
  expect(await receipts[0]).toEqual(SUBMITTED);
  await Promise.resolve();
  expect(log).toEqual(['one', 'two']);
  two!.fail();
  await expect(receipts[1]).rejects.toThrow('two');
  await Promise.resolve();
  expect(log).toEqual(['one', 'two', 'three']);
  three!.done();
  expect(await receipts[2]).toEqual(SUBMITTED);
  expect(await inTurn.submit(async () => SUBMITTED)).toEqual(SUBMITTED);
});

test('so many wait, no more', async () => {
  const inTurn = new InTurn();
  const first = slow('first', []);
  const receipts = [
    inTurn.submit(first.type),
    ...Array.from({ length: 99 }, () => inTurn.submit(async () => SUBMITTED)),
  ];
  expect(await inTurn.submit(async () => SUBMITTED)).toMatchObject({ verdict: 'refused' });
  first.done();
  expect(new Set((await Promise.all(receipts)).map(({ verdict }) => verdict))).toEqual(new Set(['submitted']));
});
