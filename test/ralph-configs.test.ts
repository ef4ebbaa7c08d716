/**
 * L2: files in the shapes that ralph's users have. Each loads, wears its hats in the order its triggers say (the rule of
 * the loop with an agent that says what the file's head has it say), and does the same after `config migrate`. Some of
 * them run for real in journeys/ralph.test.ts.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { migrateText } from '../src/config/index.js';
import type { LoadedConfig } from '../src/config/load.js';
import { sandbox } from '../src/config/sandbox.cases.js';
import { loopSettingsFrom } from '../src/loop/index.js';
import { Bench } from '../src/loop/loop.cases.js';
import { configFindings } from '../src/sessions/run.js';

const FOLDER = join(import.meta.dirname, 'fixtures', 'ralph');
const head = (text: string, key: string): string | undefined => new RegExp(`^# ${key}: (.*)$`, 'm').exec(text)?.[1];

const FILES = readdirSync(FOLDER).map((name) => {
  const text = readFileSync(join(FOLDER, name), 'utf8');
  return {
    name,
    text,
    says: head(text, 'says')!.split(' | '),
    hats: head(text, 'hats')!.split(' '),
    end: head(text, 'end') ?? 'completed',
  };
});

/** Who was worn, and how it ended. */
function run({ config }: LoadedConfig, says: string[]) {
  const settings = { ...loopSettingsFrom(config), prompt: 'Do the work.' };
  const bench = new Bench(settings);
  const worn: string[] = [];
  let effects = bench.tell({ kind: 'started' });
  for (let turns = 0; turns < 50; turns++) {
    const end = effects.find((effect) => effect.do === 'finish');
    if (end) return { worn, end: end.outcome };
    const start = effects.find((effect) => effect.do === 'start');
    const wait = effects.find((effect) => effect.do === 'wait');
    const gates = effects.find((effect) => effect.do === 'run-gates');
    if (start) {
      worn.push(start.hat ?? (settings.hats.length > 0 ? 'coordinator' : 'none'));
      const words = (says[worn.length - 1] ?? '-').split(' ');
      for (const topic of words.filter((word) => word !== '-' && word !== settings.promise)) {
        bench.tell({ kind: 'event', topic, payload: 'told', by: 'text' });
      }
      const claimed = words.includes(settings.promise);
      effects = bench.ends('ok', { tree: `${worn.length}`, claim: { claimed, reason: 'scripted' } });
    } else if (gates) effects = bench.gates(...gates.gates.map(() => true));
    else if (wait) effects = bench.tell({ kind: 'tick', at: wait.until });
    else throw new Error(`nothing goes on: ${JSON.stringify(effects)}`);
  }
  throw new Error(`it did not end: ${worn.join(' ')}`);
}

test('there are thirty', () => expect(FILES).toHaveLength(30));

describe.each(FILES)('$name', ({ text, says, hats, end }) => {
  const ralph = () => sandbox({ 'ralph.yml': text }).load();

  test('L2: loads, with one notice at most about what has no effect', () => {
    const loaded = ralph();
    expect(loaded.config.trust).toBe(/^trust: guarded/m.test(text) ? 'guarded' : 'full');
    expect(loaded.notices.filter((notice) => notice.startsWith('without effect')).length).toBeLessThanOrEqual(1);
    expect(configFindings(loaded).errors).toEqual([]);
  });

  test('L2, L3: wears its hats as its triggers say', () => {
    expect(run(ralph(), says)).toEqual({ worn: hats, end });
  });

  test('L2: means the same as reins.yml, and runs the same', () => {
    const before = ralph();
    const migrated = migrateText(text).text;
    const after = sandbox({ 'reins.yml': migrated }).load();
    expect(after.config).toEqual(before.config);
    expect(after.notices).toEqual([]);
    expect(run(after, says)).toEqual({ worn: hats, end });
    // Comments stay, and a second time there is nothing to do.
    expect(migrated).toContain('# hats: ');
    expect(migrateText(migrated, 'reins').changes).toEqual([]);
  });
});
