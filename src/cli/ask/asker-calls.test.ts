/** The terminal calls its person: once per inquiry that is seen, at most every ten seconds. */
import { expect, test } from 'vitest';
import { caller, callOf } from '../call-person.js';
import { asker, call, clock, SHOWN, settled, show, start, tty } from './asker.cases.js';

const env = { TERM: 'xterm-kitty' };
const who = { agent: 'claude', session: 'shop' };
const calls = () => tty.written.split(callOf(env, who)).length - 1;
const calling = () => start({ env, ring: caller({ how: 'auto', env, clock, who: () => who }) });

test('when an inquiry is put on it, not for one that is settled before it is seen', () => {
  calling();
  asker.opened(call('ls', 1));
  asker.closed('k7f2m9qd.1');
  clock.advance(SHOWN);
  expect(tty.written).not.toContain('\x07');
  show(call('npm test', 2));
  expect(calls()).toBe(1);
});

test('once for several at a time, again for one that comes later, never twice for the same', async () => {
  calling();
  show(call('one', 1), call('two', 2));
  expect(calls()).toBe(1);
  clock.advance(10_000);
  asker.opened(call('one', 1));
  tty.press('y');
  await settled();
  clock.advance(SHOWN);
  expect(calls()).toBe(1);
  show(call('three', 3));
  expect(calls()).toBe(2);
});

test('and never inside what is being drawn', async () => {
  calling();
  show(call('one', 1));
  clock.advance(10_000);
  show(call('two', 2));
  expect(calls()).toBe(2);
  const lines = await tty.lines();
  expect(lines.join('\n')).not.toContain('Reins:');
  expect(lines[0]).toContain('claude asks');
});
