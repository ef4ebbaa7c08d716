/** Where an open inquiry stands, in words: who has it now, until when, and what comes then. */
import type { Progress, WaitingInquiry } from '../contract/index.js';
import { harmless } from './table.js';

const NEXT: Record<NonNullable<Progress['next']>, (who: string) => string> = {
  ask: () => 'asked of a person',
  consult: (who) => `answered by ${who}`,
  defer: () => 'put aside',
  deny: () => 'denied',
  allow: () => 'allowed',
  default: () => 'answered with its default',
};

/** `4:12`, `1:02:03`: digits that count down. */
export function clockText(ms: number): string {
  const secs = Math.max(0, Math.ceil(ms / 1000));
  const two = (value: number) => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(secs / 3600), Math.floor(secs / 60) % 60];
  return `${hours > 0 ? `${hours}:${two(minutes)}` : minutes}:${two(secs % 60)}`;
}

/** What happens if the one who reads this does nothing; undefined where nothing does. */
export function stageWords(
  { stage, until, next, who, because }: Pick<WaitingInquiry, keyof Progress>,
  now: number,
): string | undefined {
  if (stage === undefined) return undefined;
  const agent = harmless(who ?? 'another agent');
  const left = until === undefined ? undefined : clockText(Date.parse(until) - now);
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
