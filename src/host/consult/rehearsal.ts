/**
 * `reins consult --dry-run`: the very pack a consultant would get now, and what would keep one away. Nothing is started
 * and nothing is written down.
 */
import { guessPrice, makePack } from '../../consult/index.js';
import type { CommandResult, Inquiry } from '../../contract/index.js';
import type { Decision } from '../../policy/index.js';
import type { Consultant } from './consultant.js';
import { type GatherPorts, gather } from './gather.js';

export interface RehearsalPorts extends GatherPorts {
  /** What policy says with nobody there. */
  route(): Promise<Decision>;
  standing: Consultant['standing'];
}

export async function rehearse(inquiry: Inquiry, ports: RehearsalPorts): Promise<CommandResult<'pack'>> {
  const [facts, decision, standing] = await Promise.all([
    gather(ports, inquiry, { for: 'answer' }),
    ports.route(),
    ports.standing(),
  ]);
  const { prompt, digest, bytes, sources, leftOut, refused } = makePack(facts);
  const { consult, cli } = ports.spec.config;
  const model = standing.model === undefined ? {} : { model: standing.model };
  return {
    inquiry: inquiry.id,
    consultant: { adapter: consult.backend ?? ports.spec.agent?.adapter ?? cli.backend, ...model },
    away: [
      ...(refused === undefined ? [] : [refused]),
      ...unrouted(inquiry, decision, consult.suggest),
      ...standing.away,
    ],
    digest,
    bytes,
    sources: sources.map(({ text, ...source }) => ({ ...source, bytes: Buffer.byteLength(text) })),
    left_out: leftOut,
    price: guessPrice({ bytes, before: costsIn(ports.journal), ...model }),
    prompt,
  };
}

/** A person may still be given a suggestion where the policy lets nobody else answer. */
function unrouted(inquiry: Inquiry, decision: Decision, suggests: boolean): string[] {
  const steps = decision.do === 'ladder' ? decision.rungs : [decision];
  if (steps.some((step) => step.do === 'consult') || (suggests && !inquiry.exclusive)) return [];
  const { text, source } = decision.rule;
  return [`with nobody there the policy asks no other agent: ${text} (${source})`];
}

/** What the last consultations of this session cost, as far as agents said. */
function costsIn(journal: GatherPorts['journal']): number[] {
  const ended = journal
    .page({ limit: 500 })
    .entries.flatMap((entry) =>
      entry.type === 'consultation.ended' && entry.data.cost_usd !== undefined ? [entry.data.cost_usd] : [],
    );
  return ended.slice(-5);
}
