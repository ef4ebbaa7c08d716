import { expect, it } from 'vitest';
import type { Entry } from '../contract/index.js';
import { LoopStatus } from './shown-loop-view.js';

const entry = (type: string, data: object) => ({ type, ts: '2026-01-01T00:00:00Z', data }) as unknown as Entry;

it('the status line says where the loop is, as wide as the terminal, and repeats no control character', () => {
  const status = new LoopStatus('Ctrl-]', () => Date.parse('2026-01-01T00:01:05Z'));
  status.entry(entry('iteration.started', { iteration: 2, max: 5, hat: 'review\x1b[2Jer' }));
  status.entry(entry('state.changed', { state: 'working' }));
  status.entry(entry('iteration.ended', { cost_usd: 0.25 }));
  const text = status.text({ cols: 100, rows: 24 });
  expect(text).toMatch(/^ reins · iteration 2\/5 · review.*er · working · .* · \$0\.25 · Ctrl-\] detaches +$/);
  expect(text).not.toContain('\x1b');
  expect(text).toHaveLength(100);
  expect(status.text({ cols: 12, rows: 24 })).toBe(' reins · ite');
});
