/**
 * What someone should know about an agent's version before they rely on it: whether Reins was tried with it, and what a
 * probe found (decision 027). Nothing is started here and nothing waits.
 */
import { adapterNamed, type FoundAgent, standingOf } from '../adapters/index.js';
import { recall } from './probe-memory.js';

export interface AgentNote {
  /** `less`: known to work with less. `untried`: nobody tried this version. `broken`: a probe found fault. */
  kind: 'less' | 'untried' | 'broken';
  text: string;
}

const OFFER = '`reins doctor --probe` tries it here, offline';

export function agentNote(
  where: { env: Record<string, string | undefined>; version: string },
  found: FoundAgent,
): AgentNote | undefined {
  const standing = standingOf(found.adapter, found.version);
  const name = `${adapterNamed(found.adapter)?.label ?? found.adapter} ${numberIn(found.version)}`;
  const probed = recall(where.env, found, where.version);
  if (probed && probed.broken.length > 0) {
    const day = probed.at.slice(0, 10);
    return {
      kind: 'broken',
      text: `${name}: a probe on ${day} found that this does not hold: ${probed.broken.join(', ')}`,
    };
  }
  if (standing?.kind === 'less') return { kind: 'less', text: `${name} works with less: ${standing.reason}` };
  if (standing?.kind !== 'untried' || probed) return undefined;
  const text = `${name} was not tried: ${standing.reason}. What its screen shows is believed only where it is clear; ${OFFER}`;
  return { kind: 'untried', text };
}

const numberIn = (version: string): string => /\d+(?:\.\d+)+\S*/.exec(version)?.[0] ?? version;
