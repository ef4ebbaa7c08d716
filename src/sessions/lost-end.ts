/**
 * The end of a session whose host died: nobody wrote it down, and its host's files stay behind. Written by whoever finds
 * it with nothing left running, as of the last thing that is known to have happened, because time that nobody worked
 * does not count.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Entry, type SessionId, systemClock } from '../contract/index.js';
import { FILES, forget } from '../disk/index.js';
import { lostIn } from '../journal/lost.js';
import { ofTypes } from '../journal/read.js';
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
export async function writeLostEnd(place: Place): Promise<void> {
  if (place.alive || !place.host) return;
  const { Journal } = await import('../journal/journal.js');
  const file = join(place.dir, FILES.journal);
  const clock = { ...systemClock, now: () => last ?? systemClock.now() };
  let last: number | undefined;
  const { journal, entries } = Journal.open({ file, session: place.id as SessionId, clock });
  try {
    last = Date.parse(journal.page({ limit: 1 }).entries[0]?.ts ?? '') || undefined;
    const { counts, isOpen } = counted(entries);
    if (isOpen) {
      journal.append('session.ended', {
        outcome: 'failed',
        exit_code: KILLED_EXIT,
        reason: LOST_REASON,
        counts,
      });
    }
    // While it can still be found as one that died.
    const { waiting } = lostIn(entries);
    if (waiting.length > 0) (await import('../host/lost-inquiries.js')).markLost(place.dir, waiting);
  } finally {
    journal.close();
  }
  for (const name of [FILES.host, FILES.socket, join(FILES.hooks, FILES.hookSocket)])
    rmSync(join(place.dir, name), { force: true });
  // What a consultant was shown: nobody reads it any more.
  forget(join(place.dir, 'consult'));
}

const COUNTED = ['session.started', 'session.ended', 'iteration.started', 'iteration.ended', 'inquiry.opened'] as const;

function counted(entries: Iterable<Entry>) {
  const iterations = new Set<number>();
  let cost = 0;
  let inquiries = 0;
  let isOpen = false;
  for (const entry of ofTypes(entries, COUNTED)) {
    if (entry.type === 'session.started') isOpen = true;
    else if (entry.type === 'session.ended') isOpen = false;
    else if (entry.type === 'iteration.started') iterations.add(entry.data.iteration);
    else if (entry.type === 'iteration.ended') cost += entry.data.cost_usd ?? 0;
    else inquiries += 1;
  }
  const counts = { iterations: iterations.size, inquiries, denied: 0, ...(cost > 0 ? { cost_usd: cost } : {}) };
  return { counts, isOpen };
}
