/** `reins run`: from flags to a started session, and then its viewer. */
import { resolve } from 'node:path';
import {
  type AgentTask,
  checkBackend,
  type GivenPrompt,
  type RunSettings,
  readySession,
  startSession,
} from '../../sessions/run.js';
import { checkCwd } from '../../sessions/start.js';
import type { Context } from '../context.js';
import { dryRun } from '../dry-run.js';
import { takeAhead } from '../host-ahead.js';
import { checkTmux, openInTmux } from '../in-tmux.js';
import { findPrompt, promptPlaces, promptSources } from '../prompt.js';
import { openRunLog } from '../run-log.js';
import { seatOf } from '../seat.js';
import { startPorts } from '../start-ports.js';
import { agentSize } from '../terminal-view.js';
import { view } from '../view-session.js';

export interface RunFlags {
  prompt?: string;
  promptFile?: string;
  backend?: string;
  interactive?: boolean;
  autonomous?: boolean;
  tui?: boolean;
  trust?: 'guarded' | 'full';
  trustFolder?: boolean;
  nonInteractive?: boolean;
  idleTimeout?: number;
  timeout?: number;
  once?: boolean;
  maxIterations?: number;
  maxRuntime?: number;
  maxCost?: number;
  completionPromise?: string;
  continue?: string;
  name?: string;
  namespace?: string;
  shareFolder?: boolean;
  worktree?: string | true;
  detach?: boolean;
  in?: 'tmux';
  cwd?: string;
  config?: string;
  set?: string[];
  verbose?: number;
  logFile?: string;
  logFormat?: 'text' | 'json';
  dryRun?: boolean;
  agentArgs: string[];
}

export async function run(context: Context, words: string[], asked: RunFlags): Promise<number> {
  // A viewer in a window of its own: from here the session is a detached one.
  const flags = asked.in ? { ...asked, detach: true } : asked;
  if (flags.in) checkTmux(context);
  if (flags.continue !== undefined) return (await import('../continue.js')).continueRun(context, words, flags);
  // The nearer mistake first: what is wrong with the log file is asked after what was typed.
  const cwd = resolve(context.cwd, flags.cwd ?? '.');
  checkBackend({ ...context, cwd }, flags);
  checkCwd(cwd);
  const log = openRunLog(context, flags);
  const own = seatOf(context, flags);
  const seat = flags.tui ? { ...own, size: agentSize(own.size) } : own;
  const ports = startPorts(context, { mayAsk: seat.non_interactive === null && !flags.dryRun });
  const task: AgentTask = {
    ...flags,
    ...modeOf(flags),
    prompt: (settings) => promptOf(context, words, { flags, settings }),
  };
  if (flags.dryRun) {
    // What is only looked at needs no terminal to be shown on.
    const { spec, plan } = await readySession(context, task, { seat: { ...seat, terminal: true }, ports });
    if (flags.worktree !== undefined)
      context.channels.chrome(
        'It would work in a worktree of its own, from what is committed; shown is the plan for here.',
      );
    return dryRun(context, spec, plan);
  }
  const { place, spec } = await startSession(context, task, seat, { ports, ahead: () => takeAhead(context.env) });
  const { agent, mode, trust } = spec;
  log.log('info', 'started', { session: place.id, agent: agent?.adapter, version: agent?.version, mode, trust });
  if (flags.in) return openInTmux(context, place, spec.name);
  if (flags.detach) {
    context.channels.out(`${place.id}\n`);
    return 0;
  }
  return view(context, place, { spec, verbose: (flags.verbose ?? 0) > 0 });
}

function modeOf(flags: RunFlags): Pick<AgentTask, 'mode'> {
  if (flags.interactive) return { mode: 'interactive' };
  return flags.autonomous ? { mode: 'autonomous' } : {};
}

function promptOf(
  context: Context,
  words: string[],
  { flags, settings }: { flags: RunFlags; settings: RunSettings },
): Promise<GivenPrompt | undefined> {
  return findPrompt({ ...promptSources(context, words, flags), ...promptPlaces(settings) });
}
