import fc from 'fast-check';
import { expect, test } from 'vitest';
import { editDistance, suggestKey, suggestPath } from './known-keys.js';

test.each([
  [['cli'], 'idle_timeout_sec', 'idle_timeout_secs'],
  [['cli'], 'idle-timeout-secs', 'idle_timeout_secs'],
  [['cli'], 'bakcend', 'backend'],
  [['cli'], 'Backend', 'backend'],
  [[], 'evnt_loop', 'event_loop'],
  [[], 'backend', 'cli.backend'],
  [[], 'max_iterations', 'event_loop.max_iterations'],
  [['tools', 'Bash'], 'detatched', 'detached'],
  [['tools', 'Bash', 'detached'], 'runs', 'run'],
  [['event_loop', 'gates', 0], 'timeout', 'timeout_secs'],
  [['hats', 'x'], 'trigger', 'triggers'],
])('below %j, %s was meant as %s', (path, key, meant) => {
  expect(suggestKey(path, key)).toBe(meant);
});

test.each([
  [['cli'], 'zzzzzz'],
  [[], 'x'],
])('below %j, nobody knows what %s was meant as', (path, key) => {
  expect(suggestKey(path, key)).toBeUndefined();
});

test('a whole path is corrected where it leaves the known ones', () => {
  expect(suggestPath(['clii', 'backend'])).toBe('cli.backend');
  expect(suggestPath(['tools', 'Bash', 'detachd'])).toBe('tools.Bash.detached');
  expect(suggestPath(['cli', 'backend'])).toBeUndefined();
});

test('the distance is a metric, and one neighbour swap is one', () => {
  expect(editDistance('abcd', 'abdc')).toBe(1);
  expect(editDistance('', 'abc')).toBe(3);
  fc.assert(
    fc.property(fc.string({ maxLength: 12 }), fc.string({ maxLength: 12 }), (a, b) => {
      const distance = editDistance(a, b);
      expect(distance).toBe(editDistance(b, a));
      expect(distance === 0).toBe(a === b);
      expect(distance).toBeLessThanOrEqual(Math.max(a.length, b.length));
    }),
  );
});
