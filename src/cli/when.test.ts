import { expect, it, test } from 'vitest';
import { whenOf } from './when.js';

const NOW = new Date('2026-01-02T03:04:05').getTime();

it.each([
  ['8h', NOW - 8 * 3_600_000],
  ['30m', NOW - 30 * 60_000],
  ['2d', NOW - 2 * 86_400_000],
  ['today', new Date('2026-01-02T00:00').getTime()],
  ['yesterday', new Date('2026-01-01T00:00').getTime()],
  ['2026-01-01', new Date('2026-01-01T00:00').getTime()],
  ['2026-01-01T12:00:00Z', Date.parse('2026-01-01T12:00:00Z')],
  ['2026-01-01 12:00', new Date('2026-01-01T12:00').getTime()],
])('%s is a time', (text, at) => {
  expect(whenOf(text, NOW)).toBe(at);
});

test.each(['', 'soon', '8', '-8h', '8 hours', '2026', '2026-13-45T99:99', '99999999h', '2027-01-01', 'NaN'])(
  '%j is none',
  (text) => {
    expect(() => whenOf(text, NOW)).toThrow(/is no time|is yet to come/);
  },
);
