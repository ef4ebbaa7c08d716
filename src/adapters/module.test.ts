/** Adapters of the user's own: what is refused, and that the gate is not a matter of their word. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { LaunchAsk } from './adapter.js';
import { bringAdapter } from './module.js';
import { BUILT_IN } from './module-shape.js';
import { adapterNamed, adapters } from './registry.js';

const dir = mkdtempSync(join(tmpdir(), 'adapter-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

let count = 0;
function module(text: string): string {
  const file = join(dir, `m${++count}.mjs`);
  writeFileSync(file, text);
  return file;
}

const PLAN = "{command: 'x', args: [], env: {}, io: 'pipe', stdin: 'open', files: [], notes: []}";
const adapter = (id: string, { door = "'stream'", plan = PLAN, more = '' } = {}) =>
  module(
    `export default {id: '${id}', label: 'X', command: 'x', install: 'get it', door: () => (${door}), plan: () => (${plan}), ${more}}`,
  );

const ask = (more: Partial<LaunchAsk>) => ({ trust: 'guarded', door: 'stream', ...more }) as LaunchAsk;

test('the names that nobody may take are those of the agents that come with Reins', () => {
  expect([...BUILT_IN].sort()).toEqual(adapters.map(({ id }) => id).sort());
});

test.each([
  ['nothing', () => module(''), 'no adapter as its default export'],
  ['a function', () => module('export default () => 1'), 'no adapter as its default export'],
  ['no JavaScript', () => module('export default {'), 'cannot be used'],
  ['not there', () => join(dir, 'nowhere.mjs'), 'cannot be used'],
  ['throws', () => module("throw new Error('broken on purpose')"), 'broken on purpose'],
  ['claude’s name', () => adapter('claude'), 'claude comes with Reins and cannot be replaced'],
  ['auto', () => adapter('auto'), 'auto comes with Reins'],
  ['a name that is none', () => adapter('__proto__'), 'its id is not'],
  [
    'no plan',
    () => module("export default {id: 'a', label: 'A', command: 'a', install: 'a', door() {}}"),
    'its plan is not a function',
  ],
])('refused with what is wrong: %s', async (_what, file, words) => {
  await expect(bringAdapter(file())).rejects.toMatchObject({
    code: 'ADAPTER_INVALID',
    exit: 20,
    message: expect.stringContaining(words),
  });
});

test('one under another name than it was wanted by, and a second one under the same', async () => {
  await expect(bringAdapter(adapter('other'), 'wanted')).rejects.toMatchObject({ code: 'ADAPTER_INVALID' });
  await bringAdapter(adapter('twice'));
  await expect(bringAdapter(adapter('twice'))).rejects.toThrow(/this program has twice from/);
});

test('found by its name afterwards; never chosen by `auto`', async () => {
  const file = adapter('mine', { more: 'priority: -1' });
  expect(adapterNamed('mine')).toBeUndefined();
  expect(await bringAdapter(file, 'mine')).toMatchObject({ id: 'mine', label: 'X' });
  expect(await bringAdapter(file, 'mine')).toBe(adapterNamed('mine'));
  expect(adapterNamed('mine')?.priority).toBeUndefined();
  expect(adapters).not.toContain(adapterNamed('mine'));
});

test.each([
  ['stream', PLAN, true],
  ['stream', `{...${PLAN}, hook: {}}`, false],
  ['control', `{...${PLAN}, hook: {}}`, true],
  ['control', `{...${PLAN}, protocol: {}}`, false],
  ['tui', `{...${PLAN}, tui: {}, protocol: {}, hook: {}}`, true],
  ['tui', `{...${PLAN}, tui: {hook: {}}}`, false],
] as const)('guarded, its %s door with %s is refused: %s', async (door, plan, refused) => {
  const given = await bringAdapter(adapter(`gate${count}`, { door: `'${door}'`, plan }));
  const guarded = given.plan(ask({ door }));
  expect('refused' in guarded && guarded.refused === 'ungated').toBe(refused);
  expect('refused' in given.plan(ask({ door, trust: 'full' }))).toBe(false);
});

test('what it says wrongly, or throws, is an error with its file in it', async () => {
  const file = adapter('liar', { door: "'window'", plan: "{command: ''}" });
  const liar = await bringAdapter(file);
  expect(() => liar.door(ask({}))).toThrow(/neither stream, control or tui/);
  expect(() => liar.plan(ask({}))).toThrow(`the adapter ${file} cannot be used: its plan’s command is not a program`);
  const thrower = await bringAdapter(adapter('thrower', { plan: "(() => { throw new Error('boom') })()" }));
  expect(() => thrower.plan(ask({}))).toThrow(/its plan threw: boom/);
});
