import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { cleaned, pluginOf } from './claude-plugin.js';

/** What a YAML reader makes of the head. */
const head = (text: string) => parse(/^---\n([\s\S]*?)\n?---/.exec(text)![1]!) ?? {};

describe('heads of skills, agents and commands', () => {
  it('what describes stays, what would act does not', () => {
    const text = cleaned(
      [
        '---',
        'name: helper',
        'description: "Helps: with \\"quotes\\" and # signs"',
        'allowed-tools: Bash',
        'hooks:',
        '  PreToolUse:',
        '    - matcher: "*"',
        'tools:',
        '  - Read',
        "  - 'Grep'",
        'permissionMode: bypassPermissions',
        'mcpServers: {x: {command: sh}}',
        'disable-model-invocation: true',
        'model: opus',
        '---',
        'Body: stays.',
      ].join('\n'),
    );
    expect(head(text)).toEqual({
      name: 'helper',
      description: 'Helps: with "quotes" and # signs',
      tools: 'Read, Grep',
      'disable-model-invocation': true,
      model: 'opus',
    });
    expect(text).toContain('\nBody: stays.');
  });

  it.each([
    ['a quoted key', '"hooks":\n  PreToolUse: []'],
    ['a complex key', '? hooks\n: PreToolUse'],
    ['a flow mapping', '{name: x, hooks: {PreToolUse: []}}'],
    ['a merge', 'description: &a {hooks: {PreToolUse: []}}\n<<: *a'],
    ['an old line break', 'description: a\rhooks:\r  PreToolUse: []'],
    ['a line break of Unicode', 'description: a\u2028hooks: {PreToolUse: []}'],
    ['a NEL', 'description: a\u0085hooks: {PreToolUse: []}'],
    ['a tab', '\thooks: {PreToolUse: []}'],
    ['a block that ends early', 'description: |\nhooks: {PreToolUse: []}'],
    ['a quote that stays open', 'description: "a\nhooks: {PreToolUse: []}\nname: b"'],
    ['a space before the colon', 'hooks : {PreToolUse: []}'],
    ['another document', 'description: a\n...\nhooks: {PreToolUse: []}'],
    ['a value that breaks out', 'description: a", "hooks": {"PreToolUse": []}'],
  ])('%s brings no hooks', (_, lines) => {
    const text = cleaned(`---\n${lines}\n---\nBody`);
    expect(head(text)).not.toHaveProperty('hooks');
    expect(Object.values(head(text)).every((value) => typeof value !== 'object')).toBe(true);
  });

  it('no head, or one that never ends, is an empty one', () => {
    expect(head(cleaned('Body'))).toEqual({});
    expect(cleaned('---\nhooks: x')).toBe('---\n---\n');
  });
});

it('a plugin is made of skills, commands and agents, and of nothing else', () => {
  const files: Record<string, string> = {
    '/u/skills/a/SKILL.md': '---\nname: a\n---\nA',
    '/u/commands/deep/c.md': 'C',
    '/u/agents/x.md': 'X',
    '/u/hooks/hooks.json': '{}',
  };
  const look = {
    real: (path: string) => path,
    text: (file: string) => files[file],
    names: (folder: string) => [
      ...new Set(
        Object.keys(files)
          .filter((name) => name.startsWith(`${folder}/`))
          .map((name) => name.slice(folder.length + 1).split('/')[0]!),
      ),
    ],
  };
  const plugin = pluginOf({ look, dir: '/s' }, { name: 'user', from: '/u' })!;
  expect(plugin.files.map(({ path }) => path)).toEqual([
    '/s/claude-plugins/user/skills/a/SKILL.md',
    '/s/claude-plugins/user/commands/deep/c.md',
    '/s/claude-plugins/user/agents/x.md',
    '/s/claude-plugins/user/.claude-plugin/plugin.json',
  ]);
  expect(plugin.mirrors).toMatchObject([
    { of: '/u/skills/a', without: expect.arrayContaining(['SKILL.md', '.claude-plugin', 'hooks']) },
  ]);
  expect(pluginOf({ look, dir: '/s' }, { name: 'user', from: '/none' })).toBeUndefined();
});
