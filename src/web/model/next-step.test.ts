import { describe, expect, it } from 'vitest';
import type { Card } from '../../contract/page.js';
import { nextStep } from './next-step.js';

const NOW = Date.parse('2026-01-01T14:00:00Z');
const at = (seconds: number) => new Date(NOW + seconds * 1000).toISOString();

describe('what happens next', () => {
  it.each<[string, Partial<Card['inquiry']>, string]>([
    ['waits', { stage: 'deferred' }, 'waits for you'],
    ['nobody decided yet', {}, 'waits for you'],
    [
      'a rung',
      { stage: 'asking', until: at(252), next: 'consult', who: 'codex' },
      'then: consultant codex, in 4 min 12 s',
    ],
    ['a rung without a name', { stage: 'asking', until: at(760), next: 'deny' }, 'then: deny, in 13 min'],
    ['the agent’s own limit', { stage: 'asking', deadline_at: at(100) }, 'codex goes on by itself in 1 min 40 s'],
    [
      'the agent’s own limit first',
      { until: at(200), next: 'defer', deadline_at: at(100) },
      'codex goes on by itself in 1 min 40 s',
    ],
    ['our time first', { until: at(50), next: 'deny', deadline_at: at(100) }, 'then: deny, in 50 s'],
    ['consulting', { stage: 'consulting', who: 'codex' }, 'codex is asked now'],
    ['over', { until: at(-3), next: 'allow' }, 'then: allow, any moment'],
    ['lost', { lost: true, until: at(5) }, 'its host is gone'],
    ['a time that is none', { until: 'soon' }, 'waits for you'],
  ])('%s', (_, inquiry, words) => {
    expect(nextStep(inquiry as Card['inquiry'], { now: NOW, agent: 'codex' }).words).toBe(words);
  });

  it('is soon in its last minute', () => {
    const soon = (seconds: number) =>
      nextStep({ until: at(seconds) } as Card['inquiry'], { now: NOW, agent: 'a' }).soon;
    expect([soon(30), soon(90)]).toEqual([true, false]);
  });
});
