/** How far a session has come that is starting: its host, its agent, and that the agent is ready, each with the seconds it took. */
import type { Entry } from '../../contract/index.js';

export interface StartStep {
  name: 'host' | 'agent' | 'ready';
  is: 'done' | 'now' | 'later';
  /** How long it took, or takes so far. */
  ms: number;
}

export function startSteps(entries: readonly Entry[], from: number, now: number): StartStep[] {
  const begun = entries.findLastIndex(({ type }) => type === 'session.started');
  const since = entries.slice(Math.max(0, begun));
  const at = (type: Entry['type']): number | undefined => {
    const found = since.find((entry) => entry.type === type);
    return found && Date.parse(found.ts);
  };
  // A row that says so came from its host.
  const host = at('session.started') ?? from;
  const agent = at('agent.started');
  return [
    { name: 'host', is: 'done', ms: host - from },
    { name: 'agent', is: agent === undefined ? 'now' : 'done', ms: (agent ?? now) - host },
    { name: 'ready', is: agent === undefined ? 'later' : 'now', ms: agent === undefined ? 0 : now - agent },
  ];
}
