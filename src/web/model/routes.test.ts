import { expect, it } from 'vitest';
import { inquiryPath, readPath, sessionPath } from './routes.js';
import { clock, folderName, nth, span } from './words.js';

it.each([
  ['/', { view: 'now' }],
  ['/sessions', { view: 'sessions' }],
  ['/s/k7f2m9qd', { view: 'session', session: 'k7f2m9qd' }],
  ['/s/k7f2m9qd/terminal', { view: 'session', session: 'k7f2m9qd', tab: 'terminal' }],
  ['/s/k7f2m9qd/i/k7f2m9qd-1', { view: 'inquiry', session: 'k7f2m9qd', inquiry: 'k7f2m9qd-1' }],
  ['/settings', { view: 'settings' }],
  ['/settings/more', { view: 'missing' }],
  ['/s', { view: 'missing' }],
  ['/s/%E0%A4%A', { view: 'missing' }],
  ['/nothing', { view: 'missing' }],
])('%s', (path, wanted) => {
  expect(readPath(path)).toMatchObject(wanted);
});

it('an id from elsewhere cannot leave its place in an address', () => {
  expect(sessionPath('../x?y#z')).toBe('/s/..%2Fx%3Fy%23z');
  expect(readPath(inquiryPath('a/b', 'c/d'))).toMatchObject({ view: 'inquiry', session: 'a/b', inquiry: 'c/d' });
});

it('times as people say them', () => {
  expect([0, 59_400, 60_000, 3_600_000, 11_400_000, 90_000_000].map(span)).toEqual([
    '0 s',
    '59 s',
    '1 min',
    '1 h',
    '3 h 10 min',
    '1 d 1 h',
  ]);
  expect([1, 2, 3, 4, 11, 12, 21, 102, 113].map(nth).join()).toBe('1st,2nd,3rd,4th,11th,12th,21st,102nd,113th');
  const now = new Date(2026, 0, 8, 15, 0).getTime();
  expect(clock(new Date(2026, 0, 8, 14, 2).getTime(), now)).toBe('14:02');
  expect(clock(new Date(2026, 0, 5, 14, 2).getTime(), now)).toBe('Mon 14:02');
  expect(clock('not a time', now)).toBe('');
  expect([folderName('/a/b'), folderName('/home/a/shop/api')]).toEqual(['/a/b', '…/shop/api']);
});
