/**
 * ACP agents that can be told to ask before they use a tool, by the name of their program: what that takes. An agent that
 * is not in here may well ask; nobody here knows, so under guarded it takes the user's word for it (`cli.acp_asks`).
 * What the agent's own settings could still say against it is behind the tripwire.
 */
import { basename } from 'node:path';
import type { CustomSettings, LaunchPlan, Refusal } from './adapter.js';

interface AskingStart {
  /** Placed behind the user's own arguments, where the last word counts. */
  args: string[];
  pinned: NonNullable<LaunchPlan['pinned']>;
  /** Arguments, or their beginnings up to `=`, that would say the opposite. */
  against: string[];
}

const ASK = { '*': 'ask' };
/** An agent of opencode's own can bring permissions of its own, which come after the general ones. */
const OPENCODE_AGENTS = ['build', 'plan', 'general', 'explore'];

const KNOWN: Record<string, AskingStart> = {
  opencode: {
    args: [],
    pinned: {
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
        permission: ASK,
        default_agent: 'build',
        agent: Object.fromEntries(OPENCODE_AGENTS.map((name) => [name, { permission: ASK }])),
      }),
      OPENCODE_PERMISSION: JSON.stringify(ASK),
      // Neither settings nor plugins of the repository: a plugin is a program that starts with it.
      OPENCODE_DISABLE_PROJECT_CONFIG: '1',
      OPENCODE_PURE: '1',
    },
    against: ['--agent', '--auto', '--yolo', '--dangerously-skip-permissions'],
  },
  qwen: {
    args: ['--approval-mode', 'default'],
    pinned: {},
    against: ['--yolo', '-y', '--approval-mode', '--allowed-tools', '--allowed-mcp-server-names', '--extensions', '-e'],
  },
  copilot: {
    args: [],
    pinned: { COPILOT_ALLOW_ALL: undefined },
    against: [
      ...['--allow-all', '--allow-all-tools', '--allow-all-paths', '--allow-all-urls', '--allow-tool', '--allow-url'],
      ...['--yolo', '--autopilot', '--agent', '--additional-mcp-config'],
    ],
  },
};

export type Asking = Pick<AskingStart, 'args' | 'pinned'> | Refusal;

/** How this one is started so that it asks. */
export function askingStart(custom: CustomSettings, given: readonly string[]): Asking {
  const command = custom.command ?? '';
  const name = basename(command).replace(/\.(js|mjs|exe|cmd)$/, '');
  const known = Object.hasOwn(KNOWN, name) ? KNOWN[name] : undefined;
  if (!known) {
    if (custom.acp_asks) return { args: [], pinned: {} };
    return {
      refused: 'ungated',
      reason:
        `Reins does not know how to make ${command} ask before it uses a tool; ` +
        'if you know that it does, say so with cli.acp_asks: true',
    };
  }
  const against = given.find((arg) => known.against.some((flag) => arg === flag || arg.startsWith(`${flag}=`)));
  if (against === undefined) return { args: known.args, pinned: known.pinned };
  return {
    refused: 'ungated',
    reason: `${name} with ${against} could run tools that nobody was asked about; leave it out`,
  };
}
