/**
 * Adapters of the user's own (`adapters.<id>.module`): where they may lie, and imported once it is settled that the config
 * that names them may be followed.
 */
import { realpathSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { adapterNamed, BUILT_IN, bringAdapter } from '../adapters/index.js';
import type { Config, LoadedConfig } from '../config/index.js';
import { type Env, ReinsError, type Trust, unreadableBecause } from '../contract/index.js';

/** Ids the config names a module for. */
export const moduleIds = ({ adapters }: Config): string[] =>
  Object.keys(adapters).filter((id) => adapters[id]?.module !== undefined);

/** Whether some agent has this name, here or in a module that nobody has looked at yet. */
export const isKnownAgent = (config: Config, id: string): boolean =>
  adapterNamed(id) !== undefined || moduleIds(config).includes(id);

/** What is wrong with them, before any is imported. */
export function moduleProblems({ config }: LoadedConfig): { key: string; text: string }[] {
  return moduleIds(config).flatMap((id) => {
    const key = `adapters.${id}.module`;
    const file = config.adapters[id]!.module!;
    if ((BUILT_IN as readonly string[]).includes(id))
      return [{ key, text: `${id} comes with Reins and cannot be replaced` }];
    if (!isAbsolute(file) && !file.startsWith('~/'))
      return [{ key, text: `${file} is not absolute; give the whole path` }];
    return [];
  });
}

/** The config with every module's whole path, as the host needs it. */
export function withModulePaths(config: Config, env: Env): Config {
  const adapters = { ...config.adapters };
  for (const id of moduleIds(config)) {
    const { module: file = '', ...rest } = adapters[id]!;
    adapters[id] = { ...rest, module: file.startsWith('~/') ? join(env.HOME ?? '/', file.slice(2)) : file };
  }
  return { ...config, adapters };
}

/** Contract: throws ADAPTER_INVALID. Only those among `agents` are imported. */
export async function bringAdapters(
  config: Config,
  agents: Iterable<string>,
  session: { cwd: string; trust: Trust },
): Promise<void> {
  for (const id of new Set(agents)) {
    const file = config.adapters[id]?.module;
    if (file === undefined) continue;
    if (session.trust === 'guarded') checkPlace(file, session.cwd);
    await bringAdapter(file, id);
  }
}

/** What an agent could rewrite would be part of its own gate the next time. */
function checkPlace(file: string, cwd: string): void {
  const invalid = (reason: string) => new ReinsError('ADAPTER_INVALID', { file, reason });
  let real: string;
  try {
    real = realpathSync(file);
  } catch (error) {
    throw invalid(unreadableBecause(error));
  }
  const within = (path: string, folder: string): boolean => `${path}/`.startsWith(folder === '/' ? '/' : `${folder}/`);
  if (within(real, realpathSync(cwd)) || within(resolve(file), resolve(cwd)))
    throw invalid('it lies in the folder its agent works in, which could rewrite it; keep it elsewhere');
}
