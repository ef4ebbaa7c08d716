/**
 * A second face of this room for who must start fast or stay small: one agent's settings, whether anything is configured at all, and the defaults
 * when nothing is, as the build wrote them from the schema. Loading the schema itself costs a tenth of a second.
 */
import { readFileSync } from 'node:fs';
import type { Env } from '../contract/index.js';
import { findProjectFile, isThere, userConfigFile } from './files.js';
import type { Config } from './schema.js';

export { adapterSettings } from './adapter-settings.js';

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
