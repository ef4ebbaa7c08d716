import { expect, test } from 'vitest';
import { stageWords } from './stage-words.js';

const now = Date.parse('2030-01-01T00:00:00Z');
const until = '2030-01-01T00:04:12Z';

test.each([
  [{ stage: 'asking' }, undefined],
  [{ stage: 'asking', until, next: 'consult', who: 'codex' }, 'answered by codex in 4 min 12 s if you do not answer'],
  [{ stage: 'asking', until, next: 'deny' }, 'denied in 4 min 12 s if you do not answer'],
  [{ stage: 'asking', next: 'defer' }, 'put aside later if you do not answer'],
  [
    { stage: 'consulting', until, next: 'defer', who: 'codex', because: 'nobody answered within 2 s' },
    'codex is being asked (nobody answered within 2 s), for 4 min 12 s at most; put aside after that',
  ],
  [{ stage: 'deferred', because: 'it did not know' }, 'put aside, it waits for you (it did not know)'],
  [
    { stage: 'deferred', until, next: 'deny' },
    'put aside, it waits for you; denied in 4 min 12 s if you do not answer',
  ],
  [{}, undefined],
] as const)('%o', (progress, words) => expect(stageWords(progress, now)).toBe(words));

test('what an agent or a consultant says moves no cursor', () => {
  const words = stageWords({ stage: 'deferred', because: 'no\x1b[2J\nidea' }, now);
  expect(words).not.toMatch(/[\x00-\x1f]/);
});
