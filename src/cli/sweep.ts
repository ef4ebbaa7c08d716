/**
 * What a host that died (kill -9, out of memory) leaves behind: nobody owns the agent any more, so whoever notices ends
 * it by the session's mark. The foreground run does it at once; for a detached session `stop` and `--continue` do.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ReinsError, SESSION_MARK } from '../contract/index.js';
import { ownerOf, type Place, placeOf } from '../link/index.js';
import { isAlive } from '../proc/index.js';
import type { Member, StopReport } from '../terminal/index.js';
import { withClaim } from './claim.js';
import type { Context } from './context.js';
import { writeLostEnd } from './lost-end.js';
import { specOf } from './spec-file.js';
import { processCount } from './table.js';

/** A killed host's socket closes a moment before its pid is gone; a host that lives on longer is not dead. */
const DYING_MS = 1_000;
const LOOK_EVERY_MS = 10;

/** Processes of a session whose host is dead. A host that ended in order left its directory without host.json. */
export async function orphans(place: Place): Promise<Member[]> {
  if (place.alive || place.host === undefined) return [];
  const { members } = await import('../terminal/index.js');
  return members({ root: [], mark: { name: SESSION_MARK, value: place.id } });
}

/** Contract: ends nothing while the session's host lives, and never beside another sweep of the same session. */
export async function sweepSession(
  context: Pick<Context, 'env'>,
  dead: Place,
  how: 'stop' | 'kill' = 'stop',
): Promise<StopReport> {
  if (dead.alive) return { processes: [], left: 0 };
  return withClaim(dead, async () => {
    const place = placeOf(context.env, dead.id);
    const report = await sweepClaimed(place, how);
    if (report.left === 0) endWritten(place);
    return report;
  });
}

function endWritten(place: Place): void {
  try {
    writeLostEnd(place);
  } catch {
    // A disk that takes nothing, or no journal: whoever looks at the session is told what is wrong with it.
  }
}

/** For a host that is alive and does not answer, stopped or stuck: ends it by its pid, then what it ran by its mark. */
export async function endSilent(context: Context, place: Place, how: 'stop' | 'kill'): Promise<StopReport> {
  const { pid, start_ticks } = place.host!;
  context.channels.chrome(
    `The host of ${place.id} (pid ${pid}) does not answer: it is killed, and what it runs ended.`,
  );
  try {
    if (isAlive(pid, start_ticks)) process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
    throw new ReinsError('NOT_YOURS', { session: place.id, owner: `uid ${ownerOf(place) ?? '?'}` });
  }
  const dead = await deadPlace(context, place.id);
  if (!dead) return { processes: [{ pid, command: HOST, how: 'survived', signal: 'SIGKILL' }], left: 1 };
  const { processes, left } = await sweepSession(context, dead, how);
  return { processes: [{ pid, command: HOST, how: 'killed', signal: 'SIGKILL' }, ...processes], left };
}

const HOST = 'its host';

/** For who holds the session's claim already. */
export async function sweepClaimed(place: Place, how: 'stop' | 'kill' = 'stop'): Promise<StopReport> {
  if ((await orphans(place)).length === 0) return { processes: [], left: 0 };
  const { stopTree } = await import('../terminal/index.js');
  return stopTree({ root: [], mark: { name: SESSION_MARK, value: place.id }, how });
}

/** The link to a host broke: ends what it left if this viewer answers for the session, and says what happened. */
export async function hostLost(
  context: Context,
  lost: { session: string; reason: string; tie: boolean },
): Promise<ReinsError> {
  const error = new ReinsError('HOST_LOST', {
    session: lost.session,
    reason: lost.reason,
    next: nextOf(context, lost.session),
  });
  if (!lost.tie) return error;
  const place = await deadPlace(context, lost.session);
  if (!place) return error;
  const { processes, left } = await sweepSession(context, place);
  if (processes.length > 0)
    context.channels.chrome(`! the host died; ended ${processCount(processes.length)} it had left`);
  if (left > 0) context.channels.complain(`${processCount(left)} could not be ended.`);
  return error;
}

/** How to go on, for what can be gone on with. */
function nextOf(context: Context, session: string): string {
  const mode = specOf(placeOf(context.env, session))?.mode;
  return mode === undefined || mode === 'exec' ? '' : `; continue with \`reins run --continue ${session}\``;
}

async function deadPlace(context: Context, session: string): Promise<Place | undefined> {
  for (const end = Date.now() + DYING_MS; ; await sleep(LOOK_EVERY_MS)) {
    const place = placeOf(context.env, session);
    if (!place.alive) return place;
    if (Date.now() > end) return undefined;
  }
}
