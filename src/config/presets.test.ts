import { expect, test } from 'vitest';
import { configJsonSchema } from './json-schema.js';
import { permissiveParts } from './permissive.js';
import { initText, PRESETS } from './presets.js';
import { renderConfigDocs } from './render-docs.js';
import { sandbox } from './sandbox.cases.js';

test.each(PRESETS)('the preset %s is valid, guarded, and gives nothing away', (preset) => {
  const loaded = sandbox({ 'reins.yml': initText({ preset, agent: 'codex' }) }).load();
  expect(loaded.config).toMatchObject({ trust: 'guarded', cli: { backend: 'codex' } });
  expect(permissiveParts(loaded)).toEqual([]);
  for (const hat of Object.values(loaded.config.hats)) expect(hat.triggers.length).toBeGreaterThan(0);
});

test.each(['tdd', 'review'] as const)(
  'the hats of %s follow one another: every topic has someone who wears it',
  (preset) => {
    const { hats, event_loop } = sandbox({ 'reins.yml': initText({ preset }) }).load().config;
    const heard = Object.values(hats).flatMap((hat) => hat.triggers);
    const said = [event_loop.starting_event, ...Object.values(hats).flatMap((hat) => hat.publishes)];
    expect(new Set(said)).toEqual(new Set(heard));
  },
);

test('whatever agent and test command are given, the text stays valid', () => {
  const text = initText({ preset: 'tdd', agent: 'x: "y" #', testCommand: 'npm test -- --grep "a: b" # c' });
  const { config } = sandbox({ 'reins.yml': text }).load();
  expect(config.cli.backend).toBe('x: "y" #');
  expect(config.event_loop.gates).toEqual([{ name: 'tests', run: 'npm test -- --grep "a: b" # c', timeout_secs: 300 }]);
});

test('the docs have a row for every key of the contract', () => {
  const docs = renderConfigDocs();
  const keys = ['cli.backend', 'cli.detach_key', 'adapters.<name>.timeout', 'trust', 'tools.defaults.detached'];
  keys.push('tools.<name>.questions.<name>.exclusive', 'rules.deny', 'consult.min_confidence', 'presence.grace_secs');
  keys.push(
    'event_loop.gates[].run',
    'hats.<name>.triggers',
    'events.<name>.description',
    'notify.push',
    'recording.max_mb',
  );
  for (const key of keys) expect(docs, key).toContain(`| \`${key}\` |`);
  expect(docs).toContain('| `cli.idle_timeout_secs` | number | `30` |');
  const rows = docs.split('\n').filter((line) => line.startsWith('| `'));
  for (const row of rows) expect(row.replaceAll('\\|', '').split('|'), row).toHaveLength(6);
});

test('the JSON schema is for what is written: nothing is required, nothing unknown allowed', () => {
  const schema = configJsonSchema();
  expect(schema.required).toBeUndefined();
  expect(schema.additionalProperties).toBe(false);
  expect(JSON.parse(JSON.stringify(schema))).toEqual(schema);
});
