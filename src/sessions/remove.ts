/**
 * Removing what is over: the directory of an ended session, nothing else. A live session, one whose dead host left
 * processes, and one that somebody is just continuing are never touched; the project's own files never are.
 */
import { renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ReinsError } from '../contract/index.js';
import { FILES, forget, lostMark, stateDir } from '../disk/index.js';
import { type Place, placeOf, places } from '../link/index.js';
import { withClaim } from './claim.js';
import { lostOf } from './lost.js';
import { orphans } from './sweep.js';
import type { Where } from './where.js';

const DAY_MS = 86_400_000;
/** By itself, at most so many at a time: nobody should wait for it. */
const MOST_AT_ONCE = 200;

/** Contract: throws where the session must not be removed, with what to do first. */
export async function removeSession(where: Pick<Where, 'env'>, found: Place): Promise<void> {
  await withClaim(found, async () => {
    const place = placeOf(where.env, found.id);
    if (place.alive) {
      throw new ReinsError('USAGE', { problem: `session ${place.id} is running`, fix: `reins stop ${place.id} first` });
    }
    if ((await orphans(place)).length > 0) {
      const problem = `the host of ${place.id} died and left processes that still run`;
      throw new ReinsError('USAGE', { problem, fix: `reins stop ${place.id} first` });
    }
    remove(place);
    forget(lostMark(place.dir));
  });
}

/** Out of sight in one step, then gone: whoever looks meanwhile sees no half session. */
function remove({ dir }: Place): void {
  const aside = `${dir}.removed`;
  try {
    renameSync(dir, aside);
  } catch (error) {
    throw new ReinsError('STATE_DIR', { dir, reason: (error as Error).message }, { cause: error });
  }
  rmSync(aside, { recursive: true, force: true });
}

/** Ended and unchanged for so long. */
export function endedBefore(where: Pick<Where, 'env'>, days: number): Place[] {
  const limit = Date.now() - days * DAY_MS;
  return places(where.env).filter((place) => !place.alive && lastChange(place) <= limit);
}

function lastChange({ dir }: Place): number {
  const times = [join(dir, FILES.journal), join(dir, FILES.spec), dir].flatMap((path) => {
    try {
      return [statSync(path).mtimeMs];
    } catch {
      return []; // a session that never got so far
    }
  });
  // The directory itself changes whenever anyone claims it: it counts only where nothing else is there.
  return times[0] ?? Date.now();
}

/** `sessions.keep_days`, looked at once a day when a session is started. Trouble with it is nobody's who starts one. */
export async function removeOld(where: Pick<Where, 'env'>, keepDays: number): Promise<void> {
  if (keepDays <= 0) return;
  const stamp = join(stateDir(where.env), 'pruned');
  try {
    if (Date.now() - statSync(stamp).mtimeMs < DAY_MS) return;
  } catch {
    // Never done yet.
  }
  try {
    writeFileSync(stamp, '', { mode: 0o600 });
    utimesSync(stamp, new Date(), new Date());
    for (const place of endedBefore(where, keepDays).slice(0, MOST_AT_ONCE)) {
      // What waits for a person is not removed behind their back.
      if ((await lostOf(place)).length === 0) await removeSession(where, place).catch(() => undefined); // it is in use after all
    }
  } catch {
    // A state directory that cannot be read or written is told where it matters.
  }
}
