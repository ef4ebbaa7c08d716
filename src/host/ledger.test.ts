import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Inquiry, Verdict } from '../contract/index.js';
import { Ledger, type SeenResult } from './ledger.js';

let count = 0;
const inquiry = (about: Partial<Inquiry>): Inquiry =>
  ({ id: `s-${++count}`, session: 's', kind: 'run', exclusive: false, opened_at: '', ...about }) as Inquiry;
const ASKED = { tool: 'Bash', input: { command: 'touch a' } };
const ALLOW: Verdict = { kind: 'allow' };
const DENY: Verdict = { kind: 'deny' };
const CALL = { call: 'c1', ...ASKED };
const DONE: SeenResult = { call: 'c1', ok: true };

function asked(ledger: Ledger, verdict?: Verdict, about: Partial<Inquiry> = { call: 'c1' }): Inquiry {
  const one = inquiry({ ...ASKED, ...about });
  ledger.opened(one);
  if (verdict) ledger.answered({ inquiry: one.id, verdict, by: { kind: 'default' } });
  return one;
}
const why = (ledger: Ledger, result: SeenResult = DONE, strict = true): string => {
  const found = ledger.returned(result, strict);
  return found.is === 'quiet' ? 'quiet' : found.why;
};

describe('a call that ran', () => {
  const cases: [string, (ledger: Ledger) => void, SeenResult, string][] = [
    ['nobody asked', () => undefined, DONE, 'unasked'],
    ['allowed', (l) => asked(l, ALLOW), DONE, 'quiet'],
    ['denied', (l) => asked(l, DENY), DONE, 'denied'],
    ['still asked', (l) => asked(l), DONE, 'unanswered'],
    ['its question vanished', (l) => l.closed(asked(l).id, false), DONE, 'vanished'],
    ['answered with a key in its own dialog', (l) => l.closed(asked(l).id, true), DONE, 'quiet'],
    ['a question that closed after its yes keeps it', (l) => l.closed(asked(l, ALLOW).id, false), DONE, 'quiet'],
    ['another call was allowed', (l) => asked(l, ALLOW, { call: 'c2' }), DONE, 'unasked'],
    ['a yes cannot outvote a no to the same call', (l) => [asked(l, ALLOW), asked(l, DENY)], DONE, 'denied'],
    ['allowed, failed', (l) => asked(l, ALLOW), { call: 'c1', ok: false, ran: true }, 'quiet'],
    ['denied, failed: it may be the no', (l) => asked(l, DENY), { call: 'c1', ok: false }, 'quiet'],
    ['denied, failed, and surely ran', (l) => asked(l, DENY), { call: 'c1', ok: false, ran: true }, 'denied'],
    ['nobody asked, failed: it may have run', () => undefined, { call: 'c1', ok: false }, 'unasked'],
    ['nobody asked, surely did not run', () => undefined, { call: 'c1', ok: false, ran: false }, 'quiet'],
    [
      'ran with what was allowed',
      (l) => asked(l, ALLOW),
      { ...DONE, input: { command: 'touch a', timeout: 0, run_in_background: false, env: {} } },
      'quiet',
    ],
    ['ran with something else', (l) => asked(l, ALLOW), { ...DONE, input: { command: 'touch b' } }, 'changed'],
    ['ran with more', (l) => asked(l, ALLOW), { ...DONE, input: { command: 'touch a', cwd: '/' } }, 'changed'],
    [
      'ran with what a person made of it',
      (l) => asked(l, { kind: 'allow', input: { command: 'touch b' } }),
      { ...DONE, input: { command: 'touch b' } },
      'quiet',
    ],
    [
      'ran the original of what a person changed',
      (l) => asked(l, { kind: 'allow', input: { command: 'touch b' } }),
      { ...DONE, input: { command: 'touch a' } },
      'changed',
    ],
  ];
  it.each(cases)('%s', (_name, given, result, expected) => {
    const ledger = new Ledger();
    given(ledger);
    ledger.called(CALL);
    expect(why(ledger, result)).toBe(expected);
  });

  it('is known to run before it ends', () => {
    const ledger = new Ledger();
    ledger.called(CALL);
    expect(ledger.began('c1')).toMatchObject({ is: 'uncovered', why: 'unasked' });
    asked(ledger, ALLOW);
    expect(ledger.began('c1').is).toBe('quiet');
    expect(why(ledger)).toBe('quiet');
  });

  it('an allow covers one run: the second of two equal calls needs its own', () => {
    const ledger = new Ledger();
    asked(ledger, ALLOW, {});
    ledger.called(CALL);
    ledger.called({ ...CALL, call: 'c2' });
    expect([why(ledger), why(ledger, { ...DONE, call: 'c2' })]).toEqual(['quiet', 'unasked']);
    asked(ledger, ALLOW);
    ledger.called(CALL);
    expect(why(ledger)).toBe('quiet');
    // The same id again is another call.
    ledger.called(CALL);
    expect(why(ledger)).toBe('unasked');
  });

  it('a gate without ids: a refused try is not the allowed one that follows', () => {
    const ledger = new Ledger();
    asked(ledger, DENY, {});
    ledger.called(CALL);
    expect(why(ledger, { call: 'c1', ok: false })).toBe('quiet');
    asked(ledger, ALLOW, {});
    ledger.called({ ...CALL, call: 'c2' });
    expect(why(ledger, { call: 'c2', ok: true })).toBe('quiet');
  });

  it.each([
    ['Shell', 'run_shell_command', { command: 'touch a && ls' }, '│ touch a &&  │\n│ ls │ Allow?', 'quiet'],
    ['Shell', 'run_shell_command', { command: 'rm -rf b' }, '│ touch a │', 'unasked'],
    ['WriteFile', 'write_file', { file_path: '/x/a', content: 'c' }, 'Write a', 'quiet'],
    ['WriteFile', 'run_shell_command', { command: 'touch a' }, 'Write a', 'unasked'],
  ])('read off a screen: %s for %s', (shown, tool, input, screen, expected) => {
    const ledger = new Ledger();
    asked(ledger, ALLOW, { tool: shown, input: { screen } });
    ledger.called({ call: 'c1', tool, input });
    expect(why(ledger)).toBe(expected);
  });

  it('a result of a call nobody heard of: not to be trusted where every call is told, old news in a transcript', () => {
    expect(why(new Ledger(), DONE, true)).toBe('unasked');
    expect(why(new Ledger(), DONE, false)).toBe('quiet');
    expect(why(new Ledger(), { ...DONE, tool: 'Bash' }, false)).toBe('unasked');
    const ledger = new Ledger();
    ledger.called(CALL);
    asked(ledger, ALLOW);
    expect([why(ledger), why(ledger)]).toEqual(['quiet', 'quiet']);
  });

  it('a question runs nothing; a failed edit or look has changed nothing', () => {
    const ledger = new Ledger();
    ledger.called({ call: 'c1', tool: 'AskUserQuestion', input: {} });
    expect(why(ledger)).toBe('quiet');
    for (const tool of ['Edit', 'write_file', 'replace', 'read_file', 'Grep']) {
      ledger.called({ call: 'c1', tool, input: {} });
      expect([tool, why(ledger, { call: 'c1', ok: false })]).toEqual([tool, 'quiet']);
      ledger.called({ call: 'c1', tool, input: {} });
      expect([tool, why(ledger)]).toEqual([tool, 'unasked']);
    }
  });
});

describe('whatever comes, in whatever order', () => {
  const steps = fc.array(
    fc.record({
      what: fc.constantFrom('ask', 'allow', 'deny', 'close', 'call', 'return', 'fail'),
      call: fc.constantFrom('c1', 'c2', 'c3'),
      named: fc.boolean(),
    }),
    { maxLength: 60 },
  );
  it('no run is quiet without an allow of its own', () => {
    fc.assert(
      fc.property(steps, (played) => {
        const ledger = new Ledger();
        const open: { id: string; call: string; named: boolean }[] = [];
        let allows = 0;
        const under = new Set<string>();
        for (const { what, call, named } of played) {
          const input = { command: named ? `touch ${call}` : 'touch all' };
          if (what === 'ask') {
            const one = asked(ledger, undefined, { ...(named ? { call } : {}), input });
            open.push({ id: one.id, call, named });
          } else if (what === 'allow' || what === 'deny') {
            const one = open.shift();
            if (!one) continue;
            ledger.answered({ inquiry: one.id as never, verdict: { kind: what }, by: { kind: 'default' } });
            if (what === 'allow') allows += 1;
          } else if (what === 'close') {
            const one = open.shift();
            if (one) ledger.closed(one.id, false);
          } else if (what === 'call') {
            ledger.called({ call, tool: 'Bash', input });
            under.add(call);
          } else if (under.delete(call)) {
            const found = ledger.returned({ call, ok: what === 'return', ran: true }, true);
            if (found.is === 'quiet') allows -= 1;
            expect(allows).toBeGreaterThanOrEqual(0);
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  it('a flood of inquiries and calls fills nothing, and an open one is not forgotten for spent ones', () => {
    const ledger = new Ledger();
    const kept = asked(ledger, undefined, { call: 'kept' });
    for (let n = 0; n < 5000; n += 1) {
      asked(ledger, ALLOW, { call: `x${n}` });
      ledger.called({ ...CALL, call: `x${n}` });
    }
    ledger.answered({ inquiry: kept.id, verdict: ALLOW, by: { kind: 'default' } });
    ledger.called({ ...CALL, call: 'kept' });
    expect(why(ledger, { call: 'kept', ok: true })).toBe('quiet');
    expect(why(ledger, { call: 'x4999', ok: true })).toBe('quiet');
  });
});
