/**
 * ACP agents that can be told to ask before they use a tool, by the name of their program: what that takes. An agent that
 * is not in here may well ask; nobody here knows, so under guarded it takes the user's word for it (`cli.acp_asks`).
 * What was measured of each stands in its own file; what nobody measured is behind the tripwire.
 */
import { basename } from 'node:path';
import type { CustomSettings, LaunchAsk, LaunchPlan, Refusal } from './adapter.js';
import { opencodeGate } from './opencode-gate.js';
import { qwenGate } from './qwen-gate.js';

export type AskingGate = Pick<LaunchPlan, 'files' | 'notes'> & { pinned: NonNullable<LaunchPlan['pinned']> };

interface AskingStart {
  /** Placed behind the user's own arguments, where the last word counts. */
  args: string[];
  /** Arguments, or their beginnings up to `=`, that would say the opposite. */
  against: string[];
  gate(ask: LaunchAsk): AskingGate | Refusal;
}

const KNOWN: Record<string, AskingStart> = {
  opencode: {
    args: [],
    against: ['--agent', '--auto', '--yolo', '--dangerously-skip-permissions'],
    gate: opencodeGate,
  },
  qwen: {
    args: ['--approval-mode', 'default'],
    against: ['--yolo', '-y', '--approval-mode', '--allowed-tools', '--allowed-mcp-server-names', '--extensions', '-e'],
    gate: qwenGate,
  },
  copilot: {
    args: [],
    against: [
      ...['--allow-all', '--allow-all-tools', '--allow-all-paths', '--allow-all-urls', '--allow-tool', '--allow-url'],
      ...['--yolo', '--autopilot', '--agent', '--additional-mcp-config'],
    ],
    gate: () => ({ pinned: { COPILOT_ALLOW_ALL: undefined }, files: [], notes: [] }),
  },
};

const UNKNOWN: Pick<AskingStart, 'args' | 'gate'> = { args: [], gate: () => ({ pinned: {}, files: [], notes: [] }) };

/** How this one is started so that it asks; `gate` may still find something in the folder that speaks against it. */
export function askingStart(
  custom: CustomSettings,
  given: readonly string[],
): Pick<AskingStart, 'args' | 'gate'> | Refusal {
  const command = custom.command ?? '';
  const name = basename(command).replace(/\.(js|mjs|exe|cmd)$/, '');
  const known = Object.hasOwn(KNOWN, name) ? KNOWN[name] : undefined;
  if (!known) {
    if (custom.acp_asks) return UNKNOWN;
    return {
      refused: 'ungated',
      reason:
        `Reins does not know how to make ${command} ask before it uses a tool; ` +
        'if you know that it does, say so with cli.acp_asks: true',
    };
  }
  const against = given.find((arg) => known.against.some((flag) => arg === flag || arg.startsWith(`${flag}=`)));
  if (against === undefined) return known;
  return {
    refused: 'ungated',
    reason: `${name} with ${against} could run tools that nobody was asked about; leave it out`,
  };
}
