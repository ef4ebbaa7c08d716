/**
 * The end of a session whose host died: nobody wrote it down, and its host's files stay behind. Written by whoever finds
 * it with nothing left running, as of the last thing that is known to have happened, because time that nobody worked
 * does not count.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Entry, type SessionId, systemClock } from '../contract/index.js';
import { FILES } from '../disk/index.js';
import { Journal } from '../journal/index.js';
import { type Place, placeOf } from '../link/index.js';
import { withClaim } from './claim.js';
import type { Where } from './where.js';

/** What a shell reports for a process that was killed. */
const KILLED_EXIT = 137;
export const LOST_REASON = 'its host died';

/** For who only looks: another who is at it will do it too. Never fails. */
export async function settleLost(where: Pick<Where, 'env'>, place: Place): Promise<void> {
  const settle = async () => writeLostEnd(placeOf(where.env, place.id));
  await withClaim(place, settle, 0).catch(() => undefined); // claimed, or a disk that takes nothing
}

/** For who holds the session's claim, and has seen that nothing of it runs. */
export function writeLostEnd(place: Place): void {
  if (place.alive || !place.host) return;
  const file = join(place.dir, FILES.journal);
  const clock = { ...systemClock, now: () => last ?? systemClock.now() };
  let last: number | undefined;
  const { journal, entries } = Journal.open({ file, session: place.id as SessionId, clock });
  try {
    last = Date.parse(entries.at(-1)?.ts ?? '') || undefined;
    const latest = entries.findLast(({ type }) => type === 'session.started' || type === 'session.ended');
    if (latest?.type === 'session.started') {
      journal.append('session.ended', {
        outcome: 'failed',
        exit_code: KILLED_EXIT,
        reason: LOST_REASON,
        counts: counted(entries),
      });
    }
  } finally {
    journal.close();
  }
  for (const name of [FILES.host, FILES.socket, join(FILES.hooks, FILES.hookSocket)])
    rmSync(join(place.dir, name), { force: true });
}

function counted(entries: Entry[]) {
  const iterations = new Set(entries.flatMap((one) => (one.type === 'iteration.started' ? [one.data.iteration] : [])));
  const cost = entries.reduce((sum, one) => sum + (one.type === 'iteration.ended' ? (one.data.cost_usd ?? 0) : 0), 0);
  return {
    iterations: iterations.size,
    inquiries: entries.filter(({ type }) => type === 'inquiry.opened').length,
    denied: 0,
    ...(cost > 0 ? { cost_usd: cost } : {}),
  };
}
