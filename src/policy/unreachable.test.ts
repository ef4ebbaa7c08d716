import { expect, test } from 'vitest';
import { settingsWith } from './policy.cases.js';
import { unreachable } from './unreachable.js';

const idle = (rules: Parameters<typeof settingsWith>[0]) =>
  unreachable(settingsWith(rules).rules).map(({ rule, by }) => `${rule.effect} ${rule.text} < ${by.effect} ${by.text}`);

test.each([
  [{ allow: ['Read', 'Read'] }, ['allow Read < allow Read']],
  [{ deny: ['Bash'], allow: ['Bash(npm test:*)'] }, ['allow Bash(npm test:*) < deny Bash']],
  [{ deny: ['Bash(npm:*)'], allow: ['Bash(npm test:*)'] }, ['allow Bash(npm test:*) < deny Bash(npm:*)']],
  [{ deny: ['Bash(npm test:*)'], allow: ['Bash(npm:*)'] }, []],
  [
    { ask: ['Bash(git push:*)'], allow: ['Bash(git push origin)'] },
    ['allow Bash(git push origin) < ask Bash(git push:*)'],
  ],
  [{ deny: ['Bash(git push:*)'], ask: ['Bash(git push:*)'] }, ['ask Bash(git push:*) < deny Bash(git push:*)']],
  [{ allow: ['Bash(npm test *)', 'Bash(npm test:*)'] }, ['allow Bash(npm test:*) < allow Bash(npm test *)']],
  [{ allow: ['Bash(git diff)', 'Bash(git diff:*)'] }, ['allow Bash(git diff) < allow Bash(git diff:*)']],
  [{ allow: ['Bash(ls*)', 'Bash(ls)'] }, []],
  [{ allow: ['Edit(src/**)', 'Edit(src/a/b.ts)', 'Edit(lib/**)'] }, ['allow Edit(src/a/b.ts) < allow Edit(src/**)']],
  [{ deny: ['Read(**)'], allow: ['Read(src/**)', 'Read(~/x)'] }, ['allow Read(src/**) < deny Read(**)']],
  [
    { allow: ['WebFetch(domain:*.a.com)', 'WebFetch(domain:b.a.com)', 'WebFetch(domain:a.com)'] },
    ['allow WebFetch(domain:b.a.com) < allow WebFetch(domain:*.a.com)'],
  ],
  [{ deny: ['mcp__srv'], allow: ['mcp__srv__do', 'mcp__other__do'] }, ['allow mcp__srv__do < deny mcp__srv']],
  [{ deny: ['*'], allow: ['Read'], ask: ['Edit(x)'] }, ['ask Edit(x) < deny *', 'allow Read < deny *']],
  [{ allow: ['*'], deny: ['Read'] }, []],
  [{ deny: ['Bash('], allow: ['Bash(ls)'] }, []],
  [{ deny: ['Read'], allow: ['Grep'] }, ['allow Grep < deny Read']],
])('%o', (rules, expected) => {
  expect(idle(rules)).toEqual(expected);
});

test('it says why', () => {
  const [first] = unreachable(settingsWith({ deny: ['Bash'], allow: ['Bash(ls)'] }).rules);
  expect(first?.why).toBe('deny Bash (reins.yml:1) decides first');
});
