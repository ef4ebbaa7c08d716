import { describe, expect, test } from 'vitest';
import { ConfigSchema } from '../config/schema.js';
import type { SessionId } from '../contract/index.js';
import { createPolicy } from './policy.js';
import type { SessionSpec } from './spec.js';
import { worn } from './worn.js';

const config = ConfigSchema.parse({
  cli: { backend: 'custom', command: 'main', args: ['-m'], prompt_flag: '--p', acp: true, acp_asks: true },
  hats: {
    plain: { triggers: ['a'] },
    named: { backend: 'codex', timeout: 60 },
    more: { backend: { type: 'claude', args: ['--model', 'x'] } },
    kiro: { backend: { type: 'kiro', agent: 'builder', args: ['-v'] } },
    own: { backend: { command: 'tool', args: ['-t'], prompt_mode: 'stdin' } },
    bound: { disallowed_tools: ['Edit', 'Bash(rm *)'] },
  },
});

const SPEC = {
  id: 'k7f2m9qd' as SessionId,
  cwd: '/project',
  trust: 'full',
  trust_source: 'default with ralph.yml',
  agent: { adapter: 'custom', path: '/bin/main' },
  agent_args: ['--mine'],
  rules: [{ effect: 'deny', text: 'WebFetch', source: 'reins.yml:1' }],
  sources: { 'hats.bound.disallowed_tools': 'ralph.yml:9:3' },
  config,
} as unknown as SessionSpec;

describe('a hat’s own agent', () => {
  test('without a word it is the session’s, as it is', () => {
    for (const hat of [undefined, 'plain', 'nobody', 'toString']) {
      const { adapter, spec, rules, whole } = worn(SPEC, hat);
      expect([adapter, rules, whole]).toEqual(['custom', [], undefined]);
      expect(spec).toEqual(SPEC);
    }
  });

  test('one of ours, with its time and further arguments', () => {
    expect(worn(SPEC, 'named')).toMatchObject({ adapter: 'codex', whole: { secs: 60, by: 'hats.named.timeout' } });
    expect(worn(SPEC, 'more')).toMatchObject({ adapter: 'claude', spec: { agent_args: ['--mine', '--model', 'x'] } });
    expect(worn(SPEC, 'kiro').spec.agent_args).toEqual(['--mine', '--agent', 'builder', '-v']);
  });

  test('a command of its own takes nothing over from the session’s: not its flag, nor the word that it asks', () => {
    const { adapter, spec } = worn(SPEC, 'own');
    expect(adapter).toBe('custom');
    const { command, args, prompt_mode, prompt_flag, acp, acp_asks } = spec.config.cli;
    expect({ command, args, prompt_mode, prompt_flag, acp, acp_asks }).toEqual({
      command: 'tool',
      args: ['-t'],
      prompt_mode: 'stdin',
      prompt_flag: undefined,
      acp: false,
      acp_asks: false,
    });
  });
});

describe('014: what a hat may not call is denied while it is worn, also under full', () => {
  test('on, off, and on for nobody else', async () => {
    const policy = createPolicy(SPEC, []);
    const allows = (tool: string, input: unknown) => policy.allows({ tool, input }, []);
    const edit = { file_path: '/project/a.ts', old_string: 'a', new_string: 'b' };
    expect(await allows('Edit', edit)).toBe(true);
    policy.wear(worn(SPEC, 'bound').rules);
    expect(await allows('Edit', edit)).toBe(false);
    expect(await allows('Bash', { command: 'rm -rf src' })).toBe(false);
    expect(await allows('Bash', { command: 'ls' })).toBe(true);
    expect(await allows('WebFetch', { url: 'https://x.y' })).toBe(false);
    policy.wear(worn(SPEC, 'plain').rules);
    expect(await allows('Edit', edit)).toBe(true);
    expect(await allows('WebFetch', { url: 'https://x.y' })).toBe(false);
  });

  test('what no hat may call, the coordinator may not either', () => {
    const bound = (...denied: string[][]) => {
      const hats = Object.fromEntries(denied.map((tools, at) => [`h${at}`, { disallowed_tools: tools }]));
      const spec = { ...SPEC, config: { ...config, hats: ConfigSchema.parse({ hats }).hats } };
      return worn(spec, undefined).rules.map(({ text, source }) => [text, source]);
    };
    expect(bound(['Edit', 'Write'], ['Edit'])).toEqual([['Edit', 'hats.*.disallowed_tools']]);
    expect(bound(['Edit'], [])).toEqual([]);
    expect(bound()).toEqual([]);
  });

  test('the rule names the hat and its place', () => {
    expect(worn(SPEC, 'bound').rules[0]).toEqual({
      effect: 'deny',
      text: 'Edit',
      source: 'hats.bound.disallowed_tools, ralph.yml:9:3',
    });
  });
});
