import { describe, expect, test } from 'vitest';
import { isRuleError, parseRule } from './rules.js';

const plain = (...texts: string[]) => texts.map((text) => ({ kind: 'text', parts: [text] }));

describe('rules that are understood', () => {
  test.each([
    ['Read', { tool: 'Read' }],
    ['*', { tool: '*' }],
    ['mcp__srv__*', { tool: 'mcp__srv__*' }],
    ['mcp__srv', { tool: 'mcp__srv' }],
    ['Bash(*)', { tool: 'Bash' }],
    [
      'Bash(npm test:*)',
      { tool: 'Bash', spec: { kind: 'command', words: plain('npm', 'test'), rest: true, glued: false } },
    ],
    [
      'Bash(npm test *)',
      { tool: 'Bash', spec: { kind: 'command', words: plain('npm', 'test'), rest: true, glued: false } },
    ],
    [
      'Bash(git diff)',
      { tool: 'Bash', spec: { kind: 'command', words: plain('git', 'diff'), rest: false, glued: false } },
    ],
    [
      "Bash(echo 'a b' c\\ d)",
      { tool: 'Bash', spec: { kind: 'command', words: plain('echo', 'a b', 'c d'), rest: false, glued: false } },
    ],
    ['shell(ls)', { tool: 'Bash', spec: { kind: 'command', words: plain('ls'), rest: false, glued: false } }],
    ['Write(src/**)', { tool: 'Edit', spec: { kind: 'path', pattern: 'src/**' } }],
    ['Read(~/x)', { tool: 'Read', spec: { kind: 'path', pattern: '~/x' } }],
    ['Read(//abs/path)', { tool: 'Read', spec: { kind: 'path', pattern: '//abs/path' } }],
    [
      'WebFetch(domain:Example.com)',
      { tool: 'WebFetch', spec: { kind: 'domain', host: 'example.com', subdomains: false } },
    ],
    [
      'WebFetch(domain:*.example.com)',
      { tool: 'WebFetch', spec: { kind: 'domain', host: 'example.com', subdomains: true } },
    ],
    [
      'WebFetch(domain:münchen.de)',
      { tool: 'WebFetch', spec: { kind: 'domain', host: 'xn--mnchen-3ya.de', subdomains: false } },
    ],
  ])('%s', (text, expected) => {
    expect(parseRule(text)).toEqual({ text, ...expected });
  });
});

describe('rules that are not, with the character at fault', () => {
  test.each([
    ['', 0, 'empty'],
    ['  ', 0, 'empty'],
    ['(x)', 0, 'name of a tool'],
    ['Bash npm', 4, 'expected ('],
    ['Bash(npm', 8, 'closing )'],
    ['Bash(npm) x', 9, 'nothing may follow'],
    ['Bash()', 5, 'empty'],
    ['Bash(npm test && rm x)', 14, 'one command'],
    ['Bash(npm test; x)', 13, 'one command'],
    ['Bash(npm $X)', 9, 'one command'],
    ["Bash(echo 'x)", 10, "closing '"],
    ['Bash(echo "$x")', 10, 'single quotes'],
    ['Bash(npm test :*)', 13, 'no space'],
    ['Bash(:*)', 5, 'expected a command'],
    ['Bash(npm \\)', 9, 'backslash'],
    ['Edit(!x)', 5, 'negated'],
    ['Edit(a/../b)', 6, 'no ..'],
    ['Edit(~bob/x)', 5, 'another user'],
    ['Edit(a[b)', 6, 'closing ]'],
    ['WebFetch(example.com)', 9, 'domain:'],
    ['WebFetch(domain:)', 16, 'host name'],
    ['WebFetch(domain:a/b)', 16, 'host name'],
    ['mcp__a__b(x)', 9, 'nothing in brackets'],
    [`Bash(${'x'.repeat(5000)})`, 4096, 'longer than'],
  ])('%j at %i: %s', (text, at, message) => {
    const rule = parseRule(text);
    expect(isRuleError(rule) && rule.at).toBe(at);
    expect(isRuleError(rule) && rule.error).toContain(message);
  });
});
