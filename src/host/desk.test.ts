import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { Verdict } from '../contract/index.js';
import type { Decision } from '../policy/index.js';
import {
  ASK,
  allow,
  ann,
  away,
  bob,
  clock,
  DEFER,
  deny,
  desk,
  dir,
  entries,
  journal,
  RUN,
  settle,
  settledDown,
  story,
} from './desk.cases.js';
import type { Draft } from './desk.js';

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
  // So that it can be kept out of what a model is shown.
  expect([...one.secrets]).toEqual(['hunter2-gehe1m']);
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

describe('what cannot be refused', () => {
  const line: Draft = {
    kind: 'question',
    tool: 'terminal',
    questions: [{ id: 'confirm', text: 'Go on?', options: [{ id: 'y', label: 'y' }], multi: false, free_text: false }],
    exclusive: false,
  };
  const yes: Verdict = { kind: 'values', values: { confirm: ['y'] } };

  it('waits for a person where policy would refuse it', async () => {
    const { desk: one, unasked } = desk({ route: async () => settle(deny, 'policy'), presence: async () => away });
    const asked = one.open(line, { stays: true });
    await settledDown();
    expect([one.list().map(({ id }) => id), story(), unasked]).toEqual([[asked.id], [`opened ${asked.id}`], []]);
    one.answer({ inquiry: asked.id, verdict: yes, by: ann });
    expect(await asked.settled).toEqual({ verdict: yes });
  });

  it('takes an answer that came while policy was asked', async () => {
    const { desk: one } = desk({ route: async () => settle(deny, 'policy') });
    const asked = one.open(line, { stays: true });
    one.answer({ inquiry: asked.id, verdict: yes, by: ann });
    expect(await asked.settled).toEqual({ verdict: yes });
  });

  it('is settled by an answer in advance like any other', async () => {
    const { desk: one } = desk({ route: async () => settle(yes, 'policy') });
    expect(await one.open(line, { stays: true }).settled).toEqual({ verdict: yes });
  });
});
