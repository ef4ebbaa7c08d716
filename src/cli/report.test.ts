import { expect, test } from 'vitest';
import type { Summary } from '../sessions/index.js';
import { LoopSummary } from './output-schemas.js';
import { reportLines } from './report.js';

const QUICK: Summary = {
  session: 'abcdefgh',
  state: 'ended',
  outcome: 'completed',
  reason: 'completed in iteration 1',
  legs: 1,
  iterations: 1,
  failed: 0,
  hats: [],
  gates: [],
  waits: [],
  denied: [],
};

test('one quick iteration gets no report; a night gets one line each', () => {
  expect(reportLines(QUICK, { whole: false })).toEqual([]);
  // What was denied was told a line above.
  const denied = [{ what: 'Bash', count: 1, allow: 'rules: {allow: ["Bash(x)"]}' }];
  expect(reportLines({ ...QUICK, denied }, { whole: false })).toEqual([]);
  expect(reportLines({ ...QUICK, denied, iterations: 2 }, { whole: false })).toHaveLength(2);
  const night: Summary = {
    ...QUICK,
    name: 'night\x1b[31m',
    started_at: '2026-01-01T00:00:00Z',
    ended_at: '2026-01-01T07:00:00Z',
    legs: 2,
    iterations: 40,
    failed: 2,
    cost_usd: 12,
    hats: [
      { hat: 'planner', turns: 1 },
      { hat: 'builder', turns: 39 },
    ],
    gates: [{ gate: 'test', passed: 1, failed: 3 }],
    waits: [{ kind: 'limit', count: 1, seconds: 3600 }],
    denied: [{ what: 'Bash', count: 2, allow: 'rules: {allow: ["Bash(x)"]}' }],
    changes: { files: 4, added: 120, removed: 3, commits: 1, most: [{ path: 'a.ts', added: 100, removed: 0 }] },
  };
  expect(LoopSummary.parse(night)).toEqual(night);
  expect(reportLines(night, { whole: true })).toEqual([
    '  loop     abcdefgh night�[31m: completed in iteration 1',
    '  work     40 iterations (2 failed) · 7h00m · $12.0000 · continued 1 time',
    '  changed  4 files +120 −3 · 1 commit (a.ts, …)',
    '  gates    test passed 1 time failed 3 times',
    '  hats     planner 1, builder 39',
    '  waited   1h00m for a usage limit',
    '  denied   Bash, 2 times',
    '    allow  rules: {allow: ["Bash(x)"]}',
  ]);
});
