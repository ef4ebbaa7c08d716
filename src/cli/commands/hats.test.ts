import { describe, expect, test } from 'vitest';
import { initText, loadConfig } from '../../config/index.js';
import { folder } from '../../sessions/folder.cases.js';
import { graphOf } from './hats.js';

const graph = (text: string) => graphOf(loadConfig(folder({ 'reins.yml': text })));

describe('hats graph', () => {
  test.each(['tdd', 'review'] as const)('the preset %s has a graph without findings', (preset) => {
    const view = graph(initText({ preset }));
    expect([view.errors, view.warnings]).toEqual([[], []]);
    expect(view.text).toContain(`start\n  ${view.starting_event} → ${view.hats[0]!.id}`);
    expect(view.mermaid).toMatch(/^flowchart LR\n/);
  });

  test('an ambiguous trigger is an error, a topic nobody takes a warning', () => {
    const view = graph(
      'hats: {a: {triggers: [task.start], publishes: [x]}, b: {triggers: [task.start], max_activations: 2}}',
    );
    expect(view.errors.map((finding) => finding.path)).toEqual(['hats.b.triggers']);
    expect(view.warnings.map((finding) => finding.text)).toContain('hat a publishes x, and no hat is triggered by it');
    expect(view.hats[1]).toMatchObject({ id: 'b', maxActivations: 2 });
    expect(view.text).toContain('b [at most 2×]');
  });

  test('no hats is no error', () => {
    expect(graph('')).toMatchObject({ hats: [], errors: [], mermaid: '' });
  });
});
