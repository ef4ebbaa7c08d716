import { describe, expect, test } from 'vitest';
import { run, verdict } from './policy.cases.js';
import { canonicalTool } from './tool-names.js';
import { readCall } from './tools.js';

test.each([
  ...['Bash', 'shell', 'run_shell_command', 'exec_command', 'commandExecution', 'execute'].map((name) => [
    name,
    'Bash',
  ]),
  ...['Edit', 'Write', 'MultiEdit', 'NotebookEdit', 'apply_patch', 'replace', 'write_file', 'edit'].map((name) => [
    name,
    'Edit',
  ]),
  ...['Read', 'read_file', 'read_many_files', 'view'].map((name) => [name, 'Read']),
  ...['WebFetch', 'web_fetch', 'fetch'].map((name) => [name, 'WebFetch']),
  ['mcp__a__b', 'mcp__a__b'],
  ['Agent', 'Agent'],
  ['constructor', 'constructor'],
])('%s is %s', (name, canonical) => {
  expect(canonicalTool(name!)).toBe(canonical);
});

describe('what of a call is looked at', () => {
  test.each([
    ['Bash', { command: 'ls' }, { command: 'ls' }],
    ['exec_command', { cmd: 'ls' }, { command: 'ls' }],
    ['shell', { command: ['ls', '-l'] }, { command: ['ls', '-l'] }],
    ['Bash', { command: 7 }, { unclear: 'its command is no text' }],
    ['Bash', null, {}],
    ['Edit', { file_path: 'a', path: '/etc/x' }, { paths: ['a', '/etc/x'] }],
    ['NotebookEdit', { notebook_path: 'a.ipynb' }, { paths: ['a.ipynb'] }],
    [
      'apply_patch',
      { input: '*** Begin Patch\n*** Update File: a.ts\n*** Move to: b.ts\n*** Add File: c.ts\n' },
      { paths: ['a.ts', 'b.ts', 'c.ts'] },
    ],
    ['fileChange', { changes: [{ path: 'a.ts', kind: 'update' }] }, { paths: ['a.ts'] }],
    ['fileChange', { changes: { 'a.ts': {}, '/etc/x': {} } }, { paths: ['a.ts', '/etc/x'] }],
    ['edit', { content: [{ type: 'diff', path: 'a.ts' }], locations: [{ path: 'b.ts' }] }, { paths: ['a.ts', 'b.ts'] }],
    ['Edit', { uri: 'file:///etc/a%20b' }, { paths: ['/etc/a b'] }],
    ['Edit', {}, { paths: [] }],
    ['Edit', { paths: Array.from({ length: 2000 }, () => 'a') }, { paths: [], unclear: 'it names too many paths' }],
    [
      'read_many_files',
      { include: ['src/**/*.ts', '../x'] },
      { paths: ['src', '../x'], searches: [{ folder: '.', names: 'src/**/*.ts' }, { folder: '../x' }] },
    ],
    ['Read', { file_path: 'app/[id].tsx' }, { paths: ['app/[id].tsx'] }],
    ['Grep', { pattern: 'x' }, { paths: ['.'], searches: [{ folder: '.' }] }],
    ['Grep', { pattern: '/etc/x', where: '/etc' }, { paths: ['/etc'], searches: [{ folder: '/etc' }] }],
    ['Glob', { pattern: '*.ts', path: 'src' }, { paths: ['src'], searches: [{ folder: 'src', names: '*.ts' }] }],
    [
      'Glob',
      { pattern: 'a/*/../../..', path: 'src' },
      { paths: ['src', '/'], searches: [{ folder: 'src' }, { folder: '/' }] },
    ],
    ['WebFetch', { url: 'https://a.b/c' }, { urls: ['https://a.b/c'] }],
    ['web_fetch', { prompt: 'read https://a.b/c and http://d.e' }, { urls: ['https://a.b/c', 'http://d.e'] }],
    ['WebFetch', {}, { urls: [] }],
    ['mcp__a__b', { path: '/etc' }, { mentions: ['/etc'] }],
  ])('%s %j', (name, input, expected) => {
    expect(readCall(name, input)).toEqual({ name, tool: canonicalTool(name), ...expected });
  });
});

describe('rules for tools other than the shell', () => {
  test.each([
    ['mcp__srv__*', 'mcp__srv__do', {}, 'allow'],
    ['mcp__srv', 'mcp__srv__do', {}, 'allow'],
    ['mcp__srv', 'mcp__srv2__do', {}, 'ask'],
    ['mcp__srv__do', 'mcp__srv__dont', {}, 'ask'],
    ['mcp__*__read', 'mcp__a__read', {}, 'allow'],
    ['*', 'anything', {}, 'allow'],
    ['Edit(src/**)', 'write_file', { file_path: '/srv/app/src/a.ts' }, 'allow'],
    ['Edit(src/**)', 'Edit', { file_path: 'src/a.ts', path: 'other' }, 'ask'],
    ['Edit(src/**)', 'Edit', {}, 'ask'],
    // What it would write cannot be told, so neither that it decides nothing.
    ['Edit', 'Edit', {}, 'ask'],
    ['Edit', 'Edit', { file_path: 'src/a.ts' }, 'allow'],
    ['Read(~/notes/**)', 'Read', { file_path: '/home/me/notes/a' }, 'allow'],
    ['Read(~/notes/**)', 'Grep', { path: '~/notes', pattern: 'x' }, 'allow'],
    ['WebFetch(domain:example.com)', 'WebFetch', { url: 'https://example.com/a' }, 'allow'],
    ['WebFetch(domain:example.com)', 'WebFetch', { url: 'https://EXAMPLE.com.:8080/a' }, 'allow'],
    ['WebFetch(domain:example.com)', 'WebFetch', { url: 'https://sub.example.com/' }, 'ask'],
    ['WebFetch(domain:*.example.com)', 'WebFetch', { url: 'https://sub.example.com/' }, 'allow'],
    ['WebFetch(domain:*.example.com)', 'WebFetch', { url: 'https://evilexample.com/' }, 'ask'],
    ['WebFetch(domain:example.com)', 'WebFetch', { url: 'https://example.com@evil.com/' }, 'ask'],
    ['WebFetch(domain:example.com)', 'WebFetch', { url: 'https://evil.com/#example.com' }, 'ask'],
    ['WebFetch(domain:example.com)', 'WebFetch', { url: 'file://example.com/etc/passwd' }, 'ask'],
    ['WebFetch(domain:example.com)', 'WebFetch', { url: 'example.com' }, 'ask'],
    ['WebFetch(domain:example.com)', 'WebFetch', {}, 'ask'],
    ['WebFetch(domain:example.com)', 'web_fetch', { prompt: 'see https://example.com and https://evil.com' }, 'ask'],
  ])('allow %s on %s %j: %s', (rule, tool, input, expected) => {
    expect(verdict(run(tool, input), { allow: [rule] })).toBe(expected);
  });

  test.each([
    ['WebFetch(domain:evil.com)', 'WebFetch', { url: 'https://a.evil.com/' }, 'deny'],
    ['WebFetch(domain:evil.com)', 'WebFetch', { url: 'not an address' }, 'ask'],
    ['WebFetch(domain:evil.com)', 'WebFetch', { url: 'https://good.com' }, 'allow'],
    ['Read(.env)', 'Read', { file_path: 'deep/down/.env' }, 'deny'],
    ['Read(.env)', 'Read', { file_path: 'deep/down/.ENV' }, 'deny'],
    ['Read(.env)', 'Read', { file_path: 'a/../.env' }, 'deny'],
    ['Read(.env)', 'Read', { file_path: '.environment' }, 'allow'],
    ['Read(secret)', 'Grep', { path: 'secret/x', pattern: 'a' }, 'deny'],
    ['Edit(/etc/**)', 'Edit', { file_path: '/etc/hosts' }, 'deny'],
    ['Edit(//etc/**)', 'Edit', { file_path: '/etc/hosts' }, 'deny'],
    ['Edit(x)', 'Edit', {}, 'ask'],
    ['mcp__srv', 'mcp__srv__do', {}, 'deny'],
  ])('deny %s on %s %j: %s', (rule, tool, input, expected) => {
    expect(verdict(run(tool, input), { deny: [rule], allow: ['*'] })).toBe(expected);
  });
});
