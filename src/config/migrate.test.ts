import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { migrateText } from './migrate-text.js';
import { errorOf, sandbox } from './sandbox.cases.js';

/** Seed 000, "Config Migration"; the last two rows are what the old defaults were. */
const TABLE = [
  ['pty_mode: false', 'autonomous'],
  ['pty_mode: false\npty_interactive: true', 'autonomous'],
  ['pty_mode: true\npty_interactive: true', 'interactive'],
  ['pty_mode: true\npty_interactive: false', 'autonomous'],
  ['pty_mode: true', 'interactive'],
  ['pty_interactive: true', 'autonomous'],
] as const;
const underCli = (text: string): string => `cli:\n  backend: kiro\n${text.replace(/^/gm, '  ')}\n`;

describe.each(TABLE)('%j', (old, mode) => {
  test.each([
    ['under cli', underCli(old)],
    ['at the top', old],
    ['at the top, beside cli', `cli: {backend: kiro}\n${old}`],
  ])(`%s is ${mode}`, (_, text) => {
    const loaded = sandbox({ 'ralph.yml': text }).load();
    expect(loaded.config.cli.default_mode).toBe(mode);
    expect(loaded.notices).toHaveLength(1);
    expect(loaded.notices[0]).toContain(`is now cli.default_mode: ${mode}`);
    expect(loaded.origins.get('cli.default_mode')?.origin.source).toMatch(/^ralph\.yml:\d+:\d+$/);

    const migrated = migrateText(text);
    expect(parse(migrated.text).cli.default_mode).toBe(mode);
    expect(migrated.text).not.toContain('pty_');
    const after = sandbox({ 'reins.yml': migrated.text }).load();
    expect(after.notices).toEqual([]);
    expect(after.config).toEqual(loaded.config);
  });
});

test('a default_mode that is written as well wins', () => {
  const text = 'cli:\n  pty_mode: true\n  default_mode: autonomous\n';
  const loaded = sandbox({ 'ralph.yml': text }).load();
  expect(loaded.config.cli.default_mode).toBe('autonomous');
  expect(loaded.notices[0]).toContain('is ignored');
  expect(parse(migrateText(text).text)).toEqual({ cli: { default_mode: 'autonomous' }, trust: 'full' });
});

test('an old key that is neither true nor false is a problem, not a guess', () => {
  const box = sandbox({ 'ralph.yml': 'cli: {pty_mode: sometimes}' });
  expect(errorOf(() => box.load()).message).toBe('ralph.yml:1:17 cli.pty_mode: expected true or false');
  expect(errorOf(() => migrateText('cli: {pty_mode: 1}')).code).toBe('CONFIG_INVALID');
  expect(errorOf(() => migrateText('a: [')).code).toBe('CONFIG_INVALID');
});

test('comments and everything else stay', () => {
  const text = `# our loop
cli:
  backend: "kiro" # the fast one
  # we like to watch
  pty_mode: true # yes
  pty_interactive: false

event_loop:
  prompt: |
    a long prompt that goes on and on and on and on and on and on and on and on and on and on and on
    # not a comment
`;
  const { text: migrated, changes } = migrateText(text);
  expect(migrated).toBe(`# our loop
cli:
  backend: "kiro" # the fast one
  # we like to watch
  default_mode: autonomous # yes

event_loop:
  prompt: |
    a long prompt that goes on and on and on and on and on and on and on and on and on and on and on
    # not a comment
trust: full # as ralph.yml had it; \`guarded\` makes every tool call an inquiry
`);
  expect(changes).toEqual([
    'cli.pty_mode and cli.pty_interactive became cli.default_mode: autonomous',
    'trust: full is written down, as a ralph.yml means it',
  ]);
});

test('what needs nothing comes back byte for byte', () => {
  const text = 'trust:   guarded\ncli: { backend:   x }\r\n';
  expect(migrateText(text)).toEqual({ text, changes: [] });
  const reins = 'cli:   {}\n';
  expect(migrateText(reins, 'reins')).toEqual({ text: reins, changes: [] });
});

test('an empty ralph.yml still meant full', () => {
  expect(parse(migrateText('').text)).toEqual({ trust: 'full' });
  expect(parse(migrateText('# only this\n').text)).toEqual({ trust: 'full' });
});
