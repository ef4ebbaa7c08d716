import { expect, test } from 'vitest';
import type { Entry } from '../contract/index.js';
import { chapterOf } from './chapters.js';

const entry = (type: string, data: unknown): Entry =>
  ({ v: 1, seq: 1, ts: '', session: 's', type, data }) as unknown as Entry;

test.each([
  ['inquiry.opened', { inquiry: { id: 's.1', kind: 'run', tool: 'Bash' } }, 's.1 asks: Bash'],
  [
    'inquiry.opened',
    { inquiry: { id: 's.2', kind: 'question', questions: [{ text: 'Which\n  one?' }] } },
    's.2 asks: Which one?',
  ],
  ['inquiry.opened', { inquiry: { id: 's.3', kind: 'deliver' } }, 's.3 asks: deliver'],
  ['inquiry.answered', { answer: { inquiry: 's.1', verdict: { kind: 'allow' } } }, 's.1 answered: allow'],
  ['iteration.started', { iteration: 3, hat: 'builder' }, 'iteration 3 (builder)'],
  ['iteration.started', { iteration: 1 }, 'iteration 1'],
  ['agent.text', { text: 'hello' }, undefined],
])('%s is the chapter %s', (type, data, chapter) => {
  expect(chapterOf(entry(type, data))).toBe(chapter);
});
