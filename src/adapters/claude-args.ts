/**
 * The user's own arguments where Claude Code is gated. Only options that are known not to touch the gate pass: new ones
 * come with every version, and one that answers in our place would do so silently. Values are read as Claude's own parser
 * reads them, so that a word is never taken for a value here and for an option or a command there.
 */

const FLAGS = new Set([
  ...['--verbose', '--continue', '-c', '--fork-session', '--ide', '--chrome', '--no-chrome', '--brief'],
  ...['--include-partial-messages', '--include-hook-events', '--replay-user-messages', '--forward-subagent-text'],
  ...['--disable-slash-commands', '--ax-screen-reader', '--no-session-persistence', '--strict-mcp-config'],
  '--exclude-dynamic-system-prompt-sections',
]);
const WITH_VALUE = new Set([
  ...['--model', '--fallback-model', '--effort', '--advisor', '--fast-mode', '--agent', '--name', '-n', '--session-id'],
  ...['--max-turns', '--max-budget-usd', '--max-thinking-tokens', '--task-budget', '--thinking', '--thinking-display'],
  ...['--append-system-prompt', '--append-system-prompt-file', '--system-prompt', '--system-prompt-file'],
  ...['--append-subagent-system-prompt', '--append-subagent-system-prompt-file', '--plan-mode-instructions'],
  ...['--json-schema', '--debug-file', '--autocompact', '--permission-mode'],
]);
const MAYBE_VALUE = new Set(['--debug', '-d', '--resume', '-r', '--prompt-suggestions']);
const WITH_VALUES = new Set([
  ...['--add-dir', '--disallowedTools', '--disallowed-tools', '--tools', '--betas', '--mcp-config', '--file'],
]);

const MODES = new Set(['default', 'manual', 'plan', 'acceptEdits', 'dontAsk']);

const RULES = 'write it as rules.allow in your config instead';
const OURS = 'Reins says itself which settings count';
/** Known to open the gate, or to lead around it. */
const REASONS: Record<string, string> = {
  '--dangerously-skip-permissions': 'it asks nobody; say --trust full if that is what you want',
  '--allow-dangerously-skip-permissions': 'it lets Claude Code ask nobody; say --trust full if that is what you want',
  '--allowedTools': `what it allows is never asked about; ${RULES}`,
  '--allowed-tools': `what it allows is never asked about; ${RULES}`,
  '--settings': OURS,
  '--setting-sources': OURS,
  '--managed-settings': OURS,
  '--permission-prompt-tool': 'it would be asked in Reins’ place',
  '--permission-prompts': 'they would be asked in Reins’ place',
  '--bare': 'it switches hooks off, and with them the gate',
  '--safe-mode': 'it switches hooks off, and with them the gate',
  '--plugin-dir': 'a plugin’s hooks can change what was allowed',
  '--plugin-dir-no-mcp': 'a plugin’s hooks can change what was allowed',
  '--plugin-url': 'a plugin’s hooks can change what was allowed',
  '--agents': 'its agents can bring hooks that change what was allowed',
  '--enable-auto-mode': 'a model would answer in Reins’ place',
};

/** Why these arguments cannot be used, or undefined. */
export function argsTrouble(args: readonly string[]): string | undefined {
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at]!;
    const [name, value] = split(word);
    if (!word.startsWith('-')) return `“${word}” is no option, and would be taken for a prompt or a command`;
    if (name === '--permission-mode') {
      const mode = value ?? args[at + 1] ?? '';
      if (!MODES.has(mode)) return `--permission-mode ${mode}: it would answer in Reins’ place`;
    }
    if (value !== undefined) {
      if (!WITH_VALUE.has(name) && !MAYBE_VALUE.has(name) && !WITH_VALUES.has(name)) return unknown(name);
    } else if (WITH_VALUE.has(word)) at += 1;
    else if (MAYBE_VALUE.has(word)) at += isValue(args[at + 1]) ? 1 : 0;
    else if (WITH_VALUES.has(word)) while (isValue(args[at + 1])) at += 1;
    else if (!FLAGS.has(word)) return unknown(name);
  }
  return undefined;
}

const unknown = (name: string): string =>
  `${name}: ${Object.hasOwn(REASONS, name) ? REASONS[name] : 'Reins does not know whether it leaves the gate alone'}`;

const isValue = (word: string | undefined): boolean => word !== undefined && !word.startsWith('-');

/** `--name=value`; a short option has no such form. */
function split(word: string): [name: string, value?: string] {
  const at = word.indexOf('=');
  return word.startsWith('--') && at > 0 ? [word.slice(0, at), word.slice(at + 1)] : [word];
}

/** Texts the user appends to the system prompt, taken out of the arguments: Claude takes only one of them. */
export function withoutAppended(args: readonly string[]): { args: string[]; texts: string[]; files: string[] } {
  const [rest, texts, files]: string[][] = [[], [], []];
  for (let at = 0; at < args.length; at += 1) {
    const [name, value] = split(args[at]!);
    const into = name === '--append-system-prompt' ? texts : name === '--append-system-prompt-file' ? files : undefined;
    if (into) into.push(value ?? args[++at] ?? '');
    else if (value === undefined && WITH_VALUE.has(name)) rest!.push(name, ...args.slice(at + 1, ++at + 1));
    else rest!.push(args[at]!);
  }
  return { args: rest!, texts: texts!, files: files! };
}
