/** Which agent a session runs on: the one that was named, or the first one found in the documented order. */
import {
  adapterNamed,
  adapters,
  type CustomSettings,
  Detector,
  type FoundAgent,
  isFound,
  noneFound,
  notFound,
} from '../adapters/index.js';
import { adapterSettings, type Config, nearest, wornAgent } from '../config/index.js';
import { ReinsError, type Trust } from '../contract/index.js';
import { isKnownAgent } from './adapter-modules.js';
import { readSettings } from './settings.js';
import type { RunAsk } from './settings-run.js';
import type { StartPlace, Where } from './where.js';

/** Contract: throws BACKEND_UNKNOWN, CUSTOM_NEEDS_COMMAND, AGENT_NOT_FOUND or AGENT_NONE_FOUND. */
export async function chooseAgent(where: Pick<Where, 'env'>, config: Config, cwd: string): Promise<FoundAgent> {
  const { backend, command } = config.cli;
  const detector = new Detector({
    env: where.env,
    cwd,
    enabled: (id) => adapterSettings(config, id).enabled,
    ...(command === undefined ? {} : { customCommand: command }),
  });
  try {
    if (backend === 'auto') {
      const { found, missing } = await detector.first();
      if (!found) throw noneFound(missing);
      return found;
    }
    if (!adapterNamed(backend)) throw unknownBackend(backend);
    if (backend === 'custom' && !command) throw new ReinsError('CUSTOM_NEEDS_COMMAND');
    const one = await detector.one(backend);
    if (!isFound(one)) throw notFound(one);
    return one;
  } finally {
    detector.close();
  }
}

/** A name that the command line gave: a wrong one there is no mistake of a file. */
export function checkBackend(where: StartPlace, ask: Pick<RunAsk, 'backend' | 'module' | 'config' | 'set'>): void {
  const { backend, module, config, set } = ask;
  if (backend === undefined || isAgentOfOurs(backend) || backend === module?.id) return;
  const words = { ...(config === undefined ? {} : { config }), ...(set === undefined ? {} : { set }) };
  // The config is read for this only where the name is not one of ours.
  if (!isKnownAgent(readSettings(where, words).loaded.config, backend)) throw unknownFlag(backend);
}

const isAgentOfOurs = (named: string): boolean => named === 'auto' || adapters.some(({ id }) => id === named);
const unknownFlag = (backend: string) => unknownBackend(backend, 'BACKEND_FLAG_UNKNOWN');

/** The same where only those that come with Reins count. */
export function checkBuiltIn(named: string): void {
  if (!isAgentOfOurs(named)) throw unknownFlag(named);
}

function unknownBackend(backend: string, code: 'BACKEND_UNKNOWN' | 'BACKEND_FLAG_UNKNOWN' = 'BACKEND_UNKNOWN') {
  const known = ['auto', ...adapters.map((adapter) => adapter.id)];
  const meant = nearest(backend, known);
  const data = { backend, known: known.join(', '), ...(meant ? { nearest: `; did you mean ${meant}?` } : {}) };
  return new ReinsError(code, data);
}

/** The agents that hats bring, by adapter. */
export const hatAgents = (config: Config): string[] =>
  Object.keys(config.hats).flatMap((id) => wornAgent(config, id).adapter ?? []);

/** The agents that hats bring are looked for before the first one starts, not when their turn comes after an hour. */
export async function checkHatAgents(
  where: Pick<Where, 'env'>,
  config: Config,
  session: { cwd: string; trust: Trust; main: FoundAgent },
): Promise<void> {
  const seen = new Set([session.main.adapter === 'custom' ? `custom ${config.cli.command}` : session.main.adapter]);
  for (const id of Object.keys(config.hats)) {
    const { adapter: backend, cli } = wornAgent(config, id);
    const name = backend === 'custom' ? `custom ${cli.command}` : backend;
    if (backend === undefined || name === undefined || seen.has(name)) continue;
    seen.add(name);
    const its = { ...config, cli: { ...cli, backend } };
    await chooseAgent(where, its, session.cwd);
    const adapter = adapterNamed(backend);
    // One of a module's own is asked when it is loaded, for the plan.
    if (!adapter) continue;
    const door = adapter.door({ mode: 'autonomous', trust: session.trust, custom: customOf(its) });
    if (typeof door === 'string') continue;
    throw door.refused === 'ungated'
      ? new ReinsError('AGENT_UNGATED', { agent: adapter.label, gated: GATED, reason: door.reason })
      : new ReinsError('AGENT_UNSTARTABLE', { agent: adapter.label, reason: door.reason, fix: 'see `reins doctor`' });
  }
}

const GATED = 'claude, codex, gemini, kiro, amp';

/** A custom agent as the config describes it. */
export function customOf({ cli }: Config): CustomSettings {
  return {
    args: cli.args,
    prompt_mode: cli.prompt_mode,
    acp: cli.acp,
    acp_asks: cli.acp_asks,
    ...(cli.command === undefined ? {} : { command: cli.command }),
    ...(cli.prompt_flag === undefined ? {} : { prompt_flag: cli.prompt_flag }),
  };
}
