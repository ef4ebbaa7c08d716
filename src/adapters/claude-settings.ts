/**
 * The settings file that puts our hook into Claude Code (and into the practice agent, which reads the same). It is
 * added with `--settings`, so the user's own settings, hooks and login stay as they are. Command hooks only: an HTTP
 * hook that fails lets the tool run.
 */
import { join } from 'node:path';
import type { LaunchAsk } from './adapter.js';

/** Events whose answer decides something: they wait for a person as long as the hook may. */
const GATES = ['PreToolUse', 'PermissionRequest'];
/** Events that only tell us something; the agent must not be held up by them. */
const FACTS = ['PostToolUse', 'UserPromptSubmit', 'Stop', 'StopFailure', 'SessionStart', 'SessionEnd'];
/** Seconds: our hook answers these at once; one Node start on a busy machine fits well. */
const FACT_TIMEOUT = 10;
const FOR_TOOLS = new Set(['PreToolUse', 'PermissionRequest', 'PostToolUse']);

/** Everything that changes something: an `ask` rule beats any `allow` rule, also one that a repository brought along. */
const ASKED = ['Bash', 'Edit', 'Write', 'NotebookEdit', 'WebFetch', 'WebSearch'];

export interface SettingsFile {
  path: string;
  content: string;
}

/** Settings that call our hook, its event name as last argument. */
export function hookSettings(ask: Pick<LaunchAsk, 'dir'>, hook: NonNullable<LaunchAsk['hook']>): SettingsFile {
  const entry = (event: string, timeout: number) => [
    {
      ...(FOR_TOOLS.has(event) ? { matcher: '*' } : {}),
      // One shell-quoted string: the separate `args` key is younger than hooks themselves.
      hooks: [{ type: 'command', command: [...hook.argv, event].map(shellQuoted).join(' '), timeout }],
    },
  ];
  const hooks = Object.fromEntries([
    ...GATES.map((event) => [event, entry(event, hook.timeoutSecs)]),
    ...FACTS.map((event) => [event, entry(event, FACT_TIMEOUT)]),
  ]);
  // A repository's settings can switch all hooks off; said here, it no longer can.
  return settingsFile(ask, { disableAllHooks: false, hooks });
}

/** Unasked by default; asked about where a deny rule wants to have its say. */
const READING = ['Read', 'Glob', 'Grep', 'LS', 'NotebookRead'];

/** Settings for the control door: what a repository allows by its own settings is asked about all the same. */
export function askSettings(ask: Pick<LaunchAsk, 'dir' | 'denies'>): SettingsFile {
  const reading = READING.filter((tool) => ask.denies?.(tool));
  return settingsFile(ask, { permissions: { ask: [...ASKED, ...reading] } });
}

function settingsFile(ask: Pick<LaunchAsk, 'dir'>, settings: unknown): SettingsFile {
  return { path: join(ask.dir, 'claude-settings.json'), content: `${JSON.stringify(settings, null, 2)}\n` };
}

export function shellQuoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
