/**
 * The user's own arguments for codex, under guarded: only what is known to leave the gate alone is passed on. Anything else
 * is refused with its name, because codex has many words for "do not ask" and gets new ones.
 */
import type { Refusal } from './adapter.js';

/** First parts of config keys that choose models, words and looks. */
const PLAIN_KEYS = [
  ...['model', 'model_provider', 'model_providers', 'model_reasoning_effort', 'model_reasoning_summary'],
  ...[
    'model_verbosity',
    'model_context_window',
    'model_auto_compact_token_limit',
    'model_supports_reasoning_summaries',
  ],
  ...['review_model', 'service_tier', 'personality', 'web_search', 'tui', 'history', 'analytics', 'otel', 'feedback'],
  ...['hide_agent_reasoning', 'show_raw_agent_reasoning', 'file_opener', 'check_for_update_on_startup'],
  ...['openai_base_url', 'chatgpt_base_url', 'tool_output_token_limit', 'suppress_unstable_features_warning'],
  ...['instructions', 'developer_instructions', 'model_instructions_file', 'compact_prompt', 'oss_provider', 'notice'],
];

export interface CodexArgs {
  /** What its server and its terminal program both take. */
  args: string[];
  model?: string;
}

export function codexArgs(args: readonly string[]): CodexArgs | Refusal {
  const taken: CodexArgs = { args: [] };
  for (let at = 0; at < args.length; at += 1) {
    const { flag, value, used } = split(args, at);
    at += used - 1;
    if (value === undefined) return refused(flag);
    if (flag === '-m' || flag === '--model') taken.model = value;
    else if ((flag === '-c' || flag === '--config') && isPlain(value)) taken.args.push('-c', value);
    else return refused(flag === '-c' || flag === '--config' ? `-c ${value}` : flag);
  }
  return taken;
}

/** `-m x`, `--model x`, `--model=x`; clap also takes `-mx` and `-m=x`. */
function split(args: readonly string[], at: number): { flag: string; value?: string; used: number } {
  const word = args[at]!;
  const long = /^(--[a-z-]+)=(.*)$/s.exec(word);
  if (long) return { flag: long[1]!, value: long[2]!, used: 1 };
  const short = /^(-[a-zA-Z])=?(.+)$/s.exec(word);
  if (short && !word.startsWith('--')) return { flag: short[1]!, value: short[2]!, used: 1 };
  const value = args[at + 1];
  return value === undefined ? { flag: word, used: 1 } : { flag: word, value, used: 2 };
}

function isPlain(setting: string): boolean {
  const key = setting.split('=')[0]!.split('.')[0]!.trim();
  return setting.includes('=') && PLAIN_KEYS.includes(key);
}

const refused = (what: string): Refusal => ({
  refused: 'ungated',
  reason: `codex with ${what} could run tools that nobody was asked about, as far as Reins knows; leave it out`,
});
