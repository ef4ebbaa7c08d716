/** What the user should read when the agent's process did not come to be, or cannot do any work. */
import type { Adapter } from '../../adapters/index.js';
import { ReinsError } from '../../contract/index.js';
import type { JudgedRun } from './judge.js';

export function startError(adapter: Adapter, failure: { code: string; reason: string }, cwd: string): ReinsError {
  const { code, reason } = failure;
  if (code === 'CWD_INACCESSIBLE') return new ReinsError('CWD_INACCESSIBLE', { dir: cwd, reason });
  const { label: agent, command, install } = adapter;
  if (code === 'AGENT_NOT_FOUND') return new ReinsError('AGENT_NOT_FOUND', { agent, command, install });
  return new ReinsError('AGENT_UNSTARTABLE', { agent, reason, fix: 'see `reins doctor`' });
}

/** An agent that ran, and that no further launch would help: its login, or its settings. */
export function cannotWork(adapter: Adapter, { failure, reason = '' }: JudgedRun): ReinsError | undefined {
  const { label: agent } = adapter;
  if (failure === 'setup') return new ReinsError('AGENT_SETTINGS', { agent, reason });
  const login = adapter.failures?.login ?? 'see how it is logged in';
  return failure === 'login' ? new ReinsError('AGENT_LOGIN', { agent, reason, login }) : undefined;
}
