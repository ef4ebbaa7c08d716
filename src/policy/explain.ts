/** `reins policy explain`: what a call would get with a person there, with one who can be fetched and with nobody, and where each answer is written. */
import type { InquiryKind } from '../contract/index.js';
import type { Decision, DecisionStep } from './decision.js';
import type { InquiryFacts, PolicyTools } from './judge.js';
import { route } from './route.js';
import type { PolicySettings } from './settings.js';

export type VerdictWord = 'allow' | 'deny' | 'ask' | 'consult' | 'defer';

export interface Explained {
  decision: Decision;
  /** Of a ladder: its first rung. */
  verdict: VerdictWord;
  rule: string;
  source: string;
  /** Present when the source is a place in a file. */
  file?: string;
  line?: number;
  /** `detached: deny (tools.defaults.detached, default)` */
  text: string;
}

export interface PolicyExplanation {
  attached: Explained;
  /** Present where somebody who is away can be fetched. */
  reachable?: Explained;
  detached: Explained;
}

export interface ExplainAsk {
  tool: string;
  input?: unknown;
  kind?: InquiryKind;
  questions?: InquiryFacts['questions'];
  exclusive?: boolean;
  /** By what somebody who is away could be fetched. */
  reachable?: string | undefined;
}

export function explainPolicy(ask: ExplainAsk, settings: PolicySettings, tools: PolicyTools): PolicyExplanation {
  const { tool, input, kind = 'run', questions, exclusive = false, reachable } = ask;
  const asked: InquiryFacts = { kind, tool, input, exclusive, ...(questions ? { questions } : {}) };
  const side = (name: 'attached' | 'reachable' | 'detached') => {
    const fetched = name === 'reachable' && reachable !== undefined ? { reachable } : {};
    const presence = { present: name === 'attached', reason: 'as an example', ...fetched };
    return explain(name, route(asked, presence, settings, tools));
  };
  return {
    attached: side('attached'),
    ...(reachable === undefined ? {} : { reachable: side('reachable') }),
    detached: side('detached'),
  };
}

function explain(side: string, decision: Decision): Explained {
  const steps = decision.do === 'ladder' ? decision.rungs : [decision];
  const words = steps.map((step) => stepText(step)).join(', then ');
  const { text: rule, source } = decision.rule;
  const place = /^(.*?[^:]):(\d+)(?::\d+)?$/.exec(source);
  return {
    decision,
    verdict: verdictWord(steps[0]!),
    rule,
    source,
    ...(place ? { file: place[1]!, line: Number(place[2]) } : {}),
    text: `${side}: ${words} (${rule}, ${source})${notConsulted(decision)}`,
  };
}

/** Why the mode that would consult another agent does not. */
function notConsulted(decision: Decision): string {
  const never = 'never' in decision ? decision.never : undefined;
  return never ? `; never consulted: ${never.text}, ${never.source}` : '';
}

function verdictWord(step: DecisionStep): VerdictWord {
  if (step.do !== 'settle') return step.do;
  return step.verdict.kind === 'deny' ? 'deny' : 'allow';
}

function stepText(step: DecisionStep & { forMs?: number }): string {
  const word = verdictWord(step);
  return step.forMs === undefined ? word : `${word} for ${durationText(step.forMs)}`;
}

const UNITS = [
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
] as const;

function durationText(ms: number): string {
  const unit = UNITS.find(([, size]) => ms >= size && ms % size === 0);
  return unit ? `${ms / unit[1]}${unit[0]}` : `${ms}ms`;
}
