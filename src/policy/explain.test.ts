import { expect, test } from 'vitest';
import { explainPolicy } from './explain.js';
import { question, settingsWith, tools } from './policy.cases.js';

const lines = (ask: Parameters<typeof explainPolicy>[0], settings = settingsWith({})) => {
  const { attached, detached } = explainPolicy(ask, settings, tools);
  return [attached.text, detached.text];
};

test('nothing set', () => {
  expect(lines({ tool: 'Bash', input: { command: 'make' } })).toEqual([
    'attached: ask (tools.defaults.attached, default)',
    'detached: deny (tools.defaults.detached, default)',
  ]);
});

test('a rule, with its file and line', () => {
  const settings = settingsWith({ allow: ['Bash(make)'], deny: ['Bash(rm:*)'] });
  expect(lines({ tool: 'Bash', input: { command: 'make' } }, settings)).toEqual([
    'attached: allow (Bash(make), reins.yml:1)',
    'detached: allow (Bash(make), reins.yml:1)',
  ]);
  const { detached } = explainPolicy({ tool: 'Bash', input: { command: 'rm x' } }, settings, tools);
  expect(detached).toMatchObject({
    verdict: 'deny',
    rule: 'Bash(rm:*)',
    source: 'reins.yml:1',
    file: 'reins.yml',
    line: 1,
  });
});

test.each([
  ['reins.yml:7', 'reins.yml', 7],
  // With its column, as the config says it.
  ['reins.yml:7:5', 'reins.yml', 7],
  ['/home/a:3/b/config.yml:12:34', '/home/a:3/b/config.yml', 12],
])('a place %s is a file and a line', (source, file, line) => {
  const tree = { defaults: { detached: { all: { value: 'defer' as const, source } } }, named: {} };
  const { detached } = explainPolicy({ tool: 'Edit' }, settingsWith({}, { tools: tree }), tools);
  expect([detached.file, detached.line]).toEqual([file, line]);
});

test('a question, a default, a ladder', () => {
  const detached = {
    question: { value: 'defaults' as const, source: 'reins.yml:7:5' },
    run: { value: 'defer' as const, source: 'flag' },
  };
  const settings = settingsWith({}, { tools: { defaults: { detached }, named: {} } });
  const asked = { tool: 'AskUserQuestion', kind: 'question' as const, questions: [question({ default: ['pg'] })] };
  expect(explainPolicy(asked, settings, tools)).toMatchObject({
    attached: { verdict: 'ask' },
    detached: { verdict: 'allow', source: 'default' },
  });
  expect(explainPolicy({ tool: 'Edit' }, settings, tools).detached).toMatchObject({ verdict: 'defer', source: 'flag' });
  const ladder = [
    { mode: 'ask' as const, forMs: 300_000 },
    { mode: 'auto' as const, forMs: 1500 },
    { mode: 'defer' as const },
  ];
  const climbing = settingsWith(
    {},
    { tools: { defaults: { detached: { all: { value: ladder, source: 'reins.yml:9' } } }, named: {} } },
  );
  expect(lines({ ...asked, tool: 'ask_user' }, climbing)[1]).toBe(
    'detached: ask for 5m, then consult for 1500ms, then defer (tools.defaults.detached, reins.yml:9)',
  );
});
