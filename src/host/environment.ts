/**
 * The environment an agent gets: the user's own, with what the adapter and the config change, the session's mark, our
 * programs at the end of PATH, in a loop the way to publish events, and, where no person sits at a terminal, what keeps tools from asking there.
 */
import { delimiter } from 'node:path';
import { EMIT_PROGRAM, EMIT_VIA, type Env, HOST_ONLY, SESSION_MARK, SPARING } from '../contract/index.js';
import type { WorkPorts } from './modes/work.js';

/** A child that would prompt on a terminal nobody sees must fail instead; the user's own settings win. */
const UNATTENDED = { GIT_TERMINAL_PROMPT: '0', GH_PROMPT_DISABLED: '1', DEBIAN_FRONTEND: 'noninteractive' };

/** A nested session has marks of its own, or none. */
const PRIVATE = [SESSION_MARK, EMIT_PROGRAM, EMIT_VIA, 'BASH_FUNC_reins%%', 'BASH_FUNC_ralph%%'];

export function agentEnv(
  ports: Pick<WorkPorts, 'env' | 'spec' | 'bin' | 'inside'>,
  changes: Record<string, string | undefined>,
): Record<string, string> {
  const { mode } = ports.spec;
  const unattended = mode === 'autonomous' || mode === 'conversation' ? UNATTENDED : {};
  const env: Record<string, string | undefined> = { ...unattended, ...ports.env };
  for (const name of PRIVATE) delete env[name];
  // What signs a person's answers is not for who is to be answered.
  for (const hook of ports.spec.config.notify.webhooks)
    if (typeof hook === 'object' && hook.secret_env !== undefined) delete env[hook.secret_env];
  env.PATH = [ports.inside?.first, env.PATH, ports.bin].filter(Boolean).join(delimiter);
  Object.assign(env, changes, ports.inside?.env, { [SESSION_MARK]: ports.spec.id });
  return Object.fromEntries(Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined));
}

/** What this process alone was told, taken off before anybody is started. Contract: no name but our own, whatever stands in the list. */
export function unspare(env: Env): void {
  const named = new Set(env[HOST_ONLY]?.split(' '));
  for (const name of Object.keys(SPARING)) if (named.has(name)) delete env[name];
  delete env[HOST_ONLY];
}
