/** Where one agent is and in which version, without the list of all of them: a host needs it for the one it consults. */
import { type Clock, type Env, systemClock } from '../contract/index.js';
import type { Adapter } from './adapter.js';
import { onPath } from './on-path.js';
import { probeVersion } from './probe.js';

const PATIENCE_MS = 15_000;

/** A text says why not. `command`: of the custom adapter. */
export async function findLoaded(
  adapter: Adapter,
  {
    env,
    cwd,
    command = adapter.command,
    clock = systemClock,
  }: { env: Env; cwd: string; command?: string; clock?: Clock },
): Promise<{ path: string; version?: string } | string> {
  const path = onPath(command, { env, cwd });
  if (path === undefined) return `${command || adapter.label} is not on PATH; ${adapter.install}`;
  if (adapter.priority === undefined) return { path };
  const said = await probeVersion({ path, env, timeoutMs: PATIENCE_MS, clock }).answer;
  return 'version' in said ? { path, version: said.version } : `${path} --version ${said.failure}`;
}
