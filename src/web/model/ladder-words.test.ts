/** Screen 7: who answers, in words. */
import { expect, it } from 'vitest';
import type { RouteResult } from '../../contract/page.js';
import { ladderLines } from './ladder-words.js';

type Policy = RouteResult<'policy'>;
type Steps = Policy['ladders'][number]['steps'];

const policy = (
  kinds: Partial<Record<'run' | 'question' | 'deliver', Steps>>,
  on_no_answer: Policy['on_no_answer'] = 'deny',
): Policy => ({
  ladders: Object.entries(kinds).map(([kind, steps]) => ({
    when: 'detached',
    kind: kind as 'run',
    steps,
    via: 'tools.defaults.detached',
    source: 'config.yml:3:13',
  })),
  on_no_answer,
  trust: { value: 'guarded', source: 'default' },
  rules: 0,
});

const DENIES = 'denies it, and tells the agent why';

it.each<[string, Policy, [string, string][]]>([
  [
    'kinds with one sentence are told together',
    policy({ run: [{ mode: 'deny' }], question: [{ mode: 'deny' }], deliver: [{ mode: 'deny' }] }),
    [['what an agent wants to do, what it asks you, what a call brought', DENIES]],
  ],
  [
    'a ladder is told step by step',
    policy({ run: [{ mode: 'ask', secs: 900 }, { mode: 'deny' }] }),
    [['what an agent wants to do', `asks you for 15 min, then ${DENIES}`]],
  ],
  [
    'auto means another thing for each kind',
    policy({ run: [{ mode: 'auto' }], question: [{ mode: 'auto' }], deliver: [{ mode: 'auto' }] }, 'defer'),
    [
      ['what an agent wants to do', 'allows it'],
      ['what it asks you', 'asks another agent, and without an answer keeps it open until you come'],
      ['what a call brought', 'lets it through'],
    ],
  ],
  [
    'a consultant with a step behind it hands on to that step',
    policy({ question: [{ mode: 'auto' }, { mode: 'defer' }] }),
    [['what it asks you', 'asks another agent, then keeps it open until you come']],
  ],
  [
    'what has no default is denied',
    policy({ run: [{ mode: 'defaults' }], question: [{ mode: 'defaults' }] }),
    [
      ['what an agent wants to do', DENIES],
      ['what it asks you', `takes the question’s default, or ${DENIES}`],
    ],
  ],
])('%s', (_, of, lines) => {
  const said = ladderLines(of, 'detached');
  expect(said.map(({ about, words }) => [about, words])).toEqual(lines);
  expect(said.every(({ from }) => from === 'tools.defaults.detached, config.yml:3:13')).toBe(true);
  expect(ladderLines(of, 'attached')).toEqual([]);
});
