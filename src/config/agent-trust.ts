/**
 * Which agents the user lets trust which folder, said once and beforehand, for runs nobody watches. Only the folder
 * itself counts, not what lies below it: a clone in a trusted folder is somebody else's. What an agent is then told, and
 * how, is its adapter's business.
 */
import { realpathSync } from 'node:fs';
import type { Env } from './files.js';
import { changeTrust, readTrust } from './trust-store.js';

export interface FolderTrust {
  env: Env;
  /** Its real path. */
  folder: string;
  agent: string;
}

/** Throws STATE_DIR if it cannot be remembered. */
export function letTrust({ env, folder, agent }: FolderTrust): void {
  changeTrust(env, (before) => {
    const agents = [...new Set([...own(before.agents, folder), agent])].sort();
    return { ...before, agents: { ...before.agents, [folder]: agents } };
  });
}

/** False if it was not allowed before. Throws STATE_DIR. */
export function unletTrust({ env, folder, agent }: FolderTrust): boolean {
  if (!own(readTrust(env).agents, folder).includes(agent)) return false;
  changeTrust(env, (before) => {
    const { [folder]: _all, ...others } = before.agents;
    const left = own(before.agents, folder).filter((one) => one !== agent);
    return { ...before, agents: left.length === 0 ? others : { ...others, [folder]: left } };
  });
  return true;
}

export function letTrustAll(env: Env): { folder: string; agents: string[] }[] {
  return Object.entries(readTrust(env).agents).map(([folder, agents]) => ({ folder, agents }));
}

/** Of the folder a session works in; undefined where no agent may trust it. */
export function trustedFolder(env: Env, cwd: string): { folder: string; agents: string[] } | undefined {
  let folder: string;
  try {
    folder = realpathSync(cwd);
  } catch {
    return undefined; // gone meanwhile: whoever starts an agent there says so
  }
  const agents = own(readTrust(env).agents, folder);
  return agents.length === 0 ? undefined : { folder, agents };
}

const own = (agents: Record<string, string[]>, folder: string): string[] =>
  Object.hasOwn(agents, folder) ? agents[folder]! : [];
