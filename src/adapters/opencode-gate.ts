/**
 * What makes opencode ask over ACP (measured with 1.18.33). Its permissions are one list in which the last rule that fits
 * counts, and settings are merged key by key: a `"*": "ask"` of ours takes the place of the user's `"*"`, in front of the
 * user's `"bash": "allow"`. So our rules have names that nobody else uses and that fit everything: they come last.
 * Surprising: neither OPENCODE_PURE nor OPENCODE_DISABLE_PROJECT_CONFIG keeps it from loading plugins of the repository,
 * which are programs. Where there are any, it is not started.
 */
import { dirname, join } from 'node:path';
import type { AskingGate } from './acp-agents.js';
import type { LaunchAsk, Refusal } from './adapter.js';

/** Agents that opencode brings along: each may have permissions of its own, which come after the general ones. */
const AGENTS = ['build', 'plan', 'general', 'explore'];

const ASK = {
  '**': 'ask',
  // A helper agent of the user's own brings permissions of its own, which we cannot name: only the known ones are started.
  'tas?': { '*': 'deny', general: 'ask', explore: 'ask' },
};

export function opencodeGate(ask: LaunchAsk): AskingGate | Refusal {
  const found = pluginsOf(ask);
  if (found !== undefined) {
    return {
      refused: 'ungated',
      reason: `opencode would run plugins of this folder (${found}), which can answer in your place, and cannot be told not to`,
    };
  }
  return {
    pinned: {
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
        permission: ASK,
        default_agent: 'build',
        agent: Object.fromEntries(AGENTS.map((name) => [name, { permission: ASK }])),
      }),
      OPENCODE_PERMISSION: JSON.stringify(ASK),
      OPENCODE_DISABLE_PROJECT_CONFIG: '1',
      OPENCODE_PURE: '1',
    },
    files: [],
    notes: ['guarded opencode runs without the settings of the repository, and with no helper agents but its own'],
  };
}

/** Looked for in this folder and all above it, as opencode does. What lies in the user's home is the user's own. */
function pluginsOf({ cwd, look, env }: LaunchAsk): string | undefined {
  for (let folder = look.real(cwd) ?? cwd; folder !== env.HOME; folder = dirname(folder)) {
    const own = join(folder, '.opencode');
    for (const name of ['plugin', 'plugins']) {
      if (look.names(join(own, name)).length > 0) return join(own, name);
    }
    const files = [folder, own].flatMap((at) => ['opencode.json', 'opencode.jsonc'].map((name) => join(at, name)));
    // The word alone: such a file may have comments, and an escaped letter in a key is nobody's habit.
    const named = files.find((file) => /plugin|\\u/i.test(look.text(file) ?? ''));
    if (named !== undefined) return named;
    if (dirname(folder) === folder) break;
  }
  return undefined;
}
