/** What the user should read when the agent's process did not come to be. */
import type { Adapter } from '../../adapters/index.js';
import { ReinsError } from '../../contract/index.js';

export function startError(adapter: Adapter, failure: { code: string; reason: string }, cwd: string): ReinsError {
  const { code, reason } = failure;
  if (code === 'CWD_INACCESSIBLE') return new ReinsError('CWD_INACCESSIBLE', { dir: cwd, reason });
  const { label: agent, command, install } = adapter;
  if (code === 'AGENT_NOT_FOUND') return new ReinsError('AGENT_NOT_FOUND', { agent, command, install });
  return new ReinsError('AGENT_UNSTARTABLE', { agent, reason, fix: 'see `reins doctor`' });
}
