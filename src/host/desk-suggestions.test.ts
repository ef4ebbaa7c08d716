/** C8 and C23 at the desk: an answer that only waits to be taken, and one that is replaced before the agent was told. */
import { describe, expect, it, test } from 'vitest';
import { type By, HandClock, type Verdict } from '../contract/index.js';
import { ask as asks, question } from '../policy/policy.cases.js';
import { ASK, ann, away, clock, DEFER, desk, entries, RUN, rule, settledDown, story } from './desk.cases.js';
import type { Consulted, ConsultHow, DeskPorts, Draft } from './desk-ports.js';

const DB = asks([question()]) as Draft;
const codex: By = { kind: 'consultant', adapter: 'codex', model: 'small' };
const pick = (id: string): Verdict => ({ kind: 'values', values: { db: [id] } });
const said: Consulted = { verdict: pick('pg'), by: codex, reason: 'the roadmap names it', confidence: 0.9, cites: [] };

function suggesting(ports: Partial<DeskPorts> = {}, consulted: Consulted = said) {
  const asked: ConsultHow[] = [];
  const made = desk({
    consulting: { who: 'codex', ms: 55_000, suggest: true },
    consult: async (_inquiry, how) => {
      asked.push(how);
      return consulted;
    },
    ...ports,
  });
  return { ...made, asked };
}
const proposals = () =>
  entries.flatMap((entry) => (entry.type === 'inquiry.moved' && entry.data.suggestion ? [entry.data] : []));

describe('C8: a suggestion', () => {
  it.each([
    ['asked', ASK],
    ['put aside', DEFER],
  ])('is made for a question that is %s, with its reason; nothing is answered', async (_, decision) => {
    const { desk: one, asked } = suggesting({ route: async () => decision });
    one.open(DB);
    await settledDown();
    expect(asked).toMatchObject([{ for: 'suggestion', deadlineAt: clock.now() + 55_000 }]);
    expect(proposals()).toMatchObject([{ suggestion: { verdict: pick('pg'), by: codex, mark: expect.any(String) } }]);
    expect(one.list()).toMatchObject([{ suggestion: { reason: 'the roadmap names it' } }]);
    expect(story()).toEqual(['opened k7f2m9qd.1']);
  });

  test('is taken by a person, who answered, with who proposed it on record', async () => {
    const { desk: one } = suggesting();
    const asked = one.open(DB);
    await settledDown();
    const proposed = one.list()[0]!.suggestion!;
    one.answer({ inquiry: asked.id, verdict: proposed.verdict, by: ann, proposed });
    expect(await asked.settled).toEqual({ verdict: pick('pg') });
    const answered = entries.find((entry) => entry.type === 'inquiry.answered');
    expect(answered).toMatchObject({ data: { answer: { by: ann, proposed: { by: codex, verdict: pick('pg') } } } });
  });

  it('is asked for once, also when the inquiry goes through several hands', async () => {
    const rungs = [{ do: 'ask', rule, forMs: 1000 } as const, { do: 'defer', rule } as const];
    const { desk: one, asked } = suggesting({ route: async () => ({ do: 'ladder', rungs, rule }) });
    one.open(DB);
    await settledDown();
    clock.advance(1000);
    await settledDown();
    expect(asked).toHaveLength(1);
    expect(one.list()).toMatchObject([{ stage: 'deferred', suggestion: { by: codex } }]);
  });

  it.each([
    ['not switched on', DB, { consulting: { who: 'codex', ms: 55_000, suggest: false } }],
    ['for a person alone', { ...DB, exclusive: true }, {}],
    ['of the words that are never another agent’s', DB, { never: async () => ({ text: 'it', source: 'x' }) }],
    ['one that cannot be judged', DB, { never: () => Promise.reject(new Error('no rules')) }],
  ] as [string, Draft, Partial<DeskPorts>][])('is not asked for: %s', async (_, draft, ports) => {
    const { desk: one, asked } = suggesting(ports);
    one.open(draft);
    await settledDown();
    expect(asked).toEqual([]);
    expect(one.list()[0]).not.toHaveProperty('suggestion');
  });

  it.each([
    ['yes', { kind: 'allow' }],
    ['no', { kind: 'deny' }],
  ] as [string, Verdict][])('is made for a permission too: %s; nothing runs without a person', async (_, verdict) => {
    const { desk: one } = suggesting({}, { ...said, verdict });
    const asked = one.open(RUN);
    await settledDown();
    expect(one.list()).toMatchObject([{ kind: 'run', suggestion: { verdict, by: codex, mark: expect.any(String) } }]);
    expect(story()).toEqual(['opened k7f2m9qd.1']);
    const proposed = one.list()[0]!.suggestion!;
    one.answer({ inquiry: asked.id, verdict: proposed.verdict, by: ann, proposed });
    expect(await asked.settled).toEqual({ verdict });
  });

  it.each([
    ['with an input of its own', { kind: 'allow', input: { command: 'rm -rf /' } }],
    ['with values', pick('pg')],
  ] as [string, Verdict][])('a yes to a permission %s is no suggestion', async (_, verdict) => {
    const { desk: one } = suggesting({}, { ...said, verdict });
    one.open({ ...RUN, editable: true });
    await settledDown();
    expect(proposals()).toEqual([]);
  });

  it.each([
    ['none', { none: 'it did not know' }],
    ['outside the options', { ...said, verdict: pick('oracle') }],
    ['a permission', { ...said, verdict: { kind: 'allow' } }],
    ['a no', { ...said, verdict: { kind: 'deny' } }],
  ] as [string, Consulted][])('%s is no suggestion', async (_, consulted) => {
    const { desk: one } = suggesting({}, consulted);
    one.open(DB);
    await settledDown();
    expect(proposals()).toEqual([]);
    expect(story()).toEqual(['opened k7f2m9qd.1']);
  });

  it('is called off when somebody answers, and one that comes late is not told', async () => {
    let answer: (given: Consulted) => void = () => undefined;
    const signals: AbortSignal[] = [];
    const { desk: one } = suggesting({
      consult: (_inquiry, { signal }) => {
        signals.push(signal);
        return new Promise((resolve) => {
          answer = resolve;
        });
      },
    });
    const asked = one.open(DB);
    await settledDown();
    one.answer({ inquiry: asked.id, verdict: pick('lite'), by: ann });
    expect(signals.map((signal) => signal.aborted)).toEqual([true]);
    answer(said);
    await settledDown();
    expect(proposals()).toEqual([]);
  });

  it('another one has another mark', async () => {
    const marks = await Promise.all(
      ['the roadmap names it', 'I feel like it'].map(async (reason) => {
        const { desk: one } = suggesting({ clock: new HandClock() }, { ...said, reason });
        one.open(DB);
        await settledDown();
        return one.list()[0]!.suggestion!.mark;
      }),
    );
    expect(new Set(marks).size).toBe(2);
  });
});

describe('C23: an answer given for the user', () => {
  const consult = { do: 'consult', rule, onNoAnswer: { do: 'defer', rule } } as const;

  async function answeredInAPause(by: By = codex) {
    let answer: (given: Consulted) => void = () => undefined;
    const made = desk({
      route: async () => consult,
      consult: () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    });
    made.present.now = away;
    const asked = made.desk.open(DB);
    let told: unknown = 'not yet';
    void asked.settled.then((settled) => {
      told = settled;
    });
    await settledDown();
    made.desk.hold();
    answer({ verdict: pick('pg'), by });
    await settledDown();
    return { ...made, asked, told: () => told };
  }

  it('waits while the session is paused, is in the inbox, and goes to the agent when it goes on', async () => {
    const { desk: one, told } = await answeredInAPause();
    expect(told()).toBe('not yet');
    expect(one.untold()).toMatchObject([{ answer: { by: codex, verdict: pick('pg') } }]);
    expect(one.list()).toEqual([]);
    one.release();
    await settledDown();
    expect(told()).toEqual({ verdict: pick('pg'), voice: 'answered for the user by codex (small)' });
    expect(one.untold()).toEqual([]);
  });

  it.each([codex, { kind: 'memory', decision: 'd1' } as By])(
    'is replaced by a person’s before that (%o), both on record',
    async (by) => {
      const { desk: one, asked, told } = await answeredInAPause(by);
      one.answer({ inquiry: asked.id, verdict: pick('lite'), by: ann });
      await settledDown();
      expect(told()).toEqual({ verdict: pick('lite') });
      const answers = entries.flatMap((entry) => (entry.type === 'inquiry.answered' ? [entry.data.answer] : []));
      expect(answers).toMatchObject([{ by }, { by: ann, overrules: by, verdict: pick('lite') }]);
      expect(() => one.answer({ inquiry: asked.id, verdict: pick('pg'), by: ann })).toThrow('answered by Ann');
      one.release();
      await settledDown();
      expect(told()).toEqual({ verdict: pick('lite') });
    },
  );

  it('cannot be replaced once the agent was told, and the error says how to put it right', async () => {
    const { desk: one, asked } = await answeredInAPause();
    one.release();
    await settledDown();
    asked.delivered();
    expect(() => one.answer({ inquiry: asked.id, verdict: pick('lite'), by: ann })).toThrow(/reins send k7f2m9qd/);
  });

  it('is withdrawn with an agent that is gone', async () => {
    const { desk: one, told } = await answeredInAPause();
    one.clear('the session ended');
    await settledDown();
    expect(told()).toBeUndefined();
    one.release();
    expect(one.untold()).toEqual([]);
  });

  it('a person’s own answer is told at once, paused or not, and never replaced', async () => {
    const { desk: one } = desk({ route: async () => ASK });
    const asked = one.open(DB);
    await settledDown();
    one.hold();
    one.answer({ inquiry: asked.id, verdict: pick('pg'), by: ann });
    expect(await asked.settled).toEqual({ verdict: pick('pg') });
    expect(() => one.answer({ inquiry: asked.id, verdict: pick('lite'), by: ann })).toThrow('answered by Ann');
  });
});
