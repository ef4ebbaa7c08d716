import { expect, it } from 'vitest';
import { HandClock } from '../../contract/index.js';
import { TurnWatch } from './turn-watch.js';

type Over = Parameters<ConstructorParameters<typeof TurnWatch>[0]['over']>;

function watched({ hooked = false } = {}) {
  const clock = new HandClock();
  const overs: Over[] = [];
  const watch = new TurnWatch({
    clock,
    label: 'Codex',
    hooked: () => hooked,
    over: (...over) => overs.push(over),
  });
  return { clock, watch, overs };
}

const text = { kind: 'text', text: 'Done.\n' } as const;
const call = { kind: 'tool', call: 'c1', tool: 'shell', input: {} } as const;
const result = { kind: 'tool-result', call: 'c1', ok: true, text: '' } as const;

it('a turn is over when the program rests after its words', () => {
  const { clock, watch, overs } = watched();
  watch.state('ready');
  clock.advance(60_000);
  expect(overs).toEqual([]); // not begun
  watch.state('working');
  watch.heard({ kind: 'prompt', text: 'go' });
  watch.heard(text);
  clock.advance(60_000);
  expect(overs).toEqual([]); // still works
  watch.state('idle');
  clock.advance(499);
  expect(overs).toEqual([]);
  clock.advance(1);
  expect(overs).toEqual([[{ kind: 'done', ok: true }, { silentHook: false }]]);
  watch.state('working');
  watch.state('idle');
  clock.advance(60_000);
  expect(overs).toHaveLength(1);
});

it('a rest between two steps is none: working again, words that follow, a call without its result', () => {
  const { clock, watch, overs } = watched();
  watch.state('working');
  watch.heard(text);
  watch.state('idle');
  clock.advance(400);
  watch.state('working');
  clock.advance(60_000);
  watch.heard(call);
  watch.state('idle');
  clock.advance(9_999);
  expect(overs).toEqual([]);
  watch.heard(result);
  clock.advance(2_999);
  expect(overs).toEqual([]);
  clock.advance(1);
  expect(overs).toHaveLength(1);
});

it('the prompt on record is no end: it rests while the model has not been asked yet', () => {
  const { clock, watch, overs } = watched();
  watch.state('working'); // what it shows while it starts
  watch.heard({ kind: 'prompt', text: 'go' });
  watch.state('idle');
  clock.advance(9_999);
  expect(overs).toEqual([]);
});

it('a hook of ours comes first: its word ends the watch, its silence is told', () => {
  const first = watched({ hooked: true });
  first.watch.state('working');
  first.watch.heard(text);
  first.watch.state('idle');
  first.clock.advance(2_999);
  first.watch.heard({ kind: 'done', ok: true });
  first.clock.advance(60_000);
  expect(first.overs).toEqual([]);
  const silent = watched({ hooked: true });
  silent.watch.state('working');
  silent.watch.heard(text);
  silent.watch.state('idle');
  silent.clock.advance(3_000);
  expect(silent.overs).toEqual([[{ kind: 'done', ok: true }, { silentHook: true }]]);
});

it('an error at the end is a failure, and a usage limit is told as one; words after it make it good', () => {
  const { clock, watch, overs } = watched();
  watch.state('working');
  watch.heard({ kind: 'error', message: 'You have hit your usage limit. Try again in 2 hours.', fatal: false });
  watch.state('idle');
  clock.advance(3_000);
  expect(overs[0]![0]).toMatchObject({ ok: false, reason: expect.stringContaining('usage limit') });
  expect(overs[0]![1].limit).toMatchObject({ until: clock.now() + 2 * 3_600_000 });
  const good = watched();
  good.watch.state('working');
  good.watch.heard({ kind: 'error', message: 'Reconnecting', fatal: false });
  good.watch.heard(text);
  good.watch.state('idle');
  good.clock.advance(500);
  expect(good.overs[0]![0]).toEqual({ kind: 'done', ok: true });
});

it('a program that worked and rests while nothing of it can be read has failed, with the reason', () => {
  const { clock, watch, overs } = watched({ hooked: true });
  watch.state('working');
  watch.state('idle');
  clock.advance(14_999);
  expect(overs).toEqual([]);
  clock.advance(1);
  expect(overs[0]![0]).toMatchObject({
    ok: false,
    reason: expect.stringMatching(/Codex has come to rest.*hook did not call, and no transcript/),
  });
});

it('a person at the keys has time to say what comes next', () => {
  const { clock, watch, overs } = watched();
  watch.state('working');
  watch.heard(text);
  watch.pressed(); // Esc
  watch.state('idle');
  clock.advance(29_999);
  expect(overs).toEqual([]);
  clock.advance(1);
  expect(overs).toHaveLength(1);
});

it('what a helper says and does is not the turn', () => {
  const { clock, watch, overs } = watched();
  watch.state('working');
  watch.heard(text);
  watch.heard({ ...call, parent: 'a1' });
  watch.state('idle');
  clock.advance(500);
  expect(overs).toHaveLength(1);
});

it('a dialog is no rest', () => {
  const { clock, watch, overs } = watched();
  watch.state('working');
  watch.heard(text);
  watch.state('asking-permission');
  clock.advance(600_000);
  expect(overs).toEqual([]);
});
