import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type By,
  type Entry,
  HandClock,
  type Inquiry,
  type Presence,
  type SessionId,
  type Verdict,
  type ViewerId,
} from '../contract/index.js';
import { Journal } from '../journal/index.js';
import type { Decision, Rung } from '../policy/index.js';
import { Desk, type DeskPorts, type Draft } from './desk.js';
import { Presses } from './presses.js';

const session = 'k7f2m9qd' as SessionId;
const rule = { text: 'ask', source: 'test' };
const ASK: Decision = { do: 'ask', rule };
const DEFER: Decision = { do: 'defer', rule };
const allow: Verdict = { kind: 'allow' };
const deny: Verdict = { kind: 'deny' };
const settle = (verdict: Verdict, kind: 'rule' | 'policy' = 'rule') =>
  ({ do: 'settle', verdict, by: { kind, rule }, reason: 'because', rule }) as const;
const RUN: Draft = { kind: 'run', tool: 'Bash', input: { command: 'ls' }, exclusive: false };
const ann: By = { kind: 'viewer', viewer: 'v-ann' as ViewerId, name: 'Ann' };
const bob: By = { kind: 'viewer', viewer: 'v-bob' as ViewerId };

let dir: string;
let journal: Journal;
let clock: HandClock;
let entries: Entry[];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'desk-'));
  clock = new HandClock();
  ({ journal } = Journal.open({ file: join(dir, 'journal.jsonl'), session, clock }));
  entries = [];
  journal.subscribe((entry) => entries.push(entry));
});

afterEach(() => {
  journal.close();
  rmSync(dir, { recursive: true, force: true });
});

/** Lets everything that is already decided happen. */
const settledDown = async () => {
  for (let turn = 0; turn < 5; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
};

function desk(ports: Partial<DeskPorts> = {}, opened = 0) {
  const unasked: string[] = [];
  const granted: string[] = [];
  const present = { now: { present: true, reason: 'viewer' } as Presence };
  const made = new Desk(
    {
      session,
      journal,
      clock,
      graceMs: 10_000,
      presses: new Presses(clock),
      presence: async () => present.now,
      route: async () => ASK,
      consult: async () => undefined,
      grant: async (inquiry: Inquiry) => granted.push(inquiry.id),
      changed: () => undefined,
      deniedUnasked: (inquiry) => unasked.push(inquiry.id),
      ...ports,
    },
    opened,
  );
  return { desk: made, unasked, granted, present };
}

const away: Presence = { present: false, reason: 'no-viewer' };
const story = () =>
  entries.flatMap((entry) => {
    if (entry.type === 'inquiry.opened') return [`opened ${entry.data.inquiry.id}`];
    if (entry.type === 'inquiry.answered') {
      const { verdict, by } = entry.data.answer;
      return [`${verdict.kind} by ${by.kind}`];
    }
    return entry.type === 'inquiry.closed' ? [`closed ${entry.data.how}`] : [];
  });

describe('an inquiry is settled once', () => {
  it('is in the journal before anyone is asked, and the first valid answer wins', async () => {
    const { desk: one } = desk({
      route: async (inquiry) => {
        expect(story()).toEqual([`opened ${inquiry.id}`]);
        return ASK;
      },
    });
    const asked = one.open(RUN);
    expect(asked.id).toBe('k7f2m9qd.1');
    await settledDown();
    expect(one.list().map(({ id }) => id)).toEqual([asked.id]);
    one.answer({ inquiry: asked.id, verdict: allow, by: ann });
    expect(await asked.settled).toEqual({ verdict: allow });
    expect(one.list()).toEqual([]);
    const late = () => one.answer({ inquiry: asked.id, verdict: deny, by: bob });
    expect(late).toThrow(
      expect.objectContaining({ code: 'ANSWERED_ALREADY', data: { inquiry: asked.id, how: 'answered by Ann' } }),
    );
    asked.delivered();
    asked.delivered();
    asked.withdraw('too late');
    expect(late).toThrow('answered by Ann');
    expect(story()).toEqual(['opened k7f2m9qd.1', 'allow by viewer', 'closed delivered']);
    expect(clock.waiting).toBeLessThanOrEqual(1);
  });

  it.each(['nonsense', 'k7f2m9qd.99', 'k7f2m9qd.0', 'otherone.1', 'k7f2m9qd.', ''])('%j is no inquiry', (inquiry) => {
    const { desk: one } = desk();
    expect(() => one.answer({ inquiry, verdict: allow, by: ann })).toThrow(
      expect.objectContaining({ code: 'NO_SUCH_INQUIRY', exit: 30 }),
    );
  });

  it('one from before the session was continued is known to be over', () => {
    const { desk: one } = desk({}, 7);
    expect(one.count).toBe(7);
    expect(() => one.answer({ inquiry: 'k7f2m9qd.7', verdict: allow, by: ann })).toThrow(
      expect.objectContaining({ code: 'ANSWERED_ALREADY', exit: 31 }),
    );
    expect(one.open(RUN).id).toBe('k7f2m9qd.8');
  });

  it('a verdict that does not fit is refused, and the inquiry stays open', async () => {
    const { desk: one } = desk();
    const asked = one.open(RUN);
    await settledDown();
    for (const verdict of [
      { kind: 'values', values: {} },
      { kind: 'allow', input: {} },
    ] as const) {
      expect(() => one.answer({ inquiry: asked.id, verdict, by: ann })).toThrow(
        expect.objectContaining({ code: 'ANSWER_INVALID' }),
      );
    }
    expect(one.list()).toHaveLength(1);
    one.answer({ inquiry: asked.id, verdict: deny, by: ann, reason: 'no' });
    expect(await asked.settled).toEqual({ verdict: deny, reason: 'no' });
  });

  it('withdrawn before it was answered: nobody can answer any more', async () => {
    const { desk: one } = desk();
    const asked = one.open(RUN);
    await settledDown();
    asked.withdraw('the agent no longer waits');
    asked.withdraw('again');
    expect(await asked.settled).toBeUndefined();
    expect(() => one.answer({ inquiry: asked.id, verdict: allow, by: ann })).toThrow('the agent no longer waits');
    asked.delivered();
    expect(story()).toEqual(['opened k7f2m9qd.1', 'closed cancelled']);
  });

  it('withdrawn after it was answered but before the agent was told', async () => {
    const { desk: one } = desk();
    const asked = one.open(RUN);
    await settledDown();
    one.answer({ inquiry: asked.id, verdict: allow, by: ann });
    asked.withdraw('the agent ended');
    expect(await asked.settled).toEqual({ verdict: allow });
    expect(story()).toEqual(['opened k7f2m9qd.1', 'allow by viewer', 'closed cancelled']);
    expect(() => one.answer({ inquiry: asked.id, verdict: allow, by: ann })).toThrow('answered by Ann');
  });

  it('told of before it was answered counts for nothing', async () => {
    const { desk: one } = desk();
    const asked = one.open(RUN);
    await settledDown();
    asked.delivered();
    expect(one.list()).toHaveLength(1);
    one.clear('over');
    expect(await asked.settled).toBeUndefined();
  });

  it('all that is open goes with the agent', async () => {
    const { desk: one } = desk();
    const asked = [one.open(RUN), one.open(RUN, { deadlineMs: 1000 })];
    await settledDown();
    one.clear('the session ended');
    expect(await Promise.all(asked.map(({ settled }) => settled))).toEqual([undefined, undefined]);
    clock.advance(5000);
    expect(story().filter((line) => line.startsWith('closed'))).toEqual(['closed cancelled', 'closed cancelled']);
  });
});

describe('while policy is being asked', () => {
  function slow(decision: Decision) {
    let go: () => void = () => undefined;
    const route = () =>
      new Promise<Decision>((resolve) => {
        go = () => resolve(decision);
      });
    return { ...desk({ route }), go: () => go() };
  }

  it('an inquiry is not yet anybody’s, but it is known', async () => {
    const { desk: one } = slow(ASK);
    const asked = one.open(RUN);
    await settledDown();
    expect(one.list()).toEqual([]);
    expect(one.unsettled().map(({ id }) => id)).toEqual([asked.id]);
    expect(one.parked).toBe(false);
  });

  it('an early answer counts as soon as no rule settles the matter, and only the first does', async () => {
    const { desk: one, granted, go } = slow(ASK);
    const asked = one.open(RUN);
    await settledDown();
    expect(one.answer({ inquiry: asked.id, verdict: allow, by: ann, scope: 'session' })).toMatchObject({
      verdict: allow,
    });
    expect(() => one.answer({ inquiry: asked.id, verdict: deny, by: bob })).toThrow('answered by Ann');
    expect(granted).toEqual([]);
    go();
    expect(await asked.settled).toEqual({ verdict: allow });
    expect(granted).toEqual([asked.id]);
  });

  it('an early allow does not beat a deny rule', async () => {
    const { desk: one, granted, go } = slow(settle(deny));
    const asked = one.open(RUN);
    await settledDown();
    one.answer({ inquiry: asked.id, verdict: allow, by: ann, scope: 'session' });
    go();
    expect(await asked.settled).toEqual({ verdict: deny, reason: 'because' });
    expect([granted, story()]).toEqual([[], ['opened k7f2m9qd.1', 'deny by rule']]);
  });

  it('withdrawn meanwhile: the decision comes too late to count', async () => {
    const { desk: one, go } = slow(settle(allow));
    const asked = one.open(RUN);
    await settledDown();
    asked.withdraw('gone');
    go();
    await settledDown();
    expect(await asked.settled).toBeUndefined();
    expect(story()).toEqual(['opened k7f2m9qd.1', 'closed cancelled']);
  });

  it.each([
    ['policy', { route: () => Promise.reject(new Error('no parser')) }],
    ['presence', { presence: () => Promise.reject(new Error('no parser')) }],
  ])('%s that fails is a no, with the reason', async (_, ports) => {
    const { desk: one } = desk(ports);
    expect(await one.open(RUN).settled).toEqual({ verdict: deny, reason: 'Reins could not decide: no parser' });
    expect(story()).toEqual(['opened k7f2m9qd.1', 'deny by policy']);
  });

  it('policy that fails after the inquiry was over adds nothing', async () => {
    let fail: (error: Error) => void = () => undefined;
    const route = () =>
      new Promise<Decision>((_, reject) => {
        fail = reject;
      });
    const { desk: one } = desk({ route });
    const asked = one.open(RUN);
    await settledDown();
    asked.withdraw('gone');
    fail(new Error('late'));
    await settledDown();
    expect(story()).toEqual(['opened k7f2m9qd.1', 'closed cancelled']);
  });
});

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
        return undefined;
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
      clock.advance(70_000);
      present.now = { present: now, reason: 'viewer' };
      one.viewersChanged();
      await settledDown();
    }
    clock.advance(20_000);
    expect(await asked.settled).toMatchObject({ verdict: deny });
  });
});

describe('consultations', () => {
  const decision = { do: 'consult', rule, onNoAnswer: settle(deny, 'policy') } as const;

  it('a usable answer settles, with who gave it', async () => {
    const by: By = { kind: 'consultant', adapter: 'claude' };
    const { desk: one } = desk({ route: async () => decision, consult: async () => ({ verdict: allow, by }) });
    expect(await one.open(RUN).settled).toEqual({ verdict: allow });
    expect(story()).toContain('allow by consultant');
  });

  it.each([
    ['none', async () => undefined],
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

describe('settled at once, or left alone', () => {
  it.each([allow, deny])('what rules settle has all its entries: %j', async (verdict) => {
    const { desk: one } = desk({ route: async () => settle(verdict) });
    const settled = await one.atOnce(RUN);
    expect(settled?.verdict).toEqual(verdict);
    expect(story()).toEqual(['opened k7f2m9qd.1', `${verdict.kind} by rule`, 'closed delivered']);
    expect([one.list(), one.count]).toEqual([[], 1]);
  });

  it.each([ASK, DEFER])('what they leave open leaves no trace: %j', async (decision) => {
    const { desk: one } = desk({ route: async () => decision });
    expect(await one.atOnce(RUN)).toBeUndefined();
    expect([story(), one.count]).toEqual([[], 0]);
  });

  it('somebody who comes in this moment is not asked about what is settled', async () => {
    const {
      desk: one,
      present,
      unasked,
    } = desk({
      route: async (_, presence) => {
        present.now = { present: true, reason: 'viewer' };
        return presence.present ? ASK : settle(deny, 'policy');
      },
    });
    present.now = away;
    expect(await one.atOnce(RUN)).toEqual({ verdict: deny, reason: 'because' });
    expect(unasked).toHaveLength(1);
  });

  it('a policy that fails is the caller’s to refuse', async () => {
    const { desk: one } = desk({ route: () => Promise.reject(new Error('broken')) });
    await expect(one.atOnce(RUN)).rejects.toThrow('broken');
  });
});

describe('parked', () => {
  it('means that everything open waits for a person who is away', async () => {
    const decisions = [DEFER, ASK];
    const { desk: one } = desk({ route: async () => decisions.shift() ?? DEFER });
    expect(one.parked).toBe(false);
    const first = one.open(RUN);
    await settledDown();
    expect(one.parked).toBe(true);
    const second = one.open(RUN);
    await settledDown();
    expect(one.parked).toBe(false);
    second.withdraw('gone');
    expect(one.parked).toBe(true);
    one.answer({ inquiry: first.id, verdict: allow, by: ann });
    expect(one.parked).toBe(false);
  });
});

describe('grants', () => {
  it('are made only of an allow for the session', async () => {
    const { desk: one, granted } = desk();
    const given = [
      { verdict: allow, scope: 'session' },
      { verdict: allow, scope: 'once' },
      { verdict: allow },
      { verdict: deny, scope: 'session' },
    ] as const;
    for (const answer of given) {
      const asked = one.open(RUN);
      await settledDown();
      one.answer({ inquiry: asked.id, by: ann, ...answer });
    }
    expect(granted).toEqual(['k7f2m9qd.1']);
  });

  it('that fail are said, and change nothing else', async () => {
    const { desk: one } = desk({ grant: () => Promise.reject(new Error('no parser')) });
    const asked = one.open(RUN);
    await settledDown();
    one.answer({ inquiry: asked.id, verdict: allow, by: ann, scope: 'session' });
    expect(await asked.settled).toEqual({ verdict: allow });
    await vi.waitFor(() => expect(entries.at(-1)).toMatchObject({ type: 'notice' }));
  });
});

it('what is typed into a secret question reaches the agent and never the disk', async () => {
  const question = { id: 'pass', text: 'Password?', options: [], multi: false, free_text: true };
  const draft: Draft = {
    kind: 'question',
    exclusive: true,
    questions: [
      { ...question, secret: true },
      { ...question, id: 'user' },
    ],
  };
  const { desk: one } = desk();
  const asked = one.open(draft);
  await settledDown();
  const values = { pass: ['hunter2-gehe1m'], user: ['ann'] };
  one.answer({ inquiry: asked.id, verdict: { kind: 'values', values }, by: ann });
  expect(await asked.settled).toEqual({ verdict: { kind: 'values', values } });
  asked.delivered();
  journal.close();
  const written = readFileSync(join(dir, 'journal.jsonl'), 'utf8');
  expect(written).not.toContain('hunter2');
  expect(written).toContain('"user":["ann"]');
  expect(JSON.stringify(entries)).not.toContain('hunter2');
});

it('D1: what is held for a person is not decided by policy, with nobody there either', async () => {
  const routed = vi.fn(async () => settle(deny, 'policy'));
  const { desk: one, present } = desk({ route: routed });
  present.now = away;
  const held = one.open({ ...RUN, tool: 'dialog', exclusive: true }, { held: true });
  await settledDown();
  one.viewersChanged();
  clock.advance(100_000);
  await settledDown();
  expect([one.list().map(({ id }) => id), routed.mock.calls.length, one.parked]).toEqual([[held.id], 0, false]);
  held.withdraw('the agent goes on');
  expect([one.list(), await held.settled]).toEqual([[], undefined]);
});
