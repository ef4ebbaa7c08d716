import { describe, expect, test } from 'vitest';
import type { Entry } from '../contract/index.js';
import { foldSummary } from './summary.js';

/** Seconds since it began, type, data. */
function journal(...lines: [number, string, object][]): Entry[] {
  return lines.map(([at, type, data], index) => {
    const ts = new Date(1_700_000_000_000 + at * 1000).toISOString();
    return { v: 1, seq: index + 1, ts, session: 'abcdefgh', type, data } as unknown as Entry;
  });
}

const started = { name: 'night', mode: 'autonomous' };
const ended = { outcome: 'completed', exit_code: 0, reason: 'completed in iteration 3', counts: { cost_usd: 1.5 } };
const denied = {
  level: 'warn',
  code: 'denied',
  text: 'Bash was denied: nobody is here to ask. To allow it: rules: {allow: ["Bash(x)"]}',
};

describe('what a loop came to', () => {
  test('hats, gates, waits, denials, over two legs', () => {
    const all = journal(
      [0, 'session.started', started],
      [1, 'iteration.started', { iteration: 1, hat: 'planner' }],
      [5, 'notice', denied],
      [6, 'notice', { ...denied, facts: { what: 'Bash', fix: 'rules: {allow: ["Bash(x)"]}' } }],
      [9, 'iteration.ended', { iteration: 1, outcome: 'failed', cost_usd: 1 }],
      [9, 'loop.waiting', { kind: 'outage' }],
      [69, 'iteration.started', { iteration: 1, attempt: 2, hat: 'planner' }],
      [70, 'loop.waiting', { kind: 'limit' }],
      // The host died here: nobody knows how long it had waited.
      [900, 'session.started', { ...started, continues: true }],
      [901, 'iteration.started', { iteration: 2, hat: 'builder' }],
      [905, 'loop.parked', {}],
      [915, 'loop.resumed', {}],
      [920, 'gate.ran', { gate: 'test', ok: false }],
      [921, 'gate.ran', { gate: 'test', ok: true }],
      [922, 'session.ended', { ...ended, changes: { files: 1, added: 2, removed: 0, commits: 0, most: [] } }],
    );
    expect(foldSummary('abcdefgh', all)).toMatchObject({
      state: 'ended',
      outcome: 'completed',
      legs: 2,
      iterations: 2,
      failed: 1,
      cost_usd: 1.5,
      hats: [
        { hat: 'planner', turns: 1 },
        { hat: 'builder', turns: 1 },
      ],
      gates: [{ gate: 'test', passed: 1, failed: 1 }],
      waits: [
        { kind: 'outage', count: 1, seconds: 60 },
        { kind: 'person', count: 1, seconds: 10 },
      ],
      denied: [{ what: 'Bash', count: 2, allow: 'rules: {allow: ["Bash(x)"]}' }],
      changes: { files: 1 },
    });
  });

  test('one that goes on again is running, and what an agent names is bounded', () => {
    const again = journal(
      [0, 'session.started', started],
      [1, 'session.ended', ended],
      [2, 'session.started', started],
    );
    expect(foldSummary('abcdefgh', again)).toMatchObject({ state: 'running', legs: 2 });
    const many = Array.from({ length: 500 }, (_, n): [number, string, object] => [
      n,
      'notice',
      { level: 'warn', code: 'denied', text: 'x', facts: { what: `${n}${'y'.repeat(5000)}` } },
    ]);
    const { denied: list } = foldSummary('abcdefgh', journal(...many));
    expect(list.length).toBe(50);
    expect(list[0]!.what.length).toBe(300);
  });
});
