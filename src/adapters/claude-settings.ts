/**
 * The one settings file that counts where Claude Code is gated (and the practice agent, which reads the same): our hook,
 * the pins that keep it in place, and what of the user's own settings is given back. Command hooks only: an HTTP hook that
 * fails lets the tool run. Surprising: a hook that is missing, killed, late or exits with 1 lets the tool run as well, so
 * everything but a clean answer has to be exit 2.
 */
import { join } from 'node:path';
import type { LaunchAsk } from './adapter.js';
import type { Json } from './protocols/jsonl.js';

/** Events whose answer decides something: they wait for a person as long as the hook may. */
const GATES = ['PreToolUse', 'PermissionRequest', 'PostToolUse'];
/** Events that only tell us something; the agent must not be held up by them. */
const FACTS = ['UserPromptSubmit', 'Stop', 'StopFailure', 'SessionStart', 'SessionEnd'];
/** Seconds: our hook answers these at once; one Node start on a busy machine fits well. */
const FACT_TIMEOUT = 10;
/** Seconds, for a hook that is a line of the shell. */
const ASK_TIMEOUT = 60;

/** Everything that changes something: a second gate behind the hook, and one that needs no program. */
const ASKED = ['Bash', 'Edit', 'Write', 'NotebookEdit', 'WebFetch', 'WebSearch'];

/** Unasked by default; asked about where a deny rule wants to have its say. */
const READING = ['Read', 'Glob', 'Grep', 'LS', 'NotebookRead'];

export interface SettingsFile {
  path: string;
  content: string;
}

type HookEntries = Record<string, Json[]>;

/** What nothing else may say otherwise. */
const PINS: Json = {
  disableAllHooks: false,
  // Commands inside skills and slash commands run before any hook is called.
  disableSkillShellExecution: true,
  sandbox: { enabled: false, autoAllowBashIfSandboxed: false },
  disableAutoMode: 'disable',
  // A question is answered by whoever Reins asks, not by a clock of Claude's.
  askUserQuestionTimeout: 'never',
};
const PINNED_ENV = { CLAUDE_CODE_SIMPLE: '0', CLAUDE_CODE_SHELL_PREFIX: '' };

/** What is given back of other settings files. */
export interface GivenBack {
  settings: Json;
  hooks: HookEntries;
  env: Record<string, string>;
  deny: string[];
}

const NOTHING: GivenBack = { settings: {}, hooks: {}, env: {}, deny: [] };

/** For the terminal program: every event that matters calls our hook, its name as last argument. */
export function hookSettings(
  ask: Pick<LaunchAsk, 'dir'>,
  hook: NonNullable<LaunchAsk['hook']>,
  given: GivenBack = NOTHING,
): SettingsFile {
  const entry = (event: string, timeout: number) => hookEntry(event, { command: commandOf(hook.argv, event), timeout });
  const ours: HookEntries = Object.fromEntries([
    ...GATES.map((event) => [event, entry(event, hook.timeoutSecs)]),
    ...FACTS.map((event) => [event, entry(event, FACT_TIMEOUT)]),
  ]);
  return settingsFile(ask, given, { hooks: ours });
}

/** With full trust: our hook hears of each turn. It decides nothing, pins nothing, and all else is as the user set it. */
export function factSettings(ask: Pick<LaunchAsk, 'dir'>, hook: NonNullable<LaunchAsk['hook']>): SettingsFile {
  const entry = (event: string) => hookEntry(event, { command: commandOf(hook.argv, event), timeout: FACT_TIMEOUT });
  const hooks = Object.fromEntries(FACTS.map((event) => [event, entry(event)]));
  return { path: join(ask.dir, 'claude-settings.json'), content: `${JSON.stringify({ hooks }, null, 2)}\n` };
}

/**
 * For the control door: the hook sends every call to the control protocol, whose answer names the input that runs. It is
 * one line of the shell: nothing to start, nothing to find, and any trouble is exit 2.
 */
export function askSettings(ask: Pick<LaunchAsk, 'dir' | 'denies'>, given: GivenBack = NOTHING): SettingsFile {
  const answer = { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'ask' } };
  const command = `printf %s ${shellQuoted(JSON.stringify(answer))} || exit 2`;
  const hooks = { PreToolUse: hookEntry('PreToolUse', { command, timeout: ASK_TIMEOUT }) };
  const reading = READING.filter((tool) => ask.denies?.(tool));
  return settingsFile(ask, given, { hooks, ask: [...ASKED, ...reading] });
}

function hookEntry(event: string, hook: { command: string; timeout: number }): Json[] {
  return [{ ...(GATES.includes(event) ? { matcher: '*' } : {}), hooks: [{ type: 'command', ...hook }] }];
}

/**
 * With an environment of its own: what Claude's shells need (NODE_OPTIONS, LD_PRELOAD …) is not for our hook, and could
 * speak in its place. One shell-quoted string: the separate `args` key is younger than hooks themselves.
 */
function commandOf(argv: string[], event: string): string {
  const words = ['/usr/bin/env', '-i', 'PATH=/usr/bin:/bin', ...argv, event].map(shellQuoted).join(' ');
  // For an event that is no gate, exit 2 would block the prompt or the end of the turn.
  return GATES.includes(event) ? `${words} || exit 2` : words;
}

function settingsFile(
  ask: Pick<LaunchAsk, 'dir'>,
  given: GivenBack,
  { hooks, ask: asked }: { hooks: HookEntries; ask?: string[] },
): SettingsFile {
  const kinds = new Set([...Object.keys(hooks), ...Object.keys(given.hooks)]);
  const settings = {
    ...given.settings,
    ...PINS,
    env: { ...given.env, ...PINNED_ENV },
    permissions: {
      disableBypassPermissionsMode: 'disable',
      ...(given.deny.length > 0 ? { deny: given.deny } : {}),
      ...(asked ? { ask: asked } : {}),
    },
    hooks: Object.fromEntries([...kinds].map((kind) => [kind, [...(hooks[kind] ?? []), ...(given.hooks[kind] ?? [])]])),
  };
  return { path: join(ask.dir, 'claude-settings.json'), content: `${JSON.stringify(settings, null, 2)}\n` };
}

export function shellQuoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
