/** What happens to an open inquiry if nobody does anything, in words with a time: "then: consultant, in 4 min 12 s". */
import { timeLeft } from '../../contract/index.js';
import type { CardInquiry } from './answering.js';

export interface NextStep {
  words: string;
  /** What runs out soon is shown as such. */
  soon: boolean;
}

const SOON_MS = 60_000;

const left = (until: string | undefined, now: number): number | undefined => {
  const at = until === undefined ? Number.NaN : Date.parse(until);
  return Number.isNaN(at) ? undefined : at - now;
};

const THEN = {
  ask: 'a person is asked',
  consult: 'consultant',
  defer: 'it waits',
  deny: 'deny',
  allow: 'allow',
  default: 'the default',
} as const;

const then = ({ next, who }: CardInquiry): string =>
  next === undefined ? 'the next one' : next === 'consult' && who !== undefined ? `consultant ${who}` : THEN[next];

/** `agent`: the name of whoever asks, which may have a limit of its own. */
export function nextStep(inquiry: CardInquiry, { now, agent }: { now: number; agent: string }): NextStep {
  if (inquiry.lost) return { words: 'its host is gone', soon: false };
  const own = left(inquiry.deadline_at, now);
  const stage = left(inquiry.until, now);
  // Whatever comes first counts: the agent's own patience, or ours.
  if (own !== undefined && (stage === undefined || own <= stage))
    return { words: `${agent} goes on by itself ${inTime(own)}`, soon: own < SOON_MS };
  const asked = inquiry.stage === 'consulting' ? `${inquiry.who ?? 'the consultant'} is asked now · ` : '';
  if (stage !== undefined) return { words: `${asked}then: ${then(inquiry)}, ${inTime(stage)}`, soon: stage < SOON_MS };
  if (inquiry.stage === 'consulting') return { words: `${inquiry.who ?? 'the consultant'} is asked now`, soon: false };
  return { words: 'waits for you', soon: false };
}

const inTime = (ms: number): string => (ms <= 0 ? 'any moment' : `in ${timeLeft(ms)}`);
