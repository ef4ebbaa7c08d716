import { describe, expect, it } from 'vitest';
import type { SessionRow } from '../../contract/index.js';
import { shownState } from './session-state.js';

const NOW = Date.parse('2026-01-02T14:00:00Z');
const earlier = (seconds: number): string => new Date(NOW - seconds * 1000).toISOString();
const row = (given: Partial<SessionRow>): SessionRow =>
  ({
    id: 's',
    name: 'n',
    agent: 'claude',
    mode: 'interactive',
    trust: 'guarded',
    state: 'working',
    cwd: '/p',
    pid: 1,
    started_at: earlier(4000),
    since: earlier(120),
    inquiries: 0,
    viewers: 0,
    ...given,
  }) as SessionRow;

describe('the state of a session, in words with a time', () => {
  it.each([
    ['starting', { state: 'starting', since: earlier(4) }, undefined, 'starting', 'starting, 4 s'],
    ['working', {}, undefined, 'working', 'working 2 min'],
    ['asking', { state: 'asking' }, undefined, 'asking', 'asks you since 2 min'],
    ['idle', { state: 'idle', since: earlier(720) }, undefined, 'idle', 'waits for you since 12 min'],
    ['paused', { state: 'paused', since: earlier(7260) }, undefined, 'paused', 'stands still since 2 h 1 min'],
    [
      'a limit',
      { until: earlier(-11_400), limited: true },
      undefined,
      'limited',
      /^usage limit until .+ \(3 h 10 min\)$/,
    ],
    ['a pause of its own', { until: earlier(-60) }, undefined, 'limited', /^waits until .+ \(1 min\)$/],
    [
      'completed',
      { state: 'ended', outcome: 'completed', exit_code: 0, ended_at: earlier(60) },
      undefined,
      'completed',
      'completed, 1 min ago',
    ],
    [
      'failed',
      { state: 'ended', outcome: 'failed', exit_code: 1, ended_at: earlier(60) },
      undefined,
      'failed',
      'failed (exit 1), 1 min ago',
    ],
    [
      'stopped, which is no failure',
      { state: 'ended', outcome: 'stopped', exit_code: 143, ended_at: earlier(60) },
      undefined,
      'ended',
      'stopped (exit 143), 1 min ago',
    ],
    [
      'host died',
      { state: 'ended', ended_at: earlier(60), left: 4 },
      undefined,
      'died',
      /^its host died at .+; 4 processes still run$/,
    ],
    ['host silent', {}, earlier(20), 'silent', 'does not answer since 20 s'],
    [
      'another version',
      { other: 'runs under Reins 0.1 (protocol 1); open it there' },
      undefined,
      'other',
      'runs under Reins 0.1 (protocol 1); open it there',
    ],
  ] as const)('%s', (_what, given, silent, is, words) => {
    const shown = shownState(row(given as Partial<SessionRow>), silent, NOW);
    expect(shown.is).toBe(is);
    if (typeof words === 'string') expect(shown.words).toBe(words);
    else expect(shown.words).toMatch(words);
  });

  it('a silent host that ended is not called silent', () => {
    const ended = row({ state: 'ended', outcome: 'completed', ended_at: earlier(1) });
    expect(shownState(ended, earlier(20), NOW).is).toBe('completed');
  });
});
