/**
 * What a host that died (kill -9, out of memory) leaves behind: nobody owns the agent any more, so whoever notices ends
 * it by the session's mark. The foreground run does it at once; for a detached session `stop` and `--continue` do. Whom it
 * had asked or sent for a person is ended by whoever looks: nobody waits for what they would say.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { CONSULTATION_OF, NOTIFICATION_OF, ReinsError, SESSION_MARK } from '../contract/index.js';
import { ownerOf, type Place, placeOf } from '../link/index.js';
import { isAlive } from '../proc/index.js';
import type { Mark, Member, StopReport } from '../terminal/index.js';
import { withClaim } from './claim.js';
import { writeLostEnd } from './lost-end.js';
import { specOf } from './spec-file.js';
import type { Where } from './where.js';

/** A killed host's socket closes a moment before its pid is gone; a host that lives on longer is not dead. */
const DYING_MS = 1_000;
const LOOK_EVERY_MS = 10;

/** Processes of a session whose host is dead. A host that ended in order left its directory without host.json. */
export async function orphans(place: Place): Promise<Member[]> {
  if (place.alive || place.host === undefined) return [];
  const { members } = await import('../terminal/index.js');
  return marksOf(place).flatMap((mark) => members({ root: [], mark }));
}

/** Of those it consulted, and of what was to tell a person. */
const helpersOf = ({ id }: Place): Mark[] => [CONSULTATION_OF, NOTIFICATION_OF].map((name) => ({ name, value: id }));

const marksOf = (place: Place): Mark[] => [{ name: SESSION_MARK, value: place.id }, ...helpersOf(place)];

/** How many processes of a dead host are left, without its helpers: those end now. For who only looks. Never fails. */
export async function leftOf(where: Pick<Where, 'env'>, place: Place): Promise<number> {
  if ((await orphans(place)).length === 0) return 0;
  const end = async () => {
    // Continued meanwhile: then they are another host's.
    if (placeOf(where.env, place.id).alive) return;
    const { stopTree } = await import('../terminal/index.js');
    await Promise.all(helpersOf(place).map((mark) => stopTree({ root: [], mark, how: 'kill' })));
  };
  await withClaim(place, end, 0).catch(() => undefined); // another is at it, and ends them too
  return (await orphans(placeOf(where.env, place.id))).length;
}

/** Contract: ends nothing while the session's host lives, and never beside another sweep of the same session. */
export async function sweepSession(
  where: Pick<Where, 'env'>,
  dead: Place,
  how: 'stop' | 'kill' = 'stop',
): Promise<StopReport> {
  if (dead.alive) return { processes: [], left: 0 };
  return withClaim(dead, async () => {
    const place = placeOf(where.env, dead.id);
    const report = await sweepClaimed(place, how);
    if (report.left === 0) await endWritten(place);
    return report;
  });
}

async function endWritten(place: Place): Promise<void> {
  try {
    await writeLostEnd(place);
  } catch {
    // A disk that takes nothing, or no journal: whoever looks at the session is told what is wrong with it.
  }
}

/** For a host that is alive and does not answer, stopped or stuck: ends it by its pid, then what it ran by its mark. */
export async function endSilent(where: Pick<Where, 'env'>, place: Place, how: 'stop' | 'kill'): Promise<StopReport> {
  const { pid, start_ticks } = place.host!;
  try {
    if (isAlive(pid, start_ticks)) process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
    throw new ReinsError('NOT_YOURS', { session: place.id, owner: `uid ${ownerOf(place) ?? '?'}` });
  }
  const dead = await deadPlace(where, place.id);
  if (!dead) return { processes: [{ pid, command: HOST, how: 'survived', signal: 'SIGKILL' }], left: 1 };
  const { processes, left } = await sweepSession(where, dead, how);
  return { processes: [{ pid, command: HOST, how: 'killed', signal: 'SIGKILL' }, ...processes], left };
}

const HOST = 'its host';

/** For who holds the session's claim already. */
export async function sweepClaimed(place: Place, how: 'stop' | 'kill' = 'stop'): Promise<StopReport> {
  if ((await orphans(place)).length === 0) return { processes: [], left: 0 };
  const { stopTree } = await import('../terminal/index.js');
  const reports = await Promise.all(marksOf(place).map((mark) => stopTree({ root: [], mark, how })));
  return {
    processes: reports.flatMap(({ processes }) => processes),
    left: reports.reduce((sum, { left }) => sum + left, 0),
  };
}

export interface LostHost {
  error: ReinsError;
  /** What was ended after it, and what could not be. */
  report: StopReport;
}

/** The link to a host broke: ends what it left if whoever asks answers for the session, and says what happened. */
export async function lostHost(
  where: Pick<Where, 'env'>,
  lost: { session: string; reason: string; tie: boolean },
): Promise<LostHost> {
  const next = nextOf(where, lost.session);
  const error = new ReinsError('HOST_LOST', { session: lost.session, reason: lost.reason, next });
  const place = lost.tie ? await deadPlace(where, lost.session) : undefined;
  return { error, report: place ? await sweepSession(where, place) : { processes: [], left: 0 } };
}

/** How to go on, for what can be gone on with. */
function nextOf(where: Pick<Where, 'env'>, session: string): string {
  const mode = specOf(placeOf(where.env, session))?.mode;
  return mode === undefined || mode === 'exec' ? '' : `; continue with \`reins run --continue ${session}\``;
}

async function deadPlace(where: Pick<Where, 'env'>, session: string): Promise<Place | undefined> {
  for (const end = Date.now() + DYING_MS; ; await sleep(LOOK_EVERY_MS)) {
    const place = placeOf(where.env, session);
    if (!place.alive) return place;
    if (Date.now() > end) return undefined;
  }
}
