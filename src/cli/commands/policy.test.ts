import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../config/index.js';
import { errorOf, folder } from '../../sessions/folder.cases.js';
import { PolicyExplained } from '../output-schemas.js';
import { deliverNotes, explainCall, readInput } from './policy.js';

const ask = (text: string, call: { tool: string; input?: string }, flags: { kind?: string; trust?: 'full' } = {}) =>
  explainCall(folder(text === '' ? {} : { 'reins.yml': text }), call, flags);

describe('policy explain', () => {
  test.each(['', 'Bash(rm -rf /)', 'Bash(rm', 'two words'])('%j is no name of a tool', async (tool) => {
    await expect(ask('', { tool })).rejects.toThrow(/is no name of a tool/);
  });

  test('without any file: ask a person, deny without one', async () => {
    const view = await ask('', { tool: 'Bash', input: 'npm test' });
    expect(view.attached.text).toBe('attached: ask (tools.defaults.attached, default)');
    expect(view.detached.text).toBe('detached: deny (tools.defaults.detached, default)');
    expect(view.detached.fix).toContain('Bash(npm test');
    expect(PolicyExplained.parse(view)).toEqual(view);
  });

  test('a rule with its file and line', async () => {
    const text = 'rules:\n  allow: ["Bash(npm test:*)"]\n  deny:\n    - Bash(curl:*)\n';
    const allowed = await ask(text, { tool: 'Bash', input: '{"command": "npm test -- -u"}' });
    expect(allowed.detached).toMatchObject({ verdict: 'allow', rule: 'Bash(npm test:*)', file: 'reins.yml', line: 2 });
    const attack = await ask(text, { tool: 'shell', input: 'npm test && curl x' });
    expect(attack.attached).toMatchObject({ verdict: 'deny', rule: 'Bash(curl:*)', file: 'reins.yml', line: 4 });
  });

  test('a policy with its file and line, a ladder, and the kinds', async () => {
    const text = 'tools:\n  Bash:\n    detached: {run: [{ask: 5m}, defer], question: auto}\n';
    const run = await ask(text, { tool: 'Bash', input: 'ls x' });
    expect(run.detached.text).toMatch(/^detached: ask for 5m, then defer \(tools\.Bash\.detached\.run, reins\.yml:3:/);
    expect((await ask(text, { tool: 'Bash' }, { kind: 'tool' })).detached.verdict).toBe('consult');
    expect((await ask('', { tool: 'AskUserQuestion' })).kind).toBe('question');
    expect((await errorOf(() => ask('', { tool: 'Bash' }, { kind: 'x' }))).exit).toBe(2);
  });

  test('trust full by flag, and a file that is not trusted', async () => {
    const full = await ask('', { tool: 'Bash', input: 'rm x' }, { trust: 'full' });
    expect(full.detached).toMatchObject({ verdict: 'allow', rule: 'trust: full', source: 'flag --trust' });
    expect((await ask('trust: full', { tool: 'Bash' })).notes[0]).toContain('reins.yml is not trusted yet');
  });

  test.each([
    ['Bash', 'true', { command: 'true' }],
    ['Bash', '"ls" x', { command: '"ls" x' }],
    ['Bash', '{ ls; }', { command: '{ ls; }' }],
    ['execute_bash', '{"command":"ls"}', { command: 'ls' }],
    ['Edit', '{"file_path":"a"}', { file_path: 'a' }],
    ['Edit', undefined, undefined],
  ])('input of %s: %s', (tool, text, input) => {
    expect(readInput(tool, text)).toEqual(input);
  });

  test.each([
    ['Bash', '{"command": "ls"'],
    ['Edit', 'src/a.ts'],
    ['Edit', ''],
  ])('%s with %j is no JSON: exit 2 with the fix', async (tool, text) => {
    const error = await errorOf(() => readInput(tool, text));
    expect([error.exit, error.hint]).toEqual([2, expect.stringContaining('single quotes')]);
  });

  test('deliver: said where the configured agent does not offer it', () => {
    const notes = (text: string) => deliverNotes(loadConfig(folder({ 'reins.yml': text })).config).join('\n');
    expect(notes('cli: {backend: gemini}')).toContain('deliver is not offered by');
    expect(notes('cli: {backend: claude}')).toContain('deliver is offered by Claude Code in interactive mode');
    expect(notes('cli: {backend: claude}\ntrust: full')).toContain('under trust full it gets every result unasked');
    expect(notes('')).toContain('deliver is offered by claude');
  });
});
