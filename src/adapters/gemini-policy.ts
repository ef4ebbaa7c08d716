/**
 * Makes Gemini ask about what it would run by itself: commands it counts as read-only (`ls`, `cat`, `git status`), and
 * reading tools where a deny rule is about them. Surprising: its own list of safe commands beats an `ask_user` rule of any
 * priority, unless that rule has a pattern for the arguments; hence the pattern that fits everything. The rule is given as an
 * admin's, because `--policy` would replace the user's own policies, and a repository's could allow more than the user did.
 */
import { join } from 'node:path';
import type { LaunchAsk, LaunchPlan, Refusal } from './adapter.js';
import { isBelow } from './version.js';

/** Measured; what older ones make of it is not known. */
const POLICY_SINCE = '0.61.0';

/** Everything that changes something or runs a program. */
const ASKED = ['run_shell_command', 'write_file', 'replace', 'web_fetch'];
/** Unasked by default; asked about where a deny rule wants to have its say. */
const READING = [
  ...['read_file', 'read_many_files', 'list_directory', 'glob', 'grep_search', 'search_file_content'],
  ...['google_web_search'],
];

export const takesPolicy = ({ version }: LaunchAsk): boolean => isBelow(version, POLICY_SINCE) !== true;

/** A deny rule about something this version would do without asking. */
export function runsUnasked(ask: LaunchAsk): Refusal | undefined {
  const unasked = ['run_shell_command', ...READING].find((tool) => ask.denies?.(tool));
  if (unasked === undefined || takesPolicy(ask)) return undefined;
  return {
    refused: 'deny',
    reason: `gemini ${ask.version} uses ${unasked} without asking, as it sees fit; ${POLICY_SINCE} can be made to ask`,
  };
}

/** An administrator's policies: where there are any, Gemini ignores `--admin-policy`. */
const SYSTEM = process.platform === 'darwin' ? '/Library/Application Support/GeminiCli' : '/etc/gemini-cli';

export function askPolicy(ask: LaunchAsk): Pick<LaunchPlan, 'args' | 'files' | 'voidedBy'> {
  const tools = [...ASKED, ...READING.filter((tool) => ask.denies?.(tool))];
  const path = join(ask.dir, 'gemini-policy.toml');
  // Plan mode forbids more than this asks about: it is left as it is.
  const content = `[[rule]]
toolName = ${JSON.stringify(tools)}
argsPattern = ".*"
decision = "ask_user"
priority = 999
modes = ["default", "autoEdit", "yolo"]
`;
  const voidedBy = { folder: join(SYSTEM, 'policies'), ending: '.toml' };
  return { args: ['--admin-policy', path], files: [{ path, content }], voidedBy };
}
