import { describe, expect, it } from 'vitest';
import type { Clock, Entry } from '../../contract/index.js';
import { type LaunchEnd, Respawn } from './respawn.js';
import { conversationIn } from './resume.js';

const CRASH: LaunchEnd = { ready: false, touched: false, failed: true, wantsRestart: false };

function respawn() {
  let now = 0;
  const clock: Clock = { now: () => now, after: () => () => undefined };
  const life = new Respawn(clock);
  return {
    lived(ms: number, end: Partial<LaunchEnd> = {}) {
      life.started();
      now += ms;
      return life.ended({ ...CRASH, ...end });
    },
  };
}

describe('F9: an agent that exits before its prompt', () => {
  it('is tried three times, with growing pauses, and then given up', () => {
    const { lived } = respawn();
    expect(lived(100)).toEqual({ again: true, waitMs: 1000, attempt: 2 });
    expect(lived(100)).toEqual({ again: true, waitMs: 2000, attempt: 3 });
    expect(lived(100)).toEqual({ again: false, gaveUp: true });
  });

  it.each<[string, number, Partial<LaunchEnd>]>([
    ['after it was ready', 100, { ready: true }],
    ['after a person did something', 100, { touched: true }],
    ['without a failure', 100, { failed: false }],
    ['after more than ten seconds', 10_001, {}],
  ])('%s: its end is the end', (_when, ms, end) => {
    expect(respawn().lived(ms, end)).toEqual({ again: false, gaveUp: false });
  });

  it('that asks for it is started again at once, but not for ever', () => {
    const { lived } = respawn();
    const asks = { touched: true, wantsRestart: true };
    const starts = [1, 2, 3, 4].map(() => lived(60_000, asks));
    expect(starts.map((one) => one.again)).toEqual([true, true, true, false]);
  });
});

describe('which conversation is gone on with', () => {
  const entry = (type: string, data: object) => ({ type, data }) as unknown as Entry;
  const started = (id?: string) => entry('agent.started', id ? { agent_session: id } : {});
  const named = (id: string) => entry('notice', { code: 'conversation', facts: { agent_session: id } });
  it.each([
    ['none', [started()], undefined],
    ['the one we named', [started('a')], 'a'],
    ['the one the agent named', [started(), named('b')], 'b'],
    ['the last, after /clear', [started('a'), named('b'), entry('notice', { code: 'other' })], 'b'],
    ['the last of several launches', [started('a'), entry('agent.ended', { agent_session: 'a' }), started('c')], 'c'],
  ])('%s', (_what, entries, id) => expect(conversationIn(entries)).toBe(id));
});
