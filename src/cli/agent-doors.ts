/**
 * Which doors an agent has, by mode and trust, and whether its results can be held back (`deliver`). Nothing is listed
 * by hand: the adapter itself is asked for its plan, and its hook for what it makes of a tool's result.
 */
import type { Adapter, CustomSettings, Door, LaunchPlan } from '../adapters/index.js';
import type { SessionId, Trust } from '../contract/index.js';

export interface DoorView {
  door?: Door;
  refused?: string;
  deliver: boolean;
}

export type DoorMode = 'autonomous' | 'interactive';
export type Doors = Record<DoorMode, Record<Trust, DoorView>>;

interface DoorAsk {
  custom: CustomSettings;
  version?: string;
}

export function doorsOf(adapter: Adapter, asked: DoorAsk): Doors {
  const byTrust = (mode: DoorMode) => ({
    guarded: doorOf(adapter, { ...asked, mode, trust: 'guarded' }),
    full: doorOf(adapter, { ...asked, mode, trust: 'full' }),
  });
  return { autonomous: byTrust('autonomous'), interactive: byTrust('interactive') };
}

function doorOf(adapter: Adapter, asked: DoorAsk & { mode: DoorMode; trust: Trust }): DoorView {
  const door = adapter.door(asked);
  if (typeof door !== 'string') return { refused: door.reason, deliver: false };
  // A plan is data: nothing of this is written or started.
  const plan = adapter.plan({
    ...asked,
    door,
    prompt: 'x',
    promptFile: '/nonexistent/prompt.md',
    cwd: '/',
    args: [],
    companion: true,
    dir: '/nonexistent',
    session: 'none' as SessionId,
    hook: { argv: ['reins-hook'], timeoutSecs: 60 },
    env: {},
    look: { text: () => undefined, names: () => [], real: (path) => path },
  });
  if ('refused' in plan) return { refused: plan.reason, deliver: false };
  return { door, deliver: holdsResults(plan) };
}

/** A call of our hook behind a tool, as Claude Code words it; agents without such a hook make nothing of it. */
const RESULT = { tool_name: 'Bash', tool_use_id: 'x', tool_input: { command: 'true' }, tool_response: { stdout: '' } };

function holdsResults(plan: LaunchPlan): boolean {
  const meaning = (plan.tui?.hook ?? plan.hook)?.meaning('PostToolUse', RESULT);
  return meaning?.kind === 'gate' && meaning.inquiry.kind === 'deliver';
}
