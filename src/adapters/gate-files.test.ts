/** The files that lead agents to our hook, carried out by the shell that agents use: quoting and exit codes are real. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { SessionId } from '../contract/index.js';
import type { LaunchAsk } from './adapter.js';
import { amp } from './amp.js';
import { hookSettings } from './claude-settings.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'reins-gate-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** Prints its arguments and its input, and ends with the given code. */
function hookProgram(exit: number): string[] {
  const path = join(dir, "it's a $(hook).sh");
  writeFileSync(path, `printf '%s|' "$@"; cat; exit ${exit}\n`);
  return ['/bin/sh', path, 'a b'];
}

it('claude’s hook command reaches our program with the event as last argument', () => {
  const settings = JSON.parse(hookSettings({ dir }, { argv: hookProgram(0), timeoutSecs: 5 }).content);
  const command: string = settings.hooks.PreToolUse[0].hooks[0].command;
  const ran = spawnSync('/bin/sh', ['-c', command], { input: '{"tool_name":"Bash"}', encoding: 'utf8' });
  expect(ran).toMatchObject({ status: 0, stdout: 'a b|PreToolUse|{"tool_name":"Bash"}' });
});

it.each([
  [0, 0],
  [1, 2],
  [2, 2],
  [127, 2],
])('amp’s delegate: our exit %i becomes %i, never "ask"', (exit, expected) => {
  const ask: LaunchAsk = {
    door: 'control',
    mode: 'autonomous',
    trust: 'guarded',
    prompt: 'x',
    promptFile: join(dir, 'prompt.md'),
    cwd: dir,
    args: [],
    dir,
    session: 'k7f2m9qd' as SessionId,
    hook: { argv: hookProgram(exit), timeoutSecs: 5 },
    custom: { args: [], prompt_mode: 'arg' },
    env: {},
    look: { text: () => undefined, names: () => [], real: (path) => path },
  };
  const plan = amp.plan(ask);
  if ('refused' in plan) throw new Error(plan.reason);
  for (const file of plan.files) writeFileSync(file.path, file.content, { mode: file.mode ?? 0o600 });
  const [rule] = JSON.parse(plan.files[1]!.content)['amp.permissions'];
  const env = { PATH: '/usr/bin:/bin', AGENT_TOOL_NAME: 'Bash' };
  const ran = spawnSync(rule.to, [], { input: '{"cmd":"ls"}', encoding: 'utf8', env });
  expect(ran).toMatchObject({ status: expected, stdout: 'a b|delegate:Bash|{"cmd":"ls"}' });
});

it('amp’s delegate rejects when our program cannot be run at all', () => {
  const plan = amp.plan({
    ...{ door: 'control', mode: 'autonomous', trust: 'guarded', prompt: 'x', promptFile: '', cwd: dir, args: [], dir },
    ...{
      session: 'k7f2m9qd' as SessionId,
      custom: { args: [], prompt_mode: 'arg' },
      env: {},
      look: { text: () => undefined, names: () => [], real: (path) => path },
    },
    hook: { argv: [join(dir, 'missing')], timeoutSecs: 5 },
  });
  if ('refused' in plan) throw new Error(plan.reason);
  for (const file of plan.files) writeFileSync(file.path, file.content, { mode: file.mode ?? 0o600 });
  expect(spawnSync(plan.files[0]!.path, [], { input: '{}' }).status).toBe(2);
});
