import { describe, expect, it } from 'vitest';
import type { Clock } from '../../contract/index.js';
import type { Draft } from './door.js';
import { OwnCommands } from './own-commands.js';

const page = (tool: string, labels = ['Yes, switch to Sonnet', 'No, go back']): Draft => ({
  kind: 'question',
  tool,
  exclusive: true,
  questions: [
    {
      id: tool,
      text: '?',
      options: labels.map((label, index) => ({ id: String(index + 1), label })),
      multi: false,
      free_text: false,
    },
  ],
});

function commands() {
  let now = 0;
  const clock: Clock = { now: () => now, after: () => () => undefined };
  return {
    own: new OwnCommands(clock),
    later: (ms: number) => {
      now += ms;
    },
  };
}

describe('S10: the agent’s own "are you sure?" about our command', () => {
  it.each([
    ['/model sonnet', 'switch-model'],
    ['/effort low', 'change-effort'],
  ])('%s is a yes, once, on record as a rule', (text, tool) => {
    const { own } = commands();
    own.sent(text);
    const given = own.answerTo(page(tool));
    expect(given?.command).toBe(text);
    expect(given?.answer).toMatchObject({
      verdict: { kind: 'values', values: { [tool]: ['1'] } },
      by: { kind: 'rule', rule: { text: expect.stringContaining(text), source: 'built-in' } },
    });
    expect(own.answerTo(page(tool))).toBeUndefined();
  });

  it.each<[string, string, Draft]>([
    ['another command', '/clear', page('switch-model')],
    ['another page', '/model sonnet', page('trust-folder')],
    ['the other command’s page', '/effort low', page('switch-model')],
    ['a page without a yes', '/model sonnet', page('switch-model', ['Maybe', 'No'])],
    ['a text that only begins alike', '/models are nice', page('switch-model')],
    ['no question at all', '/model sonnet', { kind: 'run', tool: 'switch-model', exclusive: true }],
  ])('%s: a person answers', (_what, text, draft) => {
    const { own } = commands();
    own.sent(text);
    expect(own.answerTo(draft)).toBeUndefined();
  });

  it('nothing sent, or too long ago: a person answers', () => {
    const { own, later } = commands();
    expect(own.answerTo(page('switch-model'))).toBeUndefined();
    own.sent('/model sonnet');
    later(5_001);
    expect(own.answerTo(page('switch-model'))).toBeUndefined();
  });
});
