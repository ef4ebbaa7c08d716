/**
 * `reins run`: from flags to a started session, and then its viewer. What is wrong is found before anything starts:
 * config, folder trust, working directory, agent, prompt, in that order.
 */
import { resolve } from 'node:path';
import type { Found } from '../../adapters/index.js';
import { ReinsError } from '../../contract/index.js';
import type { SessionSpec } from '../../host/index.js';
import {
  agentNote,
  checkBackend,
  checkHatAgents,
  chooseAgent,
  ensureAgentFolder,
  hatAgents,
  planned,
  type RunSettings,
  removeOld,
  settingsForRun,
} from '../../sessions/run.js';
import { checkCwd, freeName, type NewSpec, openSession } from '../../sessions/start.js';
import type { Context } from '../context.js';
import { dryRun } from '../dry-run.js';
import { takeAhead } from '../host-ahead.js';
import { checkTmux, openInTmux } from '../in-tmux.js';
import { findPrompt } from '../prompt.js';
import { openRunLog } from '../run-log.js';
import { currentSize, nonInteractive, presenceOf } from '../seat.js';
import { agentSize } from '../shown-loop-view.js';
import { startPorts } from '../start-ports.js';
import { view } from '../view-session.js';
import { ownTerm } from '../window.js';

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
  if (flags.continue !== undefined) return (await import('../continue.js')).continueRun(context, flags);
  if (flags.backend !== undefined) checkBackend(flags.backend);
  const cwd = resolve(context.cwd, flags.cwd ?? '.');
  checkCwd(cwd);
  const log = openRunLog(context, flags);
  const ports = startPorts(context, { mayAsk: nonInteractive(context, flags) === null && !flags.dryRun });
  const settings = await settingsForRun({ ...context, cwd }, flags, ports);
  for (const notice of settings.loaded.notices) context.channels.chrome(`! ${notice}`);
  const mode = chooseMode(context, settings, flags);
  const prompt = await findPrompt({
    words,
    config: settings.loaded.config,
    cwd,
    base: settings.base,
    notice: (text) => context.channels.chrome(`! ${text}`),
    ...(flags.prompt === undefined ? {} : { flag: flags.prompt }),
    ...(flags.promptFile === undefined ? {} : { file: flags.promptFile }),
  });
  if (mode === 'autonomous' && (prompt === undefined || prompt.trim() === '')) throw new ReinsError('PROMPT_MISSING');
  const agent = await chooseAgent(context, settings.loaded.config, cwd);
  const note = agentNote(context, agent)?.text;
  if (note) context.channels.chrome(`! ${note}`);
  if (mode === 'autonomous')
    await checkHatAgents(context, settings.loaded.config, { cwd, trust: settings.trust, main: agent });
  log.log('info', 'starting', { agent: agent.adapter, version: agent.version, mode, trust: settings.trust });
  const agents = [agent.adapter, ...hatAgents(settings.loaded.config)];
  const trusted = await ensureAgentFolder({ env: context.env, cwd }, agents, ports);
  const spec = specOf(context, { settings, mode, agent, note, cwd, flags, trusted });
  // What cannot be started is said here, once: inside the session it would be an end to be looked for.
  const plan = await planned(context, spec, prompt);
  if (flags.dryRun) return dryRun(context, spec, plan);
  const place = await openSession(context, spec, {
    prompt: prompt?.trim() === '' ? undefined : prompt,
    ahead: takeAhead(context.env),
  });
  log.log('info', 'started', { session: place.id });
  await removeOld(context, keepDays(settings));
  if (flags.in) return openInTmux(context, place, spec.name);
  if (flags.detach) {
    context.channels.out(`${place.id}\n`);
    return 0;
  }
  return view(context, place, { spec, verbose: (flags.verbose ?? 0) > 0 });
}

/** Seed 000: without a terminal there is nobody to interact with. `-d` needs no terminal: the viewer comes later. */
function chooseMode(context: Context, settings: RunSettings, flags: RunFlags): 'autonomous' | 'interactive' {
  const wanted = flags.interactive
    ? 'interactive'
    : flags.autonomous || flags.tui
      ? 'autonomous'
      : settings.loaded.config.cli.default_mode;
  if (wanted === 'interactive' && !flags.detach && !flags.dryRun && !process.stdout.isTTY) {
    context.channels.complain('⚠ Interactive mode requested but stdout is not a TTY, falling back to autonomous mode');
    return 'autonomous';
  }
  return wanted;
}

interface SpecParts {
  settings: RunSettings;
  mode: 'autonomous' | 'interactive';
  agent: Found;
  note: string | undefined;
  cwd: string;
  flags: RunFlags;
  trusted: Pick<SessionSpec, 'trusted_folder'>;
}

function specOf(context: Context, { settings, mode, agent, note, cwd, flags, trusted }: SpecParts): NewSpec {
  const { config } = settings.loaded;
  const why = nonInteractive(context, flags);
  return {
    name: freeName(context, { asked: flags.name, usual: cwd.split('/').at(-1) || 'session' }),
    mode,
    cwd,
    trust: settings.trust,
    trust_source: settings.trustSource,
    size: flags.tui ? agentSize(currentSize()) : currentSize(),
    ...(flags.detach ? {} : ownTerm(context.env, 'agent')),
    tied: flags.detach !== true,
    non_interactive: why,
    presence: presenceOf(why),
    agent: {
      adapter: agent.adapter,
      path: agent.path,
      ...(agent.version ? { version: agent.version } : {}),
      ...(note ? { note } : {}),
    },
    agent_args: flags.agentArgs,
    ...trusted,
    once: flags.once === true,
    tui: flags.tui === true,
    idle_timeout_secs: mode === 'interactive' ? idleSecs(settings, flags) : 0,
    timeout_secs: flags.timeout ?? 0,
    config,
    rules: settings.rules,
    sources: settings.sources,
  };
}

/** Of the user's own words: a repository must not remove what happened on this machine. */
function keepDays({ loaded }: RunSettings): number {
  const isForeign = loaded.origins.get('sessions.keep_days')?.origin.layer === 'project';
  return isForeign ? 0 : loaded.config.sessions.keep_days;
}

/** The default is for a terminal that was forgotten; a session started detached goes on, unless a limit was asked for. */
function idleSecs({ loaded, sources }: RunSettings, flags: RunFlags): number {
  const asked = sources['cli.idle_timeout_secs'];
  return flags.detach && (asked === undefined || asked === 'default') ? 0 : loaded.config.cli.idle_timeout_secs;
}
