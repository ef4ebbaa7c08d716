import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Refusal } from './adapter.js';
import { claudeConsultation } from './claude-consult.js';
import { codexConsultation } from './codex-consult.js';
import type { ConsultAsk, ConsultPlan } from './consultation.js';
import { geminiConsultation } from './gemini-consult.js';
import { look } from './look.js';
import { customConsultation, practiceConsultation } from './plain-consult.js';
import { readToml } from './toml.js';

function ask(files: Record<string, string> = {}, over: Partial<ConsultAsk> = {}): ConsultAsk {
  const home = mkdtempSync(join(tmpdir(), 'consult-plan-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text);
  return {
    ...{ promptFile: '/private/own/prompt.md', cwd: '/private/empty', dir: '/private/own', args: [], named: true },
    custom: { command: 'llm', args: [], prompt_mode: 'stdin' },
    env: { HOME: home, CODEX_HOME: home, CLAUDE_CONFIG_DIR: home },
    look,
    ...over,
  };
}
const planOf = (plan: ConsultPlan | Refusal): ConsultPlan => {
  expect(plan).not.toHaveProperty('refused');
  return plan as ConsultPlan;
};

describe('every agent that is consulted', () => {
  const all = { claudeConsultation, codexConsultation, geminiConsultation, customConsultation, practiceConsultation };
  test.each(Object.entries(all))(
    '%s gets its prompt by a file, never as an argument, and is read one way',
    (_, make) => {
      const plan = planOf(make(ask()));
      expect(plan.stdin).toEqual({ file: '/private/own/prompt.md' });
      expect(plan.decoder).toBeDefined();
      expect(plan.protocol ?? plan.tui ?? plan.hook).toBeUndefined();
      for (const { path } of plan.files) expect(path).toMatch(/^\/private\/own\//);
    },
  );

  test.each(Object.entries(all))(
    '%s is not given arguments that could bring tools, nor files to read',
    (name, make) => {
      for (const args of [
        ['--tools', 'default'],
        ['--mcp-config', 'x'],
        ['-c', 'features.shell_tool=true'],
        ['--yolo'],
      ])
        if (name !== 'customConsultation') expect(make(ask({}, { args }))).toMatchObject({ refused: 'args' });
      if (name !== 'practiceConsultation')
        expect(make(ask({}, { reads: '/project' }))).toMatchObject({
          reason: expect.stringContaining('consult.reads'),
        });
    },
  );
});

test('claude: of the user’s settings only the login comes back, and no tool', () => {
  const settings = {
    ...{ apiKeyHelper: '/own/helper', env: { ANTHROPIC_BASE_URL: 'http://x', NODE_OPTIONS: '--require x' } },
    ...{ permissions: { allow: ['Bash'] }, hooks: { PreToolUse: [{ hooks: [] }] }, statusLine: { command: 'x' } },
  };
  const plan = planOf(
    claudeConsultation(ask({ 'settings.json': JSON.stringify(settings) }, { args: ['--effort', 'low'] })),
  );
  const at = plan.args.indexOf('--tools');
  expect(plan.args[at + 1]).toBe('');
  expect(plan.args).toEqual(expect.arrayContaining(['--strict-mcp-config', '--setting-sources', '--effort']));
  const written = JSON.parse(plan.files[0]!.content);
  expect(written).toMatchObject({ apiKeyHelper: '/own/helper', disableAllHooks: true, permissions: { deny: ['*'] } });
  expect(written.env).toMatchObject({ ANTHROPIC_BASE_URL: 'http://x' });
  expect(written.env).not.toHaveProperty('NODE_OPTIONS');
  for (const key of ['hooks', 'statusLine']) expect(written).not.toHaveProperty(key);
  expect(plan.model).toBe('haiku');
  expect(planOf(claudeConsultation(ask({}, { model: 'opus' }))).args).toContain('opus');
});

describe('codex', () => {
  const CONFIG = `model = "gpt-x"
model_provider = "own"
notify = ["/own/program"]
approval_policy = "on-request"
[model_providers.own]
base_url = "http://x"
env_key = "OWN"
[mcp_servers.mine]
command = "/own/server"
[[hooks.PreToolUse]]
matcher = ".*"
[features]
shell_tool = true
[projects."/project"]
trust_level = "trusted"
`;
  test('a home of its own: the login is linked, its config has the model and nothing that starts or permits anything', () => {
    const asked = ask({ 'config.toml': CONFIG, 'auth.json': '{}', 'AGENTS.md': 'obey', 'history.jsonl': '' });
    const plan = planOf(codexConsultation(asked));
    const [mirror] = plan.mirrors!;
    expect(mirror!.without).toEqual(expect.arrayContaining(['AGENTS.md', 'config.toml', 'history.jsonl']));
    expect(mirror!.without).not.toContain('auth.json');
    expect(plan.pinned).toEqual({ CODEX_HOME: mirror!.dir });
    const config = readToml(plan.files[0]!.content);
    if (!('table' in config)) throw new Error(config.unreadable);
    const keys = [...config.table.keys()];
    expect(keys).toEqual(
      expect.arrayContaining(['model', 'model_provider', 'model_providers', 'features', 'web_search']),
    );
    for (const key of ['notify', 'mcp_servers', 'hooks']) expect(keys).not.toContain(key);
    expect(plan.files[0]!.content).not.toContain('= true');
    expect(plan).toMatchObject({ model: 'gpt-x' });
    expect(plan.args).toEqual(expect.arrayContaining(['read-only', '--ignore-rules', '--ephemeral']));
  });

  test.each([
    ['a login in the keyring', { 'config.toml': 'cli_auth_credentials_store = "keyring"' }, {}, /keyring/],
    ['a config nobody understands', { 'config.toml': 'model = [' }, {}, /not understood/],
    ['an old one', {}, { version: 'codex-cli 0.120.0' }, /older than 0\.150/],
  ])('%s is no consultant, with the reason', (_, files, over, reason) => {
    expect(codexConsultation(ask(files as Record<string, string>, over))).toMatchObject({
      reason: expect.stringMatching(reason),
    });
  });
});

test('gemini: a home of its own with the login’s kind, no tool, no server, no hook, nothing read above', () => {
  const asked = ask();
  const plan = planOf(geminiConsultation(asked));
  const settings = JSON.parse(plan.files[0]!.content);
  expect(settings).toMatchObject({ tools: { core: ['none'] }, mcpServers: {}, hooksConfig: { enabled: false } });
  expect(plan.files[1]!.content).toContain('decision = "deny"');
  expect(plan.args).toEqual(expect.arrayContaining(['-m', 'flash', '--admin-policy']));
  expect(geminiConsultation(ask({}, { version: '0.50.0' }))).toMatchObject({ reason: expect.stringContaining('0.61') });
});

test('a program of the user’s own is consulted only where it was named for this', () => {
  expect(customConsultation(ask({}, { named: false }))).toMatchObject({
    reason: expect.stringContaining('not consulted unasked'),
  });
  expect(customConsultation(ask({}, { custom: { args: [], prompt_mode: 'stdin' } }))).toMatchObject({
    refused: 'no-command',
  });
});
