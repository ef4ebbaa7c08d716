/** What happens at the desk when time passes or people leave: deadlines, ladders, consultations, the last viewer. */
import { describe, expect, it } from 'vitest';
import type { By, Inquiry, InquiryId, Presence, Verdict } from '../contract/index.js';
import type { Decision, Rung } from '../policy/index.js';
import {
  ASK,
  allow,
  ann,
  away,
  clock,
  DEFER,
  deny,
  desk,
  RUN,
  rule,
  settle,
  settledDown,
  story,
} from './desk.cases.js';
import type { Desk } from './desk.js';

describe('deadlines', () => {
  it('settle as a no, and the inquiry ends as expired', async () => {
    const { desk: one, unasked } = desk();
    const asked = one.open(RUN, { deadlineMs: 60_000 });
    await settledDown();
    expect(one.list()[0]?.deadline_at).toBe(new Date(clock.now() + 60_000).toISOString());
    clock.advance(59_999);
    expect(one.list()).toHaveLength(1);
    clock.advance(1);
    expect(await asked.settled).toMatchObject({ verdict: deny, reason: expect.stringContaining('in time') });
    asked.delivered();
    expect(story()).toEqual(['opened k7f2m9qd.1', 'deny by deadline', 'closed expired']);
    expect(unasked).toEqual([]);
    expect(() => one.answer({ inquiry: asked.id, verdict: allow, by: ann })).toThrow('answered by the deadline');
  });

  it('with nobody there it was denied for want of a person', async () => {
    const { desk: one, unasked, present } = desk({ route: async () => DEFER });
    present.now = away;
    const asked = one.open(RUN, { deadlineMs: 1000 });
    await settledDown();
    clock.advance(1000);
    await asked.settled;
    expect(unasked).toEqual([asked.id]);
  });

  it('stand still while the session is paused, and go on where they were', async () => {
    const { desk: one } = desk();
    const asked = one.open(RUN, { deadlineMs: 60_000 });
    await settledDown();
    clock.advance(50_000);
    one.hold();
    one.hold();
    clock.advance(3_600_000);
    const during = one.open(RUN, { deadlineMs: 5_000 });
    clock.advance(3_600_000);
    expect(one.unsettled()).toHaveLength(2);
    one.release();
    one.release();
    clock.advance(5_000);
    expect(await during.settled).toMatchObject({ verdict: deny });
    clock.advance(4_999);
    expect(one.list().map(({ id }) => id)).toEqual([asked.id]);
    clock.advance(1);
    expect(await asked.settled).toMatchObject({ verdict: deny });
  });
});

describe('ladders', () => {
  const ladder = (...rungs: Rung[]): Decision => ({ do: 'ladder', rungs, rule });
  const consult = (onNoAnswer: ReturnType<typeof settle>): Rung => ({ do: 'consult', rule, onNoAnswer });

  it('try each rung for its time, then the next; the last one stays', async () => {
    const decision = ladder(
      { do: 'ask', rule, forMs: 300_000 },
      { do: 'defer', rule, forMs: 1000 },
      settle(deny, 'policy'),
    );
    const { desk: one, unasked, present } = desk({ route: async () => decision });
    present.now = away;
    const asked = one.open(RUN);
    await settledDown();
    expect(one.parked).toBe(false);
    clock.advance(299_999);
    expect(one.parked).toBe(false);
    clock.advance(1);
    expect(one.parked).toBe(true);
    clock.advance(1000);
    expect(await asked.settled).toEqual({ verdict: deny, reason: 'because' });
    expect(unasked).toEqual([asked.id]);
    clock.advance(10_000_000);
    expect(story()).toEqual(['opened k7f2m9qd.1', 'deny by policy']);
  });

  it('a consultation without a usable answer leads to the next rung, not to its own way out', async () => {
    const consulted: string[] = [];
    const { desk: one } = desk({
      route: async () => ladder(consult(settle(deny, 'policy')), { do: 'defer', rule }),
      consult: async (inquiry) => {
        consulted.push(inquiry.id);
        return { verdict: { kind: 'values', values: {} }, by: { kind: 'consultant', adapter: 'x' } };
      },
    });
    const asked = one.open(RUN);
    await settledDown();
    expect(consulted).toEqual([asked.id]);
    expect(one.parked).toBe(true);
  });

  it('a consultant that takes longer than its rung is too late', async () => {
    let answer: (given: { verdict: Verdict; by: By }) => void = () => undefined;
    const { desk: one } = desk({
      route: async () => ladder({ ...consult(settle(deny, 'policy')), forMs: 1000 }, { do: 'ask', rule }),
      consult: () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    });
    const asked = one.open(RUN);
    await settledDown();
    clock.advance(1000);
    answer({ verdict: allow, by: { kind: 'consultant', adapter: 'x' } });
    await settledDown();
    expect(one.list()).toHaveLength(1);
    one.answer({ inquiry: asked.id, verdict: deny, by: ann });
    expect(await asked.settled).toEqual({ verdict: deny });
  });

  it('are not climbed twice by a pause', async () => {
    let consulted = 0;
    const { desk: one } = desk({
      route: async () =>
        ladder({ do: 'ask', rule, forMs: 1000 }, consult(settle(deny, 'policy')), { do: 'defer', rule }),
      consult: async () => {
        consulted += 1;
        return { none: 'it did not know' };
      },
    });
    one.open(RUN);
    await settledDown();
    clock.advance(1000);
    await settledDown();
    one.hold();
    one.release();
    clock.advance(100_000);
    await settledDown();
    expect([consulted, one.parked]).toEqual([1, true]);
  });

  it('are not begun again because a viewer looked in', async () => {
    const decision = ladder({ do: 'ask', rule, forMs: 300_000 }, settle(deny, 'policy'));
    const { desk: one, present } = desk({ route: async () => decision });
    present.now = away;
    const asked = one.open(RUN);
    await settledDown();
    for (const now of [true, false, true, false]) {
      // Somebody is there, or was until a grace ago.
      clock.advance(now ? 70_000 : 40_000);
      present.now = { present: now, reason: 'viewer' };
      one.viewersChanged();
      await settledDown();
      if (!now) clock.advance(10_000);
      await settledDown();
    }
    clock.advance(159_999);
    await settledDown();
    expect(one.list()).toHaveLength(1);
    clock.advance(1);
    expect(await asked.settled).toMatchObject({ verdict: deny });
  });
});

describe('consultations', () => {
  const decision = { do: 'consult', rule, onNoAnswer: settle(deny, 'policy') } as const;

  it('a usable answer settles, with who gave it', async () => {
    const by: By = { kind: 'consultant', adapter: 'claude' };
    const { desk: one } = desk({ route: async () => decision, consult: async () => ({ verdict: allow, by }) });
    expect(await one.open(RUN).settled).toEqual({ verdict: allow, voice: 'answered for the user by claude' });
    expect(story()).toContain('allow by consultant');
  });

  it.each([
    ['none', async () => ({ none: 'it did not know' })],
    ['one that does not fit', async () => ({ verdict: { kind: 'values' as const, values: {} }, by: ann })],
    ['a failure', () => Promise.reject(new Error('no agent'))],
  ])('%s leads to what the policy says then', async (_, consult) => {
    const { desk: one, unasked, present } = desk({ route: async () => decision, consult });
    present.now = away;
    const asked = one.open(RUN);
    expect(await asked.settled).toEqual({ verdict: deny, reason: 'because' });
    expect(unasked).toEqual([asked.id]);
  });

  it('a person may be faster', async () => {
    const { desk: one } = desk({ route: async () => decision, consult: () => new Promise(() => undefined) });
    const asked = one.open(RUN);
    await settledDown();
    one.answer({ inquiry: asked.id, verdict: allow, by: ann });
    expect(await asked.settled).toEqual({ verdict: allow });
  });

  it.each([
    ['a person answered', (one: Desk, id: InquiryId) => void one.answer({ inquiry: id, verdict: allow, by: ann })],
    ['the agent is gone', (one: Desk) => one.clear('the session ended')],
  ])('are called off when %s', async (_, end) => {
    const signals: AbortSignal[] = [];
    const consult = (_inquiry: Inquiry, { signal }: { signal: AbortSignal }) => {
      signals.push(signal);
      return new Promise<never>(() => undefined);
    };
    const { desk: one } = desk({ route: async () => decision, consult });
    const asked = one.open(RUN);
    await settledDown();
    expect(signals.map((signal) => signal.aborted)).toEqual([false]);
    end(one, asked.id);
    expect(signals.map((signal) => signal.aborted)).toEqual([true]);
  });
});

describe('when the last viewer leaves', () => {
  const byPresence = async (_: Inquiry, presence: Presence): Promise<Decision> =>
    presence.present ? ASK : settle(deny, 'policy');

  it('the detached policy takes over after the grace', async () => {
    const { desk: one, unasked, present } = desk({ route: byPresence });
    const asked = one.open(RUN);
    await settledDown();
    present.now = away;
    one.viewersChanged();
    await settledDown();
    clock.advance(9_999);
    await settledDown();
    expect(one.list()).toHaveLength(1);
    clock.advance(1);
    expect(await asked.settled).toEqual({ verdict: deny, reason: 'because' });
    expect(unasked).toEqual([asked.id]);
  });

  it('one who comes back in time keeps it, and the grace begins anew when that one leaves', async () => {
    const { desk: one, present } = desk({ route: byPresence });
    const asked = one.open(RUN);
    await settledDown();
    const change = async (now: boolean) => {
      present.now = { present: now, reason: 'x' };
      one.viewersChanged();
      await settledDown();
    };
    await change(false);
    clock.advance(6_000);
    await change(true);
    clock.advance(3_000);
    await change(false);
    clock.advance(9_999);
    await settledDown();
    expect(one.list()).toHaveLength(1);
    clock.advance(1);
    expect(await asked.settled).toMatchObject({ verdict: deny });
  });

  it('one who comes back in the very last moment, unannounced, keeps it', async () => {
    const { desk: one, present } = desk({ route: byPresence });
    one.open(RUN);
    await settledDown();
    present.now = away;
    one.viewersChanged();
    await settledDown();
    present.now = { present: true, reason: 'tty' };
    clock.advance(10_000);
    await settledDown();
    expect(one.list()).toHaveLength(1);
  });

  it('while it was being decided who is there, it is noticed afterwards', async () => {
    let go: () => void = () => undefined;
    const waits = new Promise<void>((resolve) => {
      go = resolve;
    });
    let first = true;
    const route = async (inquiry: Inquiry, presence: Presence) => {
      if (first) await waits;
      first = false;
      return byPresence(inquiry, presence);
    };
    const { desk: one, present } = desk({ route });
    const asked = one.open(RUN);
    await settledDown();
    present.now = away;
    one.viewersChanged();
    go();
    await settledDown();
    clock.advance(10_000);
    expect(await asked.settled).toMatchObject({ verdict: deny });
  });

  it('viewers that come and go leave no timers behind', async () => {
    const { desk: one, present } = desk({ route: byPresence });
    const asked = one.open(RUN);
    await settledDown();
    const before = clock.waiting;
    for (let count = 0; count < 100; count += 1) {
      present.now = { present: count % 2 === 0, reason: 'x' };
      one.viewersChanged();
      await settledDown();
    }
    expect(clock.waiting - before).toBeLessThanOrEqual(1);
    one.answer({ inquiry: asked.id, verdict: allow, by: ann });
    expect(clock.waiting).toBeLessThanOrEqual(before);
  });
});
