import { describe, expect, it } from 'vitest';
import { argsTrouble, withoutAppended } from './claude-args.js';

describe('arguments of the user’s that could open the gate are refused', () => {
  it.each([
    ['--dangerously-skip-permissions'],
    ['--allow-dangerously-skip-permissions'],
    ['--permission-mode', 'bypassPermissions'],
    ['--permission-mode=bypassPermissions'],
    ['--permission-mode', 'auto'],
    ['--permission-mode'],
    ['--permission-mode='],
    ['--allowedTools', 'Bash'],
    ['--allowed-tools=Bash'],
    ['--settings', '{}'],
    ['--settings={"disableAllHooks":true}'],
    ['--setting-sources', 'user,project'],
    ['--managed-settings', '{}'],
    ['--permission-prompt-tool', 'mcp__x__y'],
    ['--permission-prompts', 'x'],
    ['--plugin-dir', '.'],
    ['--plugin-dir-no-mcp', '.'],
    ['--plugin-url', 'https://example.com'],
    ['--agents', '{}'],
    ['--bare'],
    ['--safe-mode'],
    ['--enable-auto-mode'],
    ['--print'],
    ['-p'],
    ['-pc'],
    ['--output-format', 'text'],
    ['--worktree'],
    ['--bg'],
    ['--some-flag-of-next-year'],
    ['--'],
    ['--verbose', 'mcp', 'add', 'evil', '--', 'sh'],
    ['update'],
    // Hidden behind an option that takes no value, or none here.
    ['--verbose', '--bare'],
    ['--debug', '--bare'],
    ['--add-dir', 'x', '--bare'],
    ['--verbose=--bare'],
  ])('%s %s %s', (...args) => {
    expect(argsTrouble(args)).toBeTypeOf('string');
  });

  it('the reason says which and why', () => {
    expect(argsTrouble(['--allowedTools', 'Bash'])).toMatch(/^--allowedTools: .*rules\.allow/);
    expect(argsTrouble(['--new'])).toMatch(/^--new: Reins does not know/);
  });
});

it.each([
  [],
  ['--model', 'opus'],
  ['--model=opus', '--effort', 'high'],
  ['--add-dir', '../lib', '../more', '--verbose'],
  ['--mcp-config', 'mine.json'],
  ['--disallowedTools', 'WebFetch'],
  ['--permission-mode', 'plan'],
  ['--debug', 'hooks'],
  ['--debug'],
  ['--continue'],
  ['--append-system-prompt', '--bare'],
])('what leaves the gate alone passes: %s %s %s', (...args) => {
  expect(argsTrouble(args)).toBeUndefined();
});

it('texts for the system prompt are taken out, and nothing else', () => {
  const args = [
    '--model',
    '--append-system-prompt',
    '--append-system-prompt',
    'a',
    '--append-system-prompt-file=f',
    '-c',
  ];
  expect(withoutAppended(args)).toEqual({
    args: ['--model', '--append-system-prompt', '-c'],
    texts: ['a'],
    files: ['f'],
  });
});
