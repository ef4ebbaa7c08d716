/**
 * A second face of this room for who must start fast or stay small: one agent's settings, whether anything is configured at all, and the defaults
 * when nothing is, as the build wrote them from the schema. Loading the schema itself costs a tenth of a second.
 */
import { readFileSync } from 'node:fs';
import type { Env } from '../contract/index.js';
import { findProjectFile, isThere, userConfigFile } from './files.js';
import type { AdapterConfig, Config } from './schema.js';

/** What the schema makes of an empty entry; a test keeps the two the same. */
const UNSET: AdapterConfig = {
  enabled: true,
  timeout: 0,
  quiet_timeout: 300,
  first_output_secs: 0,
  args: [],
  env: {},
};

/** Defaults included, also when the config does not name the agent. */
export function adapterSettings(config: Config, adapter: string): AdapterConfig {
  const found = Object.hasOwn(config.adapters, adapter) ? config.adapters[adapter] : undefined;
  return found ?? { ...UNSET, args: [], env: {} };
}

function isConfigured(cwd: string, env: Env): boolean {
  if (env.REINS_TRUST !== undefined || Object.keys(env).some((name) => name.startsWith('REINS_CFG__'))) return true;
  return isThere(userConfigFile(env)) || findProjectFile(cwd, env) !== undefined;
}

/** The effective config: by the schema where something is configured, else its defaults as built. */
export async function quickConfig(where: { cwd: string; env: Env }): Promise<Config> {
  if (!isConfigured(where.cwd, where.env)) {
    try {
      return JSON.parse(readFileSync(new URL('./defaults.json', import.meta.url), 'utf8')) as Config;
    } catch {
      // Not built (tests run from the sources): the schema says the same, a little later.
    }
  }
  const { loadConfig } = await import('./load.js');
  return loadConfig(where).config;
}
