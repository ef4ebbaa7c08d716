/** Every open inquiry says where it stands: on the journal, in the inbox, and through a pause. */
import { describe, expect, it, test } from 'vitest';
import type { Inquiry } from '../contract/index.js';
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
