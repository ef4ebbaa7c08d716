/**
 * Starts a session for whoever asks: command line, library, MCP server, hub. What is wrong is found before anything is
 * started: config, folder trust, working directory, prompt, agent, its gate, in that order.
 */
import { resolve } from 'node:path';
import type { FoundAgent } from '../adapters/index.js';
import { ReinsError } from '../contract/index.js';
import type { DryPlan, Seat, SessionSpec } from '../host/index.js';
import { bringAdapters } from './adapter-modules.js';
import { ensureAgentFolder } from './agent-folder.js';
import { agentNote } from './agent-standing.js';
import { besideNobody } from './beside.js';
import { checkBackend, checkHatAgents, chooseAgent, hatAgents } from './choose-agent.js';
import { familyOf } from './family.js';
import { refuseConsulted } from './inside.js';
import type { OwnFolder } from './own-folder.js';
import { planned } from './plan.js';
import { QUIET, type StartPorts } from './ports.js';
import { removeOld } from './remove.js';
import { saidOf } from './said.js';
import { type RunAsk, type RunSettings, settingsForRun } from './settings-run.js';
import {
  type CommandTask,
  checkCwd,
  freeName,
  type NewSpec,
  openSession,
  type Started,
  startCommand,
  type TakeAhead,
} from './start.js';
import type { Where } from './where.js';
import { withWish } from './wishes.js';

/** `conversation`: headless, message by message; for who shows it elsewhere (a browser, an editor). */
type AgentMode = 'autonomous' | 'interactive' | 'conversation';

/** `fromFiles`: the config or PROMPT.md named it, so that it is read again when the session goes on. */
export type GivenPrompt = { text: string; fromFiles: boolean };

/** What an agent is to do, as a caller says it; what it does not say comes from the config. */
export interface AgentTask extends RunAsk {
  /** Counts from where the caller stands. */
  cwd?: string | undefined;
  mode?: AgentMode | undefined;
  /** Itself, or how it is found once the config is known. */
  prompt?: string | ((settings: RunSettings) => Promise<GivenPrompt | undefined>) | undefined;
  /** Handed to the agent as they are. */
  agentArgs?: string[];
  once?: boolean;
  /** Autonomous, shown as the agent's own terminal. */
  tui?: boolean;
  /** Seconds an iteration may take; 0 is the agent's own limit. */
  timeout?: number;
  name?: string;
  /** Which paired devices may know of it; inside a session always that one's. */
  namespace?: string;
  /** Also where another loop works in the same folder. */
  shareFolder?: boolean;
  /** In a worktree of this name, made or taken up again; `true`: a new one. */
  worktree?: string | true;
  /** Whoever asks for it again gets this session (wishes.ts). */
  wish?: string;
}

export interface StartHow {
  ports?: StartPorts;
  ahead?: TakeAhead;
}

/** Contract: throws ReinsErrors with what to do (FOLDER_UNTRUSTED, AGENT_NOT_FOUND, AGENT_UNGATED …); then nothing runs. */
export async function startSession(
  where: Where,
  task: AgentTask | CommandTask,
  seat: Seat,
  how: StartHow = {},
): Promise<Started> {
  if ('argv' in task) return startCommand(where, task, seat, how.ahead);
  const { ports = QUIET } = how;
  const own = task.worktree === undefined ? undefined : await ownFolder(where, task, ports);
  try {
    const { spec, prompt, settings } = await readySession(where, task, { seat, ports, ...(own ? { at: own.at } : {}) });
    const place = await besideNobody(where, { spec, ports, share: task.shareFolder === true }, () => {
      own?.keep();
      return openSession(where, spec, { prompt, ahead: how.ahead });
    });
    await removeOld(where, keepDays(settings));
    return { place, spec };
  } catch (error) {
    await own?.undo();
    throw error;
  }
}

/** Loaded by who wants one. */
async function ownFolder(where: Where, task: AgentTask, ports: StartPorts): Promise<OwnFolder> {
  const { OwnFolder } = await import('./own-folder.js');
  return new OwnFolder(where, { asked: task.worktree!, task, ports });
}

export interface Ready {
  spec: NewSpec;
  prompt: string | undefined;
  settings: RunSettings;
  /** What would be started, to the last argument. */
  plan: DryPlan;
}

interface ReadyHow {
  seat: Seat;
  ports?: StartPorts | undefined;
  /** Where the agent works, if not where it was started. */
  at?: OwnFolder['at'];
}

/** Everything but the start. */
export async function readySession(
  where: Where,
  task: AgentTask,
  { seat, ports = QUIET, at }: ReadyHow,
): Promise<Ready> {
  refuseConsulted(where);
  const from = resolve(where.cwd, task.cwd ?? '.');
  const family = familyOf(where, task.namespace);
  checkBackend({ ...where, cwd: from }, task);
  checkCwd(from);
  const settings = await settingsForRun({ ...where, cwd: from }, task, ports);
  const { config, notices } = settings.loaded;
  for (const notice of notices) ports.tell(`! ${notice}`);
  const mode = modeOf(task, settings, { seat, ports });
  const given = typeof task.prompt === 'function' ? await task.prompt(settings) : wordsOf(task.prompt);
  const prompt = given?.text;
  const isEmpty = prompt === undefined || prompt.trim() === '';
  if (mode === 'autonomous' && isEmpty) throw new ReinsError('PROMPT_MISSING');
  await bringAdapters(config, [config.cli.backend, ...hatAgents(config)], { cwd: from, trust: settings.trust });
  const agent = await chooseAgent(where, config, from);
  const note = agentNote(where, agent)?.text;
  if (note) ports.tell(`! ${note}`);
  if (mode === 'autonomous') await checkHatAgents(where, config, { cwd: from, trust: settings.trust, main: agent });
  // As late as it can be: what is wrong with the rest leaves no folder behind.
  const { cwd, worktree } = (await at?.(from)) ?? { cwd: from };
  const agents = [agent.adapter, ...hatAgents(config)];
  const trusted = await ensureAgentFolder({ ...where, cwd }, agents, ports, worktree && from);
  const spec = specOf(where, task, { settings, mode, agent, note, cwd, worktree, seat, trusted, given, family });
  // What cannot be started is said here, once: inside the session it would be an end to be looked for.
  const plan = await planned(where, spec, prompt);
  return { spec, prompt: isEmpty ? undefined : prompt, settings, plan };
}

const wordsOf = (text: string | undefined): GivenPrompt | undefined =>
  text === undefined ? undefined : { text, fromFiles: false };

/** Seed 000: without a terminal there is nobody to interact with. Detached needs none: the viewer comes later. */
function modeOf(task: AgentTask, settings: RunSettings, { seat, ports }: { seat: Seat; ports: StartPorts }): AgentMode {
  const wanted = task.mode ?? (task.tui ? 'autonomous' : settings.loaded.config.cli.default_mode);
  if (wanted !== 'interactive' || !seat.tied || seat.terminal) return wanted;
  ports.tell('⚠ Interactive mode requested but stdout is not a TTY, falling back to autonomous mode', 'warning');
  return 'autonomous';
}

interface SpecParts {
  settings: RunSettings;
  mode: AgentMode;
  agent: FoundAgent;
  note: string | undefined;
  cwd: string;
  worktree: SessionSpec['worktree'];
  seat: Seat;
  trusted: Pick<SessionSpec, 'trusted_folder'>;
  given: GivenPrompt | undefined;
  family: ReturnType<typeof familyOf>;
}

function specOf(where: Where, task: AgentTask, parts: SpecParts): NewSpec {
  const { settings, mode, agent, note, cwd, worktree, seat, trusted, given, family } = parts;
  return {
    name: freeName(where, {
      asked: task.name,
      usual: worktree?.name ?? (cwd.split('/').at(-1) || 'session'),
      namespace: family.namespace,
    }),
    mode,
    cwd,
    ...(worktree ? { worktree } : {}),
    ...family,
    trust: settings.trust,
    trust_source: settings.trustSource,
    agent: {
      adapter: agent.adapter,
      path: agent.path,
      ...(agent.version ? { version: agent.version } : {}),
      ...(note ? { note } : {}),
    },
    agent_args: task.agentArgs ?? [],
    ...trusted,
    once: task.once === true,
    tui: task.tui === true,
    idle_timeout_secs: mode === 'interactive' ? idleSecs(settings, seat) : 0,
    timeout_secs: task.timeout ?? 0,
    config: settings.loaded.config,
    ...(settings.loaded.projectKind === 'ralph' ? { ralph: true } : {}),
    rules: settings.rules,
    sources: settings.sources,
    said: saidOf(where, task, { settings, promptFromFiles: given?.fromFiles === true }),
    seat,
    ...withWish(undefined, task.wish),
  };
}

/** Of the user's own words: a repository must not remove what happened on this machine. */
function keepDays({ loaded }: RunSettings): number {
  const isForeign = loaded.origins.get('sessions.keep_days')?.origin.layer === 'project';
  return isForeign ? 0 : loaded.config.sessions.keep_days;
}

/** The default is for a terminal that was forgotten; a session started detached goes on, unless a limit was asked for. */
function idleSecs({ loaded, sources }: RunSettings, { tied }: Seat): number {
  const asked = sources['cli.idle_timeout_secs'];
  return !tied && (asked === undefined || asked === 'default') ? 0 : loaded.config.cli.idle_timeout_secs;
}
