/**
 * Makes Gemini ask about everything but what is known to be harmless, whatever its settings and policies say. Surprising:
 * its own list of safe commands beats an `ask_user` rule of any priority, unless that rule has a pattern for the arguments;
 * hence the pattern that fits everything. The rules are given as an administrator's: no other tier comes after that.
 */
import { join } from 'node:path';
import type { LaunchAsk, LaunchPlan, Refusal } from './adapter.js';
import { isBelow } from './version.js';

/** Measured; what older ones make of it is not known. */
const POLICY_SINCE = '0.61.0';

/** They read, inside the workspace only; asked about where a deny rule wants to have its say. */
const READING = [
  ...['read_file', 'read_many_files', 'list_directory', 'glob', 'grep_search', 'search_file_content'],
  ...['google_web_search'],
];
/** They change nothing but the agent's own notes, or only lead to calls that are asked about for themselves. */
const OWN = [
  ...['codebase_investigator', 'cli_help', 'get_internal_docs', 'update_topic', 'complete_task', 'write_todos'],
  ...['tracker_create_task', 'tracker_update_task', 'tracker_get_task', 'tracker_list_tasks'],
  ...['tracker_add_dependency', 'tracker_visualize', 'invoke_agent'],
];

/** A version that cannot be told to ask. */
export function tooOld({ version }: LaunchAsk): Refusal | undefined {
  if (isBelow(version, POLICY_SINCE) !== true) return undefined;
  return {
    refused: 'ungated',
    reason: `gemini ${version} decides by itself what to ask about; ${POLICY_SINCE} and later can be made to ask`,
  };
}

/** An administrator's policies: where there are any, Gemini ignores `--admin-policy`. */
const SYSTEM = process.platform === 'darwin' ? '/Library/Application Support/GeminiCli' : '/etc/gemini-cli';

export function askPolicy(ask: LaunchAsk, readingToo?: 'reading too'): Pick<LaunchPlan, 'args' | 'files' | 'voidedBy'> {
  const unasked = [...OWN, ...(readingToo ? [] : READING)].filter((tool) => !ask.denies?.(tool));
  const path = join(ask.dir, 'gemini-policy.toml');
  // Plan mode forbids more than this asks about: it is left as it is.
  const rule = (about: { toolName: string | string[]; decision: string; priority: number }) => `[[rule]]
toolName = ${JSON.stringify(about.toolName)}
argsPattern = ".*"
decision = ${JSON.stringify(about.decision)}
priority = ${about.priority}
modes = ["default", "autoEdit", "yolo"]
`;
  const content = [
    rule({ toolName: unasked, decision: 'allow', priority: 999 }),
    rule({ toolName: '*', decision: 'ask_user', priority: 998 }),
  ].join('\n');
  const voidedBy = { folder: join(SYSTEM, 'policies'), ending: '.toml' };
  return { args: ['--approval-mode', 'default', '--admin-policy', path], files: [{ path, content }], voidedBy };
}
