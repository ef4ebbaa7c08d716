import { describe, expect, test } from 'vitest';
import { changesOf } from './changes.js';
import { folder } from './folder.cases.js';
import { checkedSettings, type RunAsk } from './settings-run.js';

const HATS =
  'hats: {a: {triggers: [task.start, x], publishes: [y], instructions: short}, b: {triggers: [y], publishes: [x]}}\n';

function specs(before: string, after: string, ask: RunAsk = {}) {
  const of = (yaml: string, given: RunAsk) => {
    const settings = checkedSettings(folder({ 'reins.yml': yaml }), given);
    const { rules, sources, trust } = settings;
    const rest = { timeout_secs: 0, idle_timeout_secs: 0, once: false, agent_args: [] };
    return { config: settings.loaded.config, rules, sources, trust, ...rest };
  };
  return [of(before, {}), of(after, ask)] as const;
}

const words = (...[old, now]: ReturnType<typeof specs>) =>
  changesOf(old, now, { newPrompt: false }).map(({ what, from, to }) => (from ? `${what} ${from} → ${to}` : what));

describe('what a session goes on with differently', () => {
  test('nothing, when nothing differs', () => expect(words(...specs(HATS, HATS))).toEqual([]));

  test('limits, words, trust and rules, by their names', () => {
    const after = 'event_loop: {max_iterations: 200, completion_promise: DONE}\nrules: {deny: [Edit]}\n';
    expect(words(...specs('rules: {deny: [Write]}\n', after, { trust: 'full', maxCost: 3 }))).toEqual([
      'trust guarded → full',
      'completion_promise LOOP_COMPLETE → DONE',
      'max_iterations 100 → 200',
      'max_cost_usd none → 3',
      'with rules.deny Edit',
      'without rules.deny Write',
    ]);
  });

  test('hats that come, go and change; long and secret values are not repeated', () => {
    const after = `hats: {a: {triggers: [task.start, x], publishes: [y], instructions: "${'long '.repeat(20)}"}, c: {triggers: [y], publishes: [x]}}
adapters: {claude: {env: {KEY: s3cret}}}\n`;
    expect(words(...specs(HATS, after, { trust: 'full' }))).toEqual([
      'trust guarded → full',
      'a new hat c',
      'without hat b',
      'another hats.a.instructions',
      'another adapters.claude.env.KEY',
    ]);
  });

  test('a key that an older build did not know is no change by itself', () => {
    const [old, now] = specs('', '');
    const { max_iterations: _, ...event_loop } = old.config.event_loop;
    const older = { ...old, config: { ...old.config, event_loop } } as typeof old;
    expect(changesOf(older, now, { newPrompt: true })).toEqual([{ what: 'a new prompt' }]);
  });
});
