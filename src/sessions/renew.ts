/**
 * The start facts of a session that goes on: those of its start, its files read again, and what is said anew. What a session
 * cannot change is an error that names it. Nothing is written and nothing started here.
 */
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { adapterNamed } from '../adapters/index.js';
import { type Change, ReinsError } from '../contract/index.js';
import type { Seat, SessionSpec, StartWords } from '../host/index.js';
import { bringAdapters } from './adapter-modules.js';
import { ensureAgentFolder } from './agent-folder.js';
import { agentNote } from './agent-standing.js';
import { changesOf } from './changes.js';
import { checkBackend, checkHatAgents, chooseAgent, hatAgents } from './choose-agent.js';
import { familyOf } from './family.js';
import { checkTrustInside } from './inside.js';
import { planned } from './plan.js';
import type { StartPorts } from './ports.js';
import { saidAgain, saidOf } from './said.js';
import { settingsAgain } from './settings-again.js';
import type { RunAsk, RunSettings } from './settings-run.js';
import type { GivenPrompt } from './start-session.js';
import type { Where } from './where.js';
import { withWish } from './wishes.js';

/** What may be said anew; what is not said is as it was, or as the session's config files are now. */
export interface ContinueAsk extends RunAsk {
  /** Itself, or how it is found; undefined: as it was. `fromFiles` says whether the old one came from the config. */
  prompt?: string | ((settings: RunSettings, fromFiles: boolean) => Promise<GivenPrompt | undefined>) | undefined;
  timeout?: number | undefined;
  once?: boolean | undefined;
  agentArgs?: string[] | undefined;
  /** Also where another loop works in the same folder. */
  shareFolder?: boolean;
  /** Whoever asks for it again finds it granted (wishes.ts). */
  wish?: string;
}

export interface Renewal {
  spec: SessionSpec;
  /** A new one, to be kept beside the old. */
  prompt?: string;
  changes: Change[];
}

interface RenewHow {
  ask: ContinueAsk;
  seat: Seat;
  ports: StartPorts;
}

export async function renewed(where: Where, old: SessionSpec, how: RenewHow): Promise<Renewal> {
  const { seat, ports } = how;
  const { config: named } = how.ask;
  const ask = named === undefined ? how.ask : { ...how.ask, config: resolve(where.cwd, named) };
  // Of a worktree, config and prompt are where it was started from: it holds only what was committed.
  const there = { ...where, cwd: old.worktree?.from ?? old.cwd };
  const { said } = old;
  if (said && ask.backend !== undefined) checkBackend(there, saidAgain(said, ask));
  const settings = said ? await settingsAgain(there, { old: { ...old, said }, ask, ports }) : undefined;
  if (!settings) checkOlder(ask);
  // An agent goes on with nothing that has more trust than itself.
  if (!settings) checkTrustInside(there, old.trust);
  const config = settings?.loaded.config ?? limited(old, ask);
  const trust = settings?.trust ?? old.trust;
  const wanted = [old.agent!.adapter, config.cli.backend, ...hatAgents(config)];
  await bringAdapters(config, wanted, { cwd: old.cwd, trust });
  const agent = await agentOf(where, old, config);
  if (old.mode === 'autonomous') await checkHatAgents(where, config, { cwd: old.cwd, trust, main: agent });
  const given = await promptOf(old, settings, ask);
  const agents = [agent.adapter, ...hatAgents(config)];
  const trusted = await ensureAgentFolder({ ...where, cwd: old.cwd }, agents, ports, old.worktree?.from);
  const { trusted_folder: _then, prompt_file, changed: _said, parent: _p, depth: _d, reread: _r, ...known } = old;
  const note = agentNote(where, agent)?.text;
  // Above it is who goes on with it now; whose it is, it stays.
  const { namespace: _n, ...family } = familyOf(where);
  const spec: SessionSpec = {
    ...known,
    ...family,
    // A conversation holds its first prompt already: it is not given twice.
    ...(old.mode === 'autonomous' && prompt_file !== undefined ? { prompt_file } : {}),
    ...trusted,
    ...rereadOf(old, config, given),
    reins: where.version,
    seat,
    agent: {
      ...{ adapter: agent.adapter, path: agent.path },
      ...(agent.version ? { version: agent.version } : {}),
      ...(note ? { note } : {}),
    },
    ...(ask.agentArgs && ask.agentArgs.length > 0 ? { agent_args: ask.agentArgs } : {}),
    once: ask.once ?? old.once,
    timeout_secs: ask.timeout ?? old.timeout_secs,
    idle_timeout_secs: idleSecs(old, config, ask),
    config,
    ...withWish(old.wishes, ask.wish),
    ...(settings ? ofSettings(where, settings, { ask, said: said!, given }) : {}),
  };
  await planned(where, spec, given?.text ?? textOf(old));
  const changes = changesOf(old, spec, { newPrompt: given !== undefined });
  return { spec, changes, ...(given ? { prompt: given.text } : {}) };
}

/** What somebody says anew is theirs again; what comes from files stays the agent's, once it may be. */
function rereadOf(
  { reread, config: before }: SessionSpec,
  now: SessionSpec['config'],
  given: GivenPrompt | undefined,
): Pick<SessionSpec, 'reread'> {
  const prompt = given ? given.fromFiles : reread?.prompt === true;
  const hats = reread?.hats === true || !isDeepStrictEqual(before.hats, now.hats);
  return prompt || hats ? { reread: { ...(prompt ? { prompt } : {}), ...(hats ? { hats } : {}) } } : {};
}

function ofSettings(
  where: Where,
  settings: RunSettings,
  { ask, said, given }: { ask: ContinueAsk; said: StartWords; given: GivenPrompt | undefined },
): Pick<SessionSpec, 'rules' | 'sources' | 'trust' | 'trust_source' | 'said'> {
  const words = saidAgain(said, ask);
  return {
    rules: settings.rules,
    sources: settings.sources,
    trust: settings.trust,
    trust_source: settings.trustSource,
    said: saidOf(where, words, { settings, promptFromFiles: given?.fromFiles ?? said.prompt_from_files === true }),
  };
}

/** Undefined: the one it has. */
async function promptOf(
  old: SessionSpec,
  settings: RunSettings | undefined,
  { prompt }: ContinueAsk,
): Promise<GivenPrompt | undefined> {
  if (prompt === undefined) return undefined;
  const fromFiles = old.mode === 'autonomous' && old.said?.prompt_from_files === true;
  const now = settings ?? { loaded: { config: old.config }, cwd: old.cwd, base: old.cwd };
  const given =
    typeof prompt === 'string' ? { text: prompt, fromFiles: false } : await prompt(now as RunSettings, fromFiles);
  if (!given || given.text.trim() === '') return undefined;
  if (old.mode !== 'autonomous') {
    throw cannot(`session ${old.id} is a conversation: it is not given another prompt`, 'go on, and say it there');
  }
  return given.text === textOf(old) ? undefined : given;
}

function textOf({ prompt_file: file }: SessionSpec): string | undefined {
  return file !== undefined && existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** A loop starts its agent anew each time, so another one may go on with it. A conversation is with one agent. */
async function agentOf(where: Where, old: SessionSpec, config: SessionSpec['config']) {
  const had = old.agent!.adapter;
  const { backend } = config.cli;
  const wanted = backend === 'auto' || backend === old.config.cli.backend ? had : backend;
  if (old.mode !== 'autonomous' && wanted !== had) {
    const label = adapterNamed(had)?.label ?? had;
    throw cannot(
      `session ${old.id} is a conversation with ${label}: ${wanted} cannot go on with it`,
      'start a new one',
    );
  }
  return chooseAgent(where, { ...config, cli: { ...config.cli, backend: wanted } }, old.cwd);
}

/** The words of its start were not kept, so its files cannot be read again under them. */
function checkOlder({ set = [], config, backend, trust, trustFolder }: ContinueAsk): void {
  const given = {
    '--set': set.length > 0,
    '-c': config,
    '-b': backend,
    '--trust': trust,
    '--trust-folder': trustFolder,
  };
  const flag = Object.entries(given).find(([, value]) => value)?.[0];
  if (flag === undefined) return;
  throw cannot(`this session was started by an older Reins: ${flag} cannot be applied to it`, 'start a new one');
}

function limited({ config }: SessionSpec, ask: ContinueAsk): SessionSpec['config'] {
  const loop = {
    ...config.event_loop,
    ...(ask.maxIterations === undefined ? {} : { max_iterations: ask.maxIterations }),
    ...(ask.maxRuntime === undefined ? {} : { max_runtime_seconds: ask.maxRuntime }),
    ...(ask.maxCost === undefined ? {} : { max_cost_usd: ask.maxCost }),
    ...(ask.completionPromise === undefined ? {} : { completion_promise: ask.completionPromise }),
  };
  return { ...config, event_loop: loop };
}

/** The default counts from the seat it was started in; what is said, or changed, counts by itself. */
function idleSecs(old: SessionSpec, { cli }: SessionSpec['config'], { idleTimeout }: ContinueAsk): number {
  if (old.mode !== 'interactive') return old.idle_timeout_secs;
  if (idleTimeout !== undefined) return idleTimeout;
  return cli.idle_timeout_secs === old.config.cli.idle_timeout_secs ? old.idle_timeout_secs : cli.idle_timeout_secs;
}

const cannot = (problem: string, fix: string) => new ReinsError('USAGE', { problem, fix });
