import { expect, it } from 'vitest';
import { timeLeft } from './time-left.js';

const S = 1000;
const MIN = 60 * S;
const H = 60 * MIN;

it.each([
  [-5, '0 s'],
  [1, '1 s'],
  [50 * S, '50 s'],
  [MIN, '1 min'],
  [4 * MIN + 10 * S, '4 min 10 s'],
  [251_001, '4 min 12 s'],
  [9 * MIN + 59 * S, '9 min 59 s'],
  [10 * MIN, '10 min'],
  [12 * MIN + 40 * S, '13 min'],
  [59 * MIN + 1, '1 h'],
  [3 * H + 9 * MIN + 2 * S, '3 h 10 min'],
  [9 * H + 59 * MIN, '9 h 59 min'],
  [12 * H - 12 * S, '12 h'],
  [10 * H + 20 * MIN, '10 h'],
  [10 * H + 40 * MIN, '11 h'],
  [24 * H - MIN, '24 h'],
  [24 * H, '1 d'],
  [52 * H, '2 d 4 h'],
  [48 * H - 10 * MIN, '2 d'],
  [20 * 24 * H + 13 * H, '21 d'],
])('%i ms are %s', (ms, words) => expect(timeLeft(ms)).toBe(words));

it('what is read runs out when it says so, never before', () => {
  for (let ms = 0; ms < 10 * MIN; ms += 317) {
    const [, min = '0', s = '0'] = /^(?:(\d+) min)? ?(?:(\d+) s)?$/.exec(timeLeft(ms)) ?? [];
    const told = Number(min) * MIN + Number(s) * S;
    expect(told - ms).toBeGreaterThanOrEqual(0);
    expect(told - ms).toBeLessThan(S);
  }
});
