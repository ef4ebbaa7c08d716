/** Ends a session, whatever became of its host: one that lives is told, one that is stuck is killed, what a dead one left is ended. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ReinsError, type Stopped } from '../contract/index.js';
import { ownerOf, type Place, placeOf } from '../link/index.js';
import { tell } from './find.js';
import { endSilent, sweepSession } from './sweep.js';
import type { Where } from './where.js';

export interface StopSessionAsk {
  how: 'stop' | 'kill';
  /** Written down as the reason. */
  why: string;
  tell?(line: string): void;
}

export async function stopSession(where: Where, place: Place, ask: StopSessionAsk): Promise<Stopped> {
  return place.alive ? stopLiving(where, place, ask) : stopDead(where, place, ask);
}

/** One that takes longer is busy with something else: then it is as it is. */
const LEAVE_MS = 3_000;
const LOOK_EVERY_MS = 25;

/** A host that has said its end is there for a moment longer: whoever acts on the end waits for that moment. */
export async function whenLeft({ env }: Pick<Where, 'env'>, id: string): Promise<void> {
  for (const end = Date.now() + LEAVE_MS; placeOf(env, id).alive && Date.now() < end; ) await sleep(LOOK_EVERY_MS);
}

/** Contract: its end is on record and its place free when this returns, so that what comes next (`--continue`, `rm`) finds it ended. */
async function stopLiving(where: Where, place: Place, ask: StopSessionAsk): Promise<Stopped> {
  const { how, why } = ask;
  const report = await tell(where, place, 'stop', { how, why }).catch((error: ReinsError) => {
    if (error.code !== 'HOST_SILENT') throw error;
    const host = `The host of ${place.id} (pid ${place.host?.pid})`;
    ask.tell?.(`${host} does not answer: it is killed, and what it runs ended.`);
    return endSilent(where, place, how);
  });
  await whenLeft(where, place.id);
  return report;
}

/** Its host may have died without ending the agent. */
async function stopDead(where: Where, place: Place, ask: StopSessionAsk): Promise<Stopped> {
  if (place.barred !== undefined) {
    const owner = ownerOf(place);
    if (owner === undefined) throw new ReinsError('STATE_DIR', { dir: place.dir, reason: place.barred });
    throw new ReinsError('NOT_YOURS', { session: place.id, owner: `uid ${owner}` });
  }
  const report = await sweepSession(where, place, ask.how);
  const now = placeOf(where.env, place.id);
  // Continued by someone while we waited for our turn: it is a living one again.
  return now.alive ? stopLiving(where, now, ask) : report;
}
