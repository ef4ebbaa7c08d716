/**
 * A ladder inside the time there is. An agent drops a question after a while: the rungs share what is left of that, each
 * gets what it wants as long as the others have their fair part, and the last word is spoken before the agent goes on.
 */
import type { Rung } from '../policy/index.js';

/** A consultation is over this long before the agent's own deadline: what it said must still be told. */
const CONSULTED_BEFORE_MS = 5_000;
/** What the policy says last is said this long before it. */
const SAID_BEFORE_MS = 1_000;
/** With less time than this nobody is consulted. */
const SHORTEST_CONSULTATION_MS = 1_000;

export const NO_TIME = 'the agent does not wait long enough for a consultation';

export interface TimeLeft {
  /** Until the deadline of the inquiry; absent: as long as it takes. */
  leftMs: number | undefined;
  /** How long a consultation may last by itself. */
  consultMs: number;
}

/** Contract: every consultation gets a time; nothing gets more than it was given by the policy; the order stays. */
export function fitLadder(rungs: Rung[], { leftMs, consultMs }: TimeLeft): Rung[] {
  const wants = rungs.map((rung) => wantedMs(rung, consultMs));
  const timed = rungs.map((rung, at) => withTime(rung, wants[at]));
  if (leftMs === undefined) return timed;
  const room = Math.max(0, leftMs - reserveOf(rungs));
  const shares = fairShares(
    wants.map((want) => want ?? 0),
    room,
  );
  return timed
    .map((rung, at) => withTime(rung, wants[at] === undefined ? undefined : shares[at]))
    .reduce(skipHurried, []);
}

function wantedMs(rung: Rung, consultMs: number): number | undefined {
  if (rung.do === 'settle') return undefined;
  if (rung.do === 'consult') return Math.min(rung.forMs ?? consultMs, consultMs);
  return rung.forMs;
}

const withTime = (rung: Rung, forMs: number | undefined): Rung => (forMs === undefined ? rung : { ...rung, forMs });

function reserveOf(rungs: Rung[]): number {
  if (rungs.some((rung) => rung.do === 'consult')) return CONSULTED_BEFORE_MS;
  return rungs.at(-1)?.do === 'settle' ? SAID_BEFORE_MS : 0;
}

/** Who wants little gets it whole; the others share the rest alike. */
function fairShares(wants: number[], room: number): number[] {
  const shares = wants.map(() => 0);
  let left = room;
  const open = wants.map((_, at) => at).sort((a, b) => wants[a]! - wants[b]!);
  for (const [done, at] of open.entries()) {
    shares[at] = Math.min(wants[at]!, Math.floor(left / (open.length - done)));
    left -= shares[at]!;
  }
  return shares;
}

/** A consultation that could only fail is left out, and the next rung says why. */
function skipHurried(kept: Rung[], rung: Rung, at: number, all: Rung[]): Rung[] {
  const hurried = (one: Rung | undefined) => one?.do === 'consult' && (one.forMs ?? 0) < SHORTEST_CONSULTATION_MS;
  if (hurried(rung) && at < all.length - 1) return kept;
  const leads = hurried(all[at - 1]) ? { because: [NO_TIME, rung.because].filter(Boolean).join('; ') } : {};
  return [...kept, { ...rung, ...leads }];
}
