import { describe, expect, it } from 'vitest';
import { NO_STICKY, QUICK_KEYS, tapped, used, withSticky } from './quick-keys.js';

describe('W27: keys that change the next one', () => {
  it('count once, stay with a double tap, and go with another', () => {
    expect(tapped('off', 10_000)).toBe('once');
    expect(tapped('once', 200)).toBe('locked');
    expect(tapped('once', 2000)).toBe('off');
    expect(tapped('locked', 200)).toBe('off');
    expect(used({ ctrl: 'once', alt: 'locked' })).toEqual({ ctrl: 'off', alt: 'locked' });
  });

  it.each([
    ['c', { ctrl: 'once', alt: 'off' }, '\x03'],
    ['C', { ctrl: 'locked', alt: 'off' }, '\x03'],
    [' ', { ctrl: 'once', alt: 'off' }, '\x00'],
    ['b', { ctrl: 'off', alt: 'once' }, '\x1bb'],
    ['b', { ctrl: 'once', alt: 'once' }, '\x1b\x02'],
    ['\x1b[A', { ctrl: 'once', alt: 'off' }, '\x1b[1;5A'],
    ['\x1bOA', { ctrl: 'off', alt: 'once' }, '\x1b[1;3A'],
    ['ä', { ctrl: 'once', alt: 'off' }, 'ä'],
    ['hello', { ctrl: 'once', alt: 'off' }, 'hello'],
    ['\x1b[A', NO_STICKY, '\x1b[A'],
  ] as const)('%j with %j is %j', (bytes, sticky, sent) => {
    expect(withSticky(bytes, sticky)).toBe(sent);
  });

  it('every key of the row has a name to say aloud, and does something', () => {
    for (const key of QUICK_KEYS)
      expect([key.name !== '', key.bytes ?? key.sticky]).toEqual([true, expect.any(String)]);
  });
});
