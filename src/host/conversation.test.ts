import { describe, expect, it } from 'vitest';
import { type AgentOutput, HandClock } from '../contract/index.js';
import { Conversation } from './conversation.js';

const text = (words: string): AgentOutput => ({ kind: 'text', text: words });
const call: AgentOutput = { kind: 'tool', call: 'c1', tool: 'Bash', input: {} };
const result: AgentOutput = { kind: 'tool-result', call: 'c1', ok: true, text: 'x' };

function merged({ transcript = true } = {}) {
  const clock = new HandClock();
  const told: AgentOutput[] = [];
  const conversation = new Conversation({ clock, told: (output) => told.push(output) });
  if (transcript) conversation.expectTranscript();
  return { conversation, told, advance: (ms: number) => clock.advance(ms) };
}

describe('one conversation out of two accounts', () => {
  it('without a transcript everything that is heard is told at once', () => {
    const { conversation, told } = merged({ transcript: false });
    conversation.heard(text('hi\n'));
    expect(told).toEqual([text('hi\n')]);
  });

  it('closing words: the transcript’s, not the hook’s, whichever comes first', () => {
    for (const order of ['heard first', 'recorded first']) {
      const { conversation, told, advance } = merged();
      if (order === 'heard first') conversation.heard(text('hi\n'));
      conversation.recorded(text('hi\n'));
      if (order === 'recorded first') conversation.heard(text(' hi '));
      advance(10_000);
      conversation.end();
      expect(told).toEqual([text('hi\n')]);
    }
  });

  it('a silent transcript loses no words: after a while, or at the end, what was heard is told', () => {
    const late = merged();
    late.conversation.heard(text('hi'));
    expect(late.told).toEqual([]);
    late.advance(3_000);
    expect(late.told).toEqual([text('hi')]);
    const over = merged();
    over.conversation.heard(text('bye'));
    over.conversation.end();
    expect(over.told).toEqual([text('bye')]);
  });

  it('calls and results once, by their id', () => {
    const { conversation, told } = merged();
    for (const one of [call, result]) {
      conversation.heard(one);
      conversation.recorded(one);
    }
    expect(told).toEqual([call, result]);
  });

  it('what the record says before a call that was heard already is told to belong before it', () => {
    const { conversation, told, advance } = merged();
    const prompt: AgentOutput = { kind: 'prompt', text: 'go' };
    const refused: AgentOutput = { kind: 'tool', call: 'c0', tool: 'Nope', input: {} };
    const inner: AgentOutput = { kind: 'text', text: 'inside', parent: 'a1' };
    conversation.heard(call);
    for (const one of [prompt, text('I will look.'), refused, inner, call, text('It is so.')])
      conversation.recorded(one);
    expect(told).toEqual([
      call,
      { ...prompt, before: 'c1' },
      { ...text('I will look.'), before: 'c1' },
      { ...refused, before: 'c1' },
      inner,
      text('It is so.'),
    ]);
    // A call that the record never tells of holds nothing up.
    const later: AgentOutput = { ...call, call: 'c2' } as AgentOutput;
    conversation.heard(later);
    advance(4_000);
    conversation.recorded(prompt);
    expect(told.slice(-2)).toEqual([later, prompt]);
  });

  it('the same words in two turns are two', () => {
    const { conversation, told } = merged();
    conversation.recorded(text('ok'));
    conversation.recorded(text('ok'));
    expect(told).toHaveLength(2);
  });

  it('an error of both accounts is one; in the next turn it is another', () => {
    const { conversation, told } = merged();
    const error: AgentOutput = { kind: 'error', message: 'no', fatal: true };
    for (let turn = 0; turn < 2; turn += 1) {
      conversation.heard(error);
      conversation.recorded({ ...error, fatal: false });
    }
    expect(told).toHaveLength(2);
  });
});
