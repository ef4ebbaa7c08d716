/**
 * Which agents may use what a folder brings along for them (hooks, servers, helpers), said once. Only the folder itself
 * counts, not what lies below it: a clone in a trusted folder is somebody else's. Remembered with what was there to be
 * started: a yes does not cover what came later, a no is not asked again. What an agent is then told is its adapter's business.
 */
import { realpathSync } from 'node:fs';
import type { Env } from '../contract/index.js';
import { changeTrust, readTrust, type TrustStore } from './trust-store.js';

export interface FolderTrust {
  env: Env;
  /** Its real path. */
  folder: string;
  agent: string;
}

/** What a folder's owner decided about an agent, and what it would have started when he did. */
export interface FolderDecision extends FolderTrust {
  starts: string[];
}

/** Throws STATE_DIR if it cannot be remembered. */
export function letTrust(decided: FolderDecision): void {
  const { env, folder, agent } = decided;
  changeTrust(env, (before) => {
    const agents = [...new Set([...own(before.agents, folder), agent])].sort();
    return { ...withSeen(before, decided), agents: { ...before.agents, [folder]: agents } };
  });
}

/** Not asked again while the folder brings nothing more. Throws STATE_DIR. */
export function declineTrust(decided: FolderDecision): void {
  unletTrust(decided);
  changeTrust(decided.env, (before) => withSeen(before, decided));
}

const withSeen = (before: TrustStore, { folder, agent, starts }: FolderDecision): TrustStore => ({
  ...before,
  seen: { ...before.seen, [folder]: { ...seenIn(before, folder), [agent]: starts } },
});

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

export interface AgreedFolder {
  /** Its real path. */
  folder: string;
  /** Those that may use it. */
  agents: string[];
  /** What each would have started when it was decided. */
  seen: Record<string, string[]>;
}

/** Of the folder a session works in; undefined where it is gone. */
export function agreedFolder(env: Env, cwd: string): AgreedFolder | undefined {
  let folder: string;
  try {
    folder = realpathSync(cwd);
  } catch {
    return undefined; // gone meanwhile: whoever starts an agent there says so
  }
  const store = readTrust(env);
  return { folder, agents: own(store.agents, folder), seen: seenIn(store, folder) };
}

const seenIn = ({ seen }: TrustStore, folder: string): Record<string, string[]> =>
  Object.hasOwn(seen, folder) ? seen[folder]! : {};

const own = (agents: Record<string, string[]>, folder: string): string[] =>
  Object.hasOwn(agents, folder) ? agents[folder]! : [];
