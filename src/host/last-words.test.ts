import { expect, it } from 'vitest';
import type { Entry } from '../contract/index.js';
import { WordsSaid } from './last-words.js';

const text = (words: string, more: object = {}): Entry =>
  ({ type: 'agent.text', ts: '2026-01-02T14:00:00Z', data: { text: words, ...more } }) as Entry;

function heard(before: Entry[], ...later: Entry[]) {
  let told: (entry: Entry) => void = () => undefined;
  const words = new WordsSaid({
    before,
    journal: {
      subscribe: (call) => {
        told = call;
        return () => undefined;
      },
    },
  });
  for (const entry of later) told(entry);
  return words.now.said;
}

it('is the last line of what was said last, and how often something was said, earlier hosts included', () => {
  expect(heard([])).toBeUndefined();
  expect(heard([text('one')], text('two\nthree  \n\n'))).toEqual({
    text: 'three',
    at: '2026-01-02T14:00:00Z',
    count: 2,
  });
});

it('leaves out sub-agents and what is empty, and bounds a long line', () => {
  expect(heard([], text('mine'), text('theirs', { parent: 'c1' }), text(' \n'))).toMatchObject({
    text: 'mine',
    count: 1,
  });
  expect(heard([], text('x'.repeat(5000)))?.text).toHaveLength(161);
});

it('is a line with words in it: not the end of a piece of code, a rule or the lid of a box', () => {
  expect(heard([], text('Run this:\n```sh\nnpm test\n```\n'))?.text).toBe('npm test');
  expect(heard([], text('Done 🎉\n\n---\n└──┘'))?.text).toBe('Done 🎉');
  expect(heard([], text('first'), text('```'))).toMatchObject({ text: 'first', count: 1 });
  expect(heard([], text(`words\n${'-\n'.repeat(200_000)}`))).toBeUndefined();
});
