import { beforeEach, describe, expect, it } from 'vitest';
import { type AgentOutput, type Entry, HandClock, type Inquiry, type ViewerId } from '../contract/index.js';
import { Presses } from './presses.js';
import { Tripwire, type UngatedCall } from './tripwire.js';

const BASH = { tool: 'Bash', input: { command: 'ls' } };
const CALLED: AgentOutput = { kind: 'tool', call: 'c1', ...BASH };
const RAN: AgentOutput = { kind: 'tool-result', call: 'c1', ok: true, text: '' };

let presses: Presses;
let tripwire: Tripwire;
let found: UngatedCall[];
let rules: { may: boolean; allow: boolean | Error; given: Inquiry[]; stopping?: boolean };

beforeEach(() => {
  presses = new Presses(new HandClock());
  found = [];
  rules = { may: true, allow: false, given: [] };
  tripwire = new Tripwire({
    presses,
    warmUp: () => undefined,
    mayAllow: () => rules.may,
    isStopping: () => rules.stopping === true,
    async allowedByRules(_call, given) {
      rules.given = given;
      if (rules.allow instanceof Error) throw rules.allow;
      return rules.allow;
    },
    trip: (call) => found.push(call),
  });
});

const entry = (type: string, data: object) => tripwire.entry({ type, data } as unknown as Entry);
const opened = (about: object = { call: 'c1' }) =>
  entry('inquiry.opened', { inquiry: { id: 'q1', kind: 'run', exclusive: false, ...BASH, ...about } });
const press = () => presses.pressed(Buffer.from('1'), 'v' as ViewerId);
const ran = async () => {
  tripwire.said(CALLED);
  tripwire.said(RAN);
  await tripwire.quiet();
  return found.map(({ why }) => why);
};

describe('the tripwire', () => {
  it('is quiet about what fails because the agent is being ended; what ran all the same is told', async () => {
    rules.stopping = true;
    opened();
    entry('inquiry.closed', { inquiry: 'q1', how: 'cancelled', reason: 'the agent no longer waits for it' });
    tripwire.said(CALLED);
    tripwire.said({ kind: 'tool-result', call: 'c1', ok: false, text: 'given up' });
    await tripwire.quiet();
    expect(found).toEqual([]);
    tripwire.said({ ...CALLED, call: 'c2' });
    tripwire.said({ ...RAN, call: 'c2' });
    await tripwire.quiet();
    expect(found).toHaveLength(1);
  });

  it('names the agent, its version and its door', async () => {
    entry('agent.started', { agent: 'claude', version: '9.9', door: 'control', argv: [] });
    expect(await ran()).toEqual(['unasked']);
    expect(found[0]).toMatchObject({ agent: { agent: 'claude', version: '9.9', door: 'control' }, of: BASH });
  });

  it('a rule that allows it is enough; a rule that cannot be asked is none', async () => {
    rules.allow = true;
    expect(await ran()).toEqual([]);
    rules.allow = new Error('broken');
    expect(await ran()).toEqual(['unasked']);
  });

  it('trips at once where no rule could speak for it, and where it was denied; and only once', async () => {
    rules.may = false;
    tripwire.said(CALLED);
    tripwire.said(RAN);
    expect(found).toHaveLength(1);
    expect(await ran()).toHaveLength(1);
  });

  it('a denied call is not saved by a rule', async () => {
    rules.allow = true;
    opened();
    entry('inquiry.answered', { answer: { inquiry: 'q1', verdict: { kind: 'deny' }, by: { kind: 'default' } } });
    expect(await ran()).toEqual(['denied']);
  });

  it('one that is known to run is not waited for', async () => {
    tripwire.said({ ...CALLED, began: true });
    await tripwire.quiet();
    expect(found).toHaveLength(1);
  });
});

describe('a key in the agent’s own dialog', () => {
  it('is the same key to the desk, which hears of the end later; a second run of the call is not covered by it', async () => {
    opened();
    const mark = 0;
    press();
    expect(await ran()).toEqual([]);
    expect(presses.take(mark, 'q1')).toEqual({ viewer: 'v' });
    entry('inquiry.closed', { inquiry: 'q1', how: 'cancelled', by: { kind: 'viewer', viewer: 'v' } });
    tripwire.said({ ...CALLED, call: 'c2' });
    tripwire.said({ ...RAN, call: 'c2' });
    await tripwire.quiet();
    expect(found.map(({ why }) => why)).toEqual(['unasked']);
  });

  it('covers the call from its beginning to its end', async () => {
    opened();
    press();
    tripwire.said({ ...CALLED, began: true } as AgentOutput);
    tripwire.said(RAN);
    await tripwire.quiet();
    expect(found).toEqual([]);
  });

  it('pressed while it was asked, and the agent was faster than the closing of the inquiry', async () => {
    opened();
    press();
    expect(await ran()).toEqual([]);
  });

  it('pressed before the hook of its dialog reached us', async () => {
    presses.left({ call: 'c1', ...BASH });
    press();
    expect(await ran()).toEqual([]);
  });

  it('none: what ran is ungated, whether its inquiry is open, gone, or never came', async () => {
    presses.left({ call: 'c1', ...BASH });
    expect(await ran()).toEqual(['unasked']);
  });

  it('none, and its inquiry vanished', async () => {
    opened();
    entry('inquiry.closed', { inquiry: 'q1', how: 'cancelled' });
    expect(await ran()).toEqual(['vanished']);
  });

  it('one key does not answer two', async () => {
    press();
    opened();
    expect(await ran()).toEqual(['unanswered']);
  });

  it('closed by a key: allowed, and rules hear of it for what is not asked again', async () => {
    opened();
    entry('inquiry.closed', { inquiry: 'q1', how: 'cancelled', by: { kind: 'viewer', viewer: 'v' } });
    expect(await ran()).toEqual([]);
    rules.may = false;
    rules.allow = true;
    expect(await ran()).toEqual([]);
    expect(rules.given.map(({ id }) => id)).toEqual(['q1']);
  });

  it('says nothing about what was changed or denied', async () => {
    opened();
    entry('inquiry.answered', { answer: { inquiry: 'q1', verdict: { kind: 'deny' }, by: { kind: 'default' } } });
    press();
    expect(await ran()).toEqual(['denied']);
  });
});
