/**
 * Claude Code as a consultant. Measured with 2.1.197 and 2.1.325: `--tools ''` leaves the model without a single tool (its
 * request names none, and a call it makes all the same is an error), `--setting-sources ''` loads no settings, hooks,
 * rules or instructions, `--strict-mcp-config` no servers. Of the user's own settings only what a login needs comes back.
 */
import { join } from 'node:path';
import type { Refusal } from './adapter.js';
import { NESTING, unknownIn } from './claude-env.js';
import { partsOf } from './claude-folder.js';
import { placeOf } from './claude-gate.js';
import { refusedArgs } from './consult-args.js';
import type { ConsultAsk, ConsultPlan } from './consultation.js';
import { claudeStream } from './decoders/claude-stream.js';

/** Claude's own alias for its cheapest model, whatever that is at the time. */
const CHEAP = 'haiku';

const OWN_ARGS = ['--effort', '--fallback-model', '--max-thinking-tokens', '--max-budget-usd', '--betas'];

export function claudeConsultation(ask: ConsultAsk): ConsultPlan | Refusal {
  const trouble = refusedArgs(ask.args, OWN_ARGS);
  if (trouble) return trouble;
  if (ask.reads !== undefined) return NO_READS;
  const { env } = ask;
  const own = partsOf(ask.look.text(join(placeOf(env).dir, 'settings.json')) ?? '{}');
  const { statusLine: _looks, ...helpers } = own?.helpers ?? {};
  const settings = {
    ...helpers,
    env: { ...own?.env, CLAUDE_CODE_SIMPLE: '0', CLAUDE_CODE_SHELL_PREFIX: '' },
    disableAllHooks: true,
    autoMemoryEnabled: false,
    disableSkillShellExecution: true,
    permissions: { deny: ['*'], disableBypassPermissionsMode: 'disable' },
  };
  const file = join(ask.dir, 'claude-settings.json');
  const model = ask.model ?? CHEAP;
  const removed = [...NESTING.filter((name) => env[name] !== undefined), ...unknownIn(env)];
  return {
    command: 'claude',
    args: [
      ...['-p', '--output-format', 'stream-json', '--verbose'],
      ...['--setting-sources', '', '--settings', file, '--strict-mcp-config', '--tools', ''],
      ...['--permission-mode', 'dontAsk', '--no-session-persistence', '--disable-slash-commands'],
      ...['--model', model, ...ask.args],
    ],
    env: { DISABLE_AUTOUPDATER: '1', CLAUDE_CODE_DISABLE_AGENT_VIEW: '1' },
    pinned: Object.fromEntries(removed.map((name) => [name, undefined])),
    io: 'pipe',
    stdin: { file: ask.promptFile },
    files: [{ path: file, content: `${JSON.stringify(settings)}\n` }],
    decoder: claudeStream(ask.clock ? { clock: ask.clock } : {}),
    polite: { signal: 'SIGINT', waitMs: 700 },
    notes: [],
    model,
  };
}

const NO_READS: Refusal = {
  refused: 'no-door',
  reason:
    'consult.reads is refused for Claude Code: its reading tools cannot be held to one folder without its .env, keys and .git',
};
