import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { share } from './budget.js';
import { judgeText } from './completion.js';
import { parseEvents } from './events.js';
import { ADDED_BYTES, buildPrompt, layOutPrompt, promptDetails } from './prompt.js';
import type { PromptParts } from './prompt-parts.js';

const parts = (given: Partial<PromptParts> = {}): PromptParts => ({
  words: 'Fix the build.',
  iteration: 3,
  attempt: 1,
  maxIterations: 100,
  promise: 'LOOP_COMPLETE',
  guardrails: [],
  topics: [],
  requiredEvents: [],
  gates: [],
  events: [],
  guidance: [],
  failedGates: [],
  notes: [],
  ...given,
});

const gate = (tail: string) => ({ gate: 'test', ok: false, exitCode: 1, seconds: 1, tail });

describe('the prompt', () => {
  test('the user’s words come first, how to finish after them', () => {
    expect(buildPrompt(parts())).toBe(
      [
        'Fix the build.',
        '',
        '---',
        'Iteration 3 of 100; each starts fresh, files are the memory between them.',
        'Only when all of the above is done, end your last message with LOOP_COMPLETE alone on its own line.',
      ].join('\n'),
    );
  });

  test('a single iteration without anything to add is the user’s words alone', () => {
    const { promise: _, ...single } = parts({ maxIterations: 1 });
    expect(buildPrompt(single)).toBe('Fix the build.');
  });

  test('hat, events, guidance, failed gates and notes are all there', () => {
    const text = buildPrompt(
      parts({
        attempt: 2,
        hat: { id: 'builder', description: 'writes code', instructions: 'Small steps.', publishes: ['build.done'] },
        gates: ['test'],
        events: [{ topic: 'plan.ready', payload: 'three steps', by: 'text' }],
        guidance: [{ id: 'g1', text: 'use tabs' }],
        failedGates: [gate('1 failed')],
        notes: ['Something was dropped.'],
      }),
    );
    expect(text).toContain('Fix the build.\n\nSmall steps.\n\n---\nIteration 3 of 100, hat builder (writes code);');
    for (const line of [
      'An earlier attempt at this iteration was interrupted; some work may be done already.',
      'It counts only if these checks pass then: test.',
      'TOPIC one of: build.done.',
      'Guidance from the user: use tabs',
      'Completion was refused: check test failed with exit code 1; the end of its output:\n> 1 failed',
      'Event plan.ready: three steps',
      'Note: Something was dropped.',
    ]) {
      expect(text).toContain(line);
    }
  });

  test('what is cut says where the whole of it is; a gate keeps its end, guidance its beginning', () => {
    const long = parts({
      guidance: [{ id: 'g1', text: `first words ${'y'.repeat(3000)}` }],
      failedGates: [gate(`${'x'.repeat(3000)} last words`)],
      detailsFile: 'prompts/003.details.md',
    });
    const { added, cut } = layOutPrompt(long);
    expect(cut).toBe(true);
    expect(added).toContain('Guidance from the user: first words');
    expect(added).toContain('last words');
    expect(added).toContain('all of it is in prompts/003.details.md');
    expect(promptDetails(long)).toContain('y'.repeat(3000));
    expect(promptDetails(long)).toContain('x'.repeat(3000));
  });

  test('a short guidance stays whole beside a long gate', () => {
    const { added } = layOutPrompt(
      parts({ guidance: [{ id: 'g', text: 'use tabs, please' }], failedGates: [gate('x'.repeat(9000))] }),
    );
    expect(added).toContain('use tabs, please');
  });

  test('an agent that echoes the prompt claims nothing and publishes nothing', () => {
    const text = buildPrompt(parts({ hat: { id: 'a', publishes: ['x'] } }));
    expect(judgeText(text, 'LOOP_COMPLETE').claimed).toBe(false);
    expect(parseEvents(text)).toEqual([]);
  });

  test('whatever is given, what we add stays under the limit and the words come first, whole', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 2500 });
    const word = fc.string({ unit: 'grapheme', maxLength: 200 });
    const some = fc.record({
      words: text,
      iteration: fc.nat(),
      attempt: fc.integer({ min: 1, max: 3 }),
      maxIterations: fc.nat(),
      promise: fc.string({ maxLength: 200 }),
      hat: fc.record({ id: word, description: text, instructions: text, publishes: fc.array(word, { maxLength: 20 }) }),
      guardrails: fc.array(word, { maxLength: 5 }),
      topics: fc.array(word, { maxLength: 5 }),
      requiredEvents: fc.array(word, { maxLength: 5 }),
      gates: fc.array(word, { maxLength: 5 }),
      events: fc.array(
        fc.record({ topic: word, payload: text, by: fc.constantFrom('text' as const, 'loop' as const) }),
        {
          maxLength: 20,
        },
      ),
      guidance: fc.array(fc.record({ id: word, text }), { maxLength: 5 }),
      failedGates: fc.array(text.map(gate), { maxLength: 3 }),
      notes: fc.array(text, { maxLength: 10 }),
      detailsFile: word,
    });
    fc.assert(
      fc.property(some, (given) => {
        const { added } = layOutPrompt(given);
        expect(Buffer.byteLength(added)).toBeLessThanOrEqual(ADDED_BYTES);
        expect(added).toContain(given.promise);
        expect(buildPrompt(given).startsWith(given.words.trim())).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  test('bytes are shared fairly and never given twice', () => {
    expect(share([10, 1000, 1000], 110)).toEqual([10, 50, 50]);
    expect(share([5, 5], 100)).toEqual([5, 5]);
    fc.assert(
      fc.property(fc.array(fc.nat(500)), fc.nat(2000), (sizes, bytes) => {
        const given = share(sizes, bytes);
        expect(given.reduce((a, b) => a + b, 0)).toBeLessThanOrEqual(bytes);
        expect(given.every((part, index) => part <= sizes[index]!)).toBe(true);
      }),
    );
  });
});
