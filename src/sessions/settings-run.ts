/** The config of a run: layers, flags on top, and whether the folder's file may give an agent what it asks for. */
import { dirname } from 'node:path';
import type { ConfigInput } from '../config/index.js';
import { ReinsError, type Trust } from '../contract/index.js';
import { withModulePaths } from './adapter-modules.js';
import { configFindings } from './config-findings.js';
import { ensureFolderTrust } from './folder-trust.js';
import { capInside } from './inside-settings.js';
import type { StartPorts } from './ports.js';
import { loadSettings, type Settings } from './settings.js';
import type { StartPlace } from './where.js';

export interface RunSettings extends Settings {
  cwd: string;
  /** Where the config's relative paths count from. */
  base: string;
}

/** What a caller may say that goes on top of every file. */
export interface RunAsk extends SettingWords {
  /** A file instead of the project's: the user's own word. */
  config?: string;
  set?: string[];
  /** The folder's file is followed for this run. */
  trustFolder?: boolean;
}

export interface SettingWords {
  backend?: string;
  /** A module of the caller's own that says how the agent of this id is started. */
  module?: { id: string; file: string };
  trust?: Trust;
  idleTimeout?: number;
  maxIterations?: number;
  maxRuntime?: number;
  maxCost?: number;
  completionPromise?: string;
}

/** Contract: throws CONFIG_INVALID, and FOLDER_UNTRUSTED where nobody may be asked or somebody said no. */
export async function settingsForRun(where: StartPlace, ask: RunAsk, ports: StartPorts): Promise<RunSettings> {
  const settings = checkedSettings(where, ask);
  await ensureFolderTrust(where, settings, { ...ports, forThisRun: ask.trustFolder === true });
  return capInside(where, settings);
}

/** Loaded and sound; whether the folder's file may be followed is for the caller to judge. Throws CONFIG_INVALID. */
export function checkedSettings(where: StartPlace, ask: RunAsk): RunSettings {
  const settings = loadSettings(where, {
    ...(ask.config === undefined ? {} : { config: ask.config }),
    set: ask.set ?? [],
    flags: overlay(ask),
    flagNames: FLAG_NAMES,
  });
  const { errors } = configFindings(settings.loaded);
  if (errors.length > 0) throw new ReinsError('CONFIG_INVALID', { problem: errors.join('\n') });
  const { project } = settings.loaded;
  const loaded = { ...settings.loaded, config: withModulePaths(settings.loaded.config, where.env) };
  return { ...settings, loaded, cwd: where.cwd, base: project ? dirname(project.file) : where.cwd };
}

/** Flags that set a config value of their own, with that value's key. */
export const FLAG_KEYS = {
  backend: 'cli.backend',
  idleTimeout: 'cli.idle_timeout_secs',
  trust: 'trust',
  maxIterations: 'event_loop.max_iterations',
  maxRuntime: 'event_loop.max_runtime_seconds',
  maxCost: 'event_loop.max_cost_usd',
  completionPromise: 'event_loop.completion_promise',
} as const satisfies Record<Exclude<keyof SettingWords, 'module'>, string>;

const FLAG_NAMES = {
  'cli.backend': '--backend',
  'cli.idle_timeout_secs': '--idle-timeout',
  trust: '--trust',
  'event_loop.max_iterations': '--max-iterations',
  'event_loop.max_runtime_seconds': '--max-runtime',
  'event_loop.max_cost_usd': '--max-cost',
  'event_loop.completion_promise': '--completion-promise',
};

function overlay(flags: SettingWords): ConfigInput {
  const cli = {
    ...(flags.backend === undefined ? {} : { backend: flags.backend }),
    ...(flags.idleTimeout === undefined ? {} : { idle_timeout_secs: flags.idleTimeout }),
  };
  const loop = {
    ...(flags.maxIterations === undefined ? {} : { max_iterations: flags.maxIterations }),
    ...(flags.maxRuntime === undefined ? {} : { max_runtime_seconds: flags.maxRuntime }),
    ...(flags.maxCost === undefined ? {} : { max_cost_usd: flags.maxCost }),
    ...(flags.completionPromise === undefined ? {} : { completion_promise: flags.completionPromise }),
  };
  return {
    ...(Object.keys(cli).length > 0 ? { cli } : {}),
    ...(flags.module ? { adapters: { [flags.module.id]: { module: flags.module.file } } } : {}),
    ...(flags.trust === undefined ? {} : { trust: flags.trust }),
    ...(Object.keys(loop).length > 0 ? { event_loop: loop } : {}),
  };
}
