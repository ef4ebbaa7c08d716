import { expect, it } from 'vitest';
import { type AgentOutput, HandClock } from '../../contract/index.js';
import { RunLimits } from './limits.js';

const MINUTE = 60_000;

function limits(given: { whole?: number; first?: number; quiet?: number } = {}) {
  const clock = new HandClock();
  const over: string[] = [];
  const limit = (secs: number | undefined, by: string) => ({ secs: secs ?? 0, by });
  const settings = {
    whole: limit(given.whole, 'adapters.x.timeout'),
    firstOutput: limit(given.first, 'adapters.x.first_output_secs'),
    quiet: limit(given.quiet, 'adapters.x.quiet_timeout'),
  };
  const made = new RunLimits({ clock, settings, over: (reason) => over.push(reason) });
  made.begin();
  return { clock, over, made, said: (output: AgentOutput) => made.said(output) };
}

const call = (id: string): AgentOutput => ({ kind: 'tool', call: id, tool: 'Bash', input: {} });
const result = (id: string): AgentOutput => ({ kind: 'tool-result', call: id, ok: true, text: '' });

it('an agent that works is not ended, however long it takes', () => {
  const { clock, over, made } = limits({ quiet: 300 });
  for (let minute = 0; minute < 600; minute += 4) {
    clock.advance(4 * MINUTE);
    made.heard();
  }
  expect(over).toEqual([]);
  clock.advance(5 * MINUTE);
  expect(over).toEqual(['no output for 300 s (adapters.x.quiet_timeout)']);
});

it('one that never says a word is quiet from its start', () => {
  const { clock, over } = limits({ quiet: 300 });
  clock.advance(5 * MINUTE);
  expect(over).toHaveLength(1);
});

it('a build of ten minutes without a word is not silence; a tool that never ends is', () => {
  const { clock, over, made, said } = limits({ quiet: 300 });
  made.heard();
  said(call('a'));
  clock.advance(29 * MINUTE);
  expect(over).toEqual([]);
  made.heard();
  said(result('a'));
  clock.advance(4 * MINUTE);
  said(call('b'));
  made.heard();
  clock.advance(30 * MINUTE);
  expect(over).toEqual(['no output for 1800 s while a tool runs (6 times adapters.x.quiet_timeout)']);
});

it('calls side by side: the last to come back ends the patience', () => {
  const { clock, over, said } = limits({ quiet: 60 });
  for (const id of ['a', 'b']) said(call(id));
  said(result('a'));
  clock.advance(2 * MINUTE);
  expect(over).toEqual([]);
  said(result('b'));
  clock.advance(MINUTE);
  expect(over).toEqual(['no output for 60 s (adapters.x.quiet_timeout)']);
});

it('a call whose end nobody told is over when the model speaks again; a helper’s words are not the model’s', () => {
  const { clock, over, said } = limits({ quiet: 60 });
  said(call('a'));
  said({ kind: 'text', text: 'from a helper', parent: 'p' });
  clock.advance(2 * MINUTE);
  expect(over).toEqual([]);
  said({ kind: 'text', text: 'so it was refused' });
  clock.advance(MINUTE);
  expect(over).toHaveLength(1);
});

it('a person who is asked, or a pause, makes no silence, also while a tool runs', () => {
  const { clock, over, made, said } = limits({ quiet: 60, whole: 120 });
  said(call('a'));
  made.hold('inquiry');
  made.hold('pause');
  clock.advance(600 * MINUTE);
  made.release('inquiry');
  clock.advance(600 * MINUTE);
  made.release('pause');
  expect(over).toEqual([]);
  clock.advance(2 * MINUTE);
  expect(over).toEqual(['still running after 120 s (adapters.x.timeout)']);
});

it('an agent that tries again and again to reach its model is as good as quiet', () => {
  const { clock, over, made, said } = limits({ quiet: 300 });
  const retries = (minutes: number) => {
    for (let minute = 0; minute < minutes; minute += 1) {
      said({ kind: 'retry', attempt: minute + 1, error: 'no network' });
      made.heard();
      clock.advance(MINUTE);
    }
  };
  retries(4);
  said({ kind: 'text', text: 'there it is' });
  made.heard();
  retries(4);
  expect(over).toEqual([]);
  retries(1);
  expect(over).toEqual(['nothing but retries for 300 s (adapters.x.quiet_timeout)']);
});

it('a program that only spins is ended like a tool that never comes back; one that says something new, or does, is not', () => {
  const { clock, over, made, said } = limits({ quiet: 300 });
  const spins = (minutes: number) => {
    for (let minute = 0; minute < minutes; minute += 1) {
      clock.advance(MINUTE);
      made.heard(false);
    }
  };
  spins(29);
  made.heard();
  spins(29);
  said(call('a'));
  spins(29);
  expect(over).toEqual([]);
  spins(1);
  expect(over).toEqual(['nothing but a spinner for 1800 s (6 times adapters.x.quiet_timeout)']);
});

it('0 is no limit', () => {
  const { clock, over } = limits();
  clock.advance(100_000 * MINUTE);
  expect(over).toEqual([]);
});
