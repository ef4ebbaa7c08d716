import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limitIn } from './limits.js';

const noon = Date.UTC(2026, 2, 4, 12, 0);
const at = (...parts: [number, number, number, number, number]) => Date.UTC(...parts);

describe('limits in error texts', () => {
  it.each([
    ['Claude AI usage limit reached|1772640000', 1772640000_000],
    ["You've hit your limit · resets 3:30pm (Europe/Berlin)", at(2026, 2, 4, 14, 30)],
    ["You've hit your session limit · resets 1:10am (Europe/Moscow)", at(2026, 2, 4, 22, 10)],
    ["You've hit your weekly limit · resets Mar 8, 5:59am (America/Los_Angeles)", at(2026, 2, 8, 12, 59)],
    ["You've hit your limit · resets 2pm (Asia/Kathmandu)", at(2026, 2, 5, 8, 15)],
    ["You've hit your usage limit. Upgrade to Pro or try again in 5 days 22 hours 11 minutes.", noon + 511_860_000],
    ["You've hit your usage limit. Try again in 3 hours 2 minutes.", noon + 10_920_000],
    ['You have exhausted your daily quota. Your quota will reset after 12h3m4s.', noon + 43_384_000],
    ['429: {"type":"usage_limit_reached","resets_at":1772640000}', 1772640000_000],
    ['Quota exceeded. Check your plan and billing details.', undefined],
    ["You've hit your limit · resets 3pm (Nowhere/Land)", undefined],
    ["Your group's usage limit is set to $0", undefined],
  ])('%s', (text, until) => {
    expect(limitIn(text, noon)).toEqual({ message: text, ...(until === undefined ? {} : { until }) });
  });

  it.each([
    // Hit at 12:00:05, over at 12:00:20: a clock without seconds names a minute that has begun.
    ['12pm (UTC)', 5_000, 60_000],
    ['12:00pm (UTC)', 59_000, 60_000],
    ['Mar 4, 12pm (UTC)', 5_000, 60_000],
    // A message on its way, clocks that differ: nobody means tomorrow by a minute ago.
    ['11:58am (UTC)', 0, -60_000],
    ['11:50am (UTC)', 0, 86_400_000 - 600_000],
    ['12:01pm (UTC)', 0, 60_000],
  ])('a minute that has begun is over when it ends: resets %s', (clock, past, until) => {
    expect(limitIn(`You've hit your limit · resets ${clock}`, noon + past)).toMatchObject({ until: noon + until });
  });

  it('reads a time without a zone in the zone of this machine', () => {
    const local = new Date(2026, 2, 10, 3, 39).getTime();
    const text = "You've hit your usage limit. Upgrade or try again at Mar 10th, 2026 3:39 AM.";
    expect(limitIn(text, noon)).toMatchObject({ until: local });
  });

  it.each([
    'all 42 tests passed; the rate limit is fine',
    'context limit reached: conversation too long',
    'API Error: 500',
  ])('no limit: %s', (text) => expect(limitIn(text, noon)).toBeUndefined());

  it('never throws and never names a time out of reach', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(99), (noise, n) => {
        const found = limitIn(`You've hit your limit · resets ${n}${noise} ${n}:${n} pm (${noise})`, noon);
        expect(Math.abs((found?.until ?? noon) - noon)).toBeLessThanOrEqual(40 * 86_400_000);
      }),
    );
  });
});
