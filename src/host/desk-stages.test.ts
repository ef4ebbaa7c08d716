/** Every open inquiry says where it stands: on the journal, in the inbox, and through a pause. */
import { describe, expect, it, test } from 'vitest';
import type { Inquiry, Presence } from '../contract/index.js';
import { route } from '../policy/index.js';
import { ask as asks, question, settingsWith, tools } from '../policy/policy.cases.js';
import { ASK, ann, away, clock, deny, desk, entries, RUN, rule, settle, settledDown, story } from './desk.cases.js';
import type { ConsultHow, Draft } from './desk-ports.js';

const DB = asks([question()]) as Draft;
const at = (ms: number) => new Date(clock.now() + ms).toISOString();
const moves = () =>
  entries.flatMap((entry) => {
    if (entry.type !== 'inquiry.moved') return [];
    const { inquiry: _, ...progress } = entry.data;
    return [progress];
  });

const ladder = [{ mode: 'ask', forMs: 2_000 }, { mode: 'auto', forMs: 10_000 }, { mode: 'defer' }] as const;
const settings = settingsWith(
  {},
  { tools: { defaults: { detached: { all: { value: [...ladder], source: 'reins.yml:3' } } }, named: {} } },
);

test('C5: a ladder of [{ask: 2s}, {auto: 10s}, defer] says stage, until and next; each rung has its time', async () => {
  const asked: ConsultHow[] = [];
  const { desk: one, present } = desk({
    route: async (inquiry, presence) => route(inquiry, presence, settings, tools),
    consult: (_inquiry, how) => {
      asked.push(how);
      return new Promise(() => undefined);
    },
  });
  present.now = away;
  const began = clock.now();
  const first = at(2_000);
  one.open(DB);
  await settledDown();
  expect(moves()).toEqual([{ stage: 'asking', until: first, next: 'consult', who: 'codex' }]);
  expect(one.list()).toMatchObject([{ stage: 'asking', until: first, next: 'consult' }]);
  clock.advance(1_999);
  expect(asked).toEqual([]);
  clock.advance(1);
  await settledDown();
  const second = at(10_000);
  expect(moves()[1]).toEqual({
    stage: 'consulting',
    until: second,
    next: 'defer',
    who: 'codex',
    because: 'nobody answered within 2 s',
  });
  expect(one.list()).toMatchObject([{ stage: 'consulting', until: second, next: 'defer' }]);
  // It is told to be ready a moment before its rung ends.
  expect(asked[0]!.deadlineAt).toBeLessThan(began + 12_000);
  expect(asked[0]!.deadlineAt).toBeGreaterThan(began + 11_000);
  expect(one.parked).toBe(false);
  clock.advance(9_999);
  expect(asked[0]!.signal.aborted).toBe(false);
  clock.advance(1);
  await settledDown();
  expect(asked[0]!.signal.aborted).toBe(true);
  expect(moves()[2]).toEqual({ stage: 'deferred', because: 'codex gave no answer within 10 s' });
  expect(one.list()).toMatchObject([{ stage: 'deferred' }]);
  expect(one.parked).toBe(true);
  expect(story()).toEqual(['opened k7f2m9qd.1']);
});

describe('stages', () => {
  it('a consultation without an answer goes on at once, with the reason', async () => {
    const { desk: one, present } = desk({
      route: async (inquiry, presence) => route(inquiry, presence, settings, tools),
      consult: async () => ({ none: 'codex is not signed in' }),
    });
    present.now = away;
    one.open(DB);
    await settledDown();
    clock.advance(2_000);
    await settledDown();
    expect(moves().at(-1)).toEqual({ stage: 'deferred', because: 'codex is not signed in' });
  });

  it('what a rule settles has none; what is simply asked says so, with the agent’s deadline', async () => {
    const { desk: one } = desk({
      route: async (inquiry: Inquiry) => (inquiry.tool === 'Bash' ? settle(deny) : ASK),
    });
    await one.open(RUN).settled;
    expect(moves()).toEqual([]);
    one.open({ ...RUN, tool: 'Edit' }, { deadlineMs: 60_000 });
    await settledDown();
    expect(moves()).toEqual([{ stage: 'asking', until: at(60_000), next: 'deny' }]);
  });

  it('an inquiry about which nothing is decided waits, and says so', () => {
    const { desk: one } = desk();
    one.open(RUN, { held: true });
    expect(moves()).toEqual([{ stage: 'asking' }]);
  });

  it('a pause holds all of it: no end is known meanwhile, and the new one is told', async () => {
    const { desk: one, present } = desk({
      route: async (inquiry, presence) => route(inquiry, presence, settings, tools),
    });
    present.now = away;
    one.open(DB);
    await settledDown();
    clock.advance(500);
    one.hold();
    expect(one.list()[0]).not.toHaveProperty('until');
    clock.advance(3_600_000);
    expect(one.list()[0]).toMatchObject({ stage: 'asking', next: 'consult' });
    one.release();
    expect(moves().at(-1)).toEqual({ stage: 'asking', until: at(1_500), next: 'consult', who: 'codex' });
    clock.advance(1_499);
    expect(one.list()[0]).toMatchObject({ stage: 'asking' });
    clock.advance(1);
    expect(one.list()[0]).toMatchObject({ stage: 'consulting' });
  });

  it('when the last viewer has left, the next side says why it has it', async () => {
    const { desk: one, present } = desk({
      route: async (_, presence) => (presence.present ? ASK : { do: 'defer', rule }),
    });
    one.open(RUN);
    await settledDown();
    present.now = away;
    one.viewersChanged();
    await settledDown();
    clock.advance(10_000);
    await settledDown();
    expect(moves()).toEqual([{ stage: 'asking' }, { stage: 'deferred', because: 'whoever was asked has left' }]);
  });

  it('nothing is told of one that was answered', async () => {
    const { desk: one } = desk();
    const asked = one.open(RUN, { deadlineMs: 60_000 });
    await settledDown();
    one.answer({ inquiry: asked.id, verdict: deny, by: ann });
    const before = moves().length;
    one.hold();
    one.release();
    expect(moves()).toHaveLength(before);
  });
});

describe('somebody comes while nobody was there', () => {
  const MAKE: Draft = { ...RUN, input: { command: 'make install' } };
  const QUARTER = 15 * 60_000;
  const push: Presence = { present: false, reason: 'web', reachable: 'push to phone' };
  const here: Presence = { present: true, reason: 'web' };
  const reached = settingsWith({});
  const byPolicy = async (inquiry: Inquiry, presence: Presence) => route(inquiry, presence, reached, tools);
  const lookAt = (made: ReturnType<typeof desk>) => async (now: Presence) => {
    made.present.now = now;
    made.desk.viewersChanged();
    await settledDown();
  };
  const first = { stage: 'asking', next: 'deny' };
  const theirs = { stage: 'asking', because: 'somebody is there now' };

  it('the countdown ends: it waits for them, and is never denied under their eyes', async () => {
    const made = desk({ route: byPolicy });
    made.present.now = push;
    made.desk.open(MAKE);
    await settledDown();
    expect(moves()).toEqual([{ ...first, until: at(QUARTER) }]);
    clock.advance(QUARTER - 1_000);
    await lookAt(made)(here);
    expect(moves().at(-1)).toEqual(theirs);
    expect(made.desk.list()[0]).toMatchObject(theirs);
    expect(made.desk.list()[0]).not.toHaveProperty('until');
    clock.advance(24 * 60 * 60_000);
    await settledDown();
    expect(story()).toEqual(['opened k7f2m9qd.1']);
  });

  it('when the last one leaves, the side before goes on after the grace, with what was left of its time', async () => {
    const made = desk({ route: byPolicy });
    const look = lookAt(made);
    made.present.now = push;
    const asked = made.desk.open(MAKE);
    const timers = clock.waiting;
    await settledDown();
    clock.advance(5 * 60_000);
    await look(here);
    clock.advance(60 * 60_000);
    await look(push);
    clock.advance(9_999);
    await settledDown();
    expect(moves().at(-1)).toEqual(theirs);
    clock.advance(1);
    await settledDown();
    const left = { ...first, until: at(10 * 60_000), because: 'whoever was asked has left' };
    expect(moves().at(-1)).toEqual(left);
    // Once more: what was used up stays used up.
    clock.advance(4 * 60_000);
    await look(here);
    await look(push);
    clock.advance(10_000);
    await settledDown();
    expect(moves().at(-1)).toEqual({ ...left, until: at(6 * 60_000) });
    clock.advance(6 * 60_000);
    expect(await asked.settled).toMatchObject({ verdict: deny });
    expect(made.unasked).toEqual([asked.id]);
    expect(clock.waiting).toBeLessThanOrEqual(timers);
  });

  it('nobody can be fetched any more when they leave: the detached policy has it', async () => {
    const made = desk({ route: byPolicy });
    made.present.now = push;
    const asked = made.desk.open(MAKE);
    await settledDown();
    await lookAt(made)(here);
    await lookAt(made)(away);
    clock.advance(10_000);
    expect(await asked.settled).toMatchObject({ verdict: deny });
  });

  it('who may only look stops nothing', async () => {
    const made = desk({ route: byPolicy });
    made.present.now = push;
    const asked = made.desk.open(MAKE);
    await settledDown();
    await lookAt(made)(push);
    expect(moves()).toHaveLength(1);
    clock.advance(QUARTER);
    expect(await asked.settled).toMatchObject({ verdict: deny });
  });

  it('what another agent is asked meanwhile is not called off; without an answer it is theirs', async () => {
    let none: (why: { none: string }) => void = () => undefined;
    const consulted = new Promise<{ none: string }>((resolve) => {
      none = resolve;
    });
    const rungs = [{ mode: 'ask', forMs: 2_000 }, { mode: 'auto', forMs: 10_000 }, { mode: 'deny' }] as const;
    const detached = { all: { value: [...rungs], source: 'reins.yml:3' } };
    const config = settingsWith({}, { tools: { defaults: { detached }, named: {} } });
    const made = desk({
      route: async (inquiry, presence) => route(inquiry, presence, config, tools),
      consult: () => consulted,
    });
    made.present.now = away;
    const asked = made.desk.open(DB);
    await settledDown();
    clock.advance(2_000);
    await lookAt(made)(here);
    expect(made.desk.list()[0]).toMatchObject({ stage: 'consulting' });
    none({ none: 'codex does not know' });
    await settledDown();
    expect(moves().at(-1)).toEqual({ stage: 'asking', because: 'codex does not know' });
    // Nothing is tried twice.
    await lookAt(made)(away);
    clock.advance(10_000);
    expect(await asked.settled).toMatchObject({ verdict: deny });
    expect(moves().filter(({ stage }) => stage === 'consulting')).toHaveLength(1);
  });

  it('what no policy decides about is left alone', async () => {
    const made = desk({ route: () => Promise.reject(new Error('one command asks nobody')) });
    made.present.now = away;
    made.desk.open(RUN, { held: true });
    await lookAt(made)(here);
    await lookAt(made)(away);
    clock.advance(10_000);
    await settledDown();
    expect(moves()).toEqual([{ stage: 'asking' }]);
    expect(story()).toEqual(['opened k7f2m9qd.1']);
  });
});
