/** Which work a session does. Each kind is loaded only when it is the one, and only the agents that it may run. */
import type { Mode } from '../../contract/index.js';
import type { SessionSpec } from '../spec.js';
import type { Work, WorkPorts } from './work.js';

export async function workFactory(
  mode: Mode,
  agents: Iterable<string> = [],
  modules: (id: string) => string | undefined = () => undefined,
): Promise<(ports: WorkPorts) => Work> {
  if (mode === 'exec') {
    const { ExecWork } = await import('./exec.js');
    return (ports) => new ExecWork(ports);
  }
  const load = import('../../adapters/loaded.js').then(({ loadAdapters }) => loadAdapters(agents, modules));
  if (mode === 'interactive') {
    const [{ InteractiveWork }] = await Promise.all([import('./interactive.js'), load]);
    return (ports) => new InteractiveWork(ports);
  }
  if (mode === 'conversation') {
    const [{ ConversationWork }] = await Promise.all([import('./conversation.js'), load]);
    return (ports) => new ConversationWork(ports);
  }
  const [{ AutonomousWork }] = await Promise.all([import('./autonomous.js'), load]);
  return (ports) => new AutonomousWork(ports);
}

/** The session's own agent, and those of its hats. */
export async function agentsOf({ agent, config }: SessionSpec): Promise<string[]> {
  if (!agent) return [];
  const ids = Object.keys(config.hats);
  if (ids.length === 0) return [agent.adapter];
  const { wornAgent } = await import('../../config/worn.js');
  return [agent.adapter, ...ids.flatMap((id) => wornAgent(config, id).adapter ?? [])];
}

/** An agent's own module, where the user named one. */
export const moduleOf =
  ({ config }: Pick<SessionSpec, 'config'>) =>
  (id: string): string | undefined =>
    Object.hasOwn(config.adapters, id) ? config.adapters[id]?.module : undefined;
