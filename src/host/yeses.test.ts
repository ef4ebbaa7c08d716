/** A yes to a call covers its result: of that call, once, and no other. */
import { describe, expect, it } from 'vitest';
import type { Verdict } from '../contract/index.js';
import { route } from '../policy/index.js';
import { settingsWith, tools } from '../policy/policy.cases.js';
import { allow, ann, away, deny, desk, entries, RUN, settledDown } from './desk.cases.js';
import type { Desk, Draft } from './desk.js';

const CALL: Draft = { ...RUN, call: 'toolu_1' };
const resultOf = (draft: Draft, more: Partial<Draft> = {}): Draft => ({
  ...draft,
  kind: 'deliver',
  result: { text: 'done', truncated: false },
  ...more,
});

/** Nobody is there, nothing is set: a result of its own would be withheld. */
function quiet(settings = settingsWith({})) {
  const made = desk({
    route: async (inquiry, presence, covered) => route(inquiry, presence, settings, tools, covered),
  });
  made.present.now = away;
  return made.desk;
}

async function answered(one: Desk, draft: Draft, verdict: Verdict): Promise<void> {
  const asked = one.open(draft, { held: true });
  one.answer({ inquiry: asked.id, verdict, by: ann });
  await asked.settled;
  asked.delivered();
}

const outcome = async (one: Desk, draft: Draft) => (await one.open(draft).settled)?.verdict.kind;

describe('a yes covers its result', () => {
  it('by the same answer, on record', async () => {
    const one = quiet();
    await answered(one, CALL, allow);
    expect(await outcome(one, resultOf(CALL))).toBe('allow');
    const last = entries.findLast((entry) => entry.type === 'inquiry.answered');
    expect(last).toMatchObject({ data: { answer: { inquiry: 'k7f2m9qd.2', by: ann } } });
  });

  it('also where the agent would show a dialog of its own', async () => {
    const one = quiet();
    await answered(one, CALL, allow);
    expect(await one.atOnce(resultOf(CALL))).toEqual({ verdict: allow });
  });

  it('with the input that was allowed instead of its own, and in whatever order its fields come', async () => {
    const one = quiet();
    const input = { command: 'ls -l', cwd: '/x' };
    await answered(one, { ...CALL, editable: true }, { kind: 'allow', input });
    const ran = { ...CALL, input: { cwd: '/x', command: 'ls -l' } };
    expect(await outcome(one, resultOf(ran))).toBe('allow');
  });

  it.each([
    ['the result of another call', resultOf(CALL, { call: 'toolu_2' })],
    ['one of another tool under the same name', resultOf(CALL, { tool: 'Edit' })],
    ['one of another input under the same name', resultOf(CALL, { input: { command: 'rm -rf /' } })],
    ['one of a sub-agent under the same name', resultOf(CALL, { parent: 'a1' })],
    ['one of a call without a name', resultOf(RUN)],
  ])('but not %s', async (_, result) => {
    const one = quiet();
    await answered(one, CALL, allow);
    expect(await outcome(one, result)).toBe('deny');
  });

  it('once: not a second result', async () => {
    const one = quiet();
    await answered(one, CALL, allow);
    expect(await outcome(one, resultOf(CALL))).toBe('allow');
    expect(await outcome(one, resultOf(CALL))).toBe('deny');
  });

  it('a no covers nothing, and takes an earlier yes to the same call back', async () => {
    const one = quiet();
    await answered(one, CALL, deny);
    expect(await outcome(one, resultOf(CALL))).toBe('deny');
    await answered(one, CALL, allow);
    await answered(one, CALL, deny);
    expect(await outcome(one, resultOf(CALL))).toBe('deny');
  });

  it('a call nobody was asked about covers nothing', async () => {
    expect(await outcome(quiet(), resultOf(CALL))).toBe('deny');
  });

  it('nor does a question that was withdrawn', async () => {
    const one = quiet();
    const asked = one.open(CALL, { held: true });
    asked.withdraw('the agent no longer waits');
    await settledDown();
    expect(await outcome(one, resultOf(CALL))).toBe('deny');
  });

  it('a deny rule still holds', async () => {
    const one = quiet(settingsWith({ deny: ['Bash'] }));
    await answered(one, CALL, allow);
    expect(await outcome(one, resultOf(CALL))).toBe('deny');
  });
});
