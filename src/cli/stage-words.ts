/** Where an open inquiry stands, in words: who has it now, until when, and what comes then. */
import { type Progress, timeLeft, type WaitingInquiry } from '../contract/index.js';
import { harmless } from './table.js';

const NEXT: Record<NonNullable<Progress['next']>, (who: string) => string> = {
  ask: () => 'asked of a person',
  consult: (who) => `answered by ${who}`,
  defer: () => 'put aside',
  deny: () => 'denied',
  allow: () => 'allowed',
  default: () => 'answered with its default',
};

/** What happens if the one who reads this does nothing; undefined where nothing does. */
export function stageWords(
  { stage, until, next, who, because }: Pick<WaitingInquiry, keyof Progress>,
  now: number,
): string | undefined {
  if (stage === undefined) return undefined;
  const agent = harmless(who ?? 'another agent');
  const left = until === undefined ? undefined : timeLeft(Date.parse(until) - now);
  const then = next === undefined ? undefined : NEXT[next](agent);
  const why = because === undefined ? '' : ` (${harmless(because)})`;
  if (stage === 'consulting') {
    const after = left === undefined || then === undefined ? '' : `, for ${left} at most; ${then} after that`;
    return `${agent} is being asked${why}${after}`;
  }
  const held = stage === 'deferred' ? 'put aside, it waits for you' : undefined;
  const does = then === undefined ? undefined : left === undefined ? `${then} later` : `${then} in ${left}`;
  const words = [held, does && `${does} if you do not answer`].filter((part) => part !== undefined).join('; ');
  return words === '' && why === '' ? undefined : `${words}${why}`.trimStart();
}
