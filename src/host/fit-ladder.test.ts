import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Rung } from '../policy/index.js';
import { rule, settle } from './desk.cases.js';
import { fitLadder, NO_TIME } from './fit-ladder.js';

const ask = (forMs?: number): Rung => ({ do: 'ask', rule, ...(forMs === undefined ? {} : { forMs }) });
const refuse = settle({ kind: 'deny' }, 'policy');
const consult = (forMs?: number): Rung => ({
  do: 'consult',
  rule,
  onNoAnswer: refuse,
  ...(forMs === undefined ? {} : { forMs }),
});
const defer: Rung = { do: 'defer', rule };
const times = (rungs: Rung[], leftMs?: number) =>
  fitLadder(rungs, { leftMs, consultMs: 55_000 }).map((rung) => rung.forMs);

test('without a deadline every rung has its own time, and a consultation its own at most', () => {
  expect(times([ask(300_000), consult(), defer])).toEqual([300_000, 55_000, undefined]);
  expect(times([consult(10_000), defer])).toEqual([10_000, undefined]);
  expect(times([consult(600_000), defer])).toEqual([55_000, undefined]);
});

test('inside an agent’s own limit, later rungs keep a fair part, and a consultation ends 5 s before it', () => {
  expect(times([ask(300_000), consult(), defer], 120_000)).toEqual([60_000, 55_000, undefined]);
  expect(times([ask(2_000), consult(10_000), defer], 120_000)).toEqual([2_000, 10_000, undefined]);
  expect(times([ask(300_000), consult(), ask(300_000), refuse], 60_000)).toEqual([18_333, 18_333, 18_334, undefined]);
});

test('the policy’s own last word comes before the agent goes on', () => {
  expect(times([ask(900_000), refuse], 120_000)).toEqual([119_000, undefined]);
});

test('a consultation that has no time is left out, and the next rung says why', () => {
  const fitted = fitLadder([ask(1_000), consult(), defer], { leftMs: 5_500, consultMs: 55_000 });
  expect(fitted.map((rung) => [rung.do, rung.because])).toEqual([
    ['ask', undefined],
    ['defer', NO_TIME],
  ]);
});

test('whatever the rungs: the times fit, none is longer than written, and the last rung stays the last', () => {
  const anyRung = fc.oneof(
    fc.option(fc.nat(1_000_000), { nil: undefined }).map(ask),
    fc.option(fc.nat(1_000_000), { nil: undefined }).map(consult),
    fc.constant(defer),
  );
  fc.assert(
    fc.property(fc.array(anyRung, { maxLength: 6 }), fc.nat(200_000), (some, leftMs) => {
      const rungs = [...some, refuse];
      const fitted = fitLadder(rungs, { leftMs, consultMs: 55_000 });
      expect(fitted.reduce((sum, rung) => sum + (rung.forMs ?? 0), 0)).toBeLessThanOrEqual(leftMs);
      expect(fitted.at(-1)).toMatchObject({ do: 'settle' });
      for (const rung of fitted) if (rung.do === 'consult') expect(rung.forMs).toBeGreaterThanOrEqual(1_000);
    }),
    { numRuns: 500, seed: 1 },
  );
});
