/** The config of a run: layers, flags on top, and whether the folder's file may give an agent what it asks for. */
import { dirname } from 'node:path';
import type { ConfigInput } from '../config/index.js';
import { ReinsError } from '../contract/index.js';
import type { RunFlags } from './commands/run.js';
import { configFindings } from './config-findings.js';
import type { Context } from './context.js';
import { ensureFolderTrust } from './folder-trust.js';
import { type Settings as LoadedSettings, loadSettings } from './settings.js';

export interface Settings extends LoadedSettings {
  /** Where the config's relative paths count from. */
  base: string;
}

export async function settingsForRun(context: Context, options: { cwd: string; flags: RunFlags }): Promise<Settings> {
  const { flags, cwd } = options;
  const settings = loadSettings(
    { ...context, cwd },
    {
      ...(flags.config === undefined ? {} : { config: flags.config }),
      set: flags.set ?? [],
      flags: flagOverlay(flags),
      flagNames: FLAG_NAMES,
    },
  );
  const { errors } = configFindings(settings.loaded);
  if (errors.length > 0) throw new ReinsError('CONFIG_INVALID', { problem: errors.join('\n') });
  await ensureFolderTrust(context, settings, {
    mayAsk: !flags.nonInteractive && !flags.dryRun,
    forThisRun: flags.trustFolder === true,
  });
  return { ...settings, base: settings.loaded.project ? dirname(settings.loaded.project.file) : cwd };
}

const FLAG_NAMES = {
  'cli.backend': '--backend',
  'cli.idle_timeout_secs': '--idle-timeout',
  trust: '--trust',
  'event_loop.max_iterations': '--max-iterations',
  'event_loop.max_runtime_seconds': '--max-runtime',
  'event_loop.max_cost_usd': '--max-cost',
  'event_loop.completion_promise': '--completion-promise',
};

function flagOverlay(flags: RunFlags): ConfigInput {
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
    ...(flags.trust === undefined ? {} : { trust: flags.trust }),
    ...(Object.keys(loop).length > 0 ? { event_loop: loop } : {}),
  };
}
